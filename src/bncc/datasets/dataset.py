"""What every reader returns: features, labels, names, and where they came from."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from bncc._checks import as_label_matrix, check_names, is_missing, sparse_frame, split_unknown
from bncc._label_forms import read_label_forms
from bncc._typing import CSR, Array, Bools, Features, Floats, Labels, Longs, Matrix, Sparse
from bncc.datasets.files import counted
from bncc.labels import LabelProfile, profile_labels

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Dataset", "fingerprint", "make_dataset", "narrowed"]

_MOST_DENSE_CELLS = 2**31
_MOST_FRAME_CELLS = 2**27


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A multi-label data set; `make_dataset` builds and checks one.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features), float64 or float32, or csr_array of that shape
        Features; NaN where a value is missing. CSR where the file is sparse.
    Y_sparse : csr_array of shape (n_rows, n_labels), int8
        The positives. `Y` is the same as a dense array, made on first access and kept, and therefore read-only:
        change a copy and make another data set.
    feature_names, label_names : tuple of str
    name : str
    source : str
        The files or the service it was read from.
    train, test : int64 arrays of row numbers, or None
        The split that the source comes with, where there is one.
    nominal : bool array of shape (n_features,)
        Which features the source declares by a list of values.
    categories : mapping of feature names to tuples of str
        The texts that the numbers of some features stand for, as the source declares or has them.
    unknown : csr_array of the shape of `Y_sparse`, int8, or None
        Where a label is not known: an empty cell of a label column, NaN in memory. These are 0 in `Y_sparse`, and NaN
        in `Y` and `Y_frame`.
    """

    X: Matrix
    Y_sparse: CSR
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]
    name: str
    source: str
    train: Longs | None
    test: Longs | None
    nominal: Bools
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: CSR | None = None

    @cached_property
    def Y(self) -> Array:
        """The labels as a dense, read-only array of shape (n_rows, n_labels): int8, or floats with NaN for unknown."""
        if self.n_rows * self.n_labels > _MOST_DENSE_CELLS:
            raise ValueError(
                f"`Y` would take {self.n_rows} x {self.n_labels} bytes as a dense array. Use `Y_sparse` instead."
            )
        dense: Array = np.asarray(self.Y_sparse.toarray(), np.int8)
        if self.unknown is not None:
            dense = np.where(self.unknown.toarray() != 0, np.nan, dense.astype(np.float64))
        dense.setflags(write=False)
        return dense

    @property
    def Y_frame(self) -> DataFrame:
        """The labels as a pandas DataFrame of int8 with their names, which estimators keep; sparse where Y is large.

        >>> make_dataset([[1.0], [2.0]], [[1, 0], [0, 1]], label_names=["rain", "wind"]).Y_frame.columns.tolist()
        ['rain', 'wind']
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("`Y_frame` needs pandas: pip install 'bncc[data]'.") from error
        if self.n_rows * self.n_labels > _MOST_FRAME_CELLS:
            return pd.DataFrame.sparse.from_spmatrix(sparse.csc_matrix(self.Y_sparse), columns=list(self.label_names))
        values = self.Y_sparse.toarray() if self.unknown is None else self.Y
        return pd.DataFrame(values, columns=list(self.label_names))

    @property
    def n_rows(self) -> int:
        """Number of examples N."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features d."""
        return int(self.X.shape[1])

    @property
    def n_labels(self) -> int:
        """Number of labels M."""
        return int(self.Y_sparse.shape[1])

    @cached_property
    def profile(self) -> LabelProfile:
        """Cardinality, density, imbalance and number of label sets; of the labels that are known."""
        return profile_labels(self.Y_sparse, self.unknown)

    def take(self, rows: ArrayLike) -> Dataset:
        """The data set of some rows, in the order given; it has no split of its own.

        >>> data = make_dataset([[1.0], [2.0], [3.0]], [[1, 0], [0, 1], [1, 1]])
        >>> data.take([2, 0]).Y.tolist()
        [[1, 1], [1, 0]]
        """
        index = np.asarray(rows)
        index = index if index.size else np.empty(0, np.int64)
        unknown = None if self.unknown is None else self.unknown[index]
        return replace(self, X=self.X[index], Y_sparse=self.Y_sparse[index], train=None, test=None, unknown=unknown)

    def train_test(self) -> tuple[Dataset, Dataset]:
        """The two parts of the split that the source comes with."""
        if self.train is None or self.test is None:
            raise ValueError(f"{self.name!r} comes without a train/test split; make one with a splitter.")
        return self.take(self.train), self.take(self.test)

    def __repr__(self) -> str:
        kind = "sparse" if sparse.issparse(self.X) else "dense"
        split = "" if self.train is None else f", split {len(self.train)}/{0 if self.test is None else len(self.test)}"
        cardinality = f", cardinality {self.profile.cardinality:.3f}" if self.n_rows else ""
        return (
            f"Dataset({self.name!r}, {counted(self.n_rows, 'row')}, {counted(self.n_features, f'{kind} feature')}, "
            f"{counted(self.n_labels, 'label')}{cardinality}{split})"
        )


