import numpy as np
import pytest
from scipy import sparse

import bncc
from bncc.linear import make_batch, prepare_features, solve
from bncc.linear.used_columns import used_columns

RNG = np.random.default_rng(0)
N_ROWS, N_COLUMNS = 60, 8
NARROW = sparse.random(N_ROWS, N_COLUMNS, density=0.5, format="csr", rng=RNG)
LABELS = RNG.random((N_ROWS, 3)) < 0.4
PLACES = np.sort(RNG.choice(400, N_COLUMNS, replace=False))


def widened(X):
    """The same rows with columns between theirs that no row has."""
    return sparse.csr_array((X.data, PLACES[X.indices], X.indptr), shape=(X.shape[0], 400))


@pytest.mark.parametrize("engine", ["cpu", "numpy"])
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
@pytest.mark.parametrize("drop", [None, 0.0, 0.05])
def test_columns_that_no_row_has_change_nothing_and_weigh_nothing(engine, loss, drop):
    context = np.array([[False] * 3, [True, False, False], [True, True, False]])
    how = {"drop": drop, "engine": engine, "tol": 1e-4}

    def solved(X):
        return solve(make_batch(X, LABELS, loss=loss, labels=LABELS, context=context), **how)

    narrow, wide = solved(NARROW), solved(widened(NARROW))
    assert wide.n_features == 400
    assert wide.weights.shape == (3, 403)
    assert sparse.issparse(wide.weights) == (drop is not None)
    dense = wide.weights.toarray() if drop is not None else wide.weights
    other = narrow.weights.toarray() if drop is not None else narrow.weights
    np.testing.assert_array_equal(dense[:, [*PLACES, 400, 401, 402]], other)
    assert np.count_nonzero(dense) == np.count_nonzero(other)
    np.testing.assert_array_equal(wide.bias, narrow.bias)
    np.testing.assert_array_equal(wide.objective, narrow.objective)


def test_classifiers_and_chains_answer_for_columns_that_were_empty():
    wide = widened(NARROW)
    new = sparse.random(20, 400, density=0.2, format="csr", rng=RNG)
    for model in (bncc.LinearSVC(), bncc.ClassifierChain(bncc.LogisticRegression(), order=None)):
        y = LABELS[:, 0] if isinstance(model, bncc.LinearSVC) else LABELS
        found = model.fit(wide, y).decision_function(new)
        np.testing.assert_allclose(found, model.fit(NARROW, y).decision_function(new[:, PLACES]), rtol=1e-12)


def test_only_where_most_columns_are_empty_they_are_left_out():
    assert used_columns(prepare_features(NARROW)) is None
    assert used_columns(prepare_features(NARROW.toarray())) is None
    assert used_columns(prepare_features(sparse.csr_array((5, 9)))) is None
    assert used_columns(prepare_features(widened(NARROW))).tolist() == PLACES.tolist()
