"""Reading what callers give as y: label matrices with or without unknown entries, or columns of two classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from bncc._checks import as_label_matrix, check_names, check_sparse, is_missing, split_unknown
from bncc._label_forms import read_label_forms
from bncc._typing import CSC, CSR, Array, Bools, DType, Floats, Integers, LabelLayout, Labels, Longs, Rowwise, Signs

__all__ = ["Targets", "as_matrix", "place_values", "read_targets", "store_labels", "too_many_classes"]


@dataclass(frozen=True, eq=False)
class Targets:
    """A checked target.

    Attributes
    ----------
    positives : csc_array of shape (n_rows, n_labels), int8
    unknown : csc_array of the same shape, int8, or None
        Where the label of a row is not known (NaN in y).
    label_names : tuple of str or None
    classes : tuple of arrays, or None
        The values of each column, in sorted order; None for a label matrix of 0/1.
    codes : array of shape (n_rows, n_labels), or None
        The place of each value among the classes of its column, -1 where it is unknown; where a column has more than
        two classes.
    exclusive : array, or None
        The values of a one-dimensional y with more than two: each is a label, and every row has one of them.
    layout : "dense", "csr_array" or "csr_matrix"
        How y was stored: predictions come back sparse where y was.
    flat : bool
        Whether y was one-dimensional, with two values.
    dtype : numpy dtype
        That of y, and int64 where y is a matrix of floats or objects; predictions come back in it.
    """

    positives: Any
    unknown: Any
    label_names: tuple[str, ...] | None
    classes: tuple[Array, ...] | None
    flat: bool
    dtype: Any
    codes: Array | None = None
    layout: LabelLayout = "dense"
    exclusive: Array | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.positives.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.positives.shape[1])

    @property
    def all_known(self) -> bool:
        """Whether there are rows, and every label of every row is known without looking at each."""
        return self.unknown is None and self.codes is None and self.n_rows > 0

    @property
    def n_positives(self) -> Floats:
        """How many rows have each label, as far as is known."""
        return np.asarray(self.positives.sum(axis=0), np.float64).ravel()

    @property
    def n_known(self) -> Floats:
        """In how many rows each label is known."""
        known = np.full(self.n_labels, float(self.n_rows))
        return known if self.unknown is None else known - np.asarray(self.unknown.sum(axis=0), np.float64).ravel()

    def column(self, label: int) -> Signs:
        """One label over all rows: 0, 1 (or the number of its class), or -1 where it is unknown."""
        if self.codes is not None:
            return self.codes[:, label]
        out = np.zeros(self.n_rows, np.int8)
        out[_rows(self.positives, label)] = 1
        if self.unknown is not None:
            out[_rows(self.unknown, label)] = -1
        return out

    def columns(self) -> list[Signs]:
        """Every label over all rows, as `column` gives them; they are lines of one array."""
        if self.codes is not None:
            return list(np.ascontiguousarray(self.codes.T))
        out = np.zeros((self.n_labels, self.n_rows), np.int8)
        _mark(out, self.positives, 1)
        if self.unknown is not None:
            _mark(out, self.unknown, -1)
        return list(out)

    def take(self, rows: Integers) -> Targets:
        """The same labels for some of the rows."""
        return replace(
            self,
            positives=sparse.csc_array(self.positives[rows]),
            unknown=None if self.unknown is None else sparse.csc_array(self.unknown[rows]),
            codes=None if self.codes is None else self.codes[rows],
        )


def read_targets(y: Rowwise, *, many_classes: bool = False) -> Targets:
    """Check y and bring it to one form.

    Two dimensions: a matrix of 0/1 or booleans (array, sparse, DataFrame), NaN for unknown; or, if it is not sparse,
    columns of any two values. One dimension, or one column: any two values. The second in sorted order counts as
    positive. Tags and dicts are labels with names (`read_label_forms`). With `many_classes`, columns of a matrix may
    have more than two values, and so may one dimension: each value is then a label of its own.
    """
    check_sparse(y, "y")
    named = read_label_forms(y, classes=many_classes)
    if named is not None:
        return Targets(named.positives, named.unknown, named.names, None, flat=False, dtype=np.dtype(np.int64))
    if not sparse.issparse(y) and not hasattr(y, "to_numpy"):
        y = _as_array(y)
    ndim = getattr(y, "ndim", 2)
    if ndim == 1 or (ndim == 2 and y.shape[1] == 1 and not sparse.issparse(y)):
        return _class_columns(y, flat=ndim == 1, many_classes=many_classes)
    known, unknown = split_unknown(y)
    if _has_other_values(known):
        return _class_columns(y, flat=False, many_classes=many_classes)
    matrix = as_label_matrix(known, argument="y")
    dtype = y.dtype if hasattr(y, "dtype") else np.asarray(y).dtype
    return Targets(
        positives=matrix.values,
        unknown=unknown,
        label_names=matrix.names,
        classes=None,
        flat=False,
        dtype=_whole(dtype),
        layout=_layout_of(y),
    )


def _as_array(y: Rowwise) -> Array:
    try:
        return np.asarray(y)
    except ValueError:
        raise ValueError(
            "`y` must be a rectangular matrix of 0/1, or a list or set of tags for every row; got rows of different "
            "lengths or kinds."
        ) from None


def as_matrix(y: Labels, targets: Targets) -> Labels:
    """y, or a matrix (NaN for unknown) where y is tags or dicts: some of its rows need not have all of the labels."""
    if read_label_forms(y) is None:
        return y
    labels = np.asarray(targets.positives.toarray(), np.int64)
    return labels if targets.unknown is None else np.where(targets.unknown.toarray() == 1, np.nan, labels)


def _whole(dtype: DType) -> DType:
    """What 0/1 predictions come back in: that of y, in the machine's order of bytes; int64 for floats and objects."""
    return np.dtype(np.int64 if dtype.kind in "Of" else dtype).newbyteorder("=")


