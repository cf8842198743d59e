"""Features that speak together: columns of numbers, grouped by what the user knows them as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Floats, Longs, Matrix
from bncc.multilabel.reasons.column_origins import Origin

__all__ = ["FeatureGroups", "RowPlayers", "group_columns"]


@dataclass(frozen=True, eq=False)
class FeatureGroups:
    """Which columns of the model's features belong together, and what they are called.

    Attributes
    ----------
    names : tuple of str
    of_column : (n_columns,), int64
        The group of each column.
    columns : tuple of str or None
        The user's column of each group, to look up what the row holds; None for words and groups by wish.
    are_words : tuple of bool
    """

    names: tuple[str, ...]
    of_column: Longs
    columns: tuple[str | None, ...]
    are_words: tuple[bool, ...]

    def players(self, row: Matrix, compared: Matrix) -> RowPlayers:
        """The groups that may differ between a row (1, n_columns) and others: of sparse ones, those stored in any."""
        if isinstance(row, np.ndarray) or isinstance(compared, np.ndarray):
            columns, own, others = np.arange(self.of_column.size), np.asarray(row)[0], np.asarray(compared)
        else:
            columns = np.unique(np.concatenate([row.indices, compared.indices])).astype(np.int64)
            own, others = row[:, columns].toarray()[0], compared[:, columns].toarray()
        groups, of_column = np.unique(self.of_column[columns], return_inverse=True)
        return RowPlayers(groups, columns, of_column.ravel(), own, others)


@dataclass(frozen=True, eq=False)
class RowPlayers:
    """The groups of features of one row, and what it and the rows compared with hold there.

    Attributes
    ----------
    groups : (n_players,), int64
    columns : (n_used,), int64
        The columns of all of them, ascending; elsewhere all rows are 0.
    of_column : (n_used,), int64
        The player of each of these columns.
    own : (n_used,)
    others : (n_compared, n_used)
    """

    groups: Longs
    columns: Longs
    of_column: Longs
    own: Floats
    others: Floats

    def sums(self, of_columns: Floats) -> Floats:
        """Sums over the columns of each player."""
        return np.bincount(self.of_column, weights=of_columns, minlength=self.groups.size).astype(np.float64)

    def moves(self) -> Bools:
        """Whether each player differs between the row and the rows compared with, (n_compared, n_players)."""
        out = np.zeros((len(self.others), self.groups.size), bool)
        differs = (self.others != self.own) & ~(np.isnan(self.others) & np.isnan(self.own))
        for number, columns in enumerate(differs):
            out[number, self.of_column[columns]] = True
        return out

    def is_empty(self) -> Bools:
        """Whether each player is 0 in the row, (n_players,)."""
        return self.sums((self.own != 0).astype(np.float64)) == 0


def group_columns(origins: Sequence[Origin], named: Mapping[str, str] | None = None) -> FeatureGroups:
    """Groups from where columns come from: a group per word, and per column of the user.

    Parameters
    ----------
    origins : of every column
    named : mapping of column to group, optional
        Columns that speak together by the user's wish; others stand for themselves.

    >>> groups = group_columns([Origin("sky"), Origin("sky"), Origin("note", "rain")])
    >>> groups.names, groups.of_column.tolist()
    (('sky', "word 'rain'"), [0, 0, 1])
    """
    texts = {origin.column for origin in origins if origin.word is not None}
    number_of: dict[tuple[str | None, str | None], int] = {}
    names: list[str] = []
    columns: list[str | None] = []
    are_words: list[bool] = []
    of_column = np.empty(len(origins), np.int64)
    for place, origin in enumerate(origins):
        wish = None if named is None or origin.column is None else named.get(origin.column)
        key = (origin.column, origin.word) if wish is None else (f"group {wish}", None)
        if key not in number_of:
            number_of[key] = len(names)
            names.append(_name(origin, place, len(texts) > 1) if wish is None else wish)
            columns.append(origin.column if wish is None and origin.word is None else None)
            are_words.append(wish is None and origin.word is not None)
        of_column[place] = number_of[key]
    return FeatureGroups(tuple(names), of_column, tuple(columns), tuple(are_words))


def _name(origin: Origin, place: int, many_texts: bool) -> str:
    if origin.word is None:
        return f"x{place}" if origin.column is None else origin.column
    return f"word {origin.word!r}" + (f" in {origin.column}" if many_texts else "")
