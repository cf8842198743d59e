"""A limit of time that work asks about, and what stops work that is still going when it is over."""

from __future__ import annotations

import time

from bncc._typing import Pulse

__all__ = ["Clock", "OutOfTime"]


class OutOfTime(Exception):
    """Raised inside work that is still going at its deadline; what it has done so far is dropped."""


class Clock:
    """Seconds since it was made, and seconds left until a limit.

    >>> Clock(None).left, Clock(5.0).left > 4
    (inf, True)
    """

    def __init__(self, limit: float | None = None) -> None:
        self.limit = float("inf") if limit is None else float(limit)
        self._start = time.perf_counter()

    @property
    def spent(self) -> float:
        """Seconds since it was made."""
        return time.perf_counter() - self._start

    @property
    def left(self) -> float:
        """Seconds until the limit, below 0 beyond it; infinite without one."""
        return self.limit - self.spent

    def check(self, reserve: float = 0.0) -> None:
        """Raise `OutOfTime` where fewer seconds than the reserve are left."""
        if self.left < reserve:
            raise OutOfTime(f"{self.spent:.1f} of {self.limit:.1f} seconds are spent, and {reserve:.1f} are reserved.")

    def pulse(self, reserve: float = 0.0) -> Pulse | None:
        """What long work calls now and then, to be stopped when fewer seconds than the reserve are left."""
        return None if self.limit == float("inf") else lambda _: self.check(reserve)
