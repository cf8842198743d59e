"""Features that speak together: columns of numbers, grouped by what the user knows them as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from bncc._typing import Bools, Floats, Longs, Matrix
from bncc.multilabel.reasons.column_origins import Origin

__all__ = ["FeatureGroups", "RowPlayers", "group_columns"]

_ABSENT_FEATURES = "features that are 0"


@dataclass(frozen=True, eq=False)
class FeatureGroups:
    """Which columns of the model's features belong together, and what they are called.

    Attributes
    ----------
    names : tuple of str
    of_column : (n_columns,), int64
        The group of each column.
    columns : tuple of str or None
        The user's column of each group, to look up what the row holds.
    together : tuple of str
        What the groups are called together that are 0 in a row: words that a text does not have; empty for a group
        that stands for itself always.
    """

    names: tuple[str, ...]
    of_column: Longs
    columns: tuple[str | None, ...]
    together: tuple[str, ...]

    def players(self, row: Matrix) -> RowPlayers:
        """The groups as they stand in one row (1, n_columns): those that are 0 and have nothing to say by themselves
        become one.
        """
        filled = np.zeros(len(self.names), bool)
        filled[self.of_column[_filled_columns(row)]] = True
        names: list[str] = []
        own: list[int] = []
        player_of_group = np.empty(len(self.names), np.int64)
        number_of: dict[str, int] = {}
        for group, together in enumerate(self.together):
            alone = filled[group] or not together
            name = self.names[group] if alone else together
            if alone or name not in number_of:
                if not alone:
                    number_of[name] = len(names)
                names.append(name)
                own.append(group if alone else -1)
                player_of_group[group] = len(names) - 1
            else:
                player_of_group[group] = number_of[name]
        return RowPlayers(tuple(names), player_of_group[self.of_column], tuple(own))


@dataclass(frozen=True, eq=False)
class RowPlayers:
    """The groups of features of one row.

    Attributes
    ----------
    names : tuple of str
    of_column : (n_columns,), int64
    groups : tuple of int
        The group that each is; -1 for one made of several.
    """

    names: tuple[str, ...]
    of_column: Longs
    groups: tuple[int, ...]

    def sums(self, of_columns: Floats) -> Floats:
        """Sums over the columns of each."""
        return np.bincount(self.of_column, weights=of_columns, minlength=len(self.names)).astype(np.float64)

    def moves(self, row: Matrix, compared: Matrix) -> Bools:
        """Whether each differs between a row and the rows compared with, (n_compared, n_players)."""
        out = np.zeros((compared.shape[0], len(self.names)), bool)
        if sparse.issparse(compared):
            for number in range(compared.shape[0]):
                difference = sparse.csr_array(row - compared[[number]])
                out[number, self.of_column[difference.indices[difference.data != 0]]] = True
            return out
        differs = (compared != row) & ~(np.isnan(compared) & np.isnan(row))
        for number, columns in enumerate(differs):
            out[number, self.of_column[columns]] = True
        return out


def _filled_columns(row: Matrix) -> Longs:
    if isinstance(row, np.ndarray):
        return np.flatnonzero(row[0])
    return np.asarray(row.indices[row.data != 0], np.int64)


def group_columns(
    origins: Sequence[Origin], *, named: Mapping[str, str] | None = None, collects_zeros: bool = False
) -> FeatureGroups:
    """Groups from where columns come from: a group per word, and per column of the user.

    Parameters
    ----------
    origins : of every column
    named : mapping of column to group, optional
        Columns that speak together by the user's wish; others stand for themselves.
    collects_zeros : bool, default=False
        Whether features that are 0 in a row speak as one, as words do that a text does not have.

    >>> origins = [Origin("sky"), Origin("sky"), Origin("note", "rain")]
    >>> groups = group_columns(origins)
    >>> groups.names, groups.of_column.tolist(), groups.together
    (('sky', "word 'rain'"), [0, 0, 1], ('', 'other words'))
    """
    texts = {origin.column for origin in origins if origin.word is not None}
    number_of: dict[tuple[str | None, str | None], int] = {}
    names: list[str] = []
    columns: list[str | None] = []
    together: list[str] = []
    of_column = np.empty(len(origins), np.int64)
    for place, origin in enumerate(origins):
        group = None if named is None or origin.column is None else named.get(origin.column)
        key = (f"group {group}", None) if group is not None else (origin.column, origin.word)
        if key not in number_of:
            number_of[key] = len(names)
            names.append(group if group is not None else _name(origin, place, len(texts) > 1))
            columns.append(None if group is not None or origin.word is not None else origin.column)
            together.append("" if group is not None else _together(origin, len(texts) > 1, collects_zeros))
        of_column[place] = number_of[key]
    return FeatureGroups(tuple(names), of_column, tuple(columns), tuple(together))


def _name(origin: Origin, place: int, many_texts: bool) -> str:
    if origin.word is None:
        return f"x{place}" if origin.column is None else origin.column
    return f"word {origin.word!r}" + (f" in {origin.column}" if many_texts else "")


def _together(origin: Origin, many_texts: bool, collects_zeros: bool) -> str:
    if origin.word is None:
        return _ABSENT_FEATURES if collects_zeros else ""
    return f"other words in {origin.column}" if many_texts else "other words"