def _layout_of(y: Rowwise) -> LabelLayout:
    if not sparse.issparse(y):
        return "dense"
    return "csr_array" if isinstance(y, sparse.sparray) else "csr_matrix"


def store_labels(labels: Bools | CSR, dtype: DType, layout: LabelLayout) -> Rowwise:
    """Labels (n_rows, n_labels) as a matrix of 0 and 1, stored as asked.

    >>> store_labels(np.array([[True, False]]), np.dtype(int), "csr_array").toarray().tolist()
    [[1, 0]]
    """
    if layout == "dense":
        return labels.astype(dtype)
    stored = sparse.csr_array if layout == "csr_array" else sparse.csr_matrix
    return stored(labels, dtype=dtype)


def place_values(classes: Sequence[Array], places: Bools | Integers) -> Array:
    """The classes at some places (n_rows, n_labels); of a single sequence of classes, the same for all columns.

    A column with one class has it everywhere.

    >>> place_values([np.array(["no", "yes"]), np.array(["low"])], np.array([[0, 1], [1, 0]])).tolist()
    [['no', 'low'], ['yes', 'low']]
    """
    codes = places.astype(np.int64)
    if len(classes) == 1:
        return classes[0][np.minimum(codes, len(classes[0]) - 1)]
    columns = [each[np.minimum(column, len(each) - 1)] for each, column in zip(classes, codes.T, strict=True)]
    mixed = len({each.dtype.kind for each in classes}) > 1
    return np.stack([column.astype(object) for column in columns] if mixed else columns, axis=1)


def _has_other_values(y: Rowwise) -> bool:
    """Whether a dense matrix holds other values than 0 and 1; what is no matrix of classes is left to its check."""
    if sparse.issparse(y):
        return False
    values = y.to_numpy() if hasattr(y, "to_numpy") else y
    if values.ndim != 2 or values.dtype.kind not in "iufUSO":
        return False
    if values.dtype.kind in "US":
        return True
    if values.dtype.kind == "O":
        values = np.array([0 if is_missing(value) else value for value in values.ravel().tolist()], object)
    return bool(((values != 0) & (values != 1)).any())


