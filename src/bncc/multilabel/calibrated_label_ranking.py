"""Calibrated label ranking: labels compete in pairs, and with a calibration label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bncc._typing import Classifier, Floats, Longs, Matrix, Random, Signs
from bncc.multilabel.label_contests import (
    LabelContests,
    all_contests,
    certainty,
    contests_of_pairs,
    edge_pairs,
    random_pairs,
)
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.multilabel.links import LabelColumn, Link, Links, label_columns
from bncc.multilabel.network_settings import NetworkScore, NetworkSearch, network_for
from bncc.multilabel.targets import Targets
from bncc.multilabel.votes import degrees_of, lead_among_all, lead_among_neighbours
from bncc.structure import LabelNetwork

__all__ = ["CalibratedLabelRanking"]


class CalibratedLabelRanking(LinkedClassifier):
    """Pairwise comparisons of labels, cut at a calibration label (CLR; Fuernkranz et al. 2008).

    A link per pair of labels learns, from the rows where exactly one of the two holds (and both are known), which one
    it is. A calibration label stands between the labels that hold and those that do not: its contest with a label is
    the link of binary relevance. A label is predicted when it gets more votes than the calibration label.

    With `pairs` of "network" only labels that are joined in the label network compete: M + edges links instead of
    M (M + 1) / 2, so that it can be had for a thousand labels and more.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links in one call.
    aggregate : "votes" or "decisions", default="votes"
        Count the contests that a label wins, as in the paper, or sum the decisions, each squashed to (-1, 1).
    one_class_pairs : "vote" or "abstain", default="vote"
        What a pair does whose training rows all have the same one of its labels: vote for it, or have no say. The
        second loses much on data with rare labels; it is here because some implementations do so.
    pairs : "all", "network" or "random", default="all"
        Which pairs of labels compete: all, the edges of the label network, or as many pairs as it has edges, drawn at
        random (to see what the network adds).
    max_children, max_parents, network_score, network_search
        How the network is learned, as in `BNCC`; or a `LabelNetwork` as `network_search`. Not used for all pairs.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Draws random pairs, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    pairs_ : array of shape (n_pairs, 2)
        The pairs of labels with a link. A pair that no row tells apart has none, and no vote.
    network_ : LabelNetwork or None
        None for all pairs.

    Notes
    -----
    `decision_function` is the score of a label minus that of the calibration label, with votes a whole number
    in [-M, M]. A label is predicted exactly where it is above 0, so a tie with the calibration label is no prediction,
    nor is a label that no training row has. A contest that training always decides the same way counts as decided
    (`one_class_pairs` has the other reading).

    With few pairs a label competes among its neighbours: those that it has a pair with. It has d + 1 contests, one with
    each of its d neighbours and one with the calibration label; the calibration label is given its contests with the
    label and with the same d neighbours, so that both have as many. The label is predicted when it wins more of them.
    `decision_function` is the difference divided by d + 1, in [-1, 1], so that labels with many and with few neighbours
    can be ranked. A label without neighbours is decided as in binary relevance; were all labels neighbours of each
    other, predictions would be those of all pairs.

    `predict_proba` is calibrated on out-of-fold scores with `KernelSVC`. With another base it is
    ``1/2 + difference / (2 contests + 2)`` over votes, or over summed probabilities with "decisions", where a label
    has M contests with all pairs and d + 1 with few: it ranks the labels but is not calibrated.

    M labels make M (M + 1) / 2 links: quadratic in the labels, but pair links have few rows, about as many in all as
    the average number of labels of a row times M times the rows.

    References
    ----------
    Fuernkranz, Huellermeier, Loza Mencia, Brinker: Multilabel classification via calibrated label ranking.
    Machine Learning 73 (2008).

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> ranking = CalibratedLabelRanking(GaussianNB()).fit(data.X, data.Y)
    >>> ranking.predict(data.X[:1]).tolist(), len(ranking.pairs_)
    ([[1, 1, 1, 0, 0, 1, 0, 0, 0, 1]], 45)
    """

    _describes_by_features = False

    # What a model from a file without these parameters has.
    pairs: str = "all"
    max_children: int | None = 2
    max_parents: int | None = None
    network_score: NetworkScore = "dependence"
    network_search: NetworkSearch = "paper"
    network_: LabelNetwork | None = None

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        aggregate: str = "votes",
        one_class_pairs: str = "vote",
        pairs: str = "all",
        max_children: int | None = 2,
        max_parents: int | None = None,
        network_score: NetworkScore = "dependence",
        network_search: NetworkSearch = "paper",
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.aggregate = aggregate
        self.one_class_pairs = one_class_pairs
        self.pairs = pairs
        self.max_children = max_children
        self.max_parents = max_parents
        self.network_score = network_score
        self.network_search = network_search
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        self._check_settings()
        self.network_ = None if self.pairs == "all" else network_for(self, targets)
        columns: Sequence[Signs | LabelColumn] = label_columns(targets)
        if self.network_ is None:
            # Links by the square of the labels: none of them spreads its column anew.
            columns = targets.columns()
            contests = all_contests(np.array(columns))
        else:
            contests = contests_of_pairs(targets, self._chosen_pairs(self.network_))
        self.pairs_ = contests.pairs
        self._know_labels(targets, contests)
        return _links_of_contests(columns, self.label_names_, contests)

    def _check_settings(self) -> None:
        if self.aggregate not in ("votes", "decisions"):
            raise ValueError(f"`aggregate` must be 'votes' or 'decisions'; got {self.aggregate!r}.")
        if self.one_class_pairs not in ("vote", "abstain"):
            raise ValueError(f"`one_class_pairs` must be 'vote' or 'abstain'; got {self.one_class_pairs!r}.")
        if self.pairs not in ("all", "network", "random"):
            raise ValueError(f"`pairs` must be 'all', 'network' or 'random'; got {self.pairs!r}.")

    def _chosen_pairs(self, network: LabelNetwork) -> list[tuple[int, int]]:
        if self.pairs == "network":
            return edge_pairs(network)
        return random_pairs(network.n_labels, len(network.edges), self.random_state)

    def _know_labels(self, targets: Targets, contests: LabelContests) -> None:
        """What training always decided the same way, and which labels no row has."""
        always, self._absent = np.empty(targets.n_labels), np.empty(targets.n_labels, bool)
        for label in range(targets.n_labels):
            column = targets.column(label)
            always[label], self._absent[label] = certainty(column[column >= 0]), not (column == 1).any()
        self._certain = np.concatenate([always, contests.certain])

    def _assemble(self, answers: Floats, X: Matrix) -> Floats:
        decisions = answers[0] if self.aggregate == "votes" else np.tanh(answers[0] / 2.0)
        leads, contests = self._compete(np.where(self._certain != 0, self._certain, decisions))
        return leads if self.network_ is None else leads / contests

    def _compete(self, decisions: Floats) -> tuple[Floats, Longs]:
        """By how much each label leads the calibration label, and the number of contests that each of them had."""
        n_labels, pairs = self.n_labels_, self.pairs_
        own, met = decisions[:, :n_labels], decisions[:, n_labels:]
        if self.one_class_pairs == "abstain":
            said = self._certain[n_labels:] == 0
            met, pairs = met[:, said], pairs[said]
        votes = self.aggregate == "votes"
        if self.network_ is None:
            leads, contests = lead_among_all(own, met, pairs, votes=votes), np.full(n_labels, n_labels)
        else:
            leads, contests = lead_among_neighbours(own, met, pairs, votes=votes), 1 + degrees_of(pairs, n_labels)
        return np.where(self._absent, np.minimum(leads, -1.0), leads), contests

    def _link_rates(self, X: Matrix) -> Floats:
        return self._by_blocks(X, lambda chances, _: self._share(chances[0]), "probability")

    def _share(self, chances: Floats) -> Floats:
        leads, contests = self._compete(chances - 0.5)
        return 0.5 + leads / (2.0 * contests + 2.0)


def _links_of_contests(columns: Sequence[Signs | LabelColumn], names: Sequence[str], contests: LabelContests) -> Links:
    """A link per label, its contest with the calibration label, then one per pair on the rows that tell it apart."""
    links = [Link(name, columns[label], label=label) for label, name in enumerate(names)]
    for (first, second), rows in zip(contests.pairs.tolist(), contests.rows, strict=True):
        links.append(Link(f"{names[first]} or {names[second]}", columns[first], rows=rows, label=first))
    return Links(tuple(links), (tuple(range(len(links))),))
