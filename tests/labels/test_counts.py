import numpy as np
import pytest
from hypothesis import given, settings
from scipy import sparse

from bncc.labels import count_labels
from strategies import label_matrices


@given(label_matrices())
@settings(max_examples=50)
def test_counts_are_the_counts(Y):
    counts = count_labels(Y)
    assert counts.positives.tolist() == Y.sum(axis=0).tolist()
    pairs = (Y.astype(int).T @ Y.astype(int)).tolist()
    assert counts.pairs.toarray().tolist() == pairs
    m = Y.shape[1]
    first, second = np.meshgrid(np.arange(m), np.arange(m), indexing="ij")
    assert counts.pair_counts(first, second).tolist() == pairs


def test_pair_counts_in_chunks(monkeypatch):
    monkeypatch.setattr("bncc.labels.counts._CHUNK", 7)
    Y = np.random.default_rng(1).random((60, 6)) < 0.4
    counts = count_labels(Y)
    first, second = np.triu_indices(6)
    assert counts.pair_counts(first, second).tolist() == counts.pairs.toarray()[first, second].tolist()


def test_every_form_of_input_gives_the_same():
    pd = pytest.importorskip("pandas")
    Y = np.array([[1, 0, 1], [0, 0, 1]])
    frame = pd.DataFrame(Y, columns=["a", "b", "c"])
    forms = [Y, Y.tolist(), Y.astype(bool), Y.astype(float), sparse.coo_array(Y), sparse.csr_matrix(Y), frame]
    for form in forms:
        assert count_labels(form).matrix.toarray().tolist() == Y.tolist()
    assert count_labels(frame).label_names == ("a", "b", "c")
    assert count_labels(frame, label_names=["p", "q", "r"]).label_names == ("p", "q", "r")


def test_explicit_zeros_and_duplicates_in_sparse_input():
    stored = sparse.csr_array(([1, 0, 1], [0, 1, 2], [0, 3]), shape=(1, 3))
    assert count_labels(stored).positives.tolist() == [1, 0, 1]
    assert stored.nnz == 3  # the caller's matrix is not changed
    doubled = sparse.coo_array(([1, 1], ([0, 0], [1, 1])), shape=(1, 2))
    with pytest.raises(ValueError, match="got 2"):
        count_labels(doubled)


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([[0, 2]], "must hold 0/1 or booleans; got 2"),
        ([[1, -1]], r"got -1.*Use `Y > 0`"),
        ([[1.0, np.nan]], "1 missing value"),
        ([1, 0, 1], r"must be 2-D.*reshape\(-1, 1\)"),
        (np.zeros((2, 2, 2)), "must be 2-D"),
        (np.zeros((0, 3)), "at least one row"),
        (np.zeros((3, 0)), "at least one row"),
        (np.array([["yes", "no"]]), "0/1 or booleans; got dtype"),
        ([[None, object()]], "no numbers"),
        ([[1, 0], [1]], "rows of different lengths"),
        (sparse.csr_array([[0.5, 1.0]]), r"got 0\.5"),
        (sparse.csr_array(np.array([[1j, 0]])), "got dtype complex"),
    ],
)
def test_bad_input(Y, message):
    with pytest.raises(ValueError, match=message):
        count_labels(Y)


@pytest.mark.parametrize(
    ("names", "message"),
    [(["a"], "one name per label"), (["a", "a"], "distinct"), ("ab", "single string")],
)
def test_bad_names(names, message):
    with pytest.raises(ValueError, match=message):
        count_labels([[0, 1]], label_names=names)