def make_dataset(
    X: Features,
    Y: Labels,
    *,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    name: str = "data",
    source: str = "memory",
    train: ArrayLike | None = None,
    test: ArrayLike | None = None,
    nominal: ArrayLike | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
) -> Dataset:
    """A checked `Dataset` from arrays or DataFrames, whose names are kept.

    Names that are neither given nor there become x0, x1, ... and label0, label1, ... `train` and `test` are row numbers
    or boolean masks. Nothing that is handed over is changed; a float array (or CSR matrix in canonical format) is kept
    as `X` without a copy of its values. Sparse matrices get 32-bit indices where they fit.

    >>> data = make_dataset([[0.5, 1], [0.1, 0]], [[1, 0, 1], [0, 0, 1]], name="toy")
    >>> data
    Dataset('toy', 2 rows, 2 dense features, 3 labels, cardinality 1.500)
    >>> data.label_names
    ('label0', 'label1', 'label2')
    """
    if feature_names is None and hasattr(X, "columns"):
        feature_names = list(X.columns)
    features = _check_features(X)
    known, unknown = split_unknown(Y)
    labels = as_label_matrix(known, label_names=label_names if unknown is None else _names_of(Y, label_names))
    if features.shape[0] != labels.n_rows:
        raise ValueError(f"`X` and `Y` must have the same rows; got {features.shape[0]} and {labels.n_rows}.")
    rows = _check_split(train, test, labels.n_rows)
    n_features = int(features.shape[1])
    return Dataset(
        X=features,
        Y_sparse=narrowed(sparse.csr_array(labels.values)),
        feature_names=(
            tuple(f"x{i}" for i in range(n_features))
            if feature_names is None
            else check_names(feature_names, n_features, argument="feature_names", what="feature")
        ),
        label_names=labels.names or tuple(f"label{i}" for i in range(labels.n_labels)),
        name=name,
        source=source,
        train=rows[0],
        test=rows[1],
        nominal=_check_nominal(nominal, n_features),
        categories={name: tuple(texts) for name, texts in (categories or {}).items()},
        unknown=None if unknown is None else sparse.csr_array(unknown),
    )


def _names_of(Y: Labels, label_names: Sequence[str] | None) -> Sequence[str] | None:
    """Names of labels of which some are unknown, where they have names of their own."""
    named = read_label_forms(Y) if label_names is None else None
    return label_names if named is None else named.names


def fingerprint(data: Dataset) -> str:
    """SHA-256 of values and names: the same for dense and sparse, float32 and float64, and on every platform.

    >>> dense = make_dataset([[0.5, 0], [0, 2]], [[1], [0]])
    >>> fingerprint(dense) == fingerprint(make_dataset(sparse.csr_array(dense.X), [[1], [0]]))
    True
    """
    digest = hashlib.sha256()
    for matrix, kind in ((data.X, "<f8"), (data.Y_sparse, "<i1")):
        rows = sparse.csr_array(matrix, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        values = rows.data.astype(kind)
        if kind == "<f8":
            values[np.isnan(values)] = np.nan
        for part in (np.asarray(rows.shape, "<i8"), rows.indptr.astype("<i8"), rows.indices.astype("<i8"), values):
            digest.update(part.tobytes())
    if data.unknown is not None:
        digest.update(np.flatnonzero(data.unknown.toarray()).astype("<i8").tobytes())
    for names in (data.feature_names, data.label_names):
        digest.update("\0".join(names).encode("utf-8") + b"\1")
    return digest.hexdigest()


def _check_features(X: Features) -> Matrix:
    stored = X if sparse.issparse(X) else sparse_frame(X)
    if stored is not None:
        return _check_sparse_features(stored)
    try:
        array = np.ma.asarray(X) if np.ma.is_masked(X) else np.asarray(X)
    except ValueError as error:
        raise ValueError("`X` must be a rectangular matrix; got rows of different lengths.") from error
    if array.ndim != 2:
        raise ValueError(f"`X` must be 2-D (rows x features); got shape {array.shape}.")
    if array.dtype.kind == "O":
        array = _from_objects(array)
    _check_kind(array)
    array = array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)
    return array.filled(np.nan) if isinstance(array, np.ma.MaskedArray) else array


