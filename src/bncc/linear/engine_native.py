"""The compiled engine: blocks of sixteen problems, side by side on one pass over the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from bncc._native import simd
from bncc.linear.native import extension
from bncc.linear.plans import Plan
from bncc.linear.problems import Batch
from bncc.linear.solutions import BlockCosts, Solutions

__all__ = ["NativeSettings", "solve_plan"]


@dataclass(frozen=True)
class NativeSettings:
    """How exactly problems are solved, and which weights come back (see `solve`); the instruction set, "" is the best.

    The same settings give the same bits wherever the instruction set is the same.
    """

    tol: float
    max_iter: int
    drop: float | None
    instructions: str

    @staticmethod
    def here(tol: float, max_iter: int, drop: float | None) -> NativeSettings:
        """With the instruction set that the environment asks for."""
        return NativeSettings(tol, max_iter, drop, simd())


def solve_plan(
    batch: Batch,
    plan: Plan,
    settings: NativeSettings,
    threads: int,
    progress: Callable[[int], object] | None = None,
) -> Solutions:
    """Solve the blocks of a plan, which has every problem of the batch once; the features have their precision."""
    dtype = batch.features.values.dtype
    shape, drop = (len(batch), batch.n_columns), settings.drop
    dense = np.zeros(shape if drop is None else (0, 0), dtype)
    run = extension().solve_single if dtype == np.float32 else extension().solve_double
    limits = (settings.tol, settings.max_iter, drop or 0.0)
    result: dict[str, Any] = run(
        batch, plan.problems, plan.unit_ptr, dense, *limits, threads, settings.instructions, progress
    )
    if progress is not None:
        progress(len(batch))
    ptr, columns, values = (result.pop(name) for name in ("ptr", "columns", "values"))
    rows, updates, checks, active, seconds = np.reshape(result.pop("costs"), (-1, 5)).T
    return Solutions(
        n_features=batch.features.n_features,
        weights=dense if drop is None else sparse.csr_array((values, columns, ptr), shape=shape),
        costs=BlockCosts(updates / rows, checks / rows, active / rows, seconds),
        **result,
    )
