import numpy as np
import pytest
from hypothesis import given, settings
from scipy import sparse

from bncc import labels
from oracles import network as oracle
from strategies import label_matrices

TABLE_2 = [[0, 0]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 3  # the paper's Table 2 with ten rows


def test_table_2_of_the_paper():
    h = labels.entropy(TABLE_2)
    assert h == pytest.approx([-0.4 * np.log2(0.4) - 0.6 * np.log2(0.6), -0.7 * np.log2(0.7) - 0.3 * np.log2(0.3)])
    given_other = labels.conditional_entropy(TABLE_2)
    # H(l1 | l2): l2 = 1 settles l1; under l2 = 0 it is 4 to 3.
    assert given_other[0, 1] == pytest.approx(0.7 * (4 / 7 * np.log2(7 / 4) + 3 / 7 * np.log2(7 / 3)))
    # H(l2 | l1): l1 = 0 settles l2; under l1 = 1 it is even.
    assert given_other[1, 0] == pytest.approx(0.6)
    assert labels.dependence(TABLE_2)[1, 0] == pytest.approx(0.4)


@given(label_matrices())
@settings(max_examples=60)
def test_agrees_with_the_definitions(Y):
    rows = Y.tolist()
    m = Y.shape[1]
    assert labels.entropy(Y) == pytest.approx([oracle.entropy(rows, j) for j in range(m)])
    expected = [[oracle.conditional_entropy(rows, j, [k]) for k in range(m)] for j in range(m)]
    assert labels.conditional_entropy(Y) == pytest.approx(np.array(expected), abs=1e-12)


@given(label_matrices())
@settings(max_examples=60)
def test_laws(Y):
    h, given_other, weight = labels.entropy(Y), labels.conditional_entropy(Y), labels.dependence(Y)
    assert (np.diag(given_other) == 0).all()  # H(A|A) = 0
    assert (given_other >= 0).all()
    assert (given_other <= h[:, None] + 1e-12).all()  # knowing never hurts
    # I(k -> j) - I(j -> k) = H(k) - H(j)
    assert np.allclose(weight - weight.T, h[None, :] - h[:, None], atol=1e-12)
    pairs = [(j, k) for j in range(Y.shape[1]) for k in range(Y.shape[1])]
    assert labels.dependence_of(Y, pairs) == pytest.approx([weight[j, k] for j, k in pairs], abs=1e-12)
    for j in range(Y.shape[1]):
        information = labels.mutual_information(Y, j)
        assert information == pytest.approx(h[j] - given_other[j], abs=1e-12)


@given(label_matrices(min_labels=3))
@settings(max_examples=40)
def test_set_dependence(Y):
    rows = Y.tolist()
    assert labels.set_conditional_entropy(Y, 2, [0, 1]) == pytest.approx(
        oracle.conditional_entropy(rows, 2, [0, 1]), abs=1e-12
    )
    one = labels.set_dependence(Y, 2, [0])
    assert one == pytest.approx(labels.dependence(Y)[2, 0], abs=1e-12)
    assert labels.set_dependence(Y, 2, [0, 1]) >= one - 1e-12


def test_sparse_is_the_same_and_stays_sparse(monkeypatch):
    Y = np.random.default_rng(0).random((40, 5)) < 0.3
    expected = labels.dependence(Y)
    stored = sparse.csr_matrix(Y)
    monkeypatch.setattr(sparse.csr_matrix, "toarray", lambda *_: pytest.fail("densified"))
    monkeypatch.setattr(sparse.csc_array, "toarray", lambda *_: pytest.fail("densified"))
    assert np.array_equal(labels.dependence(stored), expected)
    assert np.array_equal(labels.entropy(stored), labels.entropy(Y))


def test_too_many_labels_for_the_full_matrix():
    wide = sparse.csr_array((3, 20_001), dtype=np.int8)
    with pytest.raises(ValueError, match=r"20,001.*dependence_of"):
        labels.dependence(wide)
    assert labels.dependence_of(wide, [(0, 20_000)]).tolist() == [1.0]


def test_bad_pairs_and_sets():
    with pytest.raises(ValueError, match=r"0\.\.1.*got 0\.\.2"):
        labels.dependence_of(TABLE_2, [(0, 2)])
    with pytest.raises(ValueError, match="pairs"):
        labels.dependence_of(TABLE_2, [(0, 1, 1)])
    for wrong in (2, -1):
        with pytest.raises(ValueError, match=r"0\.\.1; got"):
            labels.mutual_information(TABLE_2, wrong)
        with pytest.raises(ValueError, match=r"0\.\.1; got"):
            labels.set_dependence(TABLE_2, 0, [wrong])
    with pytest.raises(ValueError, match="leave out the child 0"):
        labels.set_dependence(TABLE_2, 0, [0, 1])
