"""Batches of linear binary problems: plain arrays that any engine can take in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from bncc._problems import check_row_set, read_weight_table
from bncc.linear.features import Features, prepare_features

__all__ = ["SCALES", "Batch", "Loss", "chain_context", "labels_seen", "make_batch"]

SCALES = (1e-150, 1e150)  # of features: double precision holds their squares

_LARGEST_PRODUCT = 1e280

Loss = Literal["squared_hinge", "hinge", "logistic"]
_WORD = 32


@dataclass(frozen=True, eq=False)
class Batch:
    """Binary problems over shared rows, as a structure of arrays (make one with `make_batch`).

    Problem p minimises ``1/2 |w|^2 + sum_i c_i loss(y_i w.z_i)`` over its rows i. Here z is the row of features, then
    the labels of the row that the problem sees, then the constant `bias_feature`; y is +1 for the positives of its
    target and -1 for the others; c is ``cost_positive`` or ``cost_negative`` of the problem times the row's weight.

    Attributes
    ----------
    features : Features
    loss : "squared_hinge", "hinge" or "logistic"
    bias_feature : float
        0 is no intercept.
    target_ptr, target_rows : int64, int32
        Positive rows of the targets, concatenated.
    n_labels, label_ptr, label_index : int, int64, int32
        Positive labels of the rows (CSR).
    row_ptr, row_index : int64, int32
        Sets of rows, concatenated; rows ascend within a set.
    weights : (n_weights, n_rows), float64
    target, row_set, weight : (n_problems,), int32
        Which target, row set and weights; -1 is all rows, and weights of 1.
    cost_positive, cost_negative : (n_problems,), float64
    context : (n_problems, n_words), uint32
        Which labels a problem sees, 32 to a word.
    start : (n_problems,), int32
        The problem with the same rows, target and context, but for C, whose solution is the start; -1: zero.
    """

    features: Features
    loss: Loss
    bias_feature: float
    target_ptr: NDArray[np.int64]
    target_rows: NDArray[np.int32]
    n_labels: int
    label_ptr: NDArray[np.int64]
    label_index: NDArray[np.int32]
    row_ptr: NDArray[np.int64]
    row_index: NDArray[np.int32]
    weights: NDArray[np.float64]
    target: NDArray[np.int32]
    row_set: NDArray[np.int32]
    weight: NDArray[np.int32]
    cost_positive: NDArray[np.float64]
    cost_negative: NDArray[np.float64]
    context: NDArray[np.uint32]
    start: NDArray[np.int32]

    def __len__(self) -> int:
        return int(self.target.size)

    @property
    def n_rows(self) -> int:
        """Number of rows all problems draw from."""
        return self.features.n_rows

    @property
    def n_columns(self) -> int:
        """Number of weights of a problem: features, then labels."""
        return self.features.n_features + self.n_labels

    @property
    def loss_code(self) -> int:
        """The loss as a number, for compiled code."""
        return get_args(Loss).index(self.loss)

    def signs(self, problem: int) -> NDArray[np.float64]:
        """+1 / -1 for all rows."""
        out = np.full(self.n_rows, -1.0)
        column = self.target[problem]
        out[self.target_rows[self.target_ptr[column] : self.target_ptr[column + 1]]] = 1.0
        return out

    def costs(self, problem: int) -> NDArray[np.float64]:
        """The factor of each row's loss; 0 for rows that the problem does not have."""
        out = np.where(self.signs(problem) > 0, self.cost_positive[problem], self.cost_negative[problem])
        if self.weight[problem] >= 0:
            out = out * self.weights[self.weight[problem]]
        row_set = self.row_set[problem]
        if row_set < 0:
            return out
        member = np.zeros(self.n_rows, bool)
        member[self.row_index[self.row_ptr[row_set] : self.row_ptr[row_set + 1]]] = True
        return np.where(member, out, 0.0)

    def labels(self) -> Any:
        """Labels of the rows, a csr_array of ones."""
        ones = np.ones(self.label_index.size)
        return sparse.csr_array((ones, self.label_index, self.label_ptr), shape=(self.n_rows, self.n_labels))

    def sees(self, problem: int) -> NDArray[np.bool_]:
        """Which labels a problem sees."""
        seen: NDArray[np.bool_] = labels_seen(self.context[[problem]], self.n_labels)[0]
        return seen


def labels_seen(context: NDArray[np.uint32], n_labels: int) -> NDArray[np.bool_]:
    """Which labels problems see, shape (n_problems, n_labels), from bits in words (n_problems, n_words).

    >>> labels_seen(np.array([[5], [2]], np.uint32), 3).astype(int).tolist()
    [[1, 0, 1], [0, 1, 0]]
    """
    bits = np.unpackbits(np.ascontiguousarray(context).view(np.uint8), axis=1, bitorder="little")
    return bits[:, :n_labels].astype(bool)


