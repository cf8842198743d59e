"""Labels in any form: tags in text, lists or JSON, rows and columns as dicts; brought to 0/1 with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from bncc._missing import is_missing
from bncc._tags import find_separator, is_tag_list, read_tags, shared_parts, tags_to_labels
from bncc._typing import CSC, CSR, Floats, Rowwise

__all__ = ["NamedLabels", "names_columns", "read_label_forms", "read_tag_rows", "read_two_forms", "rows_of_labels"]

_SURE_MARKS = (";", "|", "[")


@dataclass(frozen=True, eq=False)
class NamedLabels:
    """Labels with names.

    Attributes
    ----------
    positives : csc_array of shape (n_rows, n_labels), int8
    unknown : csc_array of that shape, int8, or None
    names : tuple of str
    """

    positives: CSC
    unknown: CSC | None
    names: tuple[str, ...]

    def matrix(self) -> CSR | Floats:
        """0 and 1, sparse; dense with NaN where some are unknown."""
        if self.unknown is None:
            return sparse.csr_array(self.positives)
        return np.where(self.unknown.toarray() != 0, np.nan, self.positives.toarray().astype(np.float64))


def read_label_forms(Y: Rowwise, *, classes: bool = False) -> NamedLabels | None:
    """Labels that are no matrix: tags, or dicts; None for a matrix, and for columns of classes.

    - a column of text, also as a DataFrame: tags with a separator, which is found, or at most one tag per row where
      some have none. Text of two values, and text without a separator in every row, are classes. A cell that is empty
      has no tags.
    - lists, tuples or sets of tags, a row each; JSON lists in text; a dict of such rows.
    - a dict of 0/1 columns; rows that are dicts: where rows name labels with 0 too, those that one does not name are
      unknown, else 0.

    >>> read_label_forms(["rain;wind", "", "rain"]).names
    ('rain', 'wind')
    >>> read_label_forms([{"rain": 1, "wind": 0}, {"wind": 1}]).unknown.toarray().tolist()
    [[0, 0], [1, 0]]
    >>> read_label_forms([[0, 1], [1, 1]]) is None
    True
    """
    if isinstance(Y, Mapping) and not sparse.issparse(Y):  # scipy's matrix by keys is one
        return _from_dict(Y)
    cells = _one_dimension(Y)
    if cells is None:
        return None
    if cells and all(isinstance(cell, Mapping) for cell in cells):
        return _from_named_rows(cells)
    if not _are_tags(cells, classes=classes):
        return None
    mark = find_separator(cells)
    return _named([read_tags(cell, mark) for cell in cells])


def read_two_forms(first: Rowwise, second: Rowwise) -> tuple[NamedLabels | None, NamedLabels | None]:
    """`read_label_forms` for labels of the same rows: where one side is tags, so are text and lists on the other.

    Both are split at the same separator, and one side may have no tag at all.

    >>> [each.names for each in read_two_forms(["rain;wind", "snow"], ["rain", "wind"])]
    [('rain', 'snow', 'wind'), ('rain', 'wind')]
    """
    rows = [_tag_rows(Y) for Y in (first, second)]
    if rows == [None, None]:
        return read_label_forms(first), read_label_forms(second)
    tags = [_like_tags(Y) if cells is None else cells for cells, Y in zip(rows, (first, second), strict=True)]
    mark = find_separator(cell for cells in tags if cells is not None for cell in cells)
    one, other = (
        read_label_forms(Y) if cells is None else _tagged([read_tags(cell, mark) for cell in cells])
        for cells, Y in zip(tags, (first, second), strict=True)
    )
    return one, other


def names_columns(Y: Rowwise) -> bool:
    """Whether whoever gave labels wrote one column for each, in an order of their own: a DataFrame, a dict of columns.

    >>> names_columns({"rain": [1, 0]}), names_columns({"monday": ["rain"]}), names_columns([[1, 0]])
    (True, False, False)
    """
    if isinstance(Y, Mapping) and not sparse.issparse(Y):
        return not _holds_rows(list(Y.values()))
    return hasattr(Y, "columns") and hasattr(Y, "to_numpy") and _tag_rows(Y) is None


def read_tag_rows(Y: Rowwise, names: Sequence[str]) -> CSC | None:
    """Labels in another form than a matrix as the 0/1 columns of these names; None for a matrix."""
    labels = read_label_forms(Y)
    if labels is None:
        return None
    rows = sparse.csr_array(labels.positives)
    parts = np.split(rows.indices, rows.indptr[1:-1])
    tags = [[labels.names[label] for label in part] for part in parts]
    return sparse.csc_array(tags_to_labels(tags, names)[0])


def rows_of_labels(Y: Rowwise) -> Rowwise:
    """A dict of labels as a list of rows, some of which can be taken; anything else as it is.

    >>> rows_of_labels({"monday": ["rain"], "tuesday": []}), rows_of_labels({"rain": [1, 0], "wind": [1, 1]})
    ([['rain'], []], [{'rain': 1, 'wind': 1}, {'rain': 0, 'wind': 1}])
    """
    if not isinstance(Y, Mapping) or sparse.issparse(Y):
        return Y
    values = list(Y.values())
    if _holds_rows(values):
        return values
    if len({len(column) for column in values}) > 1:
        raise _no_labels_in_dict()
    return [dict(zip(Y, cells, strict=True)) for cells in zip(*values, strict=True)]


def _no_labels_in_dict() -> ValueError:
    return ValueError("a dict of labels must hold tags by row, or 0/1 columns of one length by label.")


def _holds_rows(values: Sequence[Rowwise]) -> bool:
    """Whether the values of a dict are rows: dicts, or tags."""
    if values and all(isinstance(row, Mapping) for row in values):
        return True
    lists = [value for value in values if is_tag_list(value)]
    tags = any(isinstance(value, str | set | frozenset) for value in values)
    return tags or any(isinstance(tag, str) for row in lists for tag in row)


def _named(rows: Sequence[Sequence[str]]) -> NamedLabels:
    labels = _tagged(rows)
    if not labels.names:
        raise ValueError("`y` holds no tag in any row. Give at least one.")
    return labels


def _tagged(rows: Sequence[Sequence[str]]) -> NamedLabels:
    values, names = tags_to_labels(rows)
    return NamedLabels(sparse.csc_array(values), None, tuple(names))


def _tag_rows(Y: Rowwise) -> Sequence[Rowwise] | None:
    """The cells of labels that are tags by themselves; None for all else."""
    if isinstance(Y, Mapping) and not sparse.issparse(Y):
        values = list(Y.values())
        return values if _holds_rows(values) and not any(isinstance(row, Mapping) for row in values) else None
    cells = _one_dimension(Y)
    return cells if cells is not None and _are_tags(cells, classes=False) else None


def _like_tags(Y: Rowwise) -> Sequence[Rowwise] | None:
    """The cells of what can be tags beside labels that are: text, lists of text, numbers that are no 0/1; else None."""
    cells = list(Y.values()) if isinstance(Y, Mapping) and not names_columns(Y) else _one_dimension(Y)
    if cells is None or not all(is_tag_list(cell) or isinstance(cell, str) or is_missing(cell) for cell in cells):
        return None
    tags = [tag for cell in cells if is_tag_list(cell) for tag in cell if not is_missing(tag)]
    if any(not isinstance(tag, int | np.integer | str) for tag in tags):
        return None
    sets = any(isinstance(cell, set | frozenset) for cell in cells)
    return cells if sets or not tags or not all(tag in (0, 1) for tag in tags) else None


def _one_dimension(Y: Rowwise) -> list[Rowwise] | None:
    """The cells of what has one dimension, or of the only column of a DataFrame; None for all else, and for numbers."""
    if sparse.issparse(Y) or np.ma.isMaskedArray(Y):
        return None
    if hasattr(Y, "columns"):
        if not hasattr(Y, "to_numpy") or len(Y.columns) != 1:
            return None
        Y = Y[Y.columns[0]]
    if isinstance(Y, list | tuple):
        return list(Y)
    if getattr(Y, "ndim", 1) != 1 or (hasattr(Y, "dtype") and getattr(Y.dtype, "kind", "O") in "biufcmM"):
        return None
    if hasattr(Y, "to_list") or isinstance(Y, np.ndarray):
        return list(Y.to_list() if hasattr(Y, "to_list") else Y.tolist())
    return None


def _are_tags(cells: Sequence[object], *, classes: bool) -> bool:
    known = [cell for cell in cells if is_tag_list(cell) or not is_missing(cell)]
    if known and all(is_tag_list(cell) for cell in known):
        return (_hold_words(known) and not _is_matrix_of_words(cells)) or _hold_numbers_as_tags(known)
    if not known or not all(isinstance(cell, str) for cell in known):
        return False
    texts = {str(cell) for cell in known if str(cell).strip()}
    sure = any(mark in text for text in texts for mark in _SURE_MARKS)
    if sure or len(texts) < 3 or classes:
        return sure or (len(texts) > 2 and shared_parts(sorted(texts), ",") > 0)
    # Without a separator or a row without tags these are classes, one for each row.
    return (
        find_separator(sorted(texts)) is not None or len(known) < len(cells) or any(not str(c).strip() for c in known)
    )


def _hold_words(rows: Sequence[Rowwise]) -> bool:
    cells = [tag for row in rows for tag in row]
    return all(isinstance(tag, str) or is_missing(tag) for tag in cells) and any(isinstance(tag, str) for tag in cells)


def _hold_numbers_as_tags(rows: Sequence[Rowwise]) -> bool:
    """Whether whole numbers name labels: in sets, or in lists of different lengths that hold more than 0 and 1."""
    cells = [tag for row in rows for tag in row]
    if not cells or not all(isinstance(tag, int | np.integer | str) and not isinstance(tag, bool) for tag in cells):
        return False
    sets = all(isinstance(row, set | frozenset) for row in rows)
    return sets or (len({len(row) for row in rows}) > 1 and not set(cells) <= {0, 1})


def _is_matrix_of_words(rows: Sequence[Rowwise]) -> bool:
    """Whether rows are lists of one length with two words in all, one of them twice in a row: columns of classes.

    >>> _is_matrix_of_words([["no", "yes"], ["yes", "yes"], ["no", "no"]])
    True
    >>> _is_matrix_of_words([["rain"], ["wind"], ["rain"]])
    False
    """
    if any(not isinstance(row, list | tuple | np.ndarray) for row in rows):
        return False
    widths = {len(row) for row in rows}
    if len(widths) != 1 or widths == {0}:
        return False
    words = {tag for row in rows for tag in row}
    return len(words) <= 2 and len(rows) > 2 and any(len(set(row)) < len(row) for row in rows)


def _from_dict(Y: Mapping[object, Rowwise]) -> NamedLabels:
    values = list(Y.values())
    if values and all(isinstance(row, Mapping) for row in values):
        return _from_named_rows(values)
    if _holds_rows(values):
        mark = find_separator(values)
        return _named([read_tags(value, mark) for value in values])
    try:
        columns = [[np.nan if is_missing(cell) else float(cell) for cell in column] for column in values]
        matrix = np.array(columns, np.float64).T
    except (TypeError, ValueError):
        raise _no_labels_in_dict() from None
    return _from_numbers(matrix, tuple(map(str, Y)))


def _from_named_rows(rows: Sequence[Rowwise]) -> NamedLabels:
    names = list(dict.fromkeys(str(name) for row in rows for name in row))
    says_zero = any(not is_missing(value) and not value for row in rows for value in row.values())
    matrix = np.full((len(rows), len(names)), np.nan if says_zero else 0.0)
    place = {name: label for label, name in enumerate(names)}
    for row, cells in enumerate(rows):
        for name, value in cells.items():
            try:
                matrix[row, place[str(name)]] = np.nan if is_missing(value) else float(value)
            except (TypeError, ValueError):
                raise ValueError(f"`y` must hold 0/1 or booleans; got {value!r} for the label {name!r}.") from None
    return _from_numbers(matrix, tuple(names))


def _from_numbers(matrix: Floats, names: tuple[str, ...]) -> NamedLabels:
    lost = np.isnan(matrix)
    wrong = matrix[~lost & (matrix != 0) & (matrix != 1)]
    if wrong.size or not names or not len(matrix):
        got = f"{wrong[0]:g}" if wrong.size else "none"
        raise ValueError(f"`y` must hold 0/1 or booleans; got {got}.")
    unknown = sparse.csc_array(lost.astype(np.int8)) if lost.any() else None
    return NamedLabels(sparse.csc_array((matrix == 1).astype(np.int8)), unknown, names)
