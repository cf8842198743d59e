"""A fit that fails or is interrupted leaves nothing behind that could answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["ForgetsFailedFits", "or_as_before"]

P = ParamSpec("P")
T = TypeVar("T")

_NOTHING = object()


class ForgetsFailedFits:
    """An estimator that is not fitted after a `fit` that has raised, whatever it was before.

    What was read of the new data and what was learned from the old would answer together, without an error. All that
    ends with an underscore is forgotten, and what begins with one if this fit has set it: settings, and what others
    have left there for the time of a fit, stay. This holds for the `fit` of every subclass.

    >>> from sklearn.base import BaseEstimator
    >>> class Mean(ForgetsFailedFits, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self.n_ = len(X)
    ...         self.mean_ = sum(X) / self.n_
    ...         return self
    >>> mean = Mean().fit([1.0, 2.0])
    >>> try:
    ...     mean.fit([])
    ... except ZeroDivisionError:
    ...     print(vars(mean))
    {}
    """

    def __init_subclass__(cls, **options: object) -> None:
        if "fit" in vars(cls):
            cls.fit = _or_forgotten(vars(cls)["fit"])  # type: ignore[attr-defined]
        super().__init_subclass__(**options)


def _or_forgotten(fit: Callable[P, T]) -> Callable[P, T]:
    @wraps(fit)
    def wrapped(*args: P.args, **options: P.kwargs) -> T:
        held = vars(args[0])
        before = dict(held)
        try:
            return fit(*args, **options)
        except BaseException:  # Ctrl-C too
            for name in list(held):
                is_new = held[name] is not before.get(name, _NOTHING)
                if name.endswith("_") or (name.startswith("_") and is_new):
                    del held[name]
            raise

    return wrapped


def or_as_before(method: Callable[P, T]) -> Callable[P, T]:
    """A method after which, if it raises, its object has the attributes that it had before."""

    @wraps(method)
    def wrapped(*args: P.args, **options: P.kwargs) -> T:
        held = vars(args[0])
        before = dict(held)
        try:
            return method(*args, **options)
        except BaseException:
            held.clear()
            held.update(before)
            raise

    return wrapped