def _check_sparse_features(X: Sparse) -> CSR:
    if X.ndim != 2:
        raise ValueError(f"`X` must be 2-D (rows x features); got {X.ndim} dimension(s).")
    _check_kind(X)
    out = sparse.csr_array(X)
    if not out.has_canonical_format:
        out = out.copy()  # it shares its arrays with the caller's matrix
        out.sum_duplicates()
    dtype = out.dtype if out.dtype in (np.float32, np.float64) else np.dtype(np.float64)
    return narrowed(out.astype(dtype, copy=False))


def narrowed(X: Matrix) -> Matrix:
    """The same matrix; if it is sparse, with 32-bit indices where they fit: linear models of scikit-learn want them."""
    if isinstance(X, np.ndarray) or X.indices.dtype == X.indptr.dtype == np.int32:
        return X
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return sparse.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def _check_kind(X: Array | Sparse) -> None:
    if X.dtype.kind in "US":
        text = str(X.flat[0]) if X.size else ""
        raise ValueError(f"`X` must hold numbers; got text such as {text!r}. Encode it, or leave those columns out.")
    if X.dtype.kind not in "biuf":
        raise ValueError(f"`X` must hold real numbers; got dtype {X.dtype}. Encode it, or leave those columns out.")


def _from_objects(array: Array) -> Floats:
    """Numbers from Python objects; what stands for a missing value becomes NaN."""
    out = np.empty(array.shape)
    for j in range(array.shape[1]):
        try:
            out[:, j] = [math.nan if is_missing(cell) else _real(cell) for cell in array[:, j].tolist()]
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"`X` must hold numbers; got {error} in column {j}. Encode it, or leave the column out."
            ) from None
    return out


def _real(cell: SupportsFloat | str | bytes) -> float:
    if isinstance(cell, str | bytes):
        raise ValueError(f"text such as {cell!r}")
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise ValueError(f"a value of type {type(cell).__name__}") from None


def _check_split(train: ArrayLike | None, test: ArrayLike | None, n_rows: int) -> tuple[Longs | None, Longs | None]:
    first, second = _check_rows(train, n_rows, "train"), _check_rows(test, n_rows, "test")
    if first is not None and second is not None:
        both = np.intersect1d(first, second)
        if both.size:
            raise ValueError(
                f"`train` and `test` must have no row in common; got {both.size} in both, such as {both[:5].tolist()}."
            )
    return first, second


def _check_rows(rows: ArrayLike | None, n_rows: int, argument: str) -> Longs | None:
    if rows is None:
        return None
    index = np.asarray(rows)
    if index.dtype.kind == "b" and index.shape == (n_rows,):
        return np.flatnonzero(index)
    expected = f"`{argument}` must be row numbers from 0 to {n_rows - 1}, or a boolean mask of {n_rows} rows"
    if index.ndim != 1 or (index.size and index.dtype.kind not in "iu"):
        raise ValueError(f"{expected}; got an array of {index.dtype} of shape {index.shape}.")
    outside = index[(index < 0) | (index >= n_rows)]
    if outside.size:
        raise ValueError(f"{expected}; got {outside[:5].tolist()}.")
    return index.astype(np.int64)


def _check_nominal(nominal: ArrayLike | None, n_features: int) -> Bools:
    if nominal is None:
        return np.zeros(n_features, np.bool_)
    flags = np.asarray(nominal)
    if flags.shape != (n_features,) or (flags.size and flags.dtype.kind != "b"):
        raise ValueError(
            f"`nominal` must be one boolean per feature ({n_features}); "
            f"got an array of {flags.dtype} of shape {flags.shape}."
        )
    return flags.astype(np.bool_)
