"""Which reader reads which file: the formats by suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from bncc.datasets.arff import read_arff
from bncc.datasets.dataset import Dataset
from bncc.datasets.delimited import read_csv
from bncc.datasets.libsvm import read_libsvm
from bncc.datasets.mat import read_mat
from bncc.datasets.numpy_archive import read_numpy
from bncc.datasets.parquet import read_parquet

__all__ = ["NEEDS_LABELS", "READERS"]

READERS: Mapping[str, Callable[..., Dataset]] = MappingProxyType(
    {
        ".arff": read_arff,
        ".mat": read_mat,
        ".npz": read_numpy,
        ".csv": read_csv,
        ".tsv": read_csv,
        ".parquet": read_parquet,
        ".svm": read_libsvm,
        ".libsvm": read_libsvm,
        ".svmlight": read_libsvm,
    }
)

NEEDS_LABELS = frozenset({".csv", ".tsv", ".parquet"})
"""The formats that do not say which columns are labels."""
