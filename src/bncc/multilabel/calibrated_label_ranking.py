"""Calibrated label ranking: labels compete in pairs, and with a calibration label."""

from __future__ import annotations

from typing import Any

import numpy as np

from bncc._typing import Classifier, Floats, Longs, Matrix, Random, Signs
from bncc.multilabel.base import LinkedClassifier
from bncc.multilabel.links import Link, Links
from bncc.multilabel.targets import Targets
from bncc.multilabel.votes import tally

__all__ = ["CalibratedLabelRanking"]


class CalibratedLabelRanking(LinkedClassifier):
    """Pairwise comparisons of labels, cut at a calibration label (CLR; Fuernkranz et al. 2008).

    A link per pair of labels learns, from the rows where exactly one of the two holds (and both are known), which one
    it is. A calibration label stands between the labels that hold and those that do not: its contest with a label is
    the link of binary relevance. A label is predicted when it gets more votes than the calibration label.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links in one call.
    aggregate : "votes" or "decisions", default="votes"
        Count the contests that a label wins, as in the paper, or sum the decisions, each squashed to (-1, 1).
    one_class_pairs : "vote" or "abstain", default="vote"
        What a pair does whose training rows all have the same one of its labels: vote for it, or have no say. The
        second loses much on data with rare labels; it is here because some implementations do so.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    pairs_ : array of shape (n_pairs, 2)
        The pairs of labels with a link. A pair that no row tells apart has none, and no vote.

    Notes
    -----
    `decision_function` is the score of a label minus that of the calibration label, with votes a whole number
    in [-M, M]. A label is predicted exactly where it is above 0, so a tie with the calibration label is no prediction,
    nor is a label that no training row has. A contest that training always decides the same way counts as decided
    (`one_class_pairs` has the other reading).

    `predict_proba` is calibrated on out-of-fold scores with `KernelSVC`. With another base it is
    ``1/2 + (score - calibration score) / (2M + 2)`` over votes, or over summed probabilities with "decisions": it
    ranks the labels but is not calibrated.

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

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        aggregate: str = "votes",
        one_class_pairs: str = "vote",
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.aggregate = aggregate
        self.one_class_pairs = one_class_pairs
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        if self.aggregate not in ("votes", "decisions"):
            raise ValueError(f"`aggregate` must be 'votes' or 'decisions'; got {self.aggregate!r}.")
        if self.one_class_pairs not in ("vote", "abstain"):
            raise ValueError(f"`one_class_pairs` must be 'vote' or 'abstain'; got {self.one_class_pairs!r}.")
        columns = np.array(targets.columns())
        names = self.label_names_
        links = [Link(name, columns[label], label=label) for label, name in enumerate(names)]
        certain = [np.array([_certainty(column[column >= 0]) for column in columns])]
        pairs = []
        for first in range(targets.n_labels - 1):
            seconds, rows, always = _contests(columns, first)
            for second, told_apart in zip(seconds.tolist(), rows, strict=True):
                links.append(Link(f"{names[first]} or {names[second]}", columns[first], rows=told_apart, label=first))
            pairs.append(np.column_stack([np.full_like(seconds, first), seconds]))
            certain.append(always)
        self.pairs_ = np.concatenate([np.zeros((0, 2), np.int64), *pairs])
        self._certain = np.concatenate(certain)
        self._absent = ~(columns == 1).any(axis=1)
        return Links(tuple(links), (tuple(range(len(links))),))

    def _assemble(self, answers: Floats, X: Any) -> Floats:
        decisions = answers[0] if self.aggregate == "votes" else np.tanh(answers[0] / 2.0)
        return self._compete(np.where(self._certain != 0, self._certain, decisions))

    def _compete(self, decisions: Floats) -> Floats:
        """Scores of the labels minus that of the calibration label, the last candidate."""
        n_labels = self.n_labels_
        first = np.concatenate([np.arange(n_labels), self.pairs_[:, 0]])
        second = np.concatenate([np.full(n_labels, n_labels), self.pairs_[:, 1]])
        if self.one_class_pairs == "abstain":
            said = np.concatenate([np.ones(n_labels, bool), self._certain[n_labels:] == 0])
            decisions, first, second = decisions[:, said], first[said], second[said]
        votes, sums = tally(decisions, first, second, n_labels + 1)
        each = votes if self.aggregate == "votes" else sums
        scores = each[:, :-1] - each[:, -1:]
        return np.where(self._absent, np.minimum(scores, -1.0), scores)

    def _link_rates(self, X: Matrix) -> Floats:
        return self._by_blocks(X, lambda chances, _: self._share(chances[0]), "probability")

    def _share(self, chances: Floats) -> Floats:
        return 0.5 + self._compete(chances - 0.5) / (2.0 * self.n_labels_ + 2.0)


def _contests(columns: Signs, first: int) -> tuple[Longs, list[Longs], Floats]:
    """The labels after `first` that some row tells apart from it, these rows, and who wins where one always does."""
    # Of 0, 1 and -1 (unknown), only 0 and 1 differ in exactly the last bit.
    second, row = np.divmod(np.flatnonzero((columns[first + 1 :] ^ columns[first]) == 1), columns.shape[1])
    count = np.bincount(second, minlength=len(columns) - first - 1)
    wins = np.bincount(second, weights=columns[first][row], minlength=count.size)
    met = np.flatnonzero(count)
    rows = np.split(row, np.cumsum(count[met])[:-1]) if met.size else []
    return met + first + 1, rows, (wins == count)[met] * 1.0 - (wins == 0)[met]


def _certainty(target: Signs) -> float:
    """1 or -1 where the target is always or never 1, else 0."""
    return 1.0 if target.size and (target == 1).all() else -1.0 if (target == 0).all() else 0.0
