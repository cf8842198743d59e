"""Answers from as many rows as fit a limit of time: each fit tells how many rows the next one may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.family import Tried
from bncc.multilabel.blending.timed_fit import TimedFit

__all__ = ["FEW_SHARES", "MOST_SHARES", "RowSteps", "StepShares"]

# Another fit must have so many times the rows to be worth it.
_WORTHY_ROWS = 1.15
# A fit tells nothing of fits on more than so many times its rows.
_TOLD_ROWS = 16


@dataclass(frozen=True)
class StepShares:
    """Of the seconds left, what a first fit may take, one without a first, and each one after the first."""

    first: float
    only: float
    last: float


#: Where other families are worth as much as more rows, and where they are not.
FEW_SHARES = StepShares(0.1, 0.4, 0.4)
MOST_SHARES = StepShares(0.1, 0.65, 0.8)


@dataclass(frozen=True, eq=False)
class RowSteps:
    """How a family comes to its answer.

    Attributes
    ----------
    answer : answers from so many rows
    n_rows : int
        All rows that there are.
    least_learned : int
        Rows below which an answer is not worth its time.
    shares : StepShares
    """

    answer: Callable[[int], Tried]
    n_rows: int
    least_learned: int
    shares: StepShares

    def answer_in_time(self, timed: TimedFit, clock: Clock, reserve: float) -> Tried:
        """The answer from most rows that is done while more seconds than the reserve are left, by a fit on few rows."""
        few, tried = self._fitting(timed, self.shares.first, clock, reserve), None
        known = max(2 * timed.n_rows, self.least_learned)  # a fit on no more would tell nothing
        wanted = few if few >= known else self._fitting(timed, self.shares.only, clock, reserve)
        while tried is None or wanted >= _WORTHY_ROWS * timed.n_rows:
            begin = clock.spent
            try:
                tried = self.answer(wanted)
            except OutOfTime:
                if tried is None:
                    raise
                break  # what is done stays an answer
            timed = timed.after(wanted, clock.spent - begin)
            wanted = self._fitting(timed, self.shares.last, clock, reserve)
            clock.tell(f"{tried.family}: {timed.n_rows} rows took {timed.seconds:.1f} s")
        return tried

    def _fitting(self, timed: TimedFit, share: float, clock: Clock, reserve: float) -> int:
        return min(self.n_rows, _TOLD_ROWS * timed.n_rows, timed.rows_in(share * (clock.left - reserve)))
