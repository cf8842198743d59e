"""Parts joined: rows, features and labels of both."""

import numpy as np
import pytest
from scipy import sparse

pd = pytest.importorskip("pandas")

from bncc.evaluation.joining import join_parts  # noqa: E402
from bncc.evaluation.labelled import LabelledData, label_table  # noqa: E402


def matrix(X, labels, categories=None, name="part"):
    Y = pd.DataFrame(dict.fromkeys(labels, np.ones(X.shape[0], np.int8)))
    names = [f"x{i}" for i in range(X.shape[1])]
    return LabelledData(name, "memory", X, Y, {"kind": "matrix", "features": names, "categories": categories or {}})


def test_rows_of_both_in_their_order():
    joined = join_parts(matrix(np.zeros((2, 3)), "ab"), matrix(np.ones((1, 3)), "ab"))
    assert joined.X.tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
    assert (joined.train.tolist(), joined.test.tolist()) == ([0, 1], [2])


def test_tables_keep_their_columns():
    parts = [label_table(pd.DataFrame({"x": [value], "sky": ["blue"]}), [[1]]) for value in (1.0, 2.0)]
    joined = join_parts(*parts)
    assert joined.X.to_dict("list") == {"x": [1.0, 2.0], "sky": ["blue", "blue"]}


def test_sparse_rows_may_end_at_different_features():
    joined = join_parts(matrix(sparse.csr_array(np.eye(2)), "a"), matrix(sparse.csr_array(np.eye(3)), "a"))
    assert joined.X.shape == (5, 3)
    assert joined.schema["features"] == ["x0", "x1", "x2"]


def test_a_label_that_one_part_lacks_is_zero_there_or_refused():
    train, test = matrix(np.zeros((1, 1)), "a", name="train.csv"), matrix(np.zeros((1, 1)), "ab", name="test.csv")
    assert join_parts(train, test, open_labels=True).Y.to_numpy().tolist() == [[1, 0], [1, 1]]
    with pytest.raises(ValueError, match=r"train\.csv and test\.csv must have the same labels; only one has 'b'"):
        join_parts(train, test)


def test_features_that_differ_are_refused():
    with pytest.raises(ValueError, match="must have the same features; got 2 and 3"):
        join_parts(matrix(np.zeros((1, 2)), "a"), matrix(np.zeros((1, 3)), "a"))
    with pytest.raises(ValueError, match="declare different categories"):
        join_parts(matrix(np.zeros((1, 1)), "a", {"x0": ["u"]}), matrix(np.zeros((1, 1)), "a"))
    with pytest.raises(ValueError, match="is a table, and the part beside it a matrix"):
        join_parts(matrix(np.zeros((1, 1)), "a"), label_table(pd.DataFrame({"x": [1.0]}), [[1]]))
