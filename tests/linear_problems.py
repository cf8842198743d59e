"""Linear problems for tests, and what a solution of one has to satisfy, written out plainly."""

from __future__ import annotations

import numpy as np
from scipy import sparse

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
