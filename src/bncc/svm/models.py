"""What remains of a solved batch for prediction: its support rows and coefficients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from bncc._typing import Array, Floats, Integers, Matrix, Words
from bncc.svm.distances import Distances
from bncc.svm.engine_protocol import States
from bncc.svm.engines import engine_for
from bncc.svm.points import PANEL, Points
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SettingChanges, SolverSettings
from bncc.svm.walk_plan import plan_walks

__all__ = ["Model", "check_model", "keep_support"]

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


def check_model(model: Model) -> None:
    """Raise ValueError unless all arrays of a model fit together, so that compiled code may take them on trust.

    For models from files: those from `keep_support` fit by construction.
    """
    batch, solutions = model.batch, model.solutions
    if not isinstance(batch, Batch) or not isinstance(solutions, Solutions):
        raise ValueError("a kernel model needs a batch and its solutions")
    if not isinstance(batch.distances, Distances) or batch.distances.matrix is not None:
        raise ValueError("a kernel model holds support rows, not their distances")
    _check_points(batch.distances.points)
    n, n_words = batch.n_rows, len(batch.words)
    _expect(batch.words, np.uint32, (n_words, n))
    n_problems = len(_array(batch.target, np.int32))
    for array, dtype in ((batch.gamma, np.float64), (batch.C, np.float64), (solutions.bias, np.float64)):
        _expect(array, dtype, (n_problems,))
    for index in (batch.row_set, batch.weight, batch.start):
        _expect(index, np.int32, (n_problems,))
    _expect(batch.context, np.uint32, (n_problems, n_words))
    for table, kind in ((batch.targets, np.int8), (batch.weights, np.float64)):
        _expect(table, kind, (0, n))
    _array(batch.row_ptr, np.int64), _array(batch.row_index, np.int32)
    _check_pointers(_expect(solutions.support_ptr, np.int64, (n_problems + 1,)), len(solutions.support))
    _check_range(_array(solutions.support, np.int32), n)
    _expect(solutions.coef, np.float64, solutions.support.shape)


def _check_points(points: object) -> None:
    if not isinstance(points, Points):
        raise ValueError("a kernel model needs its support rows")
    n, d = int(points.n_rows), int(points.n_features)
    n_panels = -(-n // PANEL)
    _expect(points.norms, np.float32, (n_panels * PANEL,))
    if points.panels is not None:
        _expect(points.panels, np.float32, (n_panels, d, PANEL))
        _expect(points.centre, np.float64, (d,))
        return
    for matrix, (lines, width) in ((points.by_row, (n, d)), (points.by_column, (d, n))):
        if matrix.shape != (n, d):
            raise ValueError(f"expected sparse rows of shape {(n, d)}; got {matrix.shape}")
        _check_pointers(_expect(matrix.indptr, np.int64, (lines + 1,)), len(matrix.indices))
        _check_range(_array(matrix.indices, np.int32), width)
        _expect(matrix.data, np.float32, matrix.indices.shape)


def _array(array: object, dtype: DTypeLike) -> Array:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or not array.flags.c_contiguous:
        raise ValueError(f"expected an array of {np.dtype(dtype)}; got {getattr(array, 'dtype', type(array).__name__)}")
    return array


def _expect(array: object, dtype: DTypeLike, shape: tuple[int, ...]) -> Array:
    checked = _array(array, dtype)
    if checked.shape != shape:
        raise ValueError(f"expected an array of shape {shape}; got {checked.shape}")
    return checked


def _check_pointers(pointers: Integers, n_entries: int) -> None:
    if pointers[0] != 0 or pointers[-1] != n_entries or (np.diff(pointers) < 0).any():
        raise ValueError("pointers that do not ascend from 0 to the number of entries")


def _check_range(index: Integers, limit: int) -> None:
    if index.size and (index.min() < 0 or index.max() >= limit):
        raise ValueError(f"indices outside of 0..{limit - 1}")
