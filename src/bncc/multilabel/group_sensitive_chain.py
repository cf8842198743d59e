"""Group-sensitive chains: rows are grouped, and each group has a chain in its own order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from bncc._typing import Classifier, Floats, Matrix, Random
from bncc.graph import break_cycles, parents_of, topological_order
from bncc.labels import count_labels
from bncc.multilabel.feature_rows import narrow
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.multilabel.links import Links, label_columns, links_of_chains
from bncc.multilabel.targets import Targets

__all__ = ["GroupSensitiveChain", "cluster", "cooccurrence_order"]


class GroupSensitiveChain(LinkedClassifier):
    """A classifier chain per group of similar rows, each in an order of its own (GCC; Huang et al. 2015).

    Rows are grouped by k-means on their features. In each group an edge from label k to label j has the weight
    p(j = 1 | k = 1), so only labels that occur together are joined; cycles are broken as in `break_cycles`, the labels
    sorted (ties by index), and a chain learned from the rows of the group. An unseen row goes to the chain of the
    nearest centre.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links of all groups in one call.
    n_groups : int, default=5
        Groups of rows; fewer where there are fewer rows.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Starts the k-means, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    groups_ : KMeans
        The groups; `groups_.predict(X)` tells which chain a row goes to.
    orders_ : tuple of tuples of int
        The order of each group's chain.

    Notes
    -----
    Features should be on one scale. The k-means does not take missing features, nor does it see `sample_weight`.
    Training costs about as much as one chain or less, since each link sees one group of rows. `predict_proba` is
    conditional on the labels that the chain predicted before each link, not a marginal.

    References
    ----------
    Huang, Li, Wang, Zhang, Huang: Group sensitive classifier chains for multi-label classification. ICME (2015).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> base = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> chain = GroupSensitiveChain(base, n_groups=2, random_state=0).fit(data.X, data.Y)
    >>> chain.predict(data.X[:1]).shape, len(chain.orders_)
    ((1, 10), 2)
    """

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        n_groups: int = 5,
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_groups = n_groups
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        if not isinstance(self.n_groups, int | np.integer) or self.n_groups < 1:
            raise ValueError(f"`n_groups` must be a whole number of at least 1; got {self.n_groups!r}.")
        self.groups_ = cluster(X, self.n_groups, check_random_state(self.random_state))
        group = self.groups_.labels_
        rows = [np.flatnonzero(group == number) for number in range(self.groups_.n_clusters)]
        self.orders_ = tuple(cooccurrence_order(targets.take(members).positives) for members in rows)
        columns = label_columns(targets)
        return links_of_chains(columns, self.label_names_, self.orders_, rows=rows)

    def _assemble(self, answers: Floats, X: Any) -> Floats:
        group = self.groups_.predict(X.astype(np.float64, copy=False))
        out = np.zeros(answers.shape[1:])
        for number, order in enumerate(self.orders_):
            rows = np.flatnonzero(group == number)
            out[rows[:, None], list(order)] = answers[number, rows]
        return out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        return tags


def cluster(X: Any, n_clusters: int, random: np.random.RandomState) -> KMeans:
    """k-means with at most one cluster per row; clusters may be empty where rows are equal."""
    means = KMeans(min(n_clusters, X.shape[0]), n_init=1, random_state=random.randint(np.iinfo(np.int32).max))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than clusters: no harm
        return means.fit(narrow(X.astype(np.float64, copy=False)))


def cooccurrence_order(Y: Any) -> tuple[int, ...]:
    """Labels sorted along the edges k -> j of weight p(j = 1 | k = 1), cycles broken; ties by index.

    >>> cooccurrence_order(np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]]))
    (1, 0, 2)
    """
    n_rows, n_labels = Y.shape
    if n_rows == 0:
        return tuple(range(n_labels))
    counts = count_labels(Y)
    both = counts.pairs.tocoo()
    joined = both.row != both.col
    parent, child = both.row[joined], both.col[joined]
    weights = both.data[joined] / counts.positives[parent]
    kept = break_cycles(np.column_stack([parent, child]), weights, n_labels)
    return topological_order(parents_of(kept, n_labels))
