import numpy as np
import pytest
from scipy import sparse

from bncc.multilabel.targets import read_targets


def test_forms_of_a_label_matrix():
    pd = pytest.importorskip("pandas")
    Y = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0]])
    frame = pd.DataFrame(Y, columns=["a", "b", "c"])
    for form in (Y, Y.astype(bool), Y.tolist(), sparse.csr_array(Y), sparse.coo_matrix(Y), frame):
        targets = read_targets(form)
        assert targets.positives.toarray().tolist() == Y.tolist()
        assert (targets.n_rows, targets.n_labels, targets.flat, targets.unknown) == (3, 3, False, None)
    assert read_targets(frame).label_names == ("a", "b", "c")
    assert read_targets(Y.astype(bool)).dtype == bool


@pytest.mark.parametrize("kind", ["dense", "sparse", "frame"])
def test_missing_values_are_unknown(kind):
    Y = np.array([[1.0, np.nan], [0.0, 1.0], [np.nan, 0.0]])
    form = Y
    if kind == "sparse":
        form = sparse.csr_array(Y)
    elif kind == "frame":
        form = pytest.importorskip("pandas").DataFrame(Y, columns=["a", "b"])
    targets = read_targets(form)
    assert [targets.column(label).tolist() for label in (0, 1)] == [[1, 0, -1], [-1, 1, 0]]
    assert targets.take(np.array([2, 0])).column(0).tolist() == [-1, 1]


@pytest.mark.parametrize("values", [["no", "yes", "no"], [3, 7, 3], [False, True, False], [-1, 1, -1]])
def test_one_dimension_takes_any_two_values(values):
    targets = read_targets(np.array(values))
    assert targets.flat
    assert targets.column(0).tolist() == [0, 1, 0]
    assert targets.classes.tolist() == [values[0], values[1]]


def test_one_column_keeps_its_two_dimensions():
    assert read_targets(np.array([[1], [2], [1]])).classes.tolist() == [1, 2]
    plain = read_targets(np.array([[1], [0], [1]]))
    assert (plain.flat, plain.classes, plain.column(0).tolist()) == (False, None, [1, 0, 1])


def test_one_class_only():
    assert read_targets(np.array([1, 1])).column(0).tolist() == [1, 1]
    assert read_targets(np.array(["a", "a"])).classes.tolist() == ["a"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array([0, 1, 2]), r"Only binary classification is supported.*multiclass, with 3 classes"),
        (np.array([0.1, 0.2, 0.7]), "Unknown label type"),
        (np.array([0.0, np.nan, 1.0]), "contains NaN"),
        (np.array([0.0, np.inf, 1.0]), "infinity"),
        (np.array([[0, 2], [1, 0]]), "0/1 or booleans; got 2"),
        (np.zeros((0,)), "at least one row"),
        (np.array([["a", "b"], ["c", "d"]]), "0/1 or booleans"),
    ],
)
def test_bad_targets(y, message):
    with pytest.raises(ValueError, match=message):
        read_targets(y)
