"""How one chain finds label sets from the probabilities of its links."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from bncc._typing import Array, Floats, Matrix
from bncc.multilabel import decode
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.conditional import slopes_of_links
from bncc.multilabel.crossval import Calibration
from bncc.multilabel.linked_classifier import LinkedClassifier, SolveLinks
from bncc.multilabel.links import Links

__all__ = ["InferringClassifier"]

_INFERENCES = ("greedy", "beam", "exhaustive", "monte_carlo")
_OBJECTIVES = ("joint", "hamming", "f1")

# Cells (rows x label sets x labels) that are decoded at a time, and how many times as much the best F1 takes.
_BLOCK = 1 << 21
_TABLES_OF_F1 = 4


class InferringClassifier(LinkedClassifier):
    """A single chain that predicts by greedy, beam, exhaustive or sampled inference (see `decode`).

    A subclass sets `order_` and `_contexts` (the context of each link, in chain order; None where it is all labels
    before it) when it describes its links.
    """

    # What a chain without these parameters does.
    inference: str = "greedy"
    optimise: str = "joint"
    beam_width: int = 10
    n_samples: int = 100

    order_: tuple[int, ...]
    _contexts: tuple[tuple[int, ...], ...] | None

    def _solve_links(self, links: Links, rows: TrainingRows, prepared: Any, solve: SolveLinks | None = None) -> None:
        self._link_calibration: Calibration | None = None
        super()._solve_links(links, rows, prepared, solve)
        self._seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        if self._backend().rates == "scores" and self.inference != "greedy":
            kept, backend = rows.detached(), self._unfitted()._backend()
            settle = partial(slopes_of_links, backend, links, kept, self._fit_options(verbose=0))
            self._link_calibration = Calibration(settle, kept, prepared)

    def _calibrate(self, links: Links, rows: TrainingRows, prepared: Any) -> None:
        if self.inference == "greedy":  # else links are calibrated, and labels have marginals
            super()._calibrate(links, rows, prepared)

    def _scores(self, X: Matrix) -> Floats:
        return super()._scores(X) if self.inference == "greedy" else self._decode(X)[0]

    def _label_planes(self, X: Matrix) -> tuple[Array, ...]:
        # Searched label sets are not decided link by link: nothing is handed on that could be held fixed.
        return super()._label_planes(X) if self.inference == "greedy" else ()

    def _rates(self, X: Matrix) -> Floats:
        if self.inference != "greedy":
            return self._decode(X)[1]
        if self._rates_from() == "scores" and self._link_calibration is not None and self._calibration is None:
            raise ValueError("This chain was not fitted for greedy inference; fit it again with inference='greedy'.")
        return super()._rates(X)

    def _decode(self, X: Matrix) -> tuple[Floats, Floats]:
        """Scores and marginal probabilities of the labels, by the chosen inference; a block of rows at a time."""
        self._check_inference(self.n_labels_)
        # The best F1 looks at every label beside every number of labels.
        widest = max(self._n_sets(), self.n_labels_ if self.optimise == "f1" else 1)
        tables = _TABLES_OF_F1 if self.optimise == "f1" else 1
        step = max(1, _BLOCK // (widest * self.n_labels_ * tables))
        scores, marginals = np.zeros((X.shape[0], self.n_labels_)), np.zeros((X.shape[0], self.n_labels_))
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            joint = self._joint(X[rows])
            scores[rows], marginals[rows] = self._decide(joint), joint.marginal
        return scores, marginals

    def _n_sets(self) -> int:
        most = 2 ** min(self.n_labels_, decode.EXHAUSTIVE_LIMIT)
        return int({"exhaustive": most, "beam": min(2 * self.beam_width, most)}.get(self.inference, self.n_samples + 1))

    def _joint(self, X: Matrix) -> decode.Joint:
        answer = decode.ask_once(self._conditionals(X), self._link_contexts())
        if self.inference == "exhaustive":
            return decode.exhaustive_joint(answer, self.order_, X.shape[0])
        if self.inference == "beam":
            return decode.beam_joint(answer, self.order_, X.shape[0], self.beam_width)
        points = decode.draw_points(self.n_samples, self.n_labels_, np.random.RandomState(self._seed))
        return decode.sampled_joint(answer, self.order_, X.shape[0], points)

    def _link_contexts(self) -> tuple[tuple[int, ...], ...]:
        if self._contexts is not None:
            return self._contexts
        return tuple(self.order_[:position] for position in range(len(self.order_)))

    def _conditionals(self, X: Matrix) -> decode.Answer:
        if self._backend().rates == "links":
            return self._solved.conditionals(X)
        if self._link_calibration is None:
            raise ValueError(
                "This chain was fitted for greedy inference, which calibrates no conditional probabilities; "
                f"fit it again with inference={self.inference!r}."
            )
        return self._solved.conditionals(X, self._link_calibration.slopes)

    def _decide(self, joint: decode.Joint) -> Floats:
        """Scores above 0 exactly where a label is in the chosen set, ordered by the marginals on both sides."""
        if self.optimise == "hamming":
            return joint.marginal - 0.5
        predicted = decode.mode(joint) if self.optimise == "joint" else decode.best_f1(joint)
        return 0.5 * (joint.marginal + np.where(predicted, 1.0, -1.0))

    def _check_inference(self, n_labels: int) -> None:
        if self.inference not in _INFERENCES:
            raise ValueError(f"`inference` must be one of {', '.join(_INFERENCES)}; got {self.inference!r}.")
        if self.optimise not in _OBJECTIVES:
            raise ValueError(f"`optimise` must be one of {', '.join(_OBJECTIVES)}; got {self.optimise!r}.")
        for name in ("beam_width", "n_samples"):
            value = getattr(self, name)
            if not isinstance(value, int | np.integer) or value < 1:
                raise ValueError(f"`{name}` must be a whole number of at least 1; got {value!r}.")
        if self.inference == "greedy":
            if self.optimise != "joint":
                raise ValueError(
                    f"Greedy inference follows one path and cannot optimise {self.optimise!r}; "
                    "use inference='beam', 'exhaustive' or 'monte_carlo'."
                )
            return
        if self.inference == "exhaustive":
            decode.check_exhaustive(n_labels)
        if self._backend().rates == "none":
            raise ValueError(
                f"inference={self.inference!r} needs probabilities, which {type(self._base()).__name__} does not give. "
                "Use a classifier with `predict_proba` (wrap it in CalibratedClassifierCV), or inference='greedy'."
            )
