"""Label sets as classes: what label powerset and random k-labelsets share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np

from bncc._typing import Bools, Classifier, Floats, Integers, Longs, Matrix
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.clones import Constant
from bncc.multilabel.linked_classifier import LinkedClassifier, SolveLinks
from bncc.multilabel.links import Link, Links, Predecessors, grounded
from bncc.multilabel.targets import Targets
from bncc.multilabel.votes import tally
from bncc.svm.sigmoids import couple_pairs

__all__ = [
    "LabelSets",
    "PartitionClassifier",
    "PowersetClassifier",
    "marginals_of_classes",
    "multiclass_scores",
    "rates_of_winners",
    "read_sets",
    "scores_from_sets",
    "set_scores",
]

_LEAST = np.finfo(np.float64).tiny
_ABOVE_HALF = np.nextafter(0.5, 1.0)


@dataclass(frozen=True, eq=False)
class LabelSets:
    """The sets of some labels that occur in training.

    Attributes
    ----------
    labels : tuple of int
    sets : array of shape (n_sets, n_labels of these), bool
        In lexicographic order; ties between sets are decided by it.
    """

    labels: tuple[int, ...]
    sets: Bools


def read_sets(targets: Targets, labels: Sequence[int]) -> tuple[LabelSets, Longs]:
    """The sets that occur, and the set of each row; -1 where one of the labels is unknown."""
    columns = list(labels)
    known = np.ones(targets.n_rows, bool)
    if targets.unknown is not None:
        known = np.asarray(targets.unknown[:, columns].sum(axis=1)).ravel() == 0
    codes = np.full(targets.n_rows, -1, np.int64)
    if not known.any():
        return LabelSets(tuple(columns), np.zeros((1, len(columns)), bool)), codes
    sets, code = np.unique(targets.positives[:, columns].toarray()[known] != 0, axis=0, return_inverse=True)
    codes[known] = code.ravel()
    return LabelSets(tuple(columns), sets), codes


def links_of_set_pairs(
    sets: LabelSets, codes: Longs, names: Sequence[str], context: tuple[int, ...] | Predecessors = ()
) -> list[Link]:
    """A link per pair of sets on the rows of the two; it holds where the second is the row's set."""
    n_sets = len(sets.sets)
    targets = [(codes == number).astype(np.int8) for number in range(n_sets)]
    rows = [np.flatnonzero(target) for target in targets]
    shown = ["+".join(names[label] for label in np.asarray(sets.labels)[held]) or "none" for held in sets.sets]
    return [
        Link(f"{shown[b]} or {shown[a]}", targets[b], context, np.sort(np.concatenate([rows[a], rows[b]])))
        for a, b in combinations(range(n_sets), 2)
    ]


def set_scores(decisions: Floats, n_sets: int) -> Floats:
    """Scores of sets from those of their pairs: votes, and a term below one half that grows with the margins."""
    if n_sets == 1:
        return np.zeros((len(decisions), 1))
    if n_sets == 2:
        return decisions * np.array([-0.5, 0.5])
    n_pairs = n_sets * (n_sets - 1) // 2
    if decisions.shape[1] != n_pairs:
        raise ValueError(f"{n_sets} label sets must have {n_pairs} decisions per row; got {decisions.shape[1]}.")
    first, second = np.triu_indices(n_sets, 1)
    votes, margins = tally(decisions, second, first, n_sets)
    return votes + margins / (3.0 * (np.abs(margins) + 1.0))


def scores_from_sets(sets: Bools, scores: Floats, winner: Integers) -> Floats:
    """Score of each label: of the best set that has it minus that of the best set that has not.

    Above 0 exactly where the winning set has the label. A label that all sets have scores 1, one that none has -1.

    >>> scores_from_sets(np.array([[0, 1], [1, 1]], bool), np.array([[3.0, 1.0]]), np.array([0])).tolist()
    [[-2.0, 1.0]]
    """
    out = np.empty((len(scores), sets.shape[1]))
    for label, has in enumerate(sets.T):
        if has.all() or not has.any():
            out[:, label] = 1.0 if has.all() else -1.0
        else:
            out[:, label] = scores[:, has].max(axis=1) - scores[:, ~has].max(axis=1)
    winning = sets[winner]
    return np.where(winning, np.maximum(out, _LEAST), np.minimum(out, 0.0))


