"""What a fit on many rows will take, from fits on few."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["TimedFit", "time_fits"]

# The second of two timed fits has so many times the rows of the first.
_MORE_ROWS = 4
# A fit that takes so many times as long as another, but for what is fixed, tells what that is.
_TELLING = 1.9


@dataclass(frozen=True)
class TimedFit:
    """Seconds of a fit on some rows, how they grow with the rows, and what any fit takes whatever its rows.

    >>> TimedFit(300, 3.0, power=1.0, fixed=2.0).of_rows(3000)
    12.0
    >>> TimedFit(300, 3.0, power=1.0, fixed=2.0).rows_in(12.0)
    3000
    """

    n_rows: int
    seconds: float
    power: float
    fixed: float = 0.0

    def of_rows(self, n_rows: int) -> float:
        """Seconds of a fit on so many rows."""
        return self.fixed + (self.seconds - self.fixed) * (n_rows / self.n_rows) ** self.power

    def after(self, n_rows: int, seconds: float) -> TimedFit:
        """What another fit tells: what it would not have taken, had all grown with the rows, is fixed.

        >>> TimedFit(300, 3.0, power=1.0).after(600, 4.0)
        TimedFit(n_rows=600, seconds=4.0, power=1.0, fixed=2.0)
        """
        factor = (n_rows / self.n_rows) ** self.power
        # Fits on nearly as many rows differ by noise.
        fixed = (factor * self.seconds - seconds) / (factor - 1.0) if factor >= _TELLING else self.fixed
        return TimedFit(n_rows, seconds, self.power, min(max(fixed, 0.0), 0.9 * seconds))

    def rows_in(self, seconds: float) -> int:
        """Rows of a fit that takes so many seconds."""
        growing = max(self.seconds - self.fixed, 1e-9)
        return int(self.n_rows * (max(seconds - self.fixed, 0.0) / growing) ** (1.0 / self.power))


def time_fits(seconds_of: Callable[[int], float], n_rows: int, power: float, again_within: float) -> TimedFit:
    """Time a fit on `n_rows`; another one on more rows, where the first was quick enough, tells what is fixed.

    With many labels or features most of a fit on few rows is preparation: by it alone, fits on many rows would seem to
    take hours.

    Parameters
    ----------
    seconds_of : fits to so many rows, and returns the seconds
    n_rows : int
    power : float
        How the part that grows does so with the rows.
    again_within : float
        Seconds of the first fit up to which there is a second one.

    Examples
    --------
    >>> time_fits(lambda n_rows: 2.0 + n_rows / 300, 300, 1.0, again_within=5.0)
    TimedFit(n_rows=1200, seconds=6.0, power=1.0, fixed=2.0)
    """
    few = seconds_of(n_rows)
    if few > again_within:
        return TimedFit(n_rows, few, power)
    return TimedFit(n_rows, few, power).after(_MORE_ROWS * n_rows, seconds_of(_MORE_ROWS * n_rows))
