"""Sparse matrices of a model file are checked in full."""

import numpy as np
import pytest

from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.sparse_matrices import make_sparse


@pytest.mark.parametrize(
    "changes",
    [
        {"indices": [0, 3]},
        {"indices": [0, -1]},
        {"pointers": [0, 2, 1]},
        {"pointers": [1, 1, 2]},
        {"pointers": [0, 1]},
        {"data": [1.0]},
        {"shape": [2, -1]},
        {"shape": [2, 2**40]},
        {"shape": [2]},
        {"shape": [2, 10**8]},
        {"kind": "bsr_array"},
    ],
)
def test_sparse_matrices_are_checked_in_full(changes):
    parts = {
        "kind": "csr_array",
        "shape": [2, 3],
        "data": [1.0, 2.0],
        "indices": [0, 2],
        "pointers": [0, 1, 2],
    } | changes
    arrays = [np.array(parts["data"]), *(np.array(parts[name], np.int32) for name in ("indices", "pointers"))]
    with pytest.raises(Refused, match="sparse"):
        make_sparse(parts["kind"], parts["shape"], arrays)