class PowersetClassifier(LinkedClassifier):
    """Classes are sets of labels: subclasses say of which labels, and how the answers are merged.

    Where the backend takes several classes, the base fits its own multiclass problem; else the sets compete in pairs
    (with the kernel engine all of them in one call).
    """

    _describes_by_features = False
    _sets: tuple[LabelSets, ...]

    def _labelsets(self, targets: Targets) -> list[tuple[int, ...]]:
        raise NotImplementedError

    def _group_contexts(self) -> Sequence[tuple[int, ...] | Predecessors]:
        """The labels that the links of each group see beside the features."""
        return [()] * len(self._sets)

    def _merge(self, parts: list[Floats]) -> Floats:
        """Label scores from those of each group of labels."""
        raise NotImplementedError

    def _merge_rates(self, parts: list[Floats]) -> Floats:
        """Probabilities from the marginals of each group of labels."""
        raise NotImplementedError

    def _has_set_rates(self) -> bool:
        backend = self._backend()
        return backend.takes_classes and backend.rates == "links"

    def _read(self, targets: Targets) -> list[Longs]:
        read = [read_sets(targets, labels) for labels in self._labelsets(targets)]
        self._sets = tuple(sets for sets, _ in read)
        return [codes for _, codes in read]

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        codes = self._read(targets)
        links = [
            link
            for sets, code, context in zip(self._sets, codes, self._group_contexts(), strict=True)
            for link in links_of_set_pairs(sets, code, self.label_names_, context)
        ]
        # A backend wants a link, also where there is nothing to tell apart.
        links = links or [grounded(Link("", np.full(targets.n_rows, -1, np.int8)), 0)]
        return Links(tuple(links), (tuple(range(len(links))),))

    def _assemble(self, answers: Floats, X: Matrix) -> Floats:
        parts, start = [], 0
        for group in self._sets:
            n_sets = len(group.sets)
            stop = start + n_sets * (n_sets - 1) // 2
            scores = set_scores(answers[0][:, start:stop], n_sets)
            parts.append(scores_from_sets(group.sets, scores, scores.argmax(axis=1)))
            start = stop
        return self._merge(parts)

    def _fit_on(self, rows: TrainingRows, prepared: object, solve: SolveLinks | None = None) -> Self:
        if not self._backend().takes_classes:
            super()._fit_on(rows, prepared, solve)
            return self
        self._remember(rows.targets)
        self._solve_links(self._describe_classes(rows), rows, prepared)
        return self

    def _describe_classes(self, rows: TrainingRows) -> Links:
        """A link per group of labels, whose target is the number of the set."""
        links = []
        codes_of_groups = self._read(rows.targets)
        for codes, group, context in zip(codes_of_groups, self._sets, self._group_contexts(), strict=True):
            target: Any = codes if rows.weight is None else np.where(rows.weight > 0, codes, -1)
            links.append(Link("+".join(self.label_names_[label] for label in group.labels), target, context))
        return Links(tuple(links), (tuple(range(len(links))),))

    def _shares_folds(self) -> bool:
        # Folds in one call are described by pairs of sets.
        return not self._backend().takes_classes and super()._shares_folds()

    def _scores(self, X: Matrix) -> Floats:
        if not self._backend().takes_classes:
            return super()._scores(X)
        solved = zip(self._sets, self._solved.estimators, strict=True)
        return self._merge([multiclass_scores(group.sets, estimator, X) for group, estimator in solved])

    def _link_rates(self, X: Matrix) -> Floats:
        if not self._backend().takes_classes:
            return self._by_blocks(X, self._marginals_of_pairs, "probability")
        solved = zip(self._sets, self._solved.estimators, strict=True)
        return self._merge_rates([marginals_of_classes(group.sets, estimator, X) for group, estimator in solved])

    def _marginals_of_pairs(self, chances: Floats, X: Matrix) -> Floats:
        """Probabilities of labels from those of the second set of each pair."""
        parts, start = [], 0
        for group in self._sets:
            n_sets = len(group.sets)
            stop = start + n_sets * (n_sets - 1) // 2
            of_sets = couple_pairs(chances[0][:, start:stop], n_sets) if n_sets > 1 else np.ones((X.shape[0], 1))
            parts.append(np.clip(of_sets @ group.sets, 0.0, 1.0))
            start = stop
        return self._merge_rates(parts)


class PartitionClassifier(PowersetClassifier):
    """Groups of labels that do not overlap: the winning set of each group is predicted."""

    def _merge(self, parts: list[Floats]) -> Floats:
        out = np.zeros((len(parts[0]), self.n_labels_))
        for group, part in zip(self._sets, parts, strict=True):
            out[:, list(group.labels)] = part
        return out

    def _merge_rates(self, parts: list[Floats]) -> Floats:
        return self._merge(parts)

    def _scores(self, X: Matrix) -> Floats:
        return self._rates(X) - 0.5 if self._has_set_rates() else super()._scores(X)

    def _link_rates(self, X: Matrix) -> Floats:
        return rates_of_winners(super()._link_rates(X), super()._scores(X))


def rates_of_winners(rates: Floats, scores: Floats) -> Floats:
    """Marginals, but one half where they contradict the winning set: the labels whose score is above 0."""
    return np.where(scores > 0, np.maximum(rates, _ABOVE_HALF), np.minimum(rates, 0.5))


def multiclass_scores(sets: Bools, estimator: Classifier, X: Matrix) -> Floats:
    """Score of each label of a group from a classifier of its sets."""
    if isinstance(estimator, Constant):
        return np.tile(np.where(sets[estimator.value], 1.0, -1.0), (X.shape[0], 1))
    winner = np.searchsorted(estimator.classes_, estimator.predict(X))
    return scores_from_sets(sets[estimator.classes_], _class_scores(estimator, X, winner), winner)


def _class_scores(estimator: Classifier, X: Matrix, winner: Integers) -> Floats:
    """The classifier's own scores of its classes; the predicted class alone where it has none of that shape."""
    n_classes = len(estimator.classes_)
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), np.float64)
        if n_classes == 2:
            return scores.reshape(-1, 1) * np.array([-0.5, 0.5])
        if scores.shape == (X.shape[0], n_classes):
            return scores
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X), np.float64)
    out = np.zeros((X.shape[0], n_classes))
    out[np.arange(X.shape[0]), winner] = 1.0
    return out


def marginals_of_classes(sets: Bools, estimator: Classifier, X: Matrix) -> Floats:
    """Probability of each label of a group: the sum over the sets that have it."""
    if isinstance(estimator, Constant):
        return np.tile(sets[estimator.value].astype(np.float64), (X.shape[0], 1))
    chances = np.asarray(estimator.predict_proba(X), np.float64) @ sets[estimator.classes_]
    return np.clip(chances, 0.0, 1.0)
