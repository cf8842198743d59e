"""What the arrays and settings that travel through the package are called, each type once.

Three groups: what users hand over, what travels between stages once it is checked, and settings that are one of a few
words. scipy and pandas tell type checkers nothing, so their classes stand here for readers and are not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

__all__ = [
    "COO",
    "CSC",
    "CSR",
    "Array",
    "Average",
    "Bools",
    "Cell",
    "Classifier",
    "DType",
    "DataFrame",
    "EngineName",
    "Features",
    "FirstParent",
    "FitParams",
    "Floats",
    "Floats32",
    "Fold",
    "Integers",
    "JSONObject",
    "KernelName",
    "LabelLayout",
    "Labels",
    "Longs",
    "Matrix",
    "Pulse",
    "Random",
    "Rows",
    "Rowwise",
    "ScoreMatrix",
    "ScoreName",
    "SearchName",
    "Signs",
    "Sparse",
    "Splitter",
    "Table",
    "Transformer",
    "Weights",
    "Words",
    "ZeroDivision",
]

# Arrays, by what they hold.
Floats: TypeAlias = NDArray[np.float64]
Floats32: TypeAlias = NDArray[np.float32]
Bools: TypeAlias = NDArray[np.bool_]
Longs: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint32]  # bit-packed label values
Signs: TypeAlias = NDArray[np.int8]  # +1/-1, or 0/1 with -1 for unknown
Integers: TypeAlias = NDArray[np.integer[Any]]  # indices of any width
Rows: TypeAlias = Integers  # row numbers
Fold: TypeAlias = tuple[Rows, Rows]  # the rows to learn from, and the rows to test on
Array: TypeAlias = NDArray[Any]  # numbers, booleans, text or objects: the code that takes it does not care
DType: TypeAlias = np.dtype[Any]

# Sparse arrays.
CSR: TypeAlias = sparse.csr_array
CSC: TypeAlias = sparse.csc_array
COO: TypeAlias = sparse.coo_array
Sparse: TypeAlias = sparse.sparray | sparse.spmatrix

#: Features once they are checked: numbers, one row per example.
Matrix: TypeAlias = Floats | Floats32 | CSR


class DataFrame(Protocol):
    """A data frame of pandas, polars or whoever follows them: named columns of one length."""

    @property
    def columns(self) -> Iterable[str]:
        """The names of the columns."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def to_numpy(self) -> Array:
        """All values as one array."""


# What users hand over, before anybody has looked at it.
Features: TypeAlias = ArrayLike | Sparse | DataFrame  # X: numbers, one row per example
Labels: TypeAlias = ArrayLike | Sparse | DataFrame  # Y: 0/1 or booleans, one row per example and one column per label
ScoreMatrix: TypeAlias = ArrayLike | DataFrame  # decision values or probabilities, in the shape of Y
Weights: TypeAlias = ArrayLike  # one non-negative number per example
Random: TypeAlias = int | np.random.RandomState | np.random.Generator | None  # a seed, its generator or None

#: An array, sparse matrix, DataFrame or list; some of its rows are the same kind of thing, so callers need not cast.
Rowwise: TypeAlias = Any
JSONObject: TypeAlias = dict[str, Any]  # a table of a JSON or TOML file, before anybody has looked at it

#: A table of any make: a DataFrame of pandas or polars, an Arrow table, a dict of columns, or a list of dicts.
Table: TypeAlias = Any
Cell: TypeAlias = Any  # what stands in one cell of it

#: Any scikit-learn transformer.
Transformer: TypeAlias = Any

#: Any scikit-learn classifier; scikit-learn tells type checkers nothing of it.
Classifier: TypeAlias = Any

#: What scikit-learn takes as `cv`: a number of folds, a splitter, or pairs of training and test rows.
Splitter: TypeAlias = Any
FitParams: TypeAlias = Mapping[str, Any]  # what goes to `fit` of a classifier beside X and y

#: Called now and then with the number of things done; what it raises stops the work.
Pulse: TypeAlias = Callable[[int], object]

# Settings that are one of a few words.
Average: TypeAlias = Literal["example", "macro", "micro", "weighted"]
EngineName: TypeAlias = Literal["auto", "cpu", "cuda", "native", "numpy"]
KernelName: TypeAlias = Literal["rbf", "linear"]
LabelLayout: TypeAlias = Literal["dense", "csr_array", "csr_matrix"]  # how a matrix of labels is stored
SearchName: TypeAlias = Literal["paper", "k2", "tree", "hill_climbing", "ges"]
FirstParent: TypeAlias = Literal["always", "if better"]  # whether a label takes a parent that does not pay
#: What 0/0 counts in a ratio; "empty": 1 for a row with neither true nor predicted labels, else 0.
ZeroDivision: TypeAlias = Literal["empty"] | float
ScoreName: TypeAlias = Literal["dependence", "bic", "aic", "mdl", "k2", "bdeu"]
