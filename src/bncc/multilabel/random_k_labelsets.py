"""Random k-labelsets: an ensemble of label powersets over few labels each."""

from __future__ import annotations

from math import comb

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from bncc._typing import Array, Classifier, Floats, Longs, Matrix, Random
from bncc.multilabel.network_settings import NetworkScore, NetworkSearch, network_for, with_strengths
from bncc.multilabel.powersets import PowersetClassifier
from bncc.multilabel.targets import Targets
from bncc.structure import LabelNetwork, label_communities, label_families

__all__ = ["RandomKLabelsets", "draw_labelsets", "network_labelsets"]


class RandomKLabelsets(PowersetClassifier):
    """Label powersets of k labels each, drawn at random, that vote on each label (RAkEL; Tsoumakas et al. 2011).

    With `labelsets` of "network" the labels of a powerset are those that belong together in the label network.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier that takes several classes. With `KernelSVC` (and None, which means `KernelSVC()`)
        the label sets compete in pairs, those of all labelsets solved in one call.
    k : int, default=3
        Labels per labelset; all labels where there are fewer.
    n_sets : int or None, default=None
        Number of labelsets; None for twice the labels. No more are drawn than there are.
    overlapping : bool, default=True
        Labelsets that overlap, each label in several of them; False deals the labels to ceil(M / k) disjoint ones,
        and `n_sets` is not used.
    labelsets : "random" or "network", default="random"
        Where labelsets come from. "network": a label with its parents and children in the label network, cut to the
        strongest edges and filled up by the strongest dependence to k labels (`bncc.structure.label_families`); the
        number is that of random ones. Without overlap: communities of at most k labels
        (`bncc.structure.label_communities`), as many as there are.
    max_children, max_parents, network_score, network_search
        How the network is learned, as in `BNCC`; or a `LabelNetwork` as `network_search`. For "network" alone.
    aggregate : "votes" or "mean", default="votes"
        A label's score is the share of its labelsets that predict it, as in the paper, or the average of their
        probabilities of it (of their squashed decisions where the base has no probabilities, and with `KernelSVC`).
    threshold : float, default=0.5
        A label is predicted when its score, in [0, 1], is above it.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Draws the labelsets, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    labelsets_ : tuple of tuples of int
    network_ : LabelNetwork or None
        The network that labelsets come from; None with "random".

    Notes
    -----
    Departure from the paper: the first ceil(M / k) labelsets are a random deal of all labels (the last one filled up),
    so that no label is left out; the others are drawn from all labelsets, without repeats, as in the paper.

    `decision_function` is the score minus the threshold. `predict_proba` is the average probability, or
    ``(votes + 1) / (labelsets of the label + 2)``; with `KernelSVC` it is calibrated on out-of-fold scores.

    A labelset has at most 2^k classes, so the cost is linear in `n_sets`. Rows with an unknown label are left out of
    the labelsets that have this label.

    References
    ----------
    Tsoumakas, Katakis, Vlahavas: Random k-labelsets for multilabel classification. IEEE TKDE 23 (2011).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> rakel = RandomKLabelsets(DecisionTreeClassifier(max_depth=4), random_state=0).fit(data.X, data.Y)
    >>> len(rakel.labelsets_), rakel.predict(data.X[:1]).shape
    (20, (1, 10))
    """

    # What a model from a file without these parameters has.
    labelsets: str = "random"
    max_children: int | None = 2
    max_parents: int | None = None
    network_score: NetworkScore = "dependence"
    network_search: NetworkSearch = "paper"
    network_: LabelNetwork | None = None

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        k: int = 3,
        n_sets: int | None = None,
        overlapping: bool = True,
        labelsets: str = "random",
        max_children: int | None = 2,
        max_parents: int | None = None,
        network_score: NetworkScore = "dependence",
        network_search: NetworkSearch = "paper",
        aggregate: str = "votes",
        threshold: float = 0.5,
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.k = k
        self.n_sets = n_sets
        self.overlapping = overlapping
        self.labelsets = labelsets
        self.max_children = max_children
        self.max_parents = max_parents
        self.network_score = network_score
        self.network_search = network_search
        self.aggregate = aggregate
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _labelsets(self, targets: Targets) -> list[tuple[int, ...]]:
        self._check_settings()
        n_sets = None if not self.overlapping else 2 * targets.n_labels if self.n_sets is None else self.n_sets
        if self.labelsets == "random":
            self.network_ = None
            random = check_random_state(self.random_state)
            self.labelsets_ = draw_labelsets(targets.n_labels, int(self.k), n_sets, random)
        else:
            self.network_ = network_for(self, targets)
            self.labelsets_ = network_labelsets(with_strengths(self.network_, targets), int(self.k), n_sets)
        return list(self.labelsets_)

    def _check_settings(self) -> None:
        if self.aggregate not in ("votes", "mean"):
            raise ValueError(f"`aggregate` must be 'votes' or 'mean'; got {self.aggregate!r}.")
        if self.labelsets not in ("random", "network"):
            raise ValueError(f"`labelsets` must be 'random' or 'network'; got {self.labelsets!r}.")
        if not 0 <= self.threshold < 1:
            raise ValueError(f"`threshold` must lie in [0, 1); got {self.threshold!r}.")
        if not isinstance(self.k, int | np.integer) or self.k < 1:
            raise ValueError(f"`k` must be a whole number of at least 1; got {self.k!r}.")

    def _merge(self, parts: list[Floats]) -> Floats:
        votes = self.aggregate == "votes"
        return self._average([part > 0 if votes else expit(part) for part in parts]) - self.threshold

    def _merge_rates(self, parts: list[Floats]) -> Floats:
        return self._average(parts)

    def _scores(self, X: Matrix) -> Floats:
        if self.aggregate == "mean" and self._has_set_rates():
            return super()._link_rates(X) - self.threshold
        return super()._scores(X)

    def _link_rates(self, X: Matrix) -> Floats:
        share = self._scores(X) + self.threshold
        times = self._times()
        return (share * times + 1.0) / (times + 2.0) if self.aggregate == "votes" else share

    def _times(self) -> Longs:
        """The number of labelsets of each label."""
        return np.bincount(np.concatenate(self.labelsets_), minlength=self.n_labels_)

    def _average(self, parts: list[Array]) -> Floats:
        """Mean over the labelsets of each label."""
        total = np.zeros((len(parts[0]), self.n_labels_))
        for labels, part in zip(self.labelsets_, parts, strict=True):
            total[:, list(labels)] += part
        return total / self._times()


