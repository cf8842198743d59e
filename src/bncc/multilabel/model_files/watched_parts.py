"""Parts of a model that was read from a file, whose answers are counted before the next part is asked.

A file may refer to one part a thousand times. It costs little to hold, but its answers lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from scipy import sparse

from bncc._typing import Classifier, Integers, Rowwise

__all__ = ["Watch", "Watched", "at_most_each", "at_most_together", "numbers_in", "rows_in", "width_of", "with_fields"]

#: Takes how many numbers a part has answered for how many rows, and the bytes of the widest; raises ValueError where
#: they are too many.
Watch: TypeAlias = Callable[[int, int, int], None]

_ASKED = frozenset(("predict", "predict_proba", "predict_log_proba", "decision_function", "transform"))
_BYTES_OF_A_NUMBER = 8
_OWN = ("_part", "_watch", "_columns")


def at_most_together(what: str, most: int) -> Watch:
    """Parts give together at most so many numbers for a row. Side by side, texts become as wide as the widest.

    >>> watch = at_most_together("a union", 10)
    >>> watch(16, 2, 8)
    >>> watch(16, 2, 8)
    Traceback (most recent call last):
    ValueError: Parts of a union give together at most 10 numbers a row, if read from a file; got 16 or more.
    """
    given, widest = 0, _BYTES_OF_A_NUMBER

    def watch(numbers: int, rows: int, width: int) -> None:
        nonlocal given, widest
        given, widest = given + numbers, max(widest, width)
        if given * widest > _BYTES_OF_A_NUMBER * most * max(rows, 1):
            raise ValueError(
                f"Parts of {what} give together at most {most} numbers a row, if read from a file; "
                f"got {given * widest // (_BYTES_OF_A_NUMBER * max(rows, 1))} or more."
            )

    return watch


def at_most_each(what: str, most: int) -> Watch:
    """Each part gives at most so many numbers for a row, as often as it is asked."""

    def watch(numbers: int, rows: int, width: int) -> None:
        if numbers > most * max(rows, 1):
            raise ValueError(
                f"A part of {what} gives {numbers} numbers for {rows} rows, where at most {most} a row can be; "
                "fit it again."
            )

    return watch


def numbers_in(answer: Rowwise) -> int:
    """How many numbers an answer holds: a matrix, a table, or a list of them.

    >>> numbers_in([np.zeros((2, 3)), sparse.csr_array(np.eye(4))])
    10
    """
    if isinstance(answer, list | tuple):
        return sum(numbers_in(each) for each in answer)
    if sparse.issparse(answer):
        return int(answer.nnz)
    return int(np.prod(getattr(answer, "shape", ())))


def width_of(answer: Rowwise) -> int:
    """Bytes of the widest number or text of an answer.

    >>> width_of([np.zeros(2), np.array(["abcd"])])
    16
    """
    if isinstance(answer, list | tuple):
        return max(map(width_of, answer), default=0)
    return int(getattr(getattr(answer, "dtype", None), "itemsize", 0))


def rows_in(X: Rowwise) -> int:
    """Rows of what a model is asked about."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def with_fields(model: Classifier, **fields: Sequence[object] | None) -> Classifier:
    """The same model with some fields replaced; the model itself stays as it is."""
    made: Classifier = object.__new__(type(model))
    made.__dict__.update({**vars(model), **fields})
    return made


class Watched:
    """A part in all it says, but for a count of what it answers.

    Parameters
    ----------
    part : estimator
    watch : callable
        Told of each answer.
    columns : array of column numbers, default=None
        Those that the part sees; None is all.
    """

    def __init__(self, part: Classifier, watch: Watch, columns: Integers | None = None) -> None:
        self._part = part
        self._watch = watch
        self._columns = columns

    def __getattr__(self, name: str) -> object:
        if name in _OWN:  # not there yet
            raise AttributeError(name)
        found = getattr(self._part, name)
        return self._counted(found) if name in _ASKED else found

    def _counted(self, method: Callable[..., Rowwise]) -> Callable[..., Rowwise]:
        def ask(X: Rowwise, *more: object, **options: object) -> Rowwise:
            seen = X if self._columns is None else X[:, self._columns]
            answer = method(seen, *more, **options)
            self._watch(numbers_in(answer), rows_in(X), width_of(answer))
            return answer

        return ask
