"""What an engine is: solve a batch, walk its solutions, decide the test rows of folds.

One file per engine: `engine_numpy` (the oracle and the fallback), `engine_native` (the compiled extension) and
`cuda/engine` (a CUDA device). `engines` chooses; nothing else asks for an engine's name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from bncc._typing import Floats, Floats32, Longs, Matrix, Pulse, Words
from bncc.svm.fold_problems import FoldDecisions, FoldProblems, KernelGrid
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks

__all__ = ["Engine", "States"]

#: Decisions of one problem for some rows (some may come several times) with these packed labels.
States = Callable[[int, Longs, Words], Floats]


class Engine(Protocol):
    """Solves batches of SVM problems and decides rows with their solutions.

    Arguments are checked before they come here. `settings.engine` is not looked at: the choice has been made.
    """

    name: str

    def solve(self, batch: Batch, settings: SolverSettings, pulse: Pulse | None = None) -> Solutions:
        """Solve every problem of a batch."""

    def walk(
        self, batch: Batch, solutions: Solutions, d2: Floats32 | Floats, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""

    def walk_known(
        self, batch: Batch, solutions: Solutions, rows: Longs, walks: Walks, settings: SolverSettings
    ) -> Floats:
        """Decisions for rows of the batch itself: (n_walks, len(rows), length)."""

    def walk_new(
        self, batch: Batch, solutions: Solutions, X: Matrix, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows from their features, in blocks that keep to the memory."""

    def states(self, batch: Batch, solutions: Solutions, X: Matrix, settings: SolverSettings) -> States:
        """Decisions for new rows in any state, for many calls with the same X."""

    @property
    def starts_warm(self) -> bool:
        """Whether a problem starts from the solution of another one: folds then start from that on all rows."""

    def decide_folds(
        self, problems: FoldProblems, grid: KernelGrid, settings: SolverSettings, pulse: Pulse | None = None
    ) -> FoldDecisions:
        """Decisions of every link for the rows that its fold holds out, for every gamma and C."""
