"""Linear problems for tests, and what a solution of one has to satisfy, written out plainly."""

from __future__ import annotations

import _thread
import threading
import time
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from bncc.linear import Status

LOSSES = ("squared_hinge", "hinge", "logistic")


def design(batch, problem):
    """Features, labels seen and the constant, as one dense matrix."""
    features = batch.features.matrix()
    features = features.toarray() if sparse.issparse(features) else features
    labels = batch.labels().toarray() * batch.sees(problem)
    return np.hstack([features.astype(float), labels, np.full((batch.n_rows, 1), batch.bias_feature)])


def weights_of(batch, solutions, problem):
    """All weights of a solution, that of the constant last."""
    scale = batch.bias_feature or 1.0
    return np.append(solutions[problem].weights.astype(float), solutions.bias[problem] / scale)


def loss_of(name, margin):
    lack = np.maximum(1 - margin, 0)
    return {"squared_hinge": lack**2, "hinge": lack, "logistic": np.logaddexp(0, -margin)}[name]


def objective(batch, problem, w):
    margin = batch.signs(problem) * (design(batch, problem) @ w)
    return 0.5 * w @ w + batch.costs(problem) @ loss_of(batch.loss, margin)


def gradient(batch, problem, w):
    """Gradient of a smooth objective."""
    A, y, c = design(batch, problem), batch.signs(problem), batch.costs(problem)
    margin = y * (A @ w)
    slope = -2 * np.maximum(1 - margin, 0) if batch.loss == "squared_hinge" else -1 / (1 + np.exp(margin))
    return w + A.T @ (c * y * slope)


def hinge_residual(batch, problem, w, near=1e-3):
    """Least distance of w to sums of rows with multipliers that the hinge loss allows at its margins (KKT)."""
    from scipy.optimize import lsq_linear

    A, y, c = design(batch, problem), batch.signs(problem), batch.costs(problem)
    margin = y * (A @ w)
    rows = c > 0
    low = np.where(margin < 1 - near, c, 0.0)[rows]
    high = np.where(margin > 1 + near, 0.0, c)[rows]
    fixed = low == high
    signed = (A * y[:, None])[rows]
    rest = w - signed[fixed].T @ low[fixed]
    if fixed.all():
        return float(np.linalg.norm(rest))
    answer = lsq_linear(signed[~fixed].T, rest, (low[~fixed], high[~fixed]), tol=1e-14)
    return float(np.linalg.norm(answer.fun))


def check_solutions(batch, solutions, tol, may_stop=False):
    """Objectives are as reported, within tol of the dual below; at a tight tol, the KKT conditions hold."""
    for problem, solution in enumerate(solutions):
        if solution.status == Status.ONE_CLASS:
            continue
        w = weights_of(batch, solutions, problem)
        value = objective(batch, problem, w)
        assert value == pytest.approx(solution.objective, rel=1e-5 if tol >= 1e-4 else 1e-9)
        if may_stop and solution.status == Status.ITERATION_LIMIT:
            continue
        assert solution.status == Status.CONVERGED
        assert solution.objective - solution.dual_objective <= 1.001 * tol * value
        if tol > 1e-5:
            continue
        if batch.loss == "hinge":
            assert hinge_residual(batch, problem, w, near=5e-3) <= 1e-2 * np.linalg.norm(w)
        else:
            assert np.linalg.norm(gradient(batch, problem, w)) <= np.sqrt(2 * tol * value) * 1.001


def check_ends(batch, solutions, tol):
    """What every solve must end in: the values reported, no gap beyond tol where converged, and KKT at a tight tol.

    Four problems of a batch are looked at.
    """
    for problem in range(0, len(solutions), -(-len(solutions) // 4) or 1):
        solution = solutions[problem]
        assert np.isfinite(solution.weights).all()
        if solution.status == Status.ONE_CLASS:
            assert not solution.weights.any()
            assert abs(solution.bias) == 1
            continue
        w = weights_of(batch, solutions, problem)
        value = objective(batch, problem, w)
        # Margins are rounded, and costs multiply that.
        rounding = np.finfo(batch.features.values.dtype).eps * batch.costs(problem).sum()
        near = (1e-5 if tol >= 1e-4 else 1e-9) * value + rounding
        assert value == pytest.approx(solution.objective, rel=0, abs=near)
        if solution.status == Status.ITERATION_LIMIT:
            assert solution.dual_objective <= value + near
            continue
        assert solution.objective - solution.dual_objective <= 1.001 * tol * value
        if tol <= 1e-5 and batch.loss != "hinge":
            assert np.linalg.norm(gradient(batch, problem, w)) <= np.sqrt(2 * tol * value) * 1.001
        elif tol <= 1e-5 and batch.n_rows <= 60:
            assert hinge_residual(batch, problem, w, near=5e-3) <= 1e-2 * np.linalg.norm(w)


def liblinear(X, y, loss, C):
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


def plain_objective(X, w, b, y, loss, C):
    """The objective of one problem without contexts and weights of rows, whose constant feature is 1."""
    return 0.5 * (w @ w + b * b) + C * loss_of(loss, np.where(y, 1, -1) * (X @ w + b)).sum()


def text_like(n_rows, n_features, n_labels, seed=0, words=12, cardinality=2):
    """Sparse rows of unit length whose words depend on their labels, and the labels."""
    random = np.random.default_rng(seed)
    labels = np.minimum((n_labels * random.power(0.5, (n_rows, cardinality))).astype(int), n_labels - 1)
    vocabulary = random.integers(0, n_features, (n_labels, 8))
    picked = vocabulary[labels[np.arange(n_rows)[:, None], random.integers(0, cardinality, (n_rows, words))]]
    columns = np.take_along_axis(picked, random.integers(0, 8, (n_rows, words, 1)), axis=2)[:, :, 0]
    noise = random.integers(0, n_features, (n_rows, words))
    columns = np.where(random.random((n_rows, words)) < 0.5, columns, noise)
    X = sparse.csr_array(
        (np.ones(columns.size), (np.repeat(np.arange(n_rows), words), columns.ravel())), (n_rows, n_features)
    )
    X.sum_duplicates()
    X.data /= np.sqrt(np.repeat(np.add.reduceat(X.data**2, X.indptr[:-1]), np.diff(X.indptr)))
    Y = np.zeros((n_rows, n_labels), np.int8)
    np.put_along_axis(Y, labels, 1, axis=1)
    return X, Y


def interrupted_after(seconds, run):
    """Seconds from Ctrl-C, which comes after some, to its arrival in the caller."""
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        _thread.interrupt_main()

    def timed():
        timer.start()  # where it is awaited, should nothing move for a while
        run()

    timer = threading.Timer(seconds, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            timed()
        return time.perf_counter() - sent[0]
    finally:
        timer.cancel()
