"""Classifier chains ordered by which labels cluster together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from bncc._typing import Classifier, Floats, Random
from bncc.graph import Parents
from bncc.multilabel.classifier_chain import ChainClassifier
from bncc.multilabel.group_sensitive_chain import cluster
from bncc.multilabel.targets import Targets

__all__ = ["KMeansChain", "correlation_order", "shared_clusters"]


class KMeansChain(ChainClassifier):
    """A classifier chain in an order found by clustering the labels (kmCC; Yu et al. 2015).

    The label columns are clustered by k-means several times, with different numbers of clusters and starts. How often
    two labels share a cluster is their correlation. The order starts with the label most correlated to all others and
    appends the one most correlated to those placed; ties by index.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links in one call.
    n_clusterings : int, default=20
        How often the labels are clustered.
    max_clusters : int or None, default=None
        The number of clusters is drawn from 2 to this for each clustering; None for half the labels.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Draws the clusterings, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    order_ : tuple of int
        Position in the chain -> label.
    correlation_ : array of shape (n_labels, n_labels)
        Share of the clusterings in which two labels have the same cluster.

    Notes
    -----
    `predict_proba` is conditional on the labels that the chain predicted before each link, not a marginal. The
    clusterings cost little beside the links; the source gives no numbers for them, so the defaults are ours.

    References
    ----------
    Yu et al. (2015), the k-means classifier chain (kmCC) that the BNCC paper discusses.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> chain = KMeansChain(GaussianNB(), random_state=0).fit(data.X, data.Y)
    >>> [data.label_names[label] for label in chain.order_][:3]
    ['Paddy', 'Cattle', 'River']
    """

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        n_clusterings: int = 20,
        max_clusters: int | None = None,
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_clusterings = n_clusterings
        self.max_clusters = max_clusters
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _chain(self, targets: Targets) -> tuple[tuple[int, ...], Parents | None]:
        for name, value, least in (("n_clusterings", self.n_clusterings, 1), ("max_clusters", self.max_clusters, 2)):
            if value is not None and (not isinstance(value, int | np.integer) or value < least):
                raise ValueError(f"`{name}` must be a whole number of at least {least}; got {value!r}.")
        most = targets.n_labels // 2 if self.max_clusters is None else min(self.max_clusters, targets.n_labels)
        random = check_random_state(self.random_state)
        self.correlation_ = shared_clusters(targets.positives, self.n_clusterings, max(2, most), random)
        return correlation_order(self.correlation_), None


def shared_clusters(Y: Any, n_clusterings: int, max_clusters: int, random: np.random.RandomState) -> Floats:
    """How often two labels share a cluster, over k-means of the label columns with 2 to `max_clusters` clusters."""
    columns = Y.T.tocsr().astype(np.float64)
    out = np.zeros((columns.shape[0], columns.shape[0]))
    for _ in range(n_clusterings):
        group = cluster(columns, random.randint(2, max_clusters + 1), random).labels_
        out += group[:, None] == group[None, :]
    return out / n_clusterings


def correlation_order(correlation: Floats) -> tuple[int, ...]:
    """The label most correlated to all others, then always the one most correlated to those placed; ties by index.

    >>> correlation_order(np.array([[1, 0, 0.5], [0, 1, 0.75], [0.5, 0.75, 1]]))
    (2, 1, 0)
    """
    others = correlation - np.diag(np.diag(correlation))
    left = np.ones(len(others), bool)
    support = others.sum(axis=1)
    placed: list[int] = []
    while left.any():
        # Rounded, so that the order of summation decides no tie.
        label = int(np.argmax(np.where(left, np.round(support, 10), -np.inf)))
        support = others[label] if not placed else support + others[label]
        placed.append(label)
        left[label] = False
    return tuple(placed)
