"""Names that someone may have mistyped."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["closest_names", "did_you_mean"]


def closest_names(asked: str, known: Iterable[str], n: int = 1) -> list[str]:
    """At most `n` known names that look like the one asked for, the likeliest first.

    >>> closest_names("macro_f2", ["micro_f1", "macro_f1", "one_error"], 2)
    ['macro_f1', 'micro_f1']
    """
    return difflib.get_close_matches(asked, list(known), n=n)


def did_you_mean(asked: str, known: Iterable[str], *, n: int = 1, otherwise: str | None = None) -> str:
    """The remedy for a name that is not known: those it looks like, else `otherwise`, else all there are.

    >>> did_you_mean("dataset", ["datasets", "methods"])
    "did you mean 'datasets'?"
    >>> did_you_mean("xyz", ["datasets", "methods"])
    'known: datasets, methods.'
    """
    names = list(known)
    close = closest_names(asked, names, n)
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"known: {', '.join(names)}." if otherwise is None else otherwise
