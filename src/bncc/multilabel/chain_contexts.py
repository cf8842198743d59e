"""What a link of a chain hands on to the links after it: labels or scores, in prediction and in training.

In prediction a link hands on what its classifier's `chain_method` says of a row. In training, links see true labels;
with `cv`, they see what the links before them say of rows that these have not learned from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
from scipy import sparse
from sklearn.model_selection import check_cv

from bncc._typing import Classifier, Floats, Fold, Matrix, Splitter
from bncc.multilabel.backend import FitOptions, LinkBackend, Response, SolvedLinks, TrainingRows
from bncc.multilabel.links import Link, Links, grounded

__all__ = ["ChainMethod", "ContextCrossValidation", "plane_handed_on", "resolve_chain_method", "walk_handing_on"]

ChainMethod: TypeAlias = Literal["predict", "predict_proba", "predict_log_proba", "decision_function"]

_RESPONSES: dict[str, Response] = {
    "predict": "decision",
    "predict_proba": "probability",
    "predict_log_proba": "probability",
    "decision_function": "decision",
}
# Stands for 0, which has no logarithm.
_LEAST_PROBABILITY = np.finfo(np.float64).tiny


def resolve_chain_method(chain_method: str | Sequence[str], base: Classifier) -> ChainMethod:
    """The method of the base by which links hand on: the first of those named that it has.

    >>> from sklearn.svm import LinearSVC
    >>> resolve_chain_method(["predict_proba", "decision_function"], LinearSVC())
    'decision_function'
    """
    names = [chain_method] if isinstance(chain_method, str) else list(chain_method)
    methods = get_args(ChainMethod)
    if not names or not set(names) <= set(methods):
        raise ValueError(
            f"`chain_method` must be one of {', '.join(methods)}, or a list of them; got {chain_method!r}."
        )
    for name in names:
        if name == "predict" or hasattr(base, name):
            return cast(ChainMethod, name)
    raise AttributeError(
        f"{type(base).__name__} has none of the following attributes: {', '.join(names)}. "
        "Name another `chain_method`, or take a base that has it."
    )


def hand_on(solved: SolvedLinks, link: int, X: Matrix, known: Floats, chain_method: ChainMethod) -> Floats:
    """What one link says of rows to the links after it."""
    return _handed(solved.answer(link, X, known, _RESPONSES[chain_method]), chain_method)


def _handed(answer: Floats, chain_method: ChainMethod) -> Floats:
    if chain_method == "predict":
        return (answer > 0).astype(np.float64)
    if chain_method == "predict_log_proba":
        return np.log(np.maximum(answer, _LEAST_PROBABILITY))
    return answer


def walk_handing_on(
    solved: SolvedLinks, X: Matrix, walk: Sequence[int], response: Response, chain_method: ChainMethod
) -> Floats:
    """Answers along one walk, each link handing on what `chain_method` says: (1, n_rows, length)."""
    return _walk_and_hand_on(solved, X, walk, response, chain_method)[0]


def plane_handed_on(solved: SolvedLinks, X: Matrix, walk: Sequence[int], chain_method: ChainMethod) -> Floats:
    """What the links of one walk hand on, under the labels that they settle: (n_rows, n_labels)."""
    return _walk_and_hand_on(solved, X, walk, _RESPONSES[chain_method], chain_method)[1]


def _walk_and_hand_on(
    solved: SolvedLinks, X: Matrix, walk: Sequence[int], response: Response, chain_method: ChainMethod
) -> tuple[Floats, Floats]:
    out = np.zeros((1, X.shape[0], len(walk)))
    known = np.zeros((X.shape[0], solved.n_labels))
    same = _RESPONSES[chain_method] == response
    for position, link in enumerate(walk):
        answer = out[0, :, position] = solved.answer(link, X, known, response)
        handed = _handed(answer, chain_method) if same else hand_on(solved, link, X, known, chain_method)
        known[:, solved.writes[link]] = handed
    return out, known


@dataclass(frozen=True, eq=False)
class ContextCrossValidation:
    """Contexts of the links of one chain, in training, from cross-validated answers of the links before them."""

    cv: Splitter
    chain_method: ChainMethod
    backend: LinkBackend
    options: FitOptions

    def rows_with_contexts(self, links: Links, rows: TrainingRows, prepared: object = None) -> TrainingRows:
        """The rows, with what every link but the last says of them in the place of the labels."""
        splitter = check_cv(self.cv, links.links[0].target, classifier=True)
        contexts = np.zeros((rows.targets.n_rows, rows.targets.n_labels))
        for link in links.links[:-1]:
            folds = _partition(list(splitter.split(rows.X, link.target)), rows.targets.n_rows)
            seen = self._with(rows, contexts)
            contexts[:, link.writes] = self._held_out(grounded(link, 0), seen, folds, prepared)
        return self._with(rows, contexts)

    def _with(self, rows: TrainingRows, contexts: Floats) -> TrainingRows:
        """Any backend takes labels as contexts; numbers, those that say so."""
        if self.chain_method != "predict":
            return replace(rows, contexts=contexts)
        labels = sparse.csc_array(contexts.astype(np.int8))
        return replace(rows, targets=replace(rows.targets, positives=labels, unknown=None))

    def _held_out(self, link: Link, rows: TrainingRows, folds: Sequence[Fold], prepared: object) -> Floats:
        """What the link hands on of each row, learned from the folds that do not test it."""
        one = Links((link,), ((0,),))
        if self.chain_method == "predict":
            decisions = self.backend.decide_given_truth(one, rows, folds, self.options, prepared)
            return _handed(decisions[:, 0], "predict")
        out = np.empty(rows.targets.n_rows)
        for train, test in folds:
            held_out = rows.take(test)
            assert held_out.contexts is not None
            solved = self.backend.fit(one.within(train), rows.take(train), self.options)
            out[test] = hand_on(solved, 0, held_out.X, held_out.contexts, self.chain_method)
        return out


def _partition(folds: list[Fold], n_rows: int) -> list[Fold]:
    """The folds, if they test every row once; ascending, as links want their rows."""
    tested = np.sort(np.concatenate([test for _, test in folds])) if folds else np.zeros(0, np.int64)
    if not np.array_equal(tested, np.arange(n_rows)):
        raise ValueError(
            f"`cv` must be a partition: every one of the {n_rows} rows is tested once; got {tested.size} test rows, "
            f"{np.unique(tested).size} of them distinct. Take KFold or StratifiedKFold."
        )
    return [(np.sort(train), np.sort(test)) for train, test in folds]
