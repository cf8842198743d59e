"""Tree-augmented naive Bayes: each feature depends on the class and on one other feature."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bncc._failed_fits import ForgetsFailedFits
from bncc._rows import read_weights
from bncc.graph import Parents, maximum_spanning_tree

__all__ = ["AugmentedNaiveBayes"]

Matrix = NDArray[np.float64]

# Entries of a block of joint counts.
_BLOCK = 1 << 22


class AugmentedNaiveBayes(ForgetsFailedFits, ClassifierMixin, BaseEstimator):
    """Naive Bayes augmented by a tree over the features (TAN; Friedman et al. 1997), for two or more classes.

    Features are cut into bins. The tree is the maximum spanning tree on the mutual information of features given the
    class, directed from the first feature; each feature then depends on the class and on its parent. As base of a
    chain the labels before a link are features like others and take their place in the tree, which makes it the
    simplest case of the chains with Bayesian-network-augmented naive Bayes links (Varando et al. 2016).

    Parameters
    ----------
    n_bins : int, default=5
        Bins per feature, with about the same number of rows each. A feature with no more distinct values than that has
        a bin per value.
    smoothing : float, default=1.0
        Added to every count of the conditional tables; above 0.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_prior_ : array of shape (n_classes,)
        Share of each class.
    parents_ : tuple of tuples of int
        For each feature its parent in the tree, () for the first.
    cuts_ : tuple of arrays
        For each feature the values at which its bins end.
    tables_ : tuple of arrays of shape (n_classes, bins of the parent or 1, bins)
        Logarithms of the conditional probabilities.
    n_features_in_, feature_names_in_

    Notes
    -----
    Sample weights count as repeated rows. The tree compares all pairs of features: about N (F b)^2 operations for F
    features of b bins, so it is meant for some hundreds of features.

    Why a tree and no general network (Varando et al. allow any): with two parents among the features a table has b^3
    cells per class, 125 for five bins. In the 18 data sets of `protocols/paper.toml`, 68 of 100 labels have fewer rows
    of their rarer value than that, so most cells would hold the smoothing alone; and the tree is the one structure
    whose best member is found exactly.

    References
    ----------
    Friedman, Geiger, Goldszmidt: Bayesian network classifiers. Machine Learning 29 (1997).
    Varando, Bielza, Larranaga: Decision functions for chain classifiers based on Bayesian networks for multi-label
    classification. International Journal of Approximate Reasoning 68 (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bayes = AugmentedNaiveBayes().fit(X, y)
    >>> bayes.parents_, round(bayes.score(X, y), 3)
    (((), (0,), (0,), (1,)), 0.967)
    """

    classes_: NDArray[Any]
    class_prior_: Matrix
    parents_: Parents
    cuts_: tuple[Matrix, ...]
    tables_: tuple[Matrix, ...]

    def __init__(self, *, n_bins: int = 5, smoothing: float = 1.0) -> None:
        self.n_bins = n_bins
        self.smoothing = smoothing

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> AugmentedNaiveBayes:
        """Learn bins, tree and tables from rows X of classes y."""
        if not isinstance(self.n_bins, int | np.integer) or self.n_bins < 2:
            raise ValueError(f"`n_bins` must be a whole number of at least 2; got {self.n_bins!r}.")
        if not isinstance(self.smoothing, Real) or not 0 < self.smoothing < np.inf:
            raise ValueError(f"`smoothing` must be a number above 0; got {self.smoothing!r}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        weight = read_weights(1.0 if sample_weight is None else sample_weight, len(X))
        X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        self.classes_, codes = np.unique(y, return_inverse=True)
        one_hot = np.eye(len(self.classes_))[codes] * weight[:, None]
        self.class_prior_ = one_hot.sum(axis=0) / weight.sum()
        self.cuts_ = tuple(_cuts(column, weight, int(self.n_bins)) for column in X.T)
        bins = self._bins(X)
        self.parents_ = _tree(bins, [len(cuts) + 1 for cuts in self.cuts_], one_hot)
        self.tables_ = tuple(self._table(feature, bins, one_hot) for feature in range(len(bins)))
        return self

    def _bins(self, X: Matrix) -> list[NDArray[np.intp]]:
        return [np.searchsorted(cuts, column) for cuts, column in zip(self.cuts_, X.T, strict=True)]

    def _table(self, feature: int, bins: list[NDArray[np.intp]], one_hot: Matrix) -> Matrix:
        """Logarithms of P(bin | class, bin of the parent), shape (n_classes, parent bins, bins)."""
        bin_of_row, parent, n_parent = bins[feature], np.zeros_like(bins[feature]), 1
        if self.parents_[feature]:
            (above,) = self.parents_[feature]
            parent, n_parent = bins[above], len(self.cuts_[above]) + 1
        n_own = len(self.cuts_[feature]) + 1
        cell = parent * n_own + bin_of_row
        counts = np.stack([np.bincount(cell, column, n_parent * n_own) for column in one_hot.T])
        smooth = counts.reshape(-1, n_parent, n_own) + float(self.smoothing)
        return np.log(smooth / smooth.sum(axis=2, keepdims=True))

    def predict_log_proba(self, X: Any) -> Matrix:
        """Logarithms of the class probabilities, shape (n_rows, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        bins = self._bins(X)
        out = np.tile(np.log(self.class_prior_)[:, None], (1, len(X)))
        for bin_of_row, group, table in zip(bins, self.parents_, self.tables_, strict=True):
            out += table[:, bins[group[0]] if group else np.zeros_like(bin_of_row), bin_of_row]
        return np.asarray((out - logsumexp(out, axis=0)).T)

    def predict_proba(self, X: Any) -> Matrix:
        """Class probabilities, shape (n_rows, n_classes)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; ties go to the first."""
        likeliest = self.predict_log_proba(X).argmax(axis=1)
        return self.classes_[likeliest]


def _cuts(column: Matrix, weight: Matrix, n_bins: int) -> Matrix:
    """Values at which bins end, each included in the lower bin: quantiles, or all values but the last if they are few.

    >>> _cuts(np.array([3.0, 1, 2, 2, 9, 4]), np.ones(6), 2).tolist()
    [2.0]
    """
    values, value_of_row = np.unique(column, return_inverse=True)
    if values.size <= n_bins:
        return 0.5 * values[:-1] + 0.5 * values[1:]
    share = np.cumsum(np.bincount(value_of_row.ravel(), weight)) / weight.sum()
    # Rounded: repeated rows and weights must find the same quantile.
    ends = np.searchsorted(np.round(share, 10), np.round(np.arange(1, n_bins) / n_bins, 10))
    return values[np.unique(ends[ends < values.size - 1])]


def _tree(bins: list[NDArray[np.intp]], sizes: list[int], one_hot: Matrix) -> Parents:
    """Maximum spanning tree on the mutual information of features given the class, away from the first feature."""
    indicator = np.concatenate([np.eye(size)[bin_of_row] for bin_of_row, size in zip(bins, sizes, strict=True)], axis=1)
    information = np.zeros((len(sizes), len(sizes)))
    for weight in one_hot.T:
        rows = weight > 0
        information += _information(indicator[rows], weight[rows], np.array(sizes))
    return maximum_spanning_tree(information / one_hot.sum(), len(sizes))


def _information(indicator: Matrix, weight: Matrix, sizes: NDArray[np.int64]) -> Matrix:
    """Mutual information of all pairs of features, times the total weight, in blocks of features."""
    starts = np.cumsum(sizes) - sizes
    weighted = indicator * weight[:, None]
    single, total = weighted.sum(axis=0), weight.sum()
    out = np.empty((sizes.size, sizes.size))
    step = max(1, _BLOCK // (int(sizes.max()) * indicator.shape[1]))
    for first in range(0, sizes.size, step):
        block = slice(first, min(first + step, sizes.size))
        part = slice(starts[block][0], starts[block][-1] + sizes[block][-1])
        both = weighted[:, part].T @ indicator
        ratio = np.divide(both * total, single[part, None] * single, out=np.ones_like(both), where=both > 0)
        terms = np.add.reduceat(both * np.log(ratio), starts, axis=1)
        out[block] = np.add.reduceat(terms, starts[block] - starts[block][0], axis=0)
    return out
