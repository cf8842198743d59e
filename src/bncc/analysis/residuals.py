"""Which labels depend on each other beyond what the features explain: dependence of what a model leaves over.

With out-of-fold probabilities of any estimator, the residual of a label is ``y - p``. If two labels depend on each
other only through the features, and the probabilities are right, their residuals are not correlated. What is left is
what a chain of classifiers can use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import logit
from scipy.stats import norm, poisson

from bncc._checks import as_label_matrix
from bncc._typing import Floats, Labels, ScoreMatrix
from bncc.labels.independence import sidak

__all__ = ["ResidualDependence", "ResidualPair", "residual_dependence"]

_FEWEST_EXPECTED = 10.0  # rows with both labels, or with one or none, below which counts are compared as Poisson


@dataclass(frozen=True)
class ResidualPair:
    """Two labels, how they are correlated before and after the features are accounted for, and whether by chance."""

    first: int
    second: int
    correlation: float
    residual_correlation: float
    p_value: float
    corrected_p_value: float


@dataclass(frozen=True, eq=False)
class ResidualDependence:
    """Dependence of all pairs of labels beyond the features.

    Attributes
    ----------
    label_names : tuple of str
    correlation : array of shape (n_labels, n_labels)
        Of the labels as they are (phi); 0 where a label never varies.
    residual_correlation : array of shape (n_labels, n_labels)
        Of what the probabilities leave over.
    p_value : array of shape (n_labels, n_labels)
        How often labels that depend only through the features show such a residual correlation; diagonal 1.
    corrected_p_value : array of shape (n_labels, n_labels)
        Corrected for the number of pairs (Sidak).
    """

    label_names: tuple[str, ...]
    correlation: Floats
    residual_correlation: Floats
    p_value: Floats
    corrected_p_value: Floats

    def pairs(self, alpha: float | None = None) -> tuple[ResidualPair, ...]:
        """The pairs by p-value, then by index; with `alpha` those whose corrected p-value is at most that."""
        first, second = np.triu_indices(len(self.label_names), 1)
        ranked = np.argsort(self.p_value[first, second], kind="stable")
        out = (
            ResidualPair(
                int(a),
                int(b),
                float(self.correlation[a, b]),
                float(self.residual_correlation[a, b]),
                float(self.p_value[a, b]),
                float(self.corrected_p_value[a, b]),
            )
            for a, b in zip(first[ranked], second[ranked], strict=True)
        )
        return tuple(pair for pair in out if alpha is None or pair.corrected_p_value <= alpha)


def residual_dependence(
    Y: Labels, probabilities: ScoreMatrix, *, label_names: Sequence[str] | None = None
) -> ResidualDependence:
    """Which pairs of labels are correlated beyond what the features explain.

    Parameters
    ----------
    Y : label matrix of shape (n_rows, n_labels)
    probabilities : array of shape (n_rows, n_labels)
        P(label = 1 | features) of each row by a model that has not seen the row, such as
        ``cross_val_predict(BinaryRelevance(...), X, Y, method="predict_proba")``.

    Notes
    -----
    Each label's residuals are first freed of what a straight line in the logit of its own probability explains: a
    model that is too sure or not sure enough would else show as dependence. The test statistic of a pair is the sum of
    products of residuals over the root of the sum of their squares, normal if there is no dependence. Where fewer than
    ten rows are expected in a cell of the pair's table, the rows with both labels are held against a Poisson count.

    >>> Y = [[1, 1], [0, 0]] * 50
    >>> found = residual_dependence(Y, [[0.5, 0.5]] * 100)
    >>> float(found.residual_correlation[0, 1].round(2)), bool(found.corrected_p_value[0, 1] < 0.001)
    (1.0, True)
    """
    labels = as_label_matrix(Y, label_names=label_names)
    truth = labels.values.toarray().astype(np.float64)
    p = _check(probabilities, truth.shape)
    residuals = _recalibrated(truth - p, p)
    sums = residuals.T @ residuals
    squares = (residuals**2).T @ residuals**2
    z = np.divide(sums, np.sqrt(squares), out=np.zeros_like(sums), where=squares > 0)
    p_value = 2.0 * norm.sf(np.abs(z))
    sparse_pairs = _smallest_cell(p) < _FEWEST_EXPECTED
    p_value[sparse_pairs] = _poisson(truth.T @ truth, p.T @ p)[sparse_pairs]
    np.fill_diagonal(p_value, 1.0)
    n_labels = truth.shape[1]
    names = labels.names or tuple(f"label{label}" for label in range(n_labels))
    return ResidualDependence(
        label_names=names,
        correlation=_correlation(truth - truth.mean(axis=0)),
        residual_correlation=_correlation(residuals),
        p_value=p_value,
        corrected_p_value=sidak(p_value, max(1, n_labels * (n_labels - 1) // 2)),
    )


def _check(probabilities: ScoreMatrix, shape: tuple[int, ...]) -> Floats:
    given = probabilities.to_numpy() if hasattr(probabilities, "to_numpy") else probabilities
    values = np.asarray(given, np.float64)
    if values.shape != shape:
        raise ValueError(f"`probabilities` must have the shape of `Y`, {shape}; got {values.shape}.")
    if not ((values >= 0) & (values <= 1)).all():
        raise ValueError("`probabilities` must lie in 0..1 and have no missing values; got others.")
    return values


def _recalibrated(residuals: Floats, p: Floats) -> Floats:
    """Residuals less their regression on a constant and the logit of the label's own probability."""
    lines = logit(np.clip(p, 1e-6, 1 - 1e-6))
    lines = lines - lines.mean(axis=0)
    spread = (lines**2).sum(axis=0)
    centred = residuals - residuals.mean(axis=0)
    slopes = np.divide((lines * centred).sum(axis=0), spread, out=np.zeros_like(spread), where=spread > 1e-12)
    return np.asarray(centred - lines * slopes)


def _correlation(centred: Floats) -> Floats:
    sums = centred.T @ centred
    scale = np.sqrt(np.outer(np.diag(sums), np.diag(sums)))
    return np.asarray(np.divide(sums, scale, out=np.zeros_like(sums), where=scale > 1e-12))


def _smallest_cell(p: Floats) -> Floats:
    """Rows that are expected in the rarest cell of each pair's table of two by two."""
    both, first = p.T @ p, p.sum(axis=0)
    cells = [both, first[:, None] - both, first[None, :] - both, len(p) - first[:, None] - first[None, :] + both]
    return np.asarray(np.min(cells, axis=0))


def _poisson(both: Floats, expected: Floats) -> Floats:
    """Two-sided mid-p of the rows that carry both labels."""
    counts = np.rint(both)
    tie = poisson.pmf(counts, expected) / 2
    upper, lower = poisson.sf(counts, expected) + tie, poisson.cdf(counts, expected) - tie
    return np.asarray(np.minimum(1.0, 2.0 * np.minimum(upper, lower)))
