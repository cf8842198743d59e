"""What the problems of links share: columns of targets and sets of rows, each stored once."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from bncc._typing import CSC, Integers, Longs, Rows
from bncc.multilabel.links import LabelColumn, Link
from bncc.multilabel.targets import Targets

__all__ = ["RowSets", "TargetColumns"]


class TargetColumns:
    """Distinct targets: the rows that are positive in each. What was looked at must stay alive meanwhile."""

    def __init__(self) -> None:
        self._rows: list[Integers] = []
        self._counts: list[Integers] = []
        self._n_columns = 0
        self._first_column: dict[tuple[int, int, int], int] = {}

    def of_class(self, link: Link, number: int, rows: Rows | None) -> int:
        """The column of one class of a link that was described on these rows (None: on all)."""
        source = link.source
        if isinstance(source, LabelColumn) and source.targets.codes is None and number == 1:
            return self._of_labels(source.targets, rows) + source.label
        key = (id(source), id(rows), number)
        if key not in self._first_column:
            places = np.flatnonzero(link.target == number)
            self._first_column[key] = self._add(places, np.array([places.size]), rows)
        return self._first_column[key]

    def _of_labels(self, targets: Targets, rows: Rows | None) -> int:
        """The column of the first label; the others follow."""
        key = (id(targets), id(rows), -1)
        if key not in self._first_column:
            positives = targets.positives
            self._first_column[key] = self._add(positives.indices, np.diff(positives.indptr), rows)
        return self._first_column[key]

    def _add(self, places: Integers, counts: Integers, rows: Rows | None) -> int:
        self._rows.append(np.asarray(places if rows is None else np.asarray(rows)[places], np.int32))
        self._counts.append(counts)
        start, self._n_columns = self._n_columns, self._n_columns + counts.size
        return start

    def matrix(self, n_rows: int) -> CSC:
        """All of them, a csc_array of ones."""
        rows = np.concatenate(self._rows)
        pointer = np.concatenate([[0], np.cumsum(np.concatenate(self._counts))])
        return sparse.csc_array((np.ones(rows.size, np.int8), rows, pointer), shape=(n_rows, self._n_columns))


class RowSets:
    """Distinct sets of rows that problems learn from."""

    def __init__(self) -> None:
        self.sets: list[Longs] = []
        self._number: dict[tuple[int, int, int], int] = {}
        self._complete: dict[int, bool] = {}

    def of_link(self, link: Link, rows: Rows | None) -> int:
        """The set of a link that was described on these rows (None: on all); -1 is all rows."""
        complete = self._is_complete(link)
        if rows is None and link.rows is None and complete:
            return -1
        key = (id(rows), id(link.rows), -1 if complete else id(link.source))
        if key not in self._number:
            own = link.rows if complete else link.training_rows()
            lifted = rows if own is None else own if rows is None else np.asarray(rows)[own]
            self._number[key] = len(self.sets)
            self.sets.append(np.asarray(lifted, np.int64))
        return self._number[key]

    def _is_complete(self, link: Link) -> bool:
        """Whether nothing of its target is unknown."""
        source = link.source
        if isinstance(source, LabelColumn):
            unknown = source.targets.unknown
            return unknown is None or bool(unknown.indptr[source.label] == unknown.indptr[source.label + 1])
        if id(source) not in self._complete:
            self._complete[id(source)] = bool(source.min(initial=0) >= 0)
        return self._complete[id(source)]
