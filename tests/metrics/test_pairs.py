import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import bncc.metrics as metrics
from bncc.metrics import METRICS, compare, evaluate, log_loss, one_error, precision_at_3
from bncc.metrics._pairs import by_name, read_pair, read_ranked, read_scored, scores_by_name

Y = np.array([[1, 0, 1], [0, 0, 1]])
TRUE = [["rain", "wind"], ["wind"], [], ["rain"], ["snow"], ["wind", "rain"]]
PRED = [["rain"], ["wind", "hail"], [], ["rain"], ["rain"], ["wind"]]
NAMES = ["hail", "rain", "snow", "wind"]


def _matrix(rows, names=NAMES):
    return np.array([[int(name in row) for name in names] for row in rows])


FORMS = {
    "lists": lambda rows: rows,
    "sets": lambda rows: [set(row) for row in rows],
    "series of lists": pd.Series,
    "text": lambda rows: [";".join(row) for row in rows],
    "series of text": lambda rows: pd.Series([";".join(row) for row in rows]),
    "dict of rows": lambda rows: {f"row{number}": row for number, row in enumerate(rows)},
    "dicts": lambda rows: [dict.fromkeys(row, 1) for row in rows],
    "dict of columns": lambda rows: dict(zip(NAMES[::-1], _matrix(rows)[:, ::-1].T.tolist(), strict=True)),
    "pandas": lambda rows: pd.DataFrame(_matrix(rows)[:, ::-1], columns=NAMES[::-1]),
    "polars": lambda rows: pl.DataFrame(_matrix(rows)[:, ::-1], schema=NAMES[::-1]),
}


@pytest.mark.parametrize("true", [form for form in FORMS if form not in ("pandas", "polars", "dict of columns")])
@pytest.mark.parametrize("pred", FORMS)
def test_labels_with_names_are_compared_by_name(true, pred):
    plain = evaluate(_matrix(TRUE), _matrix(PRED))
    for first, second, rows in [(true, pred, (TRUE, PRED)), (pred, true, (TRUE, PRED))]:
        found = evaluate(FORMS[first](rows[0]), FORMS[second](rows[1]))
        assert found == pytest.approx(plain)


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.needs == "labels"])
def test_every_metric_on_labels_compares_tags_by_name(name):
    function = getattr(metrics, name)
    assert function(TRUE, PRED) == pytest.approx(function(_matrix(TRUE), _matrix(PRED)))


def test_labels_of_one_side_alone_are_labels():
    assert evaluate([["cat"], ["dog"], []], [["apple"], ["pear"], []], metrics="subset_accuracy") == {
        "subset_accuracy": pytest.approx(1 / 3)
    }
    both = compare([["a"], ["b"], ["a", "b"]], [["a"], ["c"], ["a"]])
    assert both.n_labels == 3
    assert metrics.example_f1(both) == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert metrics.macro_f1(both) == pytest.approx((1 + 0 + 0) / 3)
    assert metrics.macro_recall(both, zero_division=np.nan) == pytest.approx((1 + 0) / 2)  # nobody has c


def test_no_tag_at_all_is_a_prediction():
    assert evaluate(TRUE, [[]] * 6, metrics=["micro_recall", "subset_accuracy"]) == {
        "micro_recall": 0.0,
        "subset_accuracy": pytest.approx(1 / 6),
    }
    assert evaluate([";".join(row) for row in TRUE], [""] * 6, metrics="micro_recall") == {"micro_recall": 0.0}


def test_both_sides_are_split_at_the_same_mark():
    assert evaluate(["a;b", "c", "a"], ["a", "c", "a;b"], metrics="micro_precision") == {"micro_precision": 0.75}
    assert evaluate(["a;b", "c", "a"], ["a", "c", "b"], metrics="micro_precision") == {
        "micro_precision": pytest.approx(2 / 3)
    }


def test_numbers_that_name_labels_are_compared_as_names():
    assert evaluate([[3], [1, 2], []], [[3], [1], [5]], metrics="micro_recall") == {
        "micro_recall": pytest.approx(2 / 3)
    }


