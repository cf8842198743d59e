"""What remains of a solved batch for prediction: its support rows and coefficients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc._typing import Floats, Matrix, Words
from bncc.svm.distances import Distances
from bncc.svm.engine_protocol import States
from bncc.svm.engines import engine_for
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SettingChanges, SolverSettings
from bncc.svm.walk_plan import plan_walks

__all__ = ["Model", "keep_some", "keep_support"]

_DEFAULTS = SolverSettings()


@dataclass(frozen=True, eq=False)
class Model:
    """A solved batch, cut down to the rows that support any of its problems (make one with `keep_support`).

    Attributes
    ----------
    batch, solutions : Batch, Solutions
        Over the support rows alone.
    rows : array
        Those rows, as numbers of the training rows.
    """

    batch: Batch
    solutions: Solutions
    rows: NDArray[np.int32]

    def decide(
        self,
        X: Matrix,
        problems: ArrayLike,
        *,
        writes: ArrayLike | None = None,
        words: Words | None = None,
        settings: SolverSettings = _DEFAULTS,
        **changes: Unpack[SettingChanges],
    ) -> list[Floats]:
        """Decisions of chains of problems for new rows (see `walk`), in blocks that keep to the memory budget."""
        settings = settings.changed(**changes)
        walks = plan_walks(self.batch, problems, X.shape[0], writes=writes, words=words)
        engine = engine_for(settings.engine, self._evaluations(X))
        return engine.walk_new(self.batch, self.solutions, X, walks, settings)

    def states(self, X: Matrix, settings: SolverSettings = _DEFAULTS, **changes: Unpack[SettingChanges]) -> States:
        """Decisions for new rows in any state: a function of a problem, of rows of X (some may come several times) and
        of the packed labels of these.

        For many calls with the same X: distances are computed once, and stay on the device where they fit.
        """
        settings = settings.changed(**changes)
        return engine_for(settings.engine, self._evaluations(X)).states(self.batch, self.solutions, X, settings)

    def _evaluations(self, X: Matrix) -> float:
        return float(X.shape[0]) * self.solutions.support.size


def keep_some(batch: Batch, solutions: Solutions, problems: NDArray[np.int32]) -> Model:
    """As `keep_support`, of these problems alone, which are numbered anew."""
    starts, sizes = solutions.support_ptr[problems], np.diff(solutions.support_ptr)[problems]
    pointer = np.concatenate([[0], np.cumsum(sizes)])
    places = np.arange(pointer[-1]) + np.repeat(starts - pointer[:-1], sizes)
    some = replace(
        batch,
        target=batch.target[problems],
        row_set=batch.row_set[problems],
        weight=batch.weight[problems],
        gamma=batch.gamma[problems],
        C=batch.C[problems],
        context=batch.context[problems],
        group=np.arange(problems.size, dtype=np.int32),
        start=np.full(problems.size, -1, np.int32),
    )
    precise = None if solutions.precise is None else solutions.precise[problems]
    solved = replace(
        solutions,
        support_ptr=pointer,
        support=solutions.support[places],
        coef=solutions.coef[places],
        bias=solutions.bias[problems],
        objective=solutions.objective[problems],
        iterations=solutions.iterations[problems],
        status=solutions.status[problems],
        precise=precise if precise is not None and precise.any() else None,
    )
    return keep_support(some, solved)


def keep_support(batch: Batch, solutions: Solutions) -> Model:
    """Forget the rows that support no problem, the targets and the distances."""
    rows = np.unique(solutions.support)
    n = rows.size
    small = replace(
        batch,
        token="",  # a model holds what belongs together
        distances=Distances(batch.distances.points.take(rows, exact=solutions.precise is not None), held=False),
        words=np.ascontiguousarray(batch.words[:, rows]),
        targets=np.zeros((0, n), np.int8),
        row_ptr=np.zeros(1, np.int64),
        row_index=np.zeros(0, np.int32),
        weights=np.zeros((0, n)),
    )
    support = np.searchsorted(rows, solutions.support).astype(np.int32)
    return Model(small, replace(solutions, support=support, token=""), rows)
