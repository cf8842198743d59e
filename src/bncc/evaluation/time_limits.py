"""A limit of time for a whole comparison: what each fit may take, and what would not be done in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bncc.evaluation.estimators import takes_base
from bncc.evaluation.methods import METHODS
from bncc.evaluation.pipelines import Base
from bncc.multilabel.blending.timed_fit import time_fits

__all__ = ["is_blend", "likely_seconds", "on_a_base", "projected_seconds", "seconds_of_blend", "shown_seconds"]

# Rows of the first of two timed fits; the second has four times as many.
_TIMED_ROWS = 100
# How the time of a fit grows with its rows: on a linear base, and on kernels or neighbours.
_LINEAR_POWER, _OTHER_POWER = 1.1, 2.0
# Of the seconds that a method may take, those of a first timed fit after which there is another one; or so many.
_AGAIN_SHARE, _AGAIN_SECONDS = 0.1, 0.5
# Of its share, what the first fit of a blend leaves over for reading features, for answers, and for what it overruns.
_FIRST_SHARE = 0.75
_LEAST_SECONDS = 0.1


def is_blend(method: str, base: str) -> bool:
    """Whether a method is a `Blend`, which keeps a limit by itself.

    >>> is_blend("recommended", "auto"), is_blend("recommended", "linear"), is_blend("br", "auto")
    (True, False, False)
    """
    return METHODS[method].estimator is None and base == "auto"


def on_a_base(method: str) -> bool:
    """Whether a method is one on kernels or on linear models, as the base says.

    >>> on_a_base("br"), on_a_base("mlknn"), on_a_base("recommended")
    (True, False, False)
    """
    estimator = METHODS[method].estimator
    return estimator is not None and takes_base(estimator)


def likely_seconds(seconds_of: Callable[[int], float], n_rows: int, most: float, base: Base | None) -> float:
    """What fitting and testing a method on so many rows will take, by what it takes on a hundred, and on 400.

    Parameters
    ----------
    seconds_of : fits to so many rows, tests on as many, and returns the seconds
    n_rows : int
        Few rows are not worth it: 0.
    most : float
        Seconds that it may take; where the first fit takes a good part of them, there is no second one.
    base : "kernel", "linear", or None for a method without

    Examples
    --------
    >>> likely_seconds(lambda n_rows: 1.0 + n_rows / 100, 10_000, 60.0, "linear") > 90
    True
    """
    if n_rows <= 4 * _TIMED_ROWS:
        return 0.0
    power = _LINEAR_POWER if base == "linear" else _OTHER_POWER
    return time_fits(seconds_of, _TIMED_ROWS, power, max(_AGAIN_SHARE * most, _AGAIN_SECONDS)).of_rows(n_rows)


def seconds_of_blend(left: float, n_fits: int, over: Sequence[float]) -> float:
    """The limit of the next fit of a blend, of which so many are left; `over` is what earlier ones took beyond theirs.

    >>> seconds_of_blend(20.0, 4, over=[0.5, 1.5])
    4.0
    >>> seconds_of_blend(-1.0, 4, over=[])
    0.1
    """
    share = left / n_fits
    wanted = share - sum(over) / len(over) if over else _FIRST_SHARE * share
    return max(wanted, _LEAST_SECONDS)


def projected_seconds(spent: Sequence[float], n_fits: int) -> float:
    """What so many fits will take, by the mean of those before; 0 where there are none.

    >>> projected_seconds([1.0, 3.0], 3)
    6.0
    """
    return n_fits * sum(spent) / len(spent) if spent else 0.0


def shown_seconds(wanted: float, given: float) -> str:
    """What something takes, and what it has.

    >>> shown_seconds(123.4, 1.23)
    '123 s, and has 1.2 s'
    """
    return f"{_shown(wanted)}, and has {_shown(max(given, 0.0))}"


def _shown(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
