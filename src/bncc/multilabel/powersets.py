"""Label sets as classes: what label powerset and random k-labelsets share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bncc.multilabel.base import LinkedClassifier
from bncc.multilabel.links import Link, Links, ground
from bncc.multilabel.solve import Constant, check_weight_support, fit_links
from bncc.multilabel.targets import Targets
from bncc.multilabel.votes import tally

__all__ = ["LabelSets", "PowersetClassifier", "label_scores", "read_sets", "set_scores"]

_LEAST = np.finfo(np.float64).tiny


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
    sets: NDArray[np.bool_]


def read_sets(targets: Targets, labels: Sequence[int]) -> tuple[LabelSets, NDArray[np.int64]]:
    """The sets that occur, and the set of each row; -1 where one of the labels is unknown."""
    chosen = list(labels)
    known = np.ones(targets.n_rows, bool)
    if targets.unknown is not None:
        known = np.asarray(targets.unknown[:, chosen].sum(axis=1)).ravel() == 0
    codes = np.full(targets.n_rows, -1, np.int64)
    if not known.any():
        return LabelSets(tuple(chosen), np.zeros((1, len(chosen)), bool)), codes
    sets, code = np.unique(targets.positives[:, chosen].toarray()[known] != 0, axis=0, return_inverse=True)
    codes[known] = code.ravel()
    return LabelSets(tuple(chosen), sets), codes


def pair_links(sets: LabelSets, codes: NDArray[np.int64], names: Sequence[str]) -> list[Link]:
    """A link per pair of sets on the rows of the two; it holds where the second is the row's set."""
    n_sets = len(sets.sets)
    targets = [(codes == place).astype(np.int8) for place in range(n_sets)]
    rows = [np.flatnonzero(target) for target in targets]
    shown = ["+".join(names[label] for label in np.asarray(sets.labels)[own]) or "none" for own in sets.sets]
    return [
        Link(f"{shown[b]} or {shown[a]}", targets[b], rows=np.sort(np.concatenate([rows[a], rows[b]])))
        for a, b in combinations(range(n_sets), 2)
    ]


def set_scores(decisions: NDArray[np.float64], n_sets: int) -> NDArray[np.float64]:
    """Scores of sets from those of their pairs: votes, and a term below one half that grows with the margins."""
    if n_sets == 1:
        return np.zeros((len(decisions), 1))
    if n_sets == 2:
        return decisions * np.array([-0.5, 0.5])
    first, second = np.array(list(combinations(range(n_sets), 2))).T
    votes, margins = tally(decisions, second, first, n_sets)
    return votes + margins / (3.0 * (np.abs(margins) + 1.0))


def label_scores(
    sets: NDArray[np.bool_], scores: NDArray[np.float64], winner: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Score of each label: of the best set that has it minus that of the best set that has not.

    Above 0 exactly where the winning set has the label. A label that all sets have scores 1, one that none has -1.

    >>> label_scores(np.array([[0, 1], [1, 1]], bool), np.array([[3.0, 1.0]]), np.array([0])).tolist()
    [[-2.0, 1.0]]
    """
    out = np.empty((len(scores), sets.shape[1]))
    for label, has in enumerate(sets.T):
        if has.all() or not has.any():
            out[:, label] = 1.0 if has.all() else -1.0
        else:
            out[:, label] = scores[:, has].max(axis=1) - scores[:, ~has].max(axis=1)
    chosen = sets[winner]
    return np.where(chosen, np.maximum(out, _LEAST), np.minimum(out, 0.0))


class PowersetClassifier(LinkedClassifier):
    """Classes are sets of labels: subclasses say of which labels, and how the answers are merged.

    With the kernel engine the sets compete in pairs, all pairs in one call; another base fits its own multiclass
    problem.
    """

    _sets: tuple[LabelSets, ...]

    def _labelsets(self, n_labels: int) -> list[tuple[int, ...]]:
        raise NotImplementedError

    def _merge(self, parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Label scores from those of each group of labels."""
        raise NotImplementedError

    def _merge_rates(self, parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Probabilities from the marginals of each group of labels."""
        raise NotImplementedError

    def _has_set_rates(self) -> bool:
        return not self._uses_engine() and hasattr(self._base(), "predict_proba")

    def _read(self, targets: Targets) -> list[NDArray[np.int64]]:
        found = [read_sets(targets, labels) for labels in self._labelsets(targets.n_labels)]
        self._sets = tuple(sets for sets, _ in found)
        return [codes for _, codes in found]

    def _describe(self, X: Any, targets: Targets) -> Links:
        codes = self._read(targets)
        links = [
            link
            for sets, own in zip(self._sets, codes, strict=True)
            for link in pair_links(sets, own, self.label_names_)
        ]
        # The engine wants a link, also where there is nothing to tell apart.
        links = links or [ground(Link("", np.full(targets.n_rows, -1, np.int8)), 0)]
        return Links(tuple(links), (tuple(range(len(links))),))

    def _assemble(self, answers: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        parts, start = [], 0
        for own in self._sets:
            n_sets = len(own.sets)
            stop = start + n_sets * (n_sets - 1) // 2
            scores = set_scores(answers[0][:, start:stop], n_sets)
            parts.append(label_scores(own.sets, scores, scores.argmax(axis=1)))
            start = stop
        return self._merge(parts)

    def _fit(self, X: Any, targets: Targets, sample_weight: NDArray[np.float64] | None) -> None:
        if self._uses_engine():
            super()._fit(X, targets, sample_weight)
            return
        base = self._base()
        check_weight_support(base, sample_weight)
        links = []
        all_codes = self._read(targets)
        for codes, own in zip(all_codes, self._sets, strict=True):
            target: Any = codes if sample_weight is None else np.where(sample_weight > 0, codes, -1)
            links.append(Link("+".join(self.label_names_[label] for label in own.labels), target))
        self._solved = fit_links(
            Links(tuple(links), (tuple(range(len(links))),)),
            X,
            targets,
            base,
            sample_weight=sample_weight,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose,
        )

    def _scores(self, X: Any) -> NDArray[np.float64]:
        if self._uses_engine():
            return super()._scores(X)
        solved = zip(self._sets, self._solved.estimators, strict=True)
        return self._merge([_multiclass_scores(own.sets, estimator, X) for own, estimator in solved])

    def _rates(self, X: Any) -> NDArray[np.float64]:
        if self._uses_engine():
            return super()._rates(X)
        solved = zip(self._sets, self._solved.estimators, strict=True)
        return self._merge_rates([_marginals(own.sets, estimator, X) for own, estimator in solved])


def _multiclass_scores(sets: NDArray[np.bool_], estimator: Any, X: Any) -> NDArray[np.float64]:
    if isinstance(estimator, Constant):
        return np.tile(np.where(sets[estimator.value], 1.0, -1.0), (X.shape[0], 1))
    winner = np.searchsorted(estimator.classes_, estimator.predict(X))
    return label_scores(sets[estimator.classes_], _class_scores(estimator, X, winner), winner)


def _class_scores(estimator: Any, X: Any, winner: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
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
    return np.eye(n_classes)[winner]


def _marginals(sets: NDArray[np.bool_], estimator: Any, X: Any) -> NDArray[np.float64]:
    if isinstance(estimator, Constant):
        return np.tile(sets[estimator.value].astype(np.float64), (X.shape[0], 1))
    chances = np.asarray(estimator.predict_proba(X), np.float64) @ sets[estimator.classes_]
    return np.clip(chances, 0.0, 1.0)
