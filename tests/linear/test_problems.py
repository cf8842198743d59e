import numpy as np
import pytest
from scipy import sparse

from bncc.linear import chain_context, make_batch

X = np.arange(12.0).reshape(6, 2)
Y = np.array([[1, 0], [0, 0], [1, 1], [0, 1], [0, 0], [1, 0]])


@pytest.mark.parametrize("targets", [Y, 2 * Y - 1, Y > 0, Y.astype(float), sparse.csc_array(Y), sparse.csr_matrix(Y)])
def test_targets_may_be_written_in_many_ways(targets):
    batch = make_batch(X, targets)
    assert len(batch) == 2
    for problem in range(2):
        assert batch.signs(problem).tolist() == (2 * Y[:, problem] - 1).tolist()


@pytest.mark.parametrize("layout", [sparse.csc_array, sparse.csr_array, np.asarray])
@pytest.mark.parametrize("stored", ["once", "twice", "with zeros"])
def test_labels_and_targets_are_read_whatever_is_stored(layout, stored):
    truth = np.array([[1, 0], [1, 1], [0, 0]])
    matrix = layout(truth)
    if stored != "once" and sparse.issparse(matrix):
        entries = sparse.coo_array(truth)
        more = [0, 0] if stored == "twice" else [2, 0]
        places = [np.append(axis, at) for axis, at in zip(entries.coords, more, strict=True)]
        matrix = layout(sparse.coo_array(([*entries.data, int(stored == "twice")], places), shape=truth.shape))
        assert matrix.nnz == 3 + (matrix.data == 0).sum()
    batch = make_batch(np.eye(3), matrix, labels=matrix, context=np.zeros((2, 2), bool))
    assert (batch.target_ptr.tolist(), batch.target_rows.tolist()) == ([0, 2, 3], [0, 1, 1])
    assert (batch.label_ptr.tolist(), batch.label_index.tolist()) == ([0, 1, 3, 3], [0, 0, 1])


def test_what_is_given_once_holds_for_all():
    batch = make_batch(X, Y, C=3.0, class_weights=(1.0, [2.0, 4.0]), rows=[[0, 1, 2], [3, 4]], row_set=[1, -1])
    assert batch.cost_positive.tolist() == [6.0, 12.0]
    assert batch.cost_negative.tolist() == [3.0, 3.0]
    assert batch.costs(0).tolist() == [0, 0, 0, 3, 3, 0]
    assert batch.costs(1).tolist() == [3, 3, 12, 12, 3, 3]
    weighted = make_batch(X, Y, weights=np.arange(6.0), weight=[-1, 0])
    assert weighted.costs(0).tolist() == [1.0] * 6
    assert weighted.costs(1).tolist() == np.arange(6.0).tolist()


@pytest.mark.parametrize("n_labels", [1, 31, 32, 33, 70])
def test_contexts_are_packed_and_read_back(n_labels):
    random = np.random.default_rng(n_labels)
    context = random.random((2, n_labels)) < 0.5
    labels = random.random((6, n_labels)) < 0.5
    batch = make_batch(X, Y, labels=labels, context=context)
    assert batch.context.shape == (2, -(-n_labels // 32))
    np.testing.assert_array_equal([batch.sees(0), batch.sees(1)], context)
    np.testing.assert_array_equal(batch.labels().toarray(), labels)
    assert batch.n_columns == 2 + n_labels


def test_chain_context_is_what_comes_before():
    order = [3, 0, 2, 1]
    context = chain_context(order)
    for position, label in enumerate(order):
        assert set(np.flatnonzero(context[label])) == set(order[:position])


def test_a_batch_may_be_empty():
    assert len(make_batch(X, np.zeros((6, 0)))) == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"C": 0.0}, "`C` must be positive and finite; got 0.0"),
        ({"C": -1.0}, "`C` must be positive and finite; got -1.0"),
        ({"C": [1.0, np.nan]}, "`C` must be positive and finite; got nan"),
        ({"C": [1.0, 2.0, 3.0]}, r"`target` must be one value or one per problem \(3\)"),
        ({"class_weights": (1.0, -2.0)}, "Class weights must be finite and not negative; got -2.0 for the positive"),
        ({"loss": "huber"}, "`loss` must be one of squared_hinge, hinge, logistic; got 'huber'"),
        ({"intercept_scaling": -1.0}, "`intercept_scaling` must be finite and not negative; got -1.0"),
        ({"target": [0, 2]}, r"`target` must lie in 0..1; got 0..2"),
        ({"row_set": 0}, r"`row_set` must lie in -1..-1; got 0..0"),
        ({"rows": [[0, 6]]}, r"Row set 0 must lie in 0..5; got 0..6"),
        ({"rows": [[0], [2, 1]]}, "Row set 1 must ascend without duplicates; use numpy.unique"),
        ({"rows": [[0.5]]}, "Row set 0 must be a 1-D array of row numbers; got dtype float64"),
        ({"weights": [1.0, 2.0]}, r"`weights` must have one column per row \(6\)"),
        ({"weights": -np.ones(6)}, "`weights` must be finite and not negative; use 0"),
        ({"weights": np.full(6, np.nan)}, "`weights` must be finite"),
        ({"weights": np.ones(6), "weight": 1}, r"`weight` must lie in -1..0; got 1..1"),
        ({"labels": Y[:3]}, r"`labels` must have one row per row of X \(6\)"),
        ({"context": np.ones((2, 2), bool)}, "`context` must have a row per problem .* Give `labels` with it"),
        ({"start": [-1, 1]}, "`start` must name an earlier problem"),
        ({"start": [-1, 0]}, "`start` must name a problem that differs in C and class weights alone"),
        ({"start": [-1, 2]}, r"`start` must lie in -1..1; got -1..2"),
    ],
)
def test_bad_batches_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        make_batch(X, Y, **changes)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (Y[:5], r"`targets` must have one row per row of X \(6\); got shape \(5, 2\)"),
        (np.full((6, 1), np.nan), "`targets` must not hold NaN; leave rows with unknown labels out"),
        (np.full((6, 1), "yes"), "`targets` must hold numbers or booleans; got dtype <U3"),
    ],
)
def test_bad_targets_are_refused(targets, message):
    with pytest.raises(ValueError, match=message):
        make_batch(X, targets)


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="X must have at least one row"):
        make_batch(np.zeros((0, 2)), np.zeros((0, 1)))
