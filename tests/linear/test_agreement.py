"""Agreement with LIBLINEAR, as scikit-learn wraps it, on real data."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from bncc.datasets import load
from bncc.linear import Status, decide, make_batch, solve
from linear_problems import loss_of

QUICK = [("emotions", C) for C in (1e-4, 1.0, 1e4)] + [("medical", C) for C in (1e-4, 1.0, 1e4)] + [("scene", 1.0)]
SETS = ("bibtex", "enron", "medical", "emotions", "scene")
SLOW = [(name, 10.0**power) for name in SETS for power in range(-4, 5, 2)]
CASES = [pytest.param(*case) for case in QUICK] + [
    pytest.param(*case, marks=pytest.mark.slow) for case in SLOW if case not in QUICK
]


def read(name):
    """Features (with indices that scikit-learn takes) and three labels: a frequent one, one between, a rare one."""
    data = load(name)
    X = data.X
    if sparse.issparse(X):
        X = sparse.csr_matrix(X)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    counts = np.asarray(data.Y_sparse.sum(axis=0)).ravel()
    frequent = np.argsort(-counts, kind="stable")[[0, 2, min(5, counts.size - 1)]]
    return X, data.Y_sparse.toarray()[:, frequent]


def reference(X, y, loss, C):
    """Weights and bias of LIBLINEAR, and whether it says that it has converged."""
    if loss == "logistic":
        model = LogisticRegression(C=C, solver="liblinear", tol=1e-8, max_iter=200)
    elif loss == "hinge":
        model = LinearSVC(C=C, loss="hinge", tol=1e-6, max_iter=2000, random_state=0)
    else:
        model = LinearSVC(C=C, dual=False, tol=1e-8, max_iter=200)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, y)
    converged = not any(issubclass(one.category, ConvergenceWarning) for one in told)
    return model.coef_.ravel(), float(model.intercept_[0]), converged


def objective(X, w, b, y, loss, C):
    return 0.5 * (w @ w + b * b) + C * loss_of(loss, np.where(y, 1, -1) * (X @ w + b)).sum()


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize(("name", "C"), CASES)
def test_smooth_losses(data_folder, name, C, loss):
    X, Y = read(name)
    batch = make_batch(X, Y, C=C, loss=loss)
    default, tight = solve(batch), solve(batch, tol=1e-9)
    scores = decide(tight, X)
    assert (default.status == Status.CONVERGED).all()
    assert (tight.status == Status.CONVERGED).all()
    for problem in range(3):
        w, b, _ = reference(X, Y[:, problem], loss, C)
        value = objective(X, w, b, Y[:, problem], loss, C)
        for solutions, share in ((default, 1e-3), (tight, 1e-6)):
            weights, bias = solutions[problem].weights.astype(float), solutions.bias[problem]
            assert objective(X, weights, bias, Y[:, problem], loss, C) <= value * (1 + share)
        if value > tight.objective[problem] * (1 + 1e-7):
            continue  # it has stopped earlier, and has other labels
        theirs = X @ w + b
        clear = np.abs(theirs) > 1e-2
        assert ((theirs > 0) == (scores[:, problem] > 0))[clear].all()


@pytest.mark.parametrize(("name", "C"), [case for case in CASES if case.values[1] <= 1])
def test_hinge_loss(data_folder, name, C):
    X, Y = read(name)
    solutions = solve(make_batch(X, Y, C=C, loss="hinge"), max_iter=5000)
    for problem in np.flatnonzero(solutions.status == Status.CONVERGED):
        w, b, converged = reference(X, Y[:, problem], "hinge", C)
        if converged:
            value = objective(X, w, b, Y[:, problem], "hinge", C)
            assert solutions.objective[problem] <= value * (1 + 1e-3)
