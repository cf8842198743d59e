"""Agreement with LIBLINEAR, as scikit-learn wraps it, on real data."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

import bncc
from bncc import BinaryRelevance
from bncc.datasets import load
from bncc.linear import Status, decide, make_batch, solve
from linear_problems import liblinear, plain_objective

QUICK = [("emotions", C) for C in (1e-4, 1.0, 1e4)] + [("medical", C) for C in (1e-4, 1.0, 1e4)] + [("scene", 1.0)]
SETS = ("bibtex", "enron", "medical", "emotions", "scene")
SLOW = [(name, 10.0**power) for name in SETS for power in range(-4, 5, 2)]
CASES = [pytest.param(*case) for case in QUICK] + [
    pytest.param(*case, marks=pytest.mark.slow) for case in SLOW if case not in QUICK
]
HINGE = [*CASES, pytest.param("emotions", 1e2), pytest.param("medical", 1e2)]


def read(name, labels=None):
    """Features (with indices that scikit-learn takes) and labels; None is a frequent one, one between, a rare one."""
    data = load(name)
    X = data.X
    if sparse.issparse(X):
        X = sparse.csr_matrix(X)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    if labels is not None:
        return X, data.Y_sparse.toarray()[:, labels]
    counts = np.asarray(data.Y_sparse.sum(axis=0)).ravel()
    frequent = np.argsort(-counts, kind="stable")[[0, 2, min(5, counts.size - 1)]]
    return X, data.Y_sparse.toarray()[:, frequent]


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize(("name", "C"), CASES)
def test_smooth_losses(data_folder, name, C, loss):
    X, Y = read(name)
    batch = make_batch(X, Y, C=C, loss=loss)
    default, tight = solve(batch), solve(batch, tol=1e-9)
    scores = decide(tight, X)
    assert (default.status == Status.CONVERGED).all()
    assert (tight.status == Status.CONVERGED).all()
    converged, compared = [], 0
    for problem in range(3):
        w, b, ended = liblinear(X, Y[:, problem], loss, C)
        converged.append(ended)
        value = plain_objective(X, w, b, Y[:, problem], loss, C)
        for solutions, share in ((default, 1e-3), (tight, 1e-6)):
            weights, bias = solutions[problem].weights.astype(float), solutions.bias[problem]
            assert plain_objective(X, weights, bias, Y[:, problem], loss, C) <= value * (1 + share)
        theirs = X @ w + b
        early = value > tight.objective[problem] * (1 + 1e-7)
        clear = np.abs(theirs) > 1e-2 + farthest(X, value - tight.dual_objective[problem] if early else 0.0)
        assert ((theirs > 0) == (scores[:, problem] > 0))[clear].all()
        compared += clear.sum()
    assert compared > X.shape[0] or not all(converged)


def farthest(X, excess):
    """How far scores may be from those of the optimum where the objective is above it by this: it is convex enough."""
    squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else (X * X).sum(axis=1)
    return np.sqrt(2.0 * max(excess, 0.0) * (squares + 1.0))


@pytest.mark.parametrize(("name", "C"), HINGE)
def test_hinge_loss(data_folder, name, C):
    """Never above LIBLINEAR where it has converged; the dual bound holds wherever either side has stopped."""
    X, Y = read(name)
    solutions = solve(make_batch(X, Y, C=C, loss="hinge"), max_iter=5000)
    ended = solutions.status == Status.CONVERGED
    for problem in range(3):
        value = hinge_of_liblinear(X, Y[:, problem], C)
        assert 0 < solutions.dual_objective[problem] <= value * (1 + 1e-4)
        if ended[problem]:
            assert solutions.objective[problem] <= value * (1 + 1e-3)
    if C < 1 or (C == 1 and name != "emotions"):  # whose features are far from unit length
        assert ended.all()


@pytest.mark.parametrize(("name", "C"), [("emotions", 1e-2), ("medical", 1e-2), ("medical", 1.0)])
def test_hinge_loss_at_a_tight_tolerance(data_folder, name, C):
    X, Y = read(name)
    solutions = solve(make_batch(X, Y, C=C, loss="hinge"), tol=1e-6, max_iter=20000)
    assert (solutions.status == Status.CONVERGED).all()
    np.testing.assert_allclose(solutions.dual_objective, solutions.objective, rtol=1.1e-6)
    for problem in range(3):
        assert solutions.objective[problem] <= hinge_of_liblinear(X, Y[:, problem], C) * (1 + 2e-6)


def hinge_of_liblinear(X, y, C):
    w, b, _ = liblinear(X, y, "hinge", C)
    return plain_objective(X, w, b, y, "hinge", C)


@pytest.mark.parametrize(("name", "at_most"), [("scene", 20), ("medical", 5)])
def test_labels_at_default_tolerances(data_folder, name, at_most):
    """Those of one scikit-learn classifier per label on a whole set, but for a few rows next to the boundary."""
    X, Y = read(name, slice(None))
    Y = Y[:, (Y.sum(axis=0) > 0) & (Y.sum(axis=0) < len(Y))]
    theirs = OneVsRestClassifier(LinearSVC(random_state=0)).fit(X, Y)
    ours = BinaryRelevance(bncc.LinearSVC()).fit(X, Y)
    differ = theirs.predict(X) != ours.predict(X)
    assert differ.sum() <= at_most
    for scores in (theirs.decision_function(X), ours.decision_function(X)):
        assert (np.abs(scores[differ]) < 0.02).all()
        assert (np.abs(scores) > 0.02).mean() > 0.95  # so that the distance is small
