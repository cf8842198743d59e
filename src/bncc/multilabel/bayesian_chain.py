"""Tree-structured Bayesian chains, and ensembles of them over roots."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from bncc._typing import Classifier, Matrix, Random
from bncc.graph import Parents, maximum_spanning_tree, topological_order
from bncc.labels import count_labels, mutual_information
from bncc.multilabel.ensemble import ChainEnsemble
from bncc.multilabel.links import Link, Links, label_columns
from bncc.multilabel.targets import Targets

__all__ = ["BayesianChain", "hang"]


class BayesianChain(ChainEnsemble):
    """Chains along the tree of labels: a link sees the parent of its label only (BCC; Sucar et al. 2014).

    The tree is the maximum spanning tree on the mutual information of labels. Directed from a root, it gives each
    other label one parent; chains from several roots are combined. Links that chains have in common are learned once,
    at most 3M - 2 for M labels, however many roots there are.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links of all chains in one call.
    n_roots : int or None, default=10
        Chains, each from another root drawn at random; all labels where there are fewer, or with None.
    aggregate : "mean" or "votes", default="mean"
        Average the squashed decisions of the chains, or count predicted labels.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Draws the roots, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    roots_ : tuple of int
    trees_ : tuple of parents
        For each root the parents of each label.
    orders_ : tuple of tuples of int

    Notes
    -----
    `predict_proba` averages the chains' probabilities, each conditional on what its chain predicted for the parent;
    with `KernelSVC` it is calibrated on out-of-fold scores.

    References
    ----------
    Sucar, Bielza, Morales, Hernandez-Leal, Zaragoza, Larranaga: Multi-label classification with Bayesian
    network-based chain classifiers. Pattern Recognition Letters 41 (2014).

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> chain = BayesianChain(GaussianNB(), n_roots=3, random_state=0).fit(data.X, data.Y)
    >>> chain.roots_, chain.trees_[0]
    ((2, 4, 8), ((2,), (0,), (), (0,), (3,), (2,), (4,), (3,), (1,), (2,)))
    """

    _describes_by_features = False

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        n_roots: int | None = 10,
        aggregate: str = "mean",
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_roots = n_roots
        self.aggregate = aggregate
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        if self.aggregate not in ("mean", "votes"):
            raise ValueError(f"`aggregate` must be 'mean' or 'votes'; got {self.aggregate!r}.")
        self.roots_ = self._draw_roots(targets.n_labels)
        counts = count_labels(targets.positives)
        tree = maximum_spanning_tree(lambda label: mutual_information(counts, label), targets.n_labels)
        self.trees_ = tuple(hang(tree, root) for root in self.roots_)
        self.orders_ = tuple(topological_order(parents) for parents in self.trees_)
        return self._shared_links(targets)

    def _draw_roots(self, n_labels: int) -> tuple[int, ...]:
        if self.n_roots is None:
            return tuple(range(n_labels))
        if not isinstance(self.n_roots, int | np.integer) or self.n_roots < 1:
            raise ValueError(f"`n_roots` must be a whole number of at least 1, or None; got {self.n_roots!r}.")
        drawn = check_random_state(self.random_state).permutation(n_labels)[: self.n_roots]
        return tuple(sorted(drawn.tolist()))

    def _shared_links(self, targets: Targets) -> Links:
        """A link for each label and parent that occur; walks share them."""
        columns = label_columns(targets)
        places: dict[tuple[int, tuple[int, ...]], int] = {}
        walks = [
            tuple(places.setdefault((label, parents[label]), len(places)) for label in order)
            for order, parents in zip(self.orders_, self.trees_, strict=True)
        ]
        links = [
            Link(self.label_names_[label], columns[label], context, writes=label, label=label)
            for label, context in places
        ]
        return Links(tuple(links), tuple(walks))


def hang(tree: Parents, root: int) -> Parents:
    """The same tree, directed away from another root: the edges on the way up from it are turned.

    >>> hang(((), (0,), (1,)), 2)
    ((1,), (2,), ())
    """
    out = list(tree)
    below: tuple[int, ...] = ()
    way: tuple[int, ...] = (root,)
    while way:
        (label,) = way
        way, out[label] = tree[label], below
        below = (label,)
    return tuple(out)
