"""What remains of a solved batch for prediction: its support rows and coefficients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc.svm.cuda.device import current_device
from bncc.svm.cuda.distances import cross_source
from bncc.svm.cuda.walk import Known, load_solutions, walk_rows
from bncc.svm.distances import Distances, blocks_of_rows, cross_distances
from bncc.svm.engines import choose_engine
from bncc.svm.points import PANEL, Points
from bncc.svm.problems import Batch, Solutions
from bncc.svm.walks import check_links, device_blocks, rows_of_walks, walk

__all__ = ["Model", "States", "check_model", "keep_support"]

States = Callable[[int, NDArray[np.int64], NDArray[np.uint32]], NDArray[np.float64]]

_SHARE = 0.5  # of the free memory of a device that distances may take


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
        X: Any,
        problems: ArrayLike,
        *,
        writes: ArrayLike | None = None,
        words: NDArray[np.uint32] | None = None,
        cache_size: float = 2000.0,
        n_jobs: int | None = None,
        engine: str = "auto",
    ) -> list[NDArray[np.float64]]:
        """Decisions of chains of problems for new rows (see `walk`), in blocks that keep to the memory budget."""
        points = self.batch.distances.points
        evaluations = float(X.shape[0]) * self.solutions.support.size
        chosen = choose_engine(engine, work=evaluations).name
        if chosen == "cuda":
            return self._decide_on_device(X, problems, writes, words)
        parts = []
        for rows in blocks_of_rows(X.shape[0], points.n_rows, cache_size):
            d2 = cross_distances(points, X[rows], n_jobs=n_jobs)
            known = None if words is None else np.ascontiguousarray(words[:, rows])
            parts.append(
                walk(self.batch, self.solutions, d2, problems, writes=writes, words=known, n_jobs=n_jobs, engine=chosen)
            )
        return _stack(parts, np.atleast_2d(problems))

    def states(self, X: Any, *, cache_size: float = 2000.0, n_jobs: int | None = None, engine: str = "auto") -> States:
        """Decisions for new rows in any state: a function of a problem, of rows of X (some may come several times) and
        of the packed labels of these.

        For many calls with the same X: distances are computed once, and stay on the device where they fit.
        """
        points = self.batch.distances.points
        chosen = choose_engine(engine, work=float(X.shape[0]) * self.solutions.support.size).name
        if chosen == "cuda" and 4 * X.shape[0] * points.n_rows <= _SHARE * current_device().free_memory():
            return self._states_on_device(X)
        d2 = cross_distances(points, X, n_jobs=n_jobs)
        options: dict[str, Any] = {"n_jobs": n_jobs, "engine": "cpu" if chosen == "cuda" else chosen}

        def decide(problem: int, rows: NDArray[np.int64], words: NDArray[np.uint32]) -> NDArray[np.float64]:
            out = np.empty(rows.size)
            for part in blocks_of_rows(rows.size, points.n_rows, cache_size):
                known = np.ascontiguousarray(words[:, part])
                found = walk(self.batch, self.solutions, d2[rows[part]], [[problem]], words=known, **options)
                out[part] = found[0][:, 0]
            return out

        return decide

    def _states_on_device(self, X: Any) -> States:
        device = current_device()
        points = self.batch.distances.points
        fields = load_solutions(device, self.batch, self.solutions)
        source = cross_source(device, points.like(X), points)

        def decide(problem: int, rows: NDArray[np.int64], words: NDArray[np.uint32]) -> NDArray[np.float64]:
            chain, none = np.array([[problem]], np.int32), np.array([[-1]], np.int32)
            own = rows_of_walks([rows], 1, X.shape[0])
            check_links(self.batch, chain, none, words, rows.size)
            known = Known(np.ascontiguousarray(words), [np.arange(rows.size)])
            return device.download(walk_rows(device, self.batch, fields, source, own, chain, none, known))[:, 0]

        return decide

    def _decide_on_device(
        self, X: Any, problems: ArrayLike, writes: ArrayLike | None, words: NDArray[np.uint32] | None
    ) -> list[NDArray[np.float64]]:
        device = current_device()
        chain = np.ascontiguousarray(np.atleast_2d(problems), np.int32)
        labels = np.full_like(chain, -1) if writes is None else np.ascontiguousarray(np.atleast_2d(writes), np.int32)
        given = None if words is None else np.asarray(words, np.uint32)
        check_links(self.batch, chain, labels, given, X.shape[0])
        points = self.batch.distances.points
        fields = load_solutions(device, self.batch, self.solutions)
        parts = []
        per_row = 4 * (points.n_rows + len(self.batch.words))
        for part in device_blocks(X.shape[0], chain, per_row, device.free_memory()):
            new = points.like(X[part])
            rows = [np.arange(new.n_rows)] * len(chain)
            known = None if given is None else Known(np.ascontiguousarray(given[:, part]), rows)
            found = walk_rows(device, self.batch, fields, cross_source(device, new, points), rows, chain, labels, known)
            parts.append(np.split(device.download(found), len(chain)))
        return _stack(parts, chain)


def _stack(parts: Sequence[Sequence[NDArray[np.float64]]], problems: NDArray[Any]) -> list[NDArray[np.float64]]:
    if not parts:
        return [np.zeros((0, problems.shape[1])) for _ in problems]
    return [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]


def keep_support(batch: Batch, solutions: Solutions) -> Model:
    """Forget the rows that support no problem, the targets and the distances."""
    rows = np.unique(solutions.support)
    n = rows.size
    small = replace(
        batch,
        distances=Distances(batch.distances.points.take(rows), held=False),
        words=np.ascontiguousarray(batch.words[:, rows]),
        targets=np.zeros((0, n), np.int8),
        row_ptr=np.zeros(1, np.int64),
        row_index=np.zeros(0, np.int32),
        weights=np.zeros((0, n)),
    )
    places = np.searchsorted(rows, solutions.support).astype(np.int32)
    return Model(small, replace(solutions, support=places), rows)


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


def _check_points(points: Any) -> None:
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


def _array(array: Any, dtype: Any) -> NDArray[Any]:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or not array.flags.c_contiguous:
        raise ValueError(f"expected an array of {np.dtype(dtype)}; got {getattr(array, 'dtype', type(array).__name__)}")
    return array


def _expect(array: Any, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    if _array(array, dtype).shape != shape:
        raise ValueError(f"expected an array of shape {shape}; got {array.shape}")
    return array


def _check_pointers(pointers: NDArray[Any], n_entries: int) -> None:
    if pointers[0] != 0 or pointers[-1] != n_entries or (np.diff(pointers) < 0).any():
        raise ValueError("pointers that do not ascend from 0 to the number of entries")


def _check_range(index: NDArray[Any], limit: int) -> None:
    if index.size and (index.min() < 0 or index.max() >= limit):
        raise ValueError(f"indices outside of 0..{limit - 1}")
