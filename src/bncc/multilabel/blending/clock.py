"""A limit of time that work asks about, and what stops work that is still going when it is over."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bncc._typing import Pulse
from bncc.metrics import Metric
from bncc.metrics.averaging import AveragedMetric

__all__ = ["Clock", "OutOfTime"]

_Value = TypeVar("_Value")


class OutOfTime(Exception):
    """Raised inside work that is still going at its deadline; what it has done so far is dropped."""


class Clock:
    """Seconds since it was made, and seconds left until a limit.

    >>> Clock(None).left, Clock(5.0).left > 4
    (inf, True)
    """

    def __init__(self, limit: float | None = None, *, tells: bool = False) -> None:
        self.limit = float("inf") if limit is None else float(limit)
        self._start = time.perf_counter()
        self._tells = tells

    @property
    def limited(self) -> bool:
        """Whether there is a limit."""
        return self.limit < float("inf")

    def earlier(self, seconds: float) -> Clock:
        """The same clock with a limit so many seconds before its own, for work that others come after."""
        other = Clock(self.limit - seconds, tells=self._tells)
        other._start = self._start
        return other

    def tell(self, what: str) -> None:
        """Say on standard error what is done, if it was made to tell."""
        if self._tells:
            left = f", {max(self.left, 0.0):.0f} s left" if self.limited else ""
            sys.stderr.write(f"[{self.spent:6.1f} s{left}] {what}\n")
            sys.stderr.flush()

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

    def timed(self, metric: Metric) -> Metric:
        """The metric, whose every evaluation asks whether there is time left: searches by it stop at the limit."""
        if not self.limited:
            return metric
        function = metric.function
        if isinstance(function, AveragedMetric):  # it stays one: thresholds look into it
            return replace(metric, function=replace(function, binary_metric=self._checked(function.binary_metric)))
        return replace(metric, function=self._checked(function))

    def _checked(self, function: Callable[..., _Value]) -> Callable[..., _Value]:
        def checked(*arguments: object, **options: object) -> _Value:
            self.check()
            return function(*arguments, **options)

        return checked
