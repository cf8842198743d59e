"""Progress of long work on the standard error stream, for `verbose`."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from bncc._typing import Pulse

__all__ = ["Progress", "both", "tell_cost"]


def both(progress: Progress, pulse: Pulse | None) -> Pulse:
    """The line of progress, and the caller's pulse where there is one."""
    if pulse is None:
        return progress

    def tell(done: int) -> None:
        progress(done)
        pulse(done)

    return tell


def tell_cost(n_links: int, seconds: float) -> None:
    """Say beforehand what learning the links will take."""
    expected = "less than a second" if seconds < 1 else f"about {seconds:.0f} s"
    sys.stderr.write(f"{n_links} links to learn: {expected}\n")


class Progress:
    """A line that is written over: done, total, and the time left by the pace so far."""

    def __init__(self, what: str, total: int, verbose: int | bool) -> None:
        self.what, self.total = what, total
        self.on = bool(verbose) and total > 0
        self.start = self.shown = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: int) -> None:
        """Say how many are done; at most ten times a second."""
        now = time.monotonic()
        if not self.on or (done < self.total and now - self.shown < 0.1):
            return
        self.shown = now
        spent = now - self.start
        left = f", {spent / done * (self.total - done):.0f} s left" if 0 < done < self.total else ""
        sys.stderr.write(f"\r{self.what}: {done} of {self.total} in {spent:.1f} s{left}   ")
        sys.stderr.flush()

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        if self.on:
            sys.stderr.write("\n")
