"""Which problems of a batch are solved side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bncc.linear.problems import Batch

__all__ = ["N_LANES", "Plan", "chains_of_starts", "plan_blocks"]

N_LANES = 16


@dataclass(frozen=True, eq=False)
class Plan:
    """Blocks of problems (-1: an empty lane), and the units of blocks that are solved in turn by one thread.

    Attributes
    ----------
    problems : (n_blocks, 16), int32
    unit_ptr : (n_units + 1,), int64
        Within a unit, each block starts from the solutions of the one before.
    """

    problems: NDArray[np.int32]
    unit_ptr: NDArray[np.int64]


def plan_blocks(batch: Batch) -> Plan:
    """Blocks of 16: problems that start from one another share a lane; those of a block share their row weights.

    Problems with about as many positives go together, since they take about as many passes; ties by their number. The
    costliest units come first.

    >>> from bncc.linear import make_batch
    >>> plan_blocks(make_batch([[0.0], [1.0]], [0, 1], C=[1.0, 2.0], start=[-1, 0])).problems[:, :2].tolist()
    [[0, -1], [1, -1]]
    """
    chains = chains_of_starts(batch.start)
    n_positive = np.diff(batch.target_ptr)[batch.target]
    first = np.array([chain[0] for chain in chains], np.int64)
    lengths = np.array([len(chain) for chain in chains], np.int64)
    order = np.lexsort((first, -n_positive[first], batch.weight[first], -lengths))
    kinds = list(zip(lengths.tolist(), batch.weight[first].tolist(), strict=True))
    blocks: list[NDArray[np.int32]] = []
    unit_ptr = [0]
    pending: list[int] = []
    for number in [*order.tolist(), None]:
        full = len(pending) == N_LANES
        if pending and (number is None or full or kinds[number] != kinds[pending[0]]):
            blocks += _side_by_side([chains[lane] for lane in pending])
            unit_ptr.append(len(blocks))
            pending = []
        if number is not None:
            pending.append(number)
    problems = np.array(blocks, np.int32).reshape(-1, N_LANES)
    return Plan(problems, np.array(unit_ptr, np.int64))


def chains_of_starts(start: NDArray[np.int32]) -> list[list[int]]:
    """Problems that start from one another, in turn."""
    chain_of: dict[int, list[int]] = {}
    out = []
    for problem, origin in enumerate(start.tolist()):
        chain = chain_of[origin] if origin >= 0 else []
        if origin < 0:
            out.append(chain)
        chain.append(problem)
        chain_of[problem] = chain
    return out


def _side_by_side(chains: list[list[int]]) -> list[NDArray[np.int32]]:
    out = np.full((len(chains[0]), N_LANES), -1, np.int32)
    for lane, chain in enumerate(chains):
        out[:, lane] = chain
    return list(out)
