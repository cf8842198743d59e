"""Sparse matrices of a model file, from arrays that are checked in full."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy import sparse

from bncc._typing import Array
from bncc.multilabel.model_files.fields import check_pointers
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["make_sparse"]

_MATRICES: Mapping[str, Callable[..., object]] = {
    "csr_array": sparse.csr_array,
    "csc_array": sparse.csc_array,
    "csr_matrix": sparse.csr_matrix,
    "csc_matrix": sparse.csc_matrix,
}


def make_sparse(kind: object, sizes: object, arrays: Sequence[Array]) -> object:
    """A sparse matrix, if its arrays make one: pointers that ascend, indices below the width."""
    if not isinstance(sizes, list) or len(sizes) != 2:
        raise Refused("a sparse matrix of unknown size")
    if not isinstance(kind, str) or kind not in _MATRICES:
        raise Refused("a sparse matrix of unknown format")
    if not all(type(size) is int and 0 <= size < 2**31 for size in sizes):
        raise Refused("a sparse matrix of unknown size")
    if any(type(each) is not np.ndarray or each.ndim != 1 for each in arrays):
        raise Refused("a sparse matrix whose arrays are none")
    data, indices, pointers = arrays
    if data.dtype.kind not in "biuf" or any(each.dtype not in (np.int32, np.int64) for each in (indices, pointers)):
        raise Refused("a sparse matrix of unknown types")
    lines, width = (int(str(size)) for size in (sizes if kind.startswith("csr") else sizes[::-1]))
    if pointers.size != lines + 1 or data.size != indices.size:
        raise Refused("a sparse matrix whose arrays do not belong together")
    check_pointers(pointers, data.size, "a sparse matrix: its pointers")
    if indices.size and (indices.min() < 0 or indices.max() >= width):
        raise Refused("a sparse matrix with indices beyond its width")
    if width > 2**16 + 64 * (data.size + lines):
        raise Refused("a sparse matrix that is far wider than what it holds")
    return _MATRICES[kind]((data, indices, pointers), shape=tuple(sizes))
