"""What remains of a solved batch for prediction: its support rows and coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc.svm.distances import Distances, cross_distances
from bncc.svm.problems import Batch, Solutions
from bncc.svm.walks import walk

__all__ = ["Model", "keep_support"]


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
        step = max(1, int(0.25e6 * cache_size / 4) // max(1, points.n_rows))
        parts = []
        for start in range(0, X.shape[0], step):
            d2 = cross_distances(points, X[start : start + step], n_jobs=n_jobs)
            known = None if words is None else np.ascontiguousarray(words[:, start : start + step])
            parts.append(
                walk(self.batch, self.solutions, d2, problems, writes=writes, words=known, n_jobs=n_jobs, engine=engine)
            )
        return _stack(parts, np.atleast_2d(problems))


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
        distances=Distances(batch.distances.points.take(rows), None),
        words=np.ascontiguousarray(batch.words[:, rows]),
        targets=np.zeros((0, n), np.int8),
        row_ptr=np.zeros(1, np.int64),
        row_index=np.zeros(0, np.int32),
        weights=np.zeros((0, n)),
    )
    places = np.searchsorted(rows, solutions.support).astype(np.int32)
    return Model(small, replace(solutions, support=places), rows)
