"""ML-kNN: nearest neighbours, and what they say of each label."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted

from bncc._typing import Features, Floats, Labels, Longs, Matrix
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.base import MultilabelClassifier
from bncc.multilabel.neighbours import nearest_rows
from bncc.multilabel.targets import Targets

__all__ = ["MLkNN"]


class MLkNN(MultilabelClassifier):
    """Multi-label nearest neighbours (ML-kNN; Zhang and Zhou 2007).

    For each label, the number of the k nearest training rows that carry it is evidence: its frequency among training
    rows with the label and among those without, each row judged by its k nearest others, gives the posterior by
    Bayes' rule. Labels are treated one by one.

    Parameters
    ----------
    k : int, default=10
        Neighbours; all other rows where there are fewer.
    smoothing : float, default=1.0
        Added to every count; above 0.
    metric : str or callable, default="euclidean"
        As in scikit-learn's NearestNeighbors.
    n_jobs : int or None, default=None
        Jobs of the search for neighbours.

    Attributes
    ----------
    prior_ : array of shape (n_labels,)
        Smoothed share of the rows that carry the label.
    conditional_ : array of shape (2, n_labels, k + 1)
        Probability of each number of neighbours with the label, for rows without (0) and with it (1).

    Notes
    -----
    `predict_proba` is the posterior; a label is predicted where it exceeds one half (a tie is no prediction), and
    `decision_function` is its logit. An unknown label of a neighbour counts as absent, and a row whose label is unknown
    teaches nothing of that label. Of rows at the same distance, those that come first are neighbours. Features should
    be on one scale.

    Cost: the neighbours of all rows once, from a tree or, in many dimensions and for sparse X, by comparing all pairs.

    References
    ----------
    Zhang, Zhou: ML-KNN: A lazy learning approach to multi-label learning. Pattern Recognition 40 (2007).

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> neighbours = MLkNN(k=5).fit(data.X, data.Y)
    >>> neighbours.predict_proba(data.X[:1]).round(1).tolist()
    [[0.6, 0.0, 0.9, 0.0, 0.0, 0.8, 0.0, 0.3, 0.0, 0.7]]
    """

    prior_: Floats
    conditional_: Floats
    _n_neighbors: int
    _search: Any
    _rows: Any
    _labels_of_rows: Any

    def __init__(
        self, *, k: int = 10, smoothing: float = 1.0, metric: Any = "euclidean", n_jobs: int | None = None
    ) -> None:
        self.k = k
        self.smoothing = smoothing
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: Features, y: Labels) -> Any:  # type: ignore[override]
        """Learn from rows X and their labels y (see `BinaryRelevance.fit`); neighbours take no sample weights."""
        return super().fit(X, y)

    def _fit(self, rows: TrainingRows) -> None:
        if not isinstance(self.k, int | np.integer) or self.k < 1:
            raise ValueError(f"`k` must be a whole number of at least 1; got {self.k!r}.")
        if not isinstance(self.smoothing, Real) or not 0 < self.smoothing < np.inf:
            raise ValueError(f"`smoothing` must be a number above 0; got {self.smoothing!r}.")
        X, targets = rows.X, rows.targets
        self._n_neighbors = min(int(self.k), X.shape[0] - 1)
        self._labels_of_rows = targets.positives.tocsr().astype(np.int32)
        self._rows = X
        self._index()
        evidence = self._count(None, X.shape[0])
        self.prior_, self.conditional_ = _estimate(evidence, targets, self._n_neighbors, float(self.smoothing))

    def _index(self) -> None:
        if self._n_neighbors:
            self._search = NearestNeighbors(n_neighbors=self._n_neighbors, metric=self.metric, n_jobs=self.n_jobs)
            self._search.fit(self._rows)

    def __getstate__(self) -> dict[str, Any]:
        """The rows without their index, a tree of pointers that a file could not be trusted with."""
        return {name: value for name, value in super().__getstate__().items() if name != "_search"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "_rows"):
            self._index()

    def _count(self, X: Matrix, n_rows: int) -> Longs:
        """Neighbours with each label (n_rows, n_labels); without X, of the training rows among the others."""
        if not self._n_neighbors:
            return np.zeros((n_rows, self.n_labels_), np.int64)
        nearest = nearest_rows(self._search, self._rows, X, self._n_neighbors)
        pointer = np.arange(n_rows + 1) * self._n_neighbors
        shape = (n_rows, self._rows.shape[0])
        graph = sparse.csr_array((np.ones(nearest.size, np.int32), nearest.ravel(), pointer), shape=shape)
        return np.asarray((graph @ self._labels_of_rows).toarray(), np.int64)

    def _scores(self, X: Matrix) -> Floats:
        """Logit of the posterior."""
        evidence = self._count(X, X.shape[0])
        labels = np.arange(self.n_labels_)
        without, with_label = (np.log(table)[labels, evidence] for table in self.conditional_)
        return with_label - without + np.log(self.prior_) - np.log1p(-self.prior_)

    def predict_proba(self, X: Features) -> Floats:
        """Posterior probability of each label; for a one-dimensional y, of its two classes."""
        check_is_fitted(self)
        scores = self._scores(self._read_features(X, reset=False))
        rates = expit(scores)
        return np.column_stack([1.0 - rates[:, 0], rates[:, 0]]) if self._flat else rates


def _estimate(evidence: Longs, targets: Targets, k: int, smoothing: float) -> tuple[Floats, Floats]:
    """Priors, and the probability of the evidence without and with each label."""
    counts = np.zeros((2, targets.n_labels, k + 1))
    for label in range(targets.n_labels):
        column = targets.column(label)
        for value in (0, 1):
            counts[value, label] = np.bincount(evidence[column == value, label], minlength=k + 1)
    rows = counts.sum(axis=2)
    prior = (smoothing + rows[1]) / (2.0 * smoothing + rows.sum(axis=0))
    return prior, (smoothing + counts) / (smoothing * (k + 1) + rows[:, :, None])
