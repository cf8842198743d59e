"""Solutions of a batch of linear problems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._problems import Status

__all__ = ["BlockCosts", "Solution", "Solutions", "Status"]


@dataclass(frozen=True, eq=False)
class BlockCosts:
    """What each block of problems has cost: one entry per block in every array.

    Attributes
    ----------
    updates, checks : float64
        Visits per row that may change the weights, and visits that only read them; those of one problem alone count
        as a sixteenth.
    active : float64
        Share of the rows that are in the working set at the end.
    seconds : float64
    """

    updates: NDArray[np.float64]
    checks: NDArray[np.float64]
    active: NDArray[np.float64]
    seconds: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solution:
    """One solved problem: ``decision(x) = weights.x + bias``; the weights of labels follow those of features."""

    weights: NDArray[Any]
    bias: float
    objective: float
    dual_objective: float
    iterations: int
    status: Status


@dataclass(frozen=True, eq=False)
class Solutions:
    """The solutions of a batch; ``solutions[p]`` is that of problem p.

    Attributes
    ----------
    n_features : int
        The first columns of the weights; the others belong to labels.
    weights : array or csr_array of shape (n_problems, n_features + n_labels)
    bias : (n_problems,), float64
    objective, dual_objective : (n_problems,), float64
        Values of the primal at the weights, before any are dropped, and of the dual below it; their difference bounds
        the distance to the optimum.
    iterations : (n_problems,), int64
        Passes over the working set, or Newton steps.
    status : (n_problems,), int8
        A `Status`. A problem whose rows are all of one class has no weights, and a bias of +1 or -1.
    costs : BlockCosts
    """

    n_features: int
    weights: Any
    bias: NDArray[np.float64]
    objective: NDArray[np.float64]
    dual_objective: NDArray[np.float64]
    iterations: NDArray[np.int64]
    status: NDArray[np.int8]
    costs: BlockCosts

    def __len__(self) -> int:
        return int(self.bias.size)

    def __iter__(self) -> Iterator[Solution]:
        return (self[p] for p in range(len(self)))

    def __getitem__(self, problem: int) -> Solution:
        if not 0 <= problem < len(self):
            raise IndexError(f"problem must lie in 0..{len(self) - 1}; got {problem}.")
        row = self.weights[[problem]]
        return Solution(
            (row.toarray() if sparse.issparse(row) else row).ravel(),
            float(self.bias[problem]),
            float(self.objective[problem]),
            float(self.dual_objective[problem]),
            int(self.iterations[problem]),
            Status(int(self.status[problem])),
        )
