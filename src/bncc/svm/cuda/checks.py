"""Checks at the entries of the device code: whatever indexes something is held against what it indexes, once per call.

Batches from `make_batch` and walks from `plan_walks` pass by construction; these are for what was changed since.
"""

from __future__ import annotations

import numpy as np

from bncc._typing import Array, Longs
from bncc.svm.problems import Batch, Solutions
from bncc.svm.walk_plan import Walks

__all__ = ["check_batch", "check_solutions", "check_walks"]


def check_batch(batch: Batch) -> None:
    """Raise ValueError unless all arrays of a batch fit together."""
    n, n_problems, n_words = batch.n_rows, batch.target.size, len(batch.words)
    _expect("words", batch.words, np.uint32, (n_words, n))
    _expect("context", batch.context, np.uint32, (n_problems, n_words))
    for name in ("gamma", "C"):
        values = _expect(name, getattr(batch, name), np.float64, (n_problems,))
        _require(bool((np.isfinite(values) & (values > 0)).all()), name, "must be finite and positive")
    for name in ("target", "row_set", "weight"):
        _expect(name, getattr(batch, name), np.int32, (n_problems,))
    if len(batch.targets) or batch.row_index.size:  # a model has neither
        _check_rows(batch, n)


def _check_rows(batch: Batch, n: int) -> None:
    """Targets, rows and weights, which solving reads."""
    _expect("targets", batch.targets, np.int8, (len(batch.targets), n))
    _expect("weights", batch.weights, np.float64, (len(batch.weights), n))
    _expect("row_ptr", batch.row_ptr, np.int64, (batch.row_ptr.size,))
    _pointers("row_ptr", batch.row_ptr, batch.row_index.size)
    _expect("row_index", batch.row_index, np.int32, (batch.row_index.size,))
    _range("row_index", batch.row_index, 0, n)
    _range("target", batch.target, 0, len(batch.targets))
    _range("row_set", batch.row_set, 0, batch.row_ptr.size - 1)
    _range("weight", batch.weight, -1, len(batch.weights))
    _require(bool((batch.sizes() > 0).all()), "row_set", "names a set without rows")


def check_solutions(batch: Batch, solutions: Solutions) -> None:
    """Raise ValueError unless the solutions are those of a batch of that many problems and rows."""
    n_problems = batch.target.size
    _expect("support_ptr", solutions.support_ptr, np.int64, (n_problems + 1,))
    _pointers("support_ptr", solutions.support_ptr, solutions.support.size)
    _expect("support", solutions.support, np.int32, (solutions.support.size,))
    _range("support", solutions.support, 0, batch.n_rows)
    _expect("coef", solutions.coef, np.float64, solutions.support.shape)
    _expect("bias", solutions.bias, np.float64, (n_problems,))


def check_walks(batch: Batch, walks: Walks, n_left: int, numbers: Longs | None) -> None:
    """Raise ValueError unless walks read problems of the batch, labels that it has, and rows that are there."""
    _expect("problems", walks.problems, np.int32, (len(walks.rows), walks.problems.shape[1]))
    _expect("writes", walks.writes, np.int32, walks.problems.shape)
    _range("problems", walks.problems, 0, batch.target.size)
    _range("writes", walks.writes, -1, 32 * len(batch.words))
    decided = n_left if numbers is None else numbers.size
    for rows in {id(each): each for each in walks.rows}.values():
        _range("rows", rows, 0, decided)
    if numbers is not None:
        _range("numbers", numbers, 0, n_left)
    if walks.words is not None:
        _expect("words", walks.words, np.uint32, (len(batch.words), walks.words.shape[1]))
        _require(walks.words.shape[1] >= decided or numbers is not None, "words", "must have a column per row")
        for rows in {id(each): each for each in walks.rows}.values():
            _range("rows", rows, 0, walks.words.shape[1])


def _require(condition: bool, name: str, what: str) -> None:
    if not condition:
        raise ValueError(f"`{name}` {what}.")


def _expect(name: str, array: Array, dtype: type, shape: tuple[int, ...]) -> Array:
    _require(type(array) is np.ndarray and array.dtype == dtype, name, f"must be an array of {np.dtype(dtype)}")
    _require(array.shape == shape, name, f"must have shape {shape}; got {array.shape}")
    return array


def _range(name: str, index: Array, low: int, end: int) -> None:
    if index.size and (index.min() < low or index.max() >= end):
        raise ValueError(f"`{name}` must lie in {low}..{end - 1}; got {index.min()}..{index.max()}.")


def _pointers(name: str, pointers: Array, n_entries: int) -> None:
    good = pointers.ndim == 1 and pointers.size and pointers[0] == 0 and pointers[-1] == n_entries
    _require(bool(good and (np.diff(pointers) >= 0).all()), name, "must ascend from 0 to the number of its entries")
