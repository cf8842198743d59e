"""Tables in forms that nothing here reads, with what to give instead."""

from __future__ import annotations

from bncc._typing import Rowwise

__all__ = ["check_form"]


def check_form(X: Rowwise, argument: str = "X") -> None:
    """Raise ValueError for a table that is yet to be computed, and for an array of records.

    >>> import numpy as np
    >>> check_form(np.zeros(2, [("size", float), ("age", int)]))
    Traceback (most recent call last):
    ...
    ValueError: `X` must have rows and columns; got an array of records. Give a DataFrame, or a dict of columns: \
{name: X[name] for name in X.dtype.names}.
    """
    if hasattr(type(X), "collect") and hasattr(type(X), "collect_schema") and not hasattr(type(X), "shape"):
        raise ValueError(f"`{argument}` must hold its rows; got a {type(X).__name__}. Use `{argument}.collect()`.")
    if getattr(getattr(X, "dtype", None), "names", None):
        raise ValueError(
            f"`{argument}` must have rows and columns; got an array of records. Give a DataFrame, or a dict of "
            f"columns: {{name: {argument}[name] for name in {argument}.dtype.names}}."
        )
