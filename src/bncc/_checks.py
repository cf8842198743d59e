"""Reading what callers hand over: label matrices and label names, with errors that say what, got and remedy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from scipy import sparse

from bncc._headings import check_headings
from bncc._label_forms import NamedLabels, read_label_forms
from bncc._missing import is_missing
from bncc._typing import COO, CSC, CSR, Array, DType, Features, Floats, Labels, Longs, Rowwise, Sparse

__all__ = [
    "LabelMatrix",
    "as_label_matrix",
    "check_class_weight",
    "check_count",
    "check_flag",
    "check_label",
    "check_names",
    "check_number",
    "check_pairs",
    "check_sparse",
    "is_missing",
    "read_sparse",
    "sparse_frame",
    "split_unknown",
]


@dataclass(frozen=True, eq=False)
class LabelMatrix:
    """A checked 0/1 label matrix: one row per example, one column per label.

    Attributes
    ----------
    values : csc_array of shape (n_rows, n_labels), int8
        The positives; row indices are sorted within a column and no zero is stored.
    names : tuple of str or None
        Label names where the caller gave any (argument or DataFrame columns).
    """

    values: CSC
    names: tuple[str, ...] | None

    @property
    def n_rows(self) -> int:
        """Number of examples N."""
        return int(self.values.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels M."""
        return int(self.values.shape[1])


def as_label_matrix(
    Y: Labels,
    *,
    label_names: Sequence[str] | None = None,
    argument: str = "Y",
    allow_empty: bool = False,
    names: bool = True,
) -> LabelMatrix:
    """Check a label matrix and bring it to one form; sparse input is never densified.

    Accepts a 2-D array or nested sequence of 0/1/bool, any scipy sparse matrix or array, a DataFrame (sparse or not),
    whose column names are kept, and tags or dicts, which have names (`read_label_forms`). ``names=False`` is for
    callers that need none: columns of the same name are then no error. The caller's object is not changed.

    >>> as_label_matrix([[1, 0], [1, 1]], label_names=["rain", "wind"]).values.toarray().tolist()
    [[1, 0], [1, 1]]
    """
    named = read_label_forms(Y)
    if named is not None:
        own_names = named.names if label_names is None else check_names(label_names, len(named.names))
        return LabelMatrix(_known_only(named, argument), own_names)
    stored = Y if sparse.issparse(Y) else sparse_frame(Y)
    values = _from_dense(Y, argument) if stored is None else _from_sparse(stored, argument)
    if not allow_empty and (values.shape[0] == 0 or values.shape[1] == 0):
        raise ValueError(f"`{argument}` must have at least one row and one label column; got shape {values.shape}.")
    if label_names is not None:
        return LabelMatrix(values, check_names(label_names, values.shape[1]))
    return LabelMatrix(values, _column_names(Y, argument) if names else None)


def _known_only(labels: NamedLabels, argument: str) -> CSC:
    if labels.unknown is not None:
        raise _missing(int(labels.unknown.sum()), "unknown", argument)
    return labels.positives


def check_names(
    names: Sequence[str], n_names: int, *, argument: str = "label_names", what: str = "label"
) -> tuple[str, ...]:
    """Names as a tuple of distinct strings, one per label (or per whatever `what` says)."""
    if isinstance(names, str):
        raise ValueError(f"`{argument}` must be a sequence of {n_names} names; got the single string {names!r}.")
    out = tuple(str(name) for name in names)
    if len(out) != n_names:
        raise ValueError(f"`{argument}` must have one name per {what} ({n_names}); got {len(out)} names.")
    repeated = _repeated(out)
    if repeated:
        raise ValueError(f"`{argument}` must be distinct; got {repeated[:5]} more than once.")
    return out


def check_number(name: str, value: object, low: float, high: float) -> float:
    """A positive number within limits, both included.

    >>> check_number("sigma", 2, 1e-150, 1e150)
    2.0
    """
    number = _as_float(value) if isinstance(value, Real) and not isinstance(value, bool | np.bool_) else math.nan
    if low <= number <= high:
        return number
    if 0.0 < number < math.inf:
        raise ValueError(f"`{name}` must lie in {low:g}..{high:g}; got {value!r}.")
    raise ValueError(f"`{name}` must be a positive number; got {value!r}.")