def make_batch(
    X: Any,
    targets: Any,
    *,
    C: ArrayLike = 1.0,
    loss: Loss = "squared_hinge",
    intercept_scaling: float = 1.0,
    class_weights: tuple[ArrayLike, ArrayLike] = (1.0, 1.0),
    target: ArrayLike | None = None,
    rows: Sequence[ArrayLike] | None = None,
    row_set: ArrayLike | None = None,
    labels: Any = None,
    context: Any = None,
    weights: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    start: ArrayLike = -1,
) -> Batch:
    """Check and assemble a batch; whatever is given once holds for every problem.

    Parameters
    ----------
    X : Features, array or sparse matrix of shape (n_rows, n_features)
        Never copied per problem.
    targets : array or sparse matrix of shape (n_rows, n_targets) or (n_rows,)
        Entries above 0 are positives: 0/1 and -1/+1 mean the same.
    C : float or one per problem
    intercept_scaling : float
        Value of the constant feature whose weight is the intercept, and part of the penalty, as in LIBLINEAR; 0 is no
        intercept.
    class_weights : (negative, positive), each a float or one per problem
        Multiply C for rows of that class.
    target : int or one per problem, default=None
        Columns of `targets`; None is each of them once.
    rows : sequence of index arrays, default=None
        Sets of rows, for `row_set`.
    row_set : int or one per problem, default=None
        Which of `rows`; -1 is all rows. None is -1 without `rows`, and 0 with them.
    labels : sparse matrix or array of shape (n_rows, n_labels), default=None
        0/1; needed with `context`.
    context : array of shape (n_problems, n_labels), bool, default=None
        Which labels a problem sees as features of value 1 (see `chain_context`).
    weights : array of shape (n_weights, n_rows) or (n_rows,), default=None
        Multiply C row by row; not negative.
    weight : int or one per problem, default=None
        Which of `weights`; -1 is none of them.
    start : int or one per problem
        See `Batch`.

    >>> from bncc.linear import solve
    >>> batch = make_batch([[0.0], [2.0]], [0, 1], C=[0.1, 10.0], intercept_scaling=0.0)
    >>> solve(batch, tol=1e-6).weights.round(3).tolist()
    [[0.222], [0.494]]
    """
    features = prepare_features(X)
    target_ptr, target_rows = _positives(targets, features.n_rows)
    target_columns = np.arange(target_ptr.size - 1) if target is None else target
    row_ptr, row_index = _row_sets(rows, features.n_rows)
    table = read_weight_table(weights, features.n_rows)
    columns = {
        "target": target_columns,
        "C": C,
        "row_set": (0 if rows is not None else -1) if row_set is None else row_set,
        "weight": (0 if len(table) else -1) if weight is None else weight,
        "negative": class_weights[0],
        "positive": class_weights[1],
        "start": start,
    }
    n_problems = _count(columns, context)
    spread = {name: _spread(name, value, n_problems) for name, value in columns.items()}
    label_ptr, label_index, n_labels = _labels(labels, features.n_rows)
    _check_costs(spread)
    batch = Batch(
        features=features,
        loss=loss,
        bias_feature=float(intercept_scaling),
        target_ptr=target_ptr,
        target_rows=target_rows,
        n_labels=n_labels,
        label_ptr=label_ptr,
        label_index=label_index,
        row_ptr=row_ptr,
        row_index=row_index,
        weights=table,
        target=_indices("target", spread["target"], 0, target_ptr.size - 1),
        row_set=_indices("row_set", spread["row_set"], -1, row_ptr.size - 1),
        weight=_indices("weight", spread["weight"], -1, len(table)),
        cost_positive=spread["C"] * spread["positive"],
        cost_negative=spread["C"] * spread["negative"],
        context=_context_words(context, n_problems, n_labels),
        start=_indices("start", spread["start"], -1, n_problems),
    )
    _check(batch)
    _check_scale(batch)
    return batch


def _check_scale(batch: Batch) -> None:
    """Squares of features, and their products with costs, stay within the doubles."""
    values = batch.features.values
    largest = max(float(values.max()), -float(values.min()), batch.bias_feature) if values.size else 0.0
    if largest and not SCALES[0] <= largest <= SCALES[1]:
        raise ValueError(
            f"The largest value of X must lie in {SCALES[0]:g}..{SCALES[1]:g} in size, so that double precision holds "
            f"its square; got {largest:g}. Scale it first."
        )
    cost = max(batch.cost_positive.max(initial=0.0), batch.cost_negative.max(initial=0.0))
    with np.errstate(over="ignore"):
        most = float(cost * batch.weights.max(initial=1.0)) * largest**2
    if most > _LARGEST_PRODUCT:
        raise ValueError(
            f"C times a weight times the largest squared value of X must be at most {_LARGEST_PRODUCT:g}; got "
            f"{most:g}. Scale X or lower `C`."
        )


def chain_context(order: ArrayLike) -> NDArray[np.bool_]:
    """The context of a chain: row l has the labels that come before label l in the order.

    >>> chain_context([2, 0, 1]).astype(int).tolist()
    [[0, 0, 1], [1, 0, 1], [0, 0, 0]]
    """
    sequence = np.asarray(order)
    position = np.empty(sequence.size, np.int64)
    position[sequence] = np.arange(sequence.size)
    return position[None, :] < position[:, None]


