"""What the columns of a DataFrame of features are called: each by a name of its own, all in text or all in numbers."""

from __future__ import annotations

from collections import Counter

from bncc._typing import Rowwise

__all__ = ["check_headings"]


def check_headings(X: Rowwise, argument: str = "X") -> None:
    """Raise ValueError for columns of one name, TypeError for names in text beside others; no DataFrame has none.

    >>> import pandas as pd
    >>> check_headings(pd.DataFrame([[1, 2]], columns=["size", "size"]))
    Traceback (most recent call last):
    ...
    ValueError: The columns of `X` must have distinct names; got ['size'] more than once. Rename or drop some of them.
    """
    if not hasattr(X, "iloc") or not hasattr(X, "columns"):
        return
    if not X.columns.is_unique:
        repeated = [str(name) for name, count in Counter(X.columns).items() if count > 1]
        raise ValueError(
            f"The columns of `{argument}` must have distinct names; got {repeated[:5]} more than once. Rename or drop "
            "some of them."
        )
    others = [name for name in X.columns if not isinstance(name, str)]
    if 0 < len(others) < X.shape[1]:
        raise TypeError(
            f"The columns of `{argument}` must be named by text, or all by numbers; got {others[:5]} beside text. Use "
            f"`{argument}.columns = {argument}.columns.astype(str)`."
        )