def _class_columns(y: Rowwise, *, flat: bool, many_classes: bool) -> Targets:
    names = None
    if hasattr(y, "to_numpy"):
        names = None if flat else check_names(tuple(y.columns), y.shape[1], argument="columns of y")
        y = y.to_numpy()
    values = np.asarray(y)
    values = values.reshape(-1, 1) if flat else values
    if values.size == 0:
        raise ValueError("`y` must have at least one row; got none.")
    unknown = _missing_values(values, flat=flat)
    columns = [_read_classes(column[~lost]) for column, lost in zip(values.T, unknown.T, strict=True)]
    most = max(classes.size for classes, _ in columns)
    if most > 2 and not many_classes:
        raise too_many_classes(values.ravel(), most)
    codes = np.full(values.shape, -1, np.int64)
    for number, (_, column_codes) in enumerate(columns):
        codes[~unknown[:, number], number] = column_codes
    classes = tuple(each for each, _ in columns)
    if flat and most > 2:
        return _exclusive_labels(classes[0], codes[:, 0])
    plain = not flat and all(set(each.tolist()) <= {0, 1} for each in classes)
    return Targets(
        positives=sparse.csc_array((codes > 0).astype(np.int8)),
        unknown=sparse.csc_array(unknown.astype(np.int8)) if unknown.any() else None,
        label_names=names,
        classes=None if plain else classes,
        flat=flat,
        dtype=_whole(values.dtype) if plain else values.dtype,
        codes=codes if most > 2 else None,
    )


def _exclusive_labels(classes: Array, codes: Longs) -> Targets:
    """Every value of a one-dimensional y as a label."""
    ones = (np.ones(codes.size, np.int8), (np.arange(codes.size), codes))
    return Targets(
        positives=sparse.csc_array(ones, shape=(codes.size, classes.size)),
        unknown=None,
        label_names=tuple(map(str, classes.tolist())),
        classes=None,
        flat=False,
        dtype=np.dtype(np.int64),
        exclusive=classes,
    )


def _missing_values(values: Array, *, flat: bool) -> Bools:
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("Input y contains infinity. Labels must be two classes.")
    if values.dtype.kind == "O":
        missing = np.array([is_missing(value) for value in values.ravel().tolist()]).reshape(values.shape)
    else:
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(values.shape, bool)
    if flat and missing.any():
        raise ValueError("Input y contains NaN. Unknown labels are for label matrices; drop these rows.")
    return missing


def _read_classes(known: Array) -> tuple[Array, Longs]:
    """The classes of a column, and the place of each value among them; the value 1 alone is a label that all have."""
    if known.size == 0:
        return np.zeros(1, known.dtype if known.dtype.kind in "biuf" else np.int64), np.zeros(0, np.int64)
    of_one_kind = _of_one_kind(known) if known.dtype.kind == "O" else known
    check_classification_targets(of_one_kind)
    classes, codes = np.unique(of_one_kind, return_inverse=True)
    return classes.astype(known.dtype), codes if classes.size > 1 else np.full(known.size, int(classes[0] == 1))


def _of_one_kind(values: Array) -> Array:
    """Python objects as text or as numbers."""
    if len({isinstance(value, str) for value in values}) > 1:
        raise ValueError("The values in a column of `y` must be of one kind; got text and numbers.")
    return np.array(values.tolist())


def too_many_classes(values: Array, most: int) -> ValueError:
    """The error for columns of more than two classes."""
    kind = type_of_target(values)
    return ValueError(
        f"Only binary classification is supported. The type of the target is {kind}, with {most} classes. "
        "Give a label matrix with one 0/1 column per class instead."
    )


def _mark(columns: Signs, entries: CSC, value: int) -> None:
    labels = np.repeat(np.arange(len(columns)), np.diff(entries.indptr))
    columns[labels, entries.indices] = value


def _rows(matrix: CSC, label: int) -> Integers:
    return matrix.indices[matrix.indptr[label] : matrix.indptr[label + 1]]
