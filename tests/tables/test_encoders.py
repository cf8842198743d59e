import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from bncc.tables.columns import read_columns
from bncc.tables.encoders import fit_category, fit_date, fit_flag, fit_number, fit_text
from bncc.tables.kinds import decide_kind


def column(cells, name="c"):
    return read_columns({name: cells})[name]


def odd(encoder, cells):
    return {what: count for what, count in encoder.surprises(column(cells)) if count}


def test_numbers_keep_their_order_and_are_bounded():
    cells = column([1.0, 2.0, 3.0, 4.0, 1e9])
    encoder = fit_number(cells, decide_kind(cells), fills_gaps=True, scale="soft")
    made = encoder.encode(column([-1e12, 1.0, 2.0, 3.0, 4.0, 1e9, 1e12])).ravel()
    assert (np.diff(made) >= 0).all()
    assert np.abs(made).max() <= 4.0
    assert made[3] == 0.0  # the median


def test_gaps_of_numbers_are_marked_or_kept():
    cells = column([1.0, None, 3.0, 8.0])
    reading = decide_kind(cells)
    filled = fit_number(cells, reading, fills_gaps=True, scale="none").encode(cells)
    assert filled.tolist() == [[1.0], [3.0], [3.0], [8.0]]
    marked = fit_number(cells, reading, fills_gaps=True, scale="soft").encode(cells)
    assert marked[:, 1].tolist() == [0.0, 1.0, 0.0, 0.0]
    by_range = fit_number(cells, reading, fills_gaps=True, scale="range").encode(cells)
    assert (7 * by_range).ravel().tolist() == [1.0, 3.0, 3.0, 8.0]
    kept = fit_number(cells, reading, fills_gaps=False, scale="none").encode(cells)
    assert np.isnan(kept[1, 0])
    assert kept.shape == (4, 1)


def test_odd_numbers_are_counted():
    cells = column([1.0, 2.0, 3.0])
    encoder = fit_number(cells, decide_kind(cells), fills_gaps=True, scale="soft")
    assert odd(encoder, ["1", "x", "6", "-1", "4.9"]) == {
        "holds cells that are no numbers": 1,
        "holds values far from those learned": 1,
    }


def test_flags():
    cells = column(["yes", "no", None])
    encoder = fit_flag(cells, decide_kind(cells), fills_gaps=True)
    assert encoder.encode(column(["YES", None])).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert odd(encoder, ["perhaps", "no"]) == {"holds cells that are neither yes nor no": 1}


def test_levels_have_columns():
    encoder = fit_category(column(["a", "b", "a", None]), most_levels=5)
    assert encoder.names() == ["c=a", "c=b", "c missing"]
    assert encoder.encode(column(["b", "new", None])).toarray().tolist() == [[0, 1, 0], [0, 0, 0], [0, 0, 1]]
    assert odd(encoder, ["b", "new", None]) == {"holds levels that were not learned from": 1}


def test_rare_levels_share_a_column():
    cells = ["big"] * 50 + ["also"] * 20 + [f"rare{i}" for i in range(20)]
    encoder = fit_category(column(cells), most_levels=10)
    assert encoder.names() == ["c=big", "c=also", "c other"]
    made = 4 * encoder.encode(column(["rare3", "never seen", "big"])).toarray()
    assert made.tolist() == [[0, 0, 1], [0, 0, 1], [1, 0, 0]]
    assert odd(encoder, ["rare3", "never seen"]) == {"holds levels that were not learned from": 1}


def test_of_many_levels_the_frequent_ones_keep_columns():
    cells = [f"shop {i}" for i in range(150) for _ in range(4)] + ["once", "twice", "twice"]
    assert len(fit_category(column(cells), most_levels=400).levels) == 152
    encoder = fit_category(column(cells), most_levels=151)
    assert len(encoder.levels) == 150
    assert set(encoder.others) == {"once", "twice"}


def test_dates_have_distance_and_parts():
    cells = column(["2024-01-01", "2024-07-01", "2024-12-31"])
    encoder = fit_date(cells, decide_kind(cells), fills_gaps=True, scale="none")
    made = dict(zip(encoder.names(), encoder.encode(column(["2024-12-31"]))[0], strict=True))
    assert made["c days"] == 20088.0
    assert made["c month"] == 11 / 12
    assert made["c day"] == 30 / 31
    assert made["c weekday"] == pytest.approx(1 / 7)
    assert "c hour" not in made
    assert odd(encoder, ["1950-01-01", "soon", "2024-02-02"]) == {
        "holds cells that are no dates": 1,
        "holds dates far from those learned": 1,
    }


def test_december_lies_beside_january():
    cells = column(["2024-01-01", "2024-06-15", "2024-12-31"])
    encoder = fit_date(cells, decide_kind(cells), fills_gaps=True, scale="soft")
    names = encoder.names()
    circle = encoder.encode(cells)[:, [names.index("c month sin"), names.index("c month cos")]]
    assert np.linalg.norm(circle[0] - circle[2]) < np.linalg.norm(circle[0] - circle[1])


def test_gaps_of_dates():
    cells = column(["2024-01-01", None, "2024-12-31"])
    reading = decide_kind(cells)
    assert np.isfinite(fit_date(cells, reading, fills_gaps=True, scale="soft").encode(cells)).all()
    assert np.isnan(fit_date(cells, reading, fills_gaps=False, scale="soft").encode(cells)[1]).all()


def test_texts():
    encoder = fit_text(column(["red fox", "grey wolf"]), TfidfVectorizer())
    assert encoder.names()[0] == "c: fox"
    made = encoder.encode(column(["a fox", None]))
    assert sparse.issparse(made)
    assert made.nnz == 1
    assert odd(encoder, ["zebra", None, "wolf"]) == {"holds no word that was learned": 1}
