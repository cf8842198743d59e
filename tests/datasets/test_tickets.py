import math
import subprocess
import sys

import numpy as np
import pytest

from bncc.datasets import make_tickets
from bncc.datasets.ticket_words import PHRASES, SUBJECTS


def labels_of(tickets):
    names = sorted(PHRASES)
    return names, np.array([[name in cell.split(";") for name in names] for cell in tickets["tags"]])


@pytest.fixture(scope="module")
def tickets():
    return make_tickets(6000, 1)


def test_seeds_are_respected():
    assert make_tickets(50, 3) == make_tickets(50, 3)
    assert make_tickets(50, 3) != make_tickets(50, 4)


def test_columns_are_as_described(tickets):
    distinct = {name: len(set(cells)) for name, cells in tickets.items()}
    assert {len(cells) for cells in tickets.values()} == {6000}
    assert distinct["ticket"] == 6000
    assert distinct["system"] == 1
    assert set(tickets["attachment"]) == {True, False}
    assert (distinct["channel"], distinct["plan"]) == (5, 4)
    assert 200 < distinct["customer"] <= 241
    assert min(distinct["subject"], distinct["body"]) > 500
    for name, share in (("customer", 0.05), ("account_age", 0.06), ("amount", 0.35)):
        assert sum(cell is None for cell in tickets[name]) / 6000 == pytest.approx(share, abs=0.03)
    assert any(cell is None for cell in tickets["subject"])
    assert any(cell == "" for cell in tickets["tags"])


def test_every_tag_occurs_and_has_words(tickets):
    names, Y = labels_of(tickets)
    assert len(names) == 14
    assert set(SUBJECTS) == {*names, "any"}
    rates = Y.mean(axis=0)
    assert rates.min() > 0.01
    assert rates.max() < 0.4


def test_tags_depend_on_words_on_columns_and_on_each_other(tickets):
    names, Y = labels_of(tickets)
    label = dict(zip(names, Y.T, strict=True))
    tells = np.array([any(phrase in body for phrase in PHRASES["login"]) for body in tickets["body"]])
    assert label["login"][tells].mean() > 0.7 > 0.3 > label["login"][~tells].mean()
    enterprise = np.array([plan == "enterprise" for plan in tickets["plan"]])
    assert label["security"][enterprise].mean() > 3 * label["security"][~enterprise].mean()
    winter = np.array([cell[5:7] in ("11", "12") for cell in tickets["created"]])
    assert label["delivery"][winter].mean() > 3 * label["delivery"][~winter].mean()
    assert label["refund"][label["billing"]].mean() > 5 * label["refund"][~label["billing"]].mean()


def test_frames_hold_the_same():
    pytest.importorskip("pandas")
    frame, columns = make_tickets(40, 2, as_frame=True), make_tickets(40, 2)
    assert list(frame.columns) == list(columns)
    assert frame["body"].tolist() == columns["body"]
    gaps = [cell is None or math.isnan(cell) for cell in frame["amount"].tolist()]
    assert gaps == [cell is None for cell in columns["amount"]]


def test_columns_are_made_without_pandas():
    script = "import sys; sys.modules['pandas'] = None; from bncc.datasets import make_tickets; make_tickets(5)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_wrong_counts_are_refused():
    with pytest.raises(ValueError, match="`n_rows` must be at least 1; got 0"):
        make_tickets(0)
