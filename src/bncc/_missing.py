"""What stands for a missing value, whichever library it is from."""

from __future__ import annotations

__all__ = ["is_missing"]


def is_missing(value: object) -> bool:
    """Whether a Python object stands for a missing value: None, NaN, NaT or pandas.NA."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True
    except ValueError:  # an array within a cell
        return False
