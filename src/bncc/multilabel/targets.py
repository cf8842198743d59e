"""Reading what callers give as y: label matrices with or without unknown entries, or one column of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from bncc._checks import as_label_matrix
from bncc._typing import Array, Integers, Signs

__all__ = ["Targets", "read_targets"]


@dataclass(frozen=True, eq=False)
class Targets:
    """A checked target.

    Attributes
    ----------
    positives : csc_array of shape (n_rows, n_labels), int8
    unknown : csc_array of the same shape, int8, or None
        Where the label of a row is not known (NaN in y).
    label_names : tuple of str or None
    classes : array of shape (1 or 2,), or None
        The two values of a single column, None for a label matrix of 0/1.
    flat : bool
        Whether y was one-dimensional.
    dtype : numpy dtype
        That of y; predictions come back in it.
    """

    positives: Any
    unknown: Any
    label_names: tuple[str, ...] | None
    classes: Array | None
    flat: bool
    dtype: Any

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.positives.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.positives.shape[1])

    def column(self, label: int) -> Signs:
        """One label over all rows: 0, 1, or -1 where it is unknown."""
        out = np.zeros(self.n_rows, np.int8)
        out[_rows(self.positives, label)] = 1
        if self.unknown is not None:
            out[_rows(self.unknown, label)] = -1
        return out

    def take(self, rows: Integers) -> Targets:
        """The same labels for some of the rows."""
        unknown = None if self.unknown is None else sparse.csc_array(self.unknown[rows])
        return Targets(
            sparse.csc_array(self.positives[rows]), unknown, self.label_names, self.classes, self.flat, self.dtype
        )


def read_targets(y: Any) -> Targets:
    """Check y and bring it to one form.

    Two dimensions: a matrix of 0/1 or booleans (array, sparse, DataFrame), NaN for unknown. One dimension, or one
    column: any two values, the second in sorted order counts as positive.
    """
    if not sparse.issparse(y) and not hasattr(y, "to_numpy"):
        y = np.asarray(y)
    ndim = getattr(y, "ndim", 2)
    if ndim == 1 or (ndim == 2 and y.shape[1] == 1 and not sparse.issparse(y)):
        return _one_column(y, flat=ndim == 1)
    known, unknown = _split_unknown(y)
    matrix = as_label_matrix(known, argument="y")
    dtype = y.dtype if hasattr(y, "dtype") else np.asarray(y).dtype
    return Targets(
        matrix.values, unknown, matrix.names, None, False, np.dtype(np.int64 if dtype.kind == "O" else dtype)
    )


def _one_column(y: Any, *, flat: bool) -> Targets:
    names = None
    if hasattr(y, "to_numpy"):
        names = None if flat else tuple(str(name) for name in y.columns)
        y = y.to_numpy()
    column = np.asarray(y).ravel()
    if column.size == 0:
        raise ValueError("`y` must have at least one row; got none.")
    missing = np.isnan(column) if column.dtype.kind == "f" else np.zeros(column.size, bool)
    if np.isinf(column).any() if column.dtype.kind == "f" else False:
        raise ValueError("Input y contains infinity. Labels must be two classes.")
    if flat and missing.any():
        raise ValueError("Input y contains NaN. Unknown labels are for label matrices; drop these rows.")
    known = column[~missing]
    check_classification_targets(known)
    classes, codes = np.unique(known, return_inverse=True)
    if classes.size > 2:
        kind = type_of_target(known)
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}, with {classes.size} classes. "
            "Give a label matrix with one 0/1 column per class instead."
        )
    values = np.zeros((column.size, 1), np.int8)
    values[~missing, 0] = codes if classes.size == 2 else classes[0] == 1
    unknown = sparse.csc_array(missing[:, None].astype(np.int8)) if missing.any() else None
    plain = not flat and set(classes.tolist()) <= {0, 1}
    return Targets(sparse.csc_array(values), unknown, names, None if plain else classes, flat, column.dtype)


def _split_unknown(y: Any) -> tuple[Any, Any]:
    """y with unknown entries set to 0, and where they are; sparse input stays sparse."""
    if sparse.issparse(y):
        if y.dtype.kind != "f" or not np.isnan(y.data).any():
            return y, None
        stored = sparse.coo_array(y)
        lost = np.isnan(stored.data)
        unknown = sparse.csc_array(
            (np.ones(int(lost.sum()), np.int8), (stored.row[lost], stored.col[lost])), shape=y.shape
        )
        kept = sparse.csc_array((stored.data[~lost], (stored.row[~lost], stored.col[~lost])), shape=y.shape)
        return kept, unknown
    values = y.to_numpy() if hasattr(y, "to_numpy") else y
    if values.dtype.kind == "O":
        try:
            values = values.astype(np.float64)
        except (TypeError, ValueError):
            return y, None  # the check of the matrix says what is wrong
    lost = np.isnan(values) if values.dtype.kind == "f" else None
    if lost is None or not lost.any():
        return y, None
    filled = np.where(lost, 0.0, values)
    if hasattr(y, "columns"):
        filled = type(y)(filled, columns=y.columns)
    return filled, sparse.csc_array(lost.astype(np.int8))


def _rows(matrix: Any, label: int) -> Integers:
    return matrix.indices[matrix.indptr[label] : matrix.indptr[label + 1]]
