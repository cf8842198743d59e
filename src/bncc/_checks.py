"""Reading what callers hand over: label matrices and label names, with errors that say what, got and remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["LabelMatrix", "as_label_matrix", "check_names"]


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

    values: Any
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
    Y: Any, *, label_names: Sequence[str] | None = None, argument: str = "Y", allow_empty: bool = False
) -> LabelMatrix:
    """Check a label matrix and bring it to one form; sparse input is never densified.

    Accepts a 2-D array or nested sequence of 0/1/bool, any scipy sparse matrix or array, or a DataFrame,
    whose column names are kept. The caller's object is not changed.

    >>> as_label_matrix([[1, 0], [1, 1]], label_names=["rain", "wind"]).values.toarray().tolist()
    [[1, 0], [1, 1]]
    """
    columns = _column_names(Y)
    values = _from_sparse(Y, argument) if sparse.issparse(Y) else _from_dense(Y, argument)
    if not allow_empty and (values.shape[0] == 0 or values.shape[1] == 0):
        raise ValueError(f"`{argument}` must have at least one row and one label column; got shape {values.shape}.")
    names = check_names(label_names, values.shape[1]) if label_names is not None else columns
    return LabelMatrix(values, names)


def check_names(names: Sequence[str], n_labels: int) -> tuple[str, ...]:
    """Label names as a tuple of distinct strings, one per label."""
    if isinstance(names, str):
        raise ValueError(f"`label_names` must be a sequence of {n_labels} names; got the single string {names!r}.")
    out = tuple(str(name) for name in names)
    if len(out) != n_labels:
        raise ValueError(f"`label_names` must have one name per label ({n_labels}); got {len(out)} names.")
    if len(set(out)) != len(out):
        repeated = sorted({name for name in out if out.count(name) > 1})
        raise ValueError(f"`label_names` must be distinct; got {repeated[:5]} more than once.")
    return out


def _column_names(Y: Any) -> tuple[str, ...] | None:
    columns = getattr(Y, "columns", None)
    if columns is None or not hasattr(Y, "to_numpy"):
        return None
    return check_names(list(columns), len(columns))


def _from_sparse(Y: Any, argument: str) -> Any:
    if Y.ndim != 2:
        raise ValueError(f"`{argument}` must be 2-D (rows x labels); got {Y.ndim} dimension(s).")
    if Y.dtype.kind not in "biuf":
        raise ValueError(f"`{argument}` must hold 0/1 or booleans; got dtype {Y.dtype}.")
    out = sparse.csc_array(Y, copy=True)
    out.sum_duplicates()
    out.eliminate_zeros()
    _check_values(out.data, argument)
    return sparse.csc_array((np.ones(out.nnz, np.int8), out.indices, out.indptr), shape=out.shape)


def _from_dense(Y: Any, argument: str) -> Any:
    try:
        array = np.asarray(Y.to_numpy() if hasattr(Y, "to_numpy") else Y)
    except ValueError as error:
        raise ValueError(f"`{argument}` must be a rectangular matrix; got rows of different lengths.") from error
    if array.ndim != 2:
        hint = f" Use `{argument}.reshape(-1, 1)` for a single label." if array.ndim == 1 else ""
        raise ValueError(f"`{argument}` must be 2-D (rows x labels); got shape {array.shape}.{hint}")
    if array.dtype.kind == "O":
        array = _from_objects(array, argument)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{argument}` must hold 0/1 or booleans; got dtype {array.dtype}.")
    _check_values(array, argument)
    return sparse.csc_array(array.astype(np.int8))


def _from_objects(array: NDArray[Any], argument: str) -> NDArray[np.float64]:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`{argument}` must hold 0/1 or booleans; got values that are no numbers.") from error


def _check_values(values: NDArray[Any], argument: str) -> None:
    if values.dtype.kind == "b":
        return
    wrong = (values != 0) & (values != 1)
    if not wrong.any():
        return
    bad = values[wrong]
    n_missing = int(np.isnan(bad).sum()) if bad.dtype.kind == "f" else 0
    if n_missing:
        raise ValueError(
            f"`{argument}` must hold 0/1 or booleans; got {n_missing} missing value(s) (NaN). "
            "Drop those rows or decide the labels first."
        )
    shown = ", ".join(str(v) for v in np.unique(bad)[:5].tolist())
    hint = f" Use `{argument} > 0` for labels coded -1/+1." if set(np.unique(bad).tolist()) <= {-1} else ""
    raise ValueError(f"`{argument}` must hold 0/1 or booleans; got {shown}.{hint}")