def draw_labelsets(
    n_labels: int, k: int, n_sets: int | None, random: np.random.RandomState
) -> tuple[tuple[int, ...], ...]:
    """Distinct labelsets of k labels that cover all labels; with `n_sets` None, disjoint ones.

    >>> draw_labelsets(5, 2, None, np.random.RandomState(0))
    ((0, 2), (1, 3), (4,))
    """
    k = min(k, n_labels)
    deal = random.permutation(n_labels)
    dealt = [deal[start : start + k].tolist() for start in range(0, n_labels, k)]
    if n_sets is None:
        return tuple(tuple(sorted(labels)) for labels in dealt)
    if not isinstance(n_sets, int | np.integer) or n_sets < len(dealt):
        raise ValueError(
            f"`n_sets` must be a whole number of at least {len(dealt)} to cover all labels; got {n_sets!r}."
        )
    dealt[-1] += random.choice(deal[: n_labels - len(dealt[-1])], k - len(dealt[-1]), replace=False).tolist()
    drawn = dict.fromkeys(tuple(sorted(labels)) for labels in dealt)
    while len(drawn) < min(n_sets, comb(n_labels, k)):
        drawn.setdefault(tuple(sorted(random.choice(n_labels, k, replace=False).tolist())))
    return tuple(drawn)


def network_labelsets(network: LabelNetwork, k: int, n_sets: int | None) -> tuple[tuple[int, ...], ...]:
    """Labelsets of k labels that are families of a network, all labels among them; with `n_sets` None, communities.

    >>> from bncc.structure import learn_network
    >>> net = learn_network([[1, 1, 0], [1, 1, 0], [0, 0, 0], [0, 1, 1]], search=[(), (0,), (1,)])
    >>> network_labelsets(net, 2, 2), network_labelsets(net, 2, None)
    (((0, 1), (1, 2)), ((0, 1), (2,)))
    """
    if n_sets is None:
        return label_communities(network, k)
    if not isinstance(n_sets, int | np.integer) or n_sets < 1:
        raise ValueError(f"`n_sets` must be a whole number of at least 1; got {n_sets!r}.")
    return label_families(network, k, int(n_sets))
