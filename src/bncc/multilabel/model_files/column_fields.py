"""What fields must be that choose columns or name them: a column is chosen once, and names are short together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from bncc._typing import Array as AnyArray
from bncc.multilabel.model_files.fields import Sizes, Values
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["Distinct", "Single", "check_letters", "check_output", "check_part_names"]

_MOST_PART_LETTERS = 1000
# Letters of names of columns, on average and beside that.
_LETTERS_A_COLUMN, _MORE_LETTERS = 64, 1 << 22
_WIDEST = 4  # bytes of a letter; those of ASCII take one
_OUTPUT = "_sklearn_output_config"


@dataclass(frozen=True)
class Single:
    """None, a flag, a number (NaN too) or text: an array in its place would be spread over everything it meets."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """No array, and nothing that holds others."""
        if value is not None and not isinstance(value, bool | int | float | str | np.generic):
            raise Refused(f"{where} must be a single value; got {type(value).__name__}")


@dataclass(frozen=True)
class Distinct:
    """A row of whole numbers from 0, none of them twice, each below the size called `below`, where it is given."""

    below: str = ""
    size: str = "_"

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """An array or a list: there are no more of them than there is to choose from."""
        chosen = _row_of(value)
        if chosen is None:
            raise Refused(f"{where} must be a row of whole numbers")
        limit = sizes.named.get(self.below, 0) if self.below else 2**31 - 1
        if chosen.size and not 0 <= int(chosen.min()) <= int(chosen.max()) < limit:
            raise Refused(f"{where} points beyond what there is")
        if chosen.size > limit or np.unique(chosen).size < chosen.size:
            raise Refused(f"{where} must not repeat a number")
        sizes.bind(self.size, chosen.size, where)


def _row_of(value: object) -> AnyArray | None:
    if isinstance(value, list | tuple):
        whole = all(isinstance(each, int | np.integer) and type(each) is not bool for each in value)
        value = np.array(value, np.int64) if whole and all(abs(int(each)) < 2**62 for each in value) else None
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "iu":
        return None
    return value


def check_letters(what: str, letters: int, n_columns: int, *, plain: bool = False) -> None:
    """Refuse columns whose names are long together: that of what goes in is written out for all that is made of it.

    Of `plain` letters, which are ASCII whatever else a name has, there may be more.
    """
    most = (_LETTERS_A_COLUMN * n_columns + _MORE_LETTERS) * (_WIDEST if plain else 1)
    if letters > most:
        raise Refused(f"{what} of {n_columns} columns whose names have together {letters} letters; at most {most}")


def check_part_names(what: str, parts: object) -> None:
    """Refuse parts with long names: all columns of a part begin with it."""
    for part in parts if isinstance(parts, list | tuple) else ():
        name = part[0] if isinstance(part, tuple | list) and part else None
        if not isinstance(name, str):
            raise Refused(f"{what} with a part that has no name")
        if len(name) > _MOST_PART_LETTERS:
            raise Refused(f"{what} with a part whose name has {len(name)} letters; at most {_MOST_PART_LETTERS}")


def check_output(what: str, kind: type, values: Values) -> None:
    """Refuse a transformer that answers with a table, unless columns come out under the names that they had.

    A name for each column is made in every answer, by what the transformer says of their number and of its parts.
    """
    chosen = values.get(_OUTPUT)
    if chosen is None or issubclass(kind, OneToOneFeatureMixin):
        return
    settings = chosen.values() if isinstance(chosen, dict) else [chosen]
    if not all(each is None or (isinstance(each, str) and each == "default") for each in settings):
        raise Refused(f"{what} whose answers are tables: set_output(transform='default') makes it one that can be read")
