"""How long work takes, on machines that do other things meanwhile."""

import os
import time
from dataclasses import dataclass


@dataclass
class Stopwatch:
    """Wall-clock seconds of a block, and processor seconds of this process and of children that have ended."""

    wall: float = 0.0
    processor: float = 0.0

    def __enter__(self):
        self._begin = time.perf_counter(), _processor_seconds()
        return self

    def __exit__(self, *_):
        self.wall, self.processor = time.perf_counter() - self._begin[0], _processor_seconds() - self._begin[1]

    def within(self, seconds):
        """Whether it took no more; where others take the cores, wall-clock time runs on without us."""
        return self.wall <= seconds or (cores_are_busy() and self.processor <= seconds)


def _processor_seconds():
    return sum(os.times()[:4])


def cores_are_busy():
    """Whether more wants to run than there are cores, by the mean of a minute."""
    return os.getloadavg()[0] > 1.5 * os.cpu_count()


def timed_thrice(work, seconds):
    """What the work returns, and its watch: the first of three that took so many seconds at most, or the last."""
    for _ in range(3):
        with Stopwatch() as watch:
            found = work()
        if watch.wall <= seconds:
            break
    return found, watch