def _as_float(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond the doubles
        return math.inf


def check_count(name: str, value: object, low: int, high: int) -> int:
    """A whole number within limits, both included.

    >>> check_count("max_iter", np.int64(5), -1, 2**62)
    5
    """
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_):
        raise ValueError(f"`{name}` must be a whole number; got {value!r}.")
    if low <= int(value) <= high:
        return int(value)
    limit = f"at least {low}" if int(value) < low else f"at most {high}"
    raise ValueError(f"`{name}` must be {limit}; got {value!r}.")


def check_flag(name: str, value: object) -> bool:
    """True or False, of Python or NumPy.

    >>> check_flag("fit_intercept", np.True_)
    True
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"`{name}` must be True or False; got {value!r}.")
    return bool(value)


def check_class_weight(class_weight: object) -> None:
    """Raise ValueError unless class weights are of a kind that there is."""
    is_balanced = isinstance(class_weight, str) and class_weight == "balanced"
    if class_weight is not None and not is_balanced and not isinstance(class_weight, Mapping):
        raise ValueError(
            f'`class_weight` must be "balanced", a dict such as {{0: 1.0, 1: 5.0}}, or None; got {class_weight!r}.'
        )


def check_label(label: object, n_labels: int, names: Sequence[str] | None, *, argument: str = "label") -> int:
    """The index of a label that is named by its index or its name.

    >>> check_label("wind", 2, ("rain", "wind"))
    1
    """
    if isinstance(label, str):
        if label not in (names or ()):
            known = f"labels are {list((names or ())[:8])}" if names else "the labels have no names, use an index"
            raise ValueError(f"`{argument}` names an unknown label {label!r}; {known}.")
        return list(names or ()).index(label)
    if not isinstance(label, Integral) or isinstance(label, bool | np.bool_) or not 0 <= int(label) < n_labels:
        raise ValueError(f"`{argument}` must be a label's name or an index in 0..{n_labels - 1}; got {label!r}.")
    return int(label)


def sparse_frame(frame: Features | Labels) -> COO | None:
    """A pandas DataFrame whose columns are all sparse, around 0, as a coo matrix; None for anything else."""
    accessor = getattr(frame, "sparse", None)
    dtypes = getattr(frame, "dtypes", ())
    if accessor is None or not hasattr(accessor, "to_coo") or not all(dtype.fill_value == 0 for dtype in dtypes):
        return None
    stored = accessor.to_coo() if len(dtypes) else None
    return None if stored is None or stored.dtype.kind == "O" else stored


def read_sparse(X: Sparse, argument: str = "X") -> CSR:
    """A sparse matrix as a csr_array whose pointers and indices were checked (`check_sparse`).

    What is CSR already shares its arrays with the result.
    """
    check_sparse(X, argument)
    return X if isinstance(X, sparse.csr_array) else sparse.csr_array(X)


def check_sparse(given: Features | Labels, argument: str = "X") -> None:
    """Raise ValueError for a sparse matrix with pointers or indices out of range, before anything trusts them.

    And for masked values, which NumPy would hand on as if they were known, and features whose names tell no columns
    apart (`check_headings`). Nothing else is looked at. One pass over the indices, a millisecond per million.

    >>> broken = sparse.csr_array(([1.0], [0], [0, 1]), shape=(1, 2))
    >>> broken.indices[0] = 7
    >>> check_sparse(broken)
    Traceback (most recent call last):
    ...
    ValueError: Column indices of `X` must lie in 0..1; got 7..7. Build it anew from its rows.
    """
    X: Sparse = given
    if argument == "X":
        check_headings(given)
    if np.ma.is_masked(X):
        raise ValueError(
            f"`{argument}` has masked values, and the mask would be lost. Put NaN where a value is not known: "
            f"{argument}.astype(float).filled(np.nan)."
        )
    if not sparse.issparse(X) or X.ndim != 2:
        return
    if X.format == "coo":
        _check_index(X.row, X.shape[0], "Row", argument)
        _check_index(X.col, X.shape[1], "Column", argument)
    elif X.format in ("csr", "csc", "bsr"):
        _check_structure(X, argument)


def _check_structure(X: Sparse, argument: str) -> None:
    rows, columns = X.blocksize if X.format == "bsr" else (1, 1)
    n_lines, width = X.shape[0] // rows, X.shape[1] // columns
    if X.format == "csc":
        n_lines, width = width, n_lines
    pointer, remedy = X.indptr, "Build it anew from its rows."
    if pointer.ndim != 1 or pointer.size != n_lines + 1 or pointer[0] != 0 or (np.diff(pointer) < 0).any():
        raise ValueError(f"The `indptr` of `{argument}` must begin with 0 and not descend. {remedy}")
    if pointer[-1] > min(X.indices.size, len(X.data)):
        raise ValueError(f"The `indptr` of `{argument}` points beyond its stored entries. {remedy}")
    _check_index(X.indices[: pointer[-1]], width, "Row" if X.format == "csc" else "Column", argument)


def _check_index(index: Array, limit: int, name: str, argument: str) -> None:
    if index.size and (index.min() < 0 or index.max() >= limit):
        raise ValueError(
            f"{name} indices of `{argument}` must lie in 0..{limit - 1}; got {index.min()}..{index.max()}. "
            "Build it anew from its rows."
        )


def split_unknown(Y: Rowwise) -> tuple[Rowwise, CSC | None]:
    """A label matrix with unknown entries (NaN, None, pandas.NA) set to 0, and where they are; None if there are none.

    Sparse input stays sparse, and labels in forms that are no matrix stay what they are unless some are unknown. What
    is no matrix of numbers is handed back: its check says what is wrong.

    >>> known, unknown = split_unknown([[1.0, float("nan")]])
    >>> known.tolist(), unknown.toarray().tolist()
    ([[1.0, 0.0]], [[0, 1]])
    """
    if sparse.issparse(Y):
        return _split_stored(Y)
    named = read_label_forms(Y)
    if named is not None:
        return (Y if named.unknown is None else named.positives), named.unknown
    if np.ma.is_masked(Y):
        return Y, None
    try:
        values = np.asarray(Y.to_numpy() if hasattr(Y, "to_numpy") else Y)
        if values.dtype.kind == "O":
            cells = [math.nan if is_missing(cell) else float(cell) for cell in values.ravel().tolist()]
            values = np.array(cells, np.float64).reshape(values.shape)
    except (TypeError, ValueError):
        return Y, None
    lost = np.isnan(values) if values.dtype.kind == "f" and values.ndim == 2 else np.zeros(0, bool)
    if not lost.any():
        return Y, None
    filled = np.where(lost, 0.0, values)
    if hasattr(Y, "columns"):
        filled = type(Y)(filled, **({"columns": Y.columns} if hasattr(Y, "iloc") else {"schema": list(Y.columns)}))
    return filled, sparse.csc_array(lost.astype(np.int8))


def _split_stored(Y: Sparse) -> tuple[Rowwise, CSC | None]:
    if Y.dtype.kind != "f" or not np.isnan(Y.data).any():
        return Y, None
    stored = sparse.coo_array(Y)
    lost = np.isnan(stored.data)
    unknown = sparse.csc_array((np.ones(int(lost.sum()), np.int8), (stored.row[lost], stored.col[lost])), shape=Y.shape)
    kept = sparse.csc_array((stored.data[~lost], (stored.row[~lost], stored.col[~lost])), shape=Y.shape)
    return kept, unknown


def check_pairs(
    pairs: Iterable[Sequence[int]] | Array, n_items: int, *, argument: str, members: str = "(parent, child)", what: str
) -> Longs:
    """Pairs of indices as an array of shape (n_pairs, 2); `members` and `what` are the words of its errors.

    >>> check_pairs([(0, 2), (1, 2)], 3, argument="edges", what="join nodes").tolist()
    [[0, 2], [1, 2]]
    """
    listed = pairs if isinstance(pairs, np.ndarray) else list(pairs)
    array = np.asarray(listed if len(listed) else np.empty((0, 2), np.int64))
    if array.dtype.kind not in "iu":
        raise ValueError(f"`{argument}` must hold whole numbers; got dtype {array.dtype}.")
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"`{argument}` must be pairs {members}; got shape {array.shape}.")
    if array.size and (array.min() < 0 or array.max() >= n_items):
        lowest, highest = int(array.min()), int(array.max())
        raise ValueError(f"`{argument}` must {what} 0..{n_items - 1}; got {lowest}..{highest}.")
    return array.astype(np.int64)


def _repeated(names: tuple[str, ...]) -> list[str]:
    return sorted(name for name, count in Counter(names).items() if count > 1)


def _column_names(Y: Labels, argument: str) -> tuple[str, ...] | None:
    columns = getattr(Y, "columns", None)
    if columns is None or not hasattr(Y, "to_numpy"):
        return None
    names = tuple(str(name) for name in columns)
    repeated = _repeated(names)
    if repeated:
        raise ValueError(f"The columns of `{argument}` must have distinct names; got {repeated[:5]} more than once.")
    return names


def _from_sparse(Y: Sparse, argument: str) -> CSC:
    if Y.ndim != 2:
        raise ValueError(f"`{argument}` must be 2-D (rows x labels); got {Y.ndim} dimension(s).")
    if Y.dtype.kind not in "biuf":
        raise ValueError(f"`{argument}` must hold 0/1 or booleans; got dtype {Y.dtype}.")
    check_sparse(Y, argument)
    out = sparse.csc_array(Y, copy=True)
    out.sum_duplicates()
    out.eliminate_zeros()
    _check_values(out.data, argument)
    return sparse.csc_array((np.ones(out.nnz, np.int8), out.indices, out.indptr), shape=out.shape)


def _from_dense(Y: Labels, argument: str) -> CSC:
    if np.ma.is_masked(Y):
        raise _missing(int(np.ma.getmaskarray(np.ma.asarray(Y)).sum()), "masked", argument)
    try:
        array = np.asarray(Y.to_numpy() if hasattr(Y, "to_numpy") else Y)
    except ValueError as error:
        raise ValueError(f"`{argument}` must be a rectangular matrix; got rows of different lengths.") from error
    if array.ndim != 2:
        hint = f" Use `{argument}.reshape(-1, 1)` for a single label." if array.ndim == 1 else ""
        hint = f" Give the labels of the data set, `{argument}.Y`." if hasattr(Y, "Y_sparse") else hint
        raise ValueError(f"`{argument}` must be 2-D (rows x labels); got shape {array.shape}.{hint}")
    if array.dtype.kind == "O":
        array = _from_objects(array, argument)
    if array.dtype.kind in "US":
        raise _text(array.flat[0] if array.size else "", array.dtype, argument)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{argument}` must hold 0/1 or booleans; got dtype {array.dtype}.")
    _check_values(array, argument)
    return _positives(array)


def _positives(array: Array) -> CSC:
    """Where a matrix of 0 and 1 is not 0, in half the time that scipy takes."""
    n_rows, n_labels = array.shape
    labels, rows = np.divmod(np.flatnonzero(np.ascontiguousarray(array.T)), max(1, n_rows))
    width = np.int32 if max(rows.size, n_rows) <= np.iinfo(np.int32).max else np.int64
    pointer = np.zeros(n_labels + 1, width)
    np.cumsum(np.bincount(labels, minlength=n_labels), out=pointer[1:])
    return sparse.csc_array((np.ones(rows.size, np.int8), rows.astype(width), pointer), shape=array.shape)


def _from_objects(array: Array, argument: str) -> Floats:
    cells = array.ravel().tolist()
    text = next((cell for cell in cells if isinstance(cell, str | bytes)), None)
    if text is not None:
        raise _text(text, array.dtype, argument)
    try:
        numbers = [math.nan if is_missing(cell) else float(cell) for cell in cells]
        return np.array(numbers, np.float64).reshape(array.shape)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{argument}` must hold 0/1 or booleans; got values that are no numbers.") from error


def _text(example: object, dtype: DType, argument: str) -> ValueError:
    return ValueError(
        f"`{argument}` must hold 0/1 or booleans; got dtype {dtype} with text such as {str(example)!r}. "
        "Turn text into numbers first, as `.astype(int)` does for '0' and '1'."
    )


def _missing(count: int, kind: str, argument: str) -> ValueError:
    return ValueError(
        f"`{argument}` must hold 0/1 or booleans; got {count} missing value(s) ({kind}). "
        "Drop those rows or decide the labels first."
    )


def _check_values(values: Array, argument: str) -> None:
    if values.dtype.kind == "b":
        return
    wrong = (values != 0) & (values != 1)
    if not wrong.any():
        return
    bad = values[wrong]
    n_missing = int(np.isnan(bad).sum()) if bad.dtype.kind == "f" else 0
    if n_missing:
        raise _missing(n_missing, "NaN", argument)
    shown = ", ".join(str(v) for v in np.unique(bad)[:5].tolist())
    hint = f" Use `{argument} > 0` for labels coded -1/+1." if set(np.unique(bad).tolist()) <= {-1} else ""
    raise ValueError(f"`{argument}` must hold 0/1 or booleans; got {shown}.{hint}")