def test_tags_are_not_compared_with_columns_without_names():
    for nameless in (_matrix(TRUE), _matrix(TRUE).tolist(), sparse.csr_array(_matrix(TRUE))):
        with pytest.raises(ValueError, match=r"the columns of `Y_pred` have no names .*`predict_tags`"):
            compare(TRUE, nameless)
        with pytest.raises(ValueError, match="the columns of `Y_true` have no names"):
            compare(nameless, PRED)
    with pytest.raises(ValueError, match="the columns of `Y_score` have no names"):
        one_error(TRUE, _matrix(TRUE) * 0.5)
    with pytest.raises(ValueError, match="the columns of `Y_proba` have no names"):
        evaluate(TRUE, Y_proba=_matrix(TRUE) * 0.5)
    with pytest.raises(ValueError, match=r"none in common; got \['rain', 'snow', 'wind'\] and \['0', '1', '2'\]"):
        compare(TRUE, pd.DataFrame(_matrix(TRUE)))


def test_a_dict_of_columns_has_an_order_to_compare_by():
    columns = {"b": [1, 0], "a": [0, 1]}
    assert metrics.subset_accuracy(columns, np.array([[1, 0], [0, 1]])) == 1.0
    assert one_error(columns, np.array([[0.9, 0.1], [0.2, 0.8]])) == 0.0


def test_unknown_labels_stay_unknown_when_columns_move():
    true = [{"rain": 1, "wind": 0}, {"wind": 1}]
    true_matrix, pred = by_name(true, [["hail", "wind"], ["wind"]])
    np.testing.assert_array_equal(true_matrix.toarray(), [[1, 0, 0], [np.nan, 1, 0]])
    assert pred.toarray().tolist() == [[0, 1, 1], [0, 1, 0]]
    frame = pd.DataFrame({"wind": [0.0, 1.0], "rain": [1.0, np.nan]})
    assert compare(frame, [["wind"], ["wind"]]).pooled.fp.tolist() == [1.0]


def test_wide_tags_stay_sparse():
    rng = np.random.default_rng(0)
    rows = [[f"tag{number}" for number in rng.integers(0, 10**6, 3)] for _ in range(2000)]
    true, unknown, pred = read_pair(rows, rows[::-1])
    assert sparse.issparse(true)
    assert sparse.issparse(pred)
    assert unknown is None


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_scores_with_names_are_compared_by_name(frame):
    scores = np.array(
        [[0.9, 0.1, 0.6], [0.2, 0.3, 0.4], [0.1, 0.2, 0.3], [0.8, 0.1, 0.2], [0.3, 0.9, 0.1], [0.7, 0.2, 0.8]]
    )
    names = ["rain", "snow", "wind"]
    table = frame(dict(zip(names[::-1], scores[:, ::-1].T.tolist(), strict=True)))
    found = evaluate(TRUE, Y_score=table, Y_proba=table)
    assert found == pytest.approx(evaluate(_matrix(TRUE, names), Y_score=scores, Y_proba=scores))
    assert list(found) == [name for name, metric in METRICS.items() if metric.needs != "labels"]


def test_a_label_without_scores_is_below_all_others():
    scores = pd.DataFrame({"dog": [0.1, -0.8], "cat": [0.9, 0.2]})
    true, placed = scores_by_name([["cat"], ["emu"]], scores)
    assert true.toarray().tolist() == [[1, 0, 0], [0, 1, 0]]
    assert (placed[:, 1] < -0.8).all()
    assert precision_at_3([["cat"], ["emu"]], scores) == pytest.approx(1 / 3)
    likely = pd.DataFrame({"cat": [0.5, 0.0]})
    assert log_loss([["cat"], ["emu"]], likely, eps=0.25) == pytest.approx(-np.log([0.5, 0.75, 0.75, 0.25]).mean())


def test_columns_of_scores_with_one_name_are_refused():
    scores = pd.DataFrame([[0.1, 0.2]], columns=["cat", "cat"])
    with pytest.raises(ValueError, match=r"`columns of Y_score` must be distinct; got \['cat'\]"):
        one_error([["cat"]], scores)


def test_scored_labels_come_with_scores_and_weights_of_their_shape():
    true, unknown, scores, weight = read_scored(Y, Y * 0.5, [1, 3])
    assert unknown is None
    assert true.shape == scores.shape == Y.shape
    assert weight is not None
    assert weight.tolist() == [1.0, 3.0]
    with pytest.raises(ValueError, match="`Y_true` and `Y_score` must have the same shape"):
        read_scored(Y, Y[:, :2] * 0.5, None)


def test_sparse_scores_have_no_names():
    true, scores, weight = read_ranked(Y, sparse.csr_array(Y * 0.5), None)
    assert true.shape == scores.shape
    assert weight is None
    with pytest.raises(ValueError, match="the columns of `Y_score` have no names"):
        read_ranked([["a"], ["b"]], sparse.csr_array(Y * 0.5), None)
