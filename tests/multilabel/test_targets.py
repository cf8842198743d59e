import numpy as np
import pytest
from scipy import sparse

from bncc.multilabel.targets import place_values, read_targets, store_labels


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


@pytest.mark.parametrize(
    ("form", "layout"),
    [
        (np.asarray, "dense"),
        (sparse.csr_array, "csr_array"),
        (sparse.lil_array, "csr_array"),
        (sparse.csr_matrix, "csr_matrix"),
        (sparse.dok_matrix, "csr_matrix"),
    ],
)
def test_labels_are_stored_as_they_came(form, layout):
    Y = np.array([[1, 0, 1], [0, 0, 1]], np.int16)
    targets = read_targets(form(Y))
    assert targets.take(np.array([0])).layout == targets.layout == layout
    stored = store_labels(Y == 1, targets.dtype, layout)
    assert stored.dtype == np.int16
    assert type(stored).__name__ == {"dense": "ndarray"}.get(layout, layout)
    assert (stored.toarray() if sparse.issparse(stored) else stored).tolist() == Y.tolist()


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


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_all_columns_are_each_of_them(form):
    Y = np.random.default_rng(0).integers(0, 2, (7, 4)).astype(float)
    Y[2, 1] = Y[3, 3] = np.nan
    for targets in (read_targets(form(Y)), read_targets(np.arange(8).reshape(4, 2), many_classes=True)):
        columns = targets.columns()
        assert len(columns) == targets.n_labels
        for label, column in enumerate(columns):
            np.testing.assert_array_equal(column, targets.column(label))
            assert column.flags.c_contiguous


@pytest.mark.parametrize("values", [["no", "yes", "no"], [3, 7, 3], [False, True, False], [-1, 1, -1]])
def test_one_dimension_takes_any_two_values(values):
    targets = read_targets(np.array(values))
    assert targets.flat
    assert targets.column(0).tolist() == [0, 1, 0]
    assert [each.tolist() for each in targets.classes] == [[values[0], values[1]]]


def test_one_column_keeps_its_two_dimensions():
    assert read_targets(np.array([[1], [2], [1]])).classes[0].tolist() == [1, 2]
    plain = read_targets(np.array([[1], [0], [1]]))
    assert (plain.flat, plain.classes, plain.column(0).tolist()) == (False, None, [1, 0, 1])


def test_one_class_only():
    assert read_targets(np.array([1, 1])).column(0).tolist() == [1, 1]
    assert read_targets(np.array(["a", "a"])).classes[0].tolist() == ["a"]


@pytest.mark.parametrize("kind", ["text", "numbers", "frame", "objects"])
def test_columns_of_any_two_values(kind):
    text = np.array([["no", "low"], ["yes", "high"], ["no", "high"]])
    form = {
        "text": text,
        "numbers": np.array([[2, 5], [3, -5], [2, -5]]),
        "frame": pytest.importorskip("pandas").DataFrame(text, columns=["sold", "price"]),
        "objects": np.array([[0, "low"], [1, "high"], [0, "high"]], object),
    }[kind]
    targets = read_targets(form)
    assert [targets.column(label).tolist() for label in (0, 1)] == [[0, 1, 0], [1, 0, 0]]
    assert targets.codes is None
    assert all(each.dtype == targets.dtype for each in targets.classes)
    assert targets.label_names == (("sold", "price") if kind == "frame" else None)
    values = place_values(targets.classes, targets.positives.toarray())
    assert values.tolist() == np.asarray(form).tolist()


def test_unknown_values_and_constant_columns_among_them():
    targets = read_targets(np.array([[2.0, 7.0, np.nan], [np.nan, 7.0, np.nan], [3.0, 7.0, np.nan]]))
    assert [targets.column(label).tolist() for label in range(3)] == [[0, -1, 1], [0, 0, 0], [-1, -1, -1]]
    assert [each.tolist() for each in targets.classes] == [[2.0, 3.0], [7.0], [0.0]]
    assert place_values(targets.classes, np.ones((1, 3), bool)).tolist() == [[3.0, 7.0, 0.0]]
    assert read_targets(np.array([[None, "a"], ["b", "c"]], object)).column(0).tolist() == [-1, 0]


def test_more_than_two_classes_where_they_are_wanted():
    y = np.array([[0, 4], [1, 5], [2, 5]])
    targets = read_targets(y, many_classes=True)
    assert targets.column(0).tolist() == [0, 1, 2]
    assert targets.take(np.array([2, 1])).column(0).tolist() == [2, 1]
    assert place_values(targets.classes, targets.codes).tolist() == y.tolist()
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*with 3 classes"):
        read_targets(y)


def test_one_dimension_of_many_values_is_a_label_for_each():
    targets = read_targets(np.array(["b", "a", "c", "b"]), many_classes=True)
    assert targets.exclusive.tolist() == ["a", "b", "c"]
    assert targets.label_names == ("a", "b", "c")
    assert targets.positives.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert targets.take(np.array([2])).exclusive.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        read_targets(np.array(["b", "a", "c", "b"]))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array([0, 1, 2]), r"Only binary classification is supported.*multiclass, with 3 classes"),
        (np.array([0.1, 0.2, 0.7]), "Unknown label type"),
        (np.array([0.0, np.nan, 1.0]), "contains NaN"),
        (np.array([0.0, np.inf, 1.0]), "infinity"),
        (sparse.csr_array([[0, 2], [1, 0]]), "0/1 or booleans; got 2"),
        (np.array([[0.5, 2.25], [1, 0]]), "Unknown label type"),
        (np.array([[np.inf, 2.0], [1, 0]]), "infinity"),
        (np.zeros((0,)), "at least one row"),
        (np.array([["a", 1], [2, 1]], object), "must be of one kind; got text and numbers"),
    ],
)
def test_bad_targets(y, message):
    with pytest.raises(ValueError, match=message):
        read_targets(y)


def test_rows_of_different_kinds_are_refused():
    with pytest.raises(ValueError, match="a list or set of tags for every row; got rows of different"):
        read_targets([[1, "rain"], "wind", [2, "snow"]])