def _positives(targets: Any, n_rows: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    matrix: Any = targets if sparse.issparse(targets) else np.asarray(targets)
    if matrix.ndim == 1:
        matrix = matrix.reshape(-1, 1)
    if matrix.ndim != 2 or matrix.shape[0] != n_rows:
        raise ValueError(f"`targets` must have one row per row of X ({n_rows}); got shape {matrix.shape}.")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"`targets` must hold numbers or booleans; got dtype {matrix.dtype}.")
    values: NDArray[Any] = matrix.data if sparse.issparse(matrix) else matrix
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError("`targets` must not hold NaN; leave rows with unknown labels out by `rows` and `row_set`.")
    if sparse.issparse(matrix) and matrix.format == "csc" and matrix.has_canonical_format and (values > 0).all():
        return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    columns = sparse.csc_array(matrix > 0)
    columns.sum_duplicates()
    return columns.indptr.astype(np.int64), columns.indices.astype(np.int32)


def _row_sets(rows: Sequence[ArrayLike] | None, n_rows: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    sets = [] if rows is None else [np.asarray(members) for members in rows]
    for number, members in enumerate(sets):
        check_row_set(number, members, n_rows)
    pointer = np.concatenate([[0], np.cumsum([members.size for members in sets])]).astype(np.int64)
    return pointer, np.concatenate([np.zeros(0, np.int32), *sets]).astype(np.int32)


def _labels(labels: Any, n_rows: int) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
    if labels is None:
        return np.zeros(n_rows + 1, np.int64), np.zeros(0, np.int32), 0
    if labels.shape[0] != n_rows:
        raise ValueError(f"`labels` must have one row per row of X ({n_rows}); got shape {labels.shape}.")
    rows = sparse.csr_array(labels)
    if not rows.has_canonical_format or not rows.data.all():
        rows = sparse.csr_array(rows != 0)
        rows.sum_duplicates()
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32), int(labels.shape[1])


def _context_words(context: Any, n_problems: int, n_labels: int) -> NDArray[np.uint32]:
    n_words = -(-n_labels // _WORD)
    if context is None:
        return np.zeros((n_problems, n_words), np.uint32)
    if context.shape != (n_problems, n_labels):
        raise ValueError(
            f"`context` must have a row per problem and a column per label, {(n_problems, n_labels)}; "
            f"got {context.shape}. Give `labels` with it."
        )
    packed = np.zeros((n_problems, n_words * (_WORD // 8)), np.uint8)
    bits = np.packbits(np.asarray(context, bool), axis=1, bitorder="little")
    packed[:, : bits.shape[1]] = bits
    return packed.view(np.uint32)


def _count(columns: dict[str, Any], context: Any) -> int:
    sizes = [np.size(value) for value in columns.values()]
    sizes += [len(context)] if context is not None else []
    return 0 if 0 in sizes else max(sizes)


def _spread(name: str, value: ArrayLike, n_problems: int) -> NDArray[np.float64]:
    array = np.asarray(value, np.float64)
    if array.ndim > 1 or (array.ndim == 1 and array.size not in (1, n_problems)):
        raise ValueError(f"`{name}` must be one value or one per problem ({n_problems}); got shape {array.shape}.")
    return np.ascontiguousarray(np.broadcast_to(array, (n_problems,)))


def _indices(name: str, values: NDArray[np.float64], least: int, end: int) -> NDArray[np.int32]:
    if values.size and (values.min() < least or values.max() >= end):
        raise ValueError(f"`{name}` must lie in {least}..{end - 1}; got {values.min():.0f}..{values.max():.0f}.")
    return values.astype(np.int32)


def _check_costs(spread: dict[str, NDArray[np.float64]]) -> None:
    wrong = spread["C"][~(np.isfinite(spread["C"]) & (spread["C"] > 0))]
    if wrong.size:
        raise ValueError(f"`C` must be positive and finite; got {wrong[0]}.")
    for name in ("negative", "positive"):
        wrong = spread[name][~(np.isfinite(spread[name]) & (spread[name] >= 0))]
        if wrong.size:
            raise ValueError(f"Class weights must be finite and not negative; got {wrong[0]} for the {name} class.")


def _check(batch: Batch) -> None:
    if batch.loss not in get_args(Loss):
        raise ValueError(f"`loss` must be one of {', '.join(get_args(Loss))}; got {batch.loss!r}.")
    if not np.isfinite(batch.bias_feature) or batch.bias_feature < 0:
        raise ValueError(f"`intercept_scaling` must be finite and not negative; got {batch.bias_feature}.")
    if batch.n_rows == 0:
        raise ValueError("X must have at least one row; got none.")
    warm = np.flatnonzero(batch.start >= 0)
    origin = batch.start[warm]
    if np.unique(origin).size != origin.size or (origin >= warm).any():
        raise ValueError("`start` must name an earlier problem, and each of them once at most.")
    alike = ("target", "row_set", "weight", "context")
    if any((getattr(batch, name)[warm] != getattr(batch, name)[origin]).any() for name in alike):
        raise ValueError("`start` must name a problem that differs in C and class weights alone.")
