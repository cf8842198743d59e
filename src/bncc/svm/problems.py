"""Batches of binary problems and their solutions: plain arrays that any engine can take in one call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Required, TypedDict, Unpack
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from bncc._problems import Status, check_row_set, read_weight_table
from bncc._typing import Array, Bools, Floats, KernelName, Longs, Signs, Words
from bncc.svm.distances import Distances

_LEAST_BOUND, _LARGEST_BOUND = 1e-300, 1e300

__all__ = ["Batch", "ProblemFields", "Solution", "Solutions", "Status", "make_batch"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Binary SVM problems over shared rows, as a structure of arrays (make one with `make_batch`).

    Problem p is: the rows ``row_index[row_ptr[s]:row_ptr[s + 1]]`` with ``s = row_set[p]``, the target
    ``targets[target[p]]``, the kernel ``exp(-gamma[p] (d2 + hamming over context[p]))`` (or, if linear,
    ``-(d2 + hamming) / 2``, which differs from the inner product by terms the SVM does not see), and the box
    ``0 <= a_t <= C[p] weights[weight[p], t]``.

    Attributes
    ----------
    distances : Distances
        Squared distances between the n_rows rows.
    kernel : "rbf" or "linear"
    words : (n_words, n_rows), uint32
        Labels of the rows, 32 to a word (`pack_labels`).
    targets : (n_targets, n_rows), int8
        +1 / -1.
    row_ptr, row_index : int64, int32
        Sets of rows, concatenated; rows ascend within a set.
    weights : (n_weights, n_rows), float64
    target, row_set, weight : (n_problems,), int32
        Which target, row set and weights; weight -1 means ones.
    gamma, C : (n_problems,), float64
    context : (n_problems, n_words), uint32
        Which labels are context.
    group : (n_problems,), int32
        Problems of one group share gamma, context and kernel rows, and are solved in turn.
    start : (n_problems,), int32
        An earlier problem of the group with the same target whose solution is the start; -1: zero.
    token : str
        No other batch has it; its solutions bear it too.
    """

    distances: Distances
    kernel: KernelName
    words: Words
    targets: Signs
    row_ptr: Longs
    row_index: NDArray[np.int32]
    weights: Floats
    target: NDArray[np.int32]
    row_set: NDArray[np.int32]
    weight: NDArray[np.int32]
    gamma: Floats
    C: Floats
    context: Words
    group: NDArray[np.int32]
    start: NDArray[np.int32]
    token: str = ""

    def __len__(self) -> int:
        return int(self.target.size)

    @property
    def n_rows(self) -> int:
        """Number of rows all problems draw from."""
        return self.distances.n_rows

    @property
    def is_linear(self) -> bool:
        """Whether the kernel is the inner product."""
        return self.kernel == "linear"

    def sizes(self) -> Longs:
        """Number of rows of each problem."""
        return np.diff(self.row_ptr)[self.row_set]

    def rows(self, problem: int) -> NDArray[np.int32]:
        """The rows of one problem."""
        row_set = self.row_set[problem]
        return self.row_index[self.row_ptr[row_set] : self.row_ptr[row_set + 1]]

    def bounds(self, problem: int) -> Floats:
        """The box of one problem over all rows; 0 for rows it does not have."""
        out = np.zeros(self.n_rows)
        rows = self.rows(problem)
        out[rows] = self.C[problem] * (self.weights[self.weight[problem], rows] if self.weight[problem] >= 0 else 1.0)
        return out


@dataclass(frozen=True, eq=False)
class Solution:
    """One solved problem: ``decision(x) = sum_s coef[s] k(support[s], x) + bias``."""

    support: NDArray[np.int32]
    coef: Floats
    bias: float
    objective: float
    iterations: int
    status: Status


@dataclass(frozen=True, eq=False)
class Solutions:
    """The solutions of a batch, concatenated; ``solutions[p]`` is that of problem p.

    Attributes
    ----------
    support_ptr : (n_problems + 1,), int64
    support : int32
        Support rows (indices into the rows of the batch), ascending within a problem.
    coef : float64
        ``a_t y_t`` of each support row.
    bias, objective : (n_problems,), float64
        The objective is that of the dual, ``1/2 a'Qa - sum a``.
    iterations : (n_problems,), int64
    status : (n_problems,), int8
    costs : dict
        Where the time went: kernel rows formed, iterations, seconds per stage summed over threads.
    token : str
        That of the batch.
    precise : (n_problems,), bool, or None
        Problems that single precision was not enough for: solved in double, and decided so. None: none of them.
    """

    support_ptr: Longs
    support: NDArray[np.int32]
    coef: Floats
    bias: Floats
    objective: Floats
    iterations: Longs
    status: Signs
    costs: dict[str, float]
    token: str = ""
    precise: Bools | None = None

    def __len__(self) -> int:
        return int(self.bias.size)

    def __iter__(self) -> Iterator[Solution]:
        return (self[p] for p in range(len(self)))

    def warn_of_limits(self, *, stacklevel: int) -> None:
        """Warn where problems ended short of the tolerance, at the limit of iterations or of double precision."""
        n_short = int((self.status == Status.ITERATION_LIMIT).sum())
        if n_short:
            message = (
                f"{n_short} of {len(self)} problem(s) ended short of `tol`, at a limit of "
                f"{int(self.iterations.max())} iterations or of double precision: signs may be wrong. Scale the data, "
                "lower `C` or raise `max_iter`."
            )
            warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel + 1)

    def __getitem__(self, problem: int) -> Solution:
        if not 0 <= problem < len(self):
            raise IndexError(f"problem must lie in 0..{len(self) - 1}; got {problem}.")
        part = slice(int(self.support_ptr[problem]), int(self.support_ptr[problem + 1]))
        return Solution(
            self.support[part],
            self.coef[part],
            float(self.bias[problem]),
            float(self.objective[problem]),
            int(self.iterations[problem]),
            Status(int(self.status[problem])),
        )


class ProblemFields(TypedDict, total=False):
    """What `make_batch` takes by name."""

    gamma: Required[ArrayLike]
    C: Required[ArrayLike]
    kernel: KernelName
    rows: Sequence[ArrayLike] | None
    target: ArrayLike | None
    row_set: ArrayLike
    words: Words | None
    context: Words | None
    weights: ArrayLike | None
    weight: ArrayLike | None
    group: ArrayLike | None
    start: ArrayLike


@dataclass(frozen=True, eq=False, kw_only=True)
class _Given:
    """The fields of problems as they were handed over, with what the absent ones mean."""

    gamma: ArrayLike
    C: ArrayLike
    kernel: KernelName = "rbf"
    rows: Sequence[ArrayLike] | None = None
    target: ArrayLike | None = None
    row_set: ArrayLike = 0
    words: Words | None = None
    context: Words | None = None
    weights: ArrayLike | None = None
    weight: ArrayLike | None = None
    group: ArrayLike | None = None
    start: ArrayLike = -1

    def n_problems(self, target: ArrayLike) -> int:
        sizes = [np.size(value) for value in (target, self.row_set, self.gamma, self.C, self.start)]
        sizes += [np.size(value) for value in (self.weight, self.group) if value is not None]
        sizes += [len(self.context)] if self.context is not None and self.context.ndim == 2 else []
        return 0 if 0 in sizes else max(sizes)


def make_batch(distances: Distances, targets: ArrayLike, **fields: Unpack[ProblemFields]) -> Batch:
    """Check and assemble a batch; whatever is given once holds for every problem.

    Parameters
    ----------
    distances : Distances
    targets : array of shape (n_targets, n_rows) or (n_rows,)
        +1 / -1.
    gamma, C : float or one per problem
    kernel : "rbf" or "linear", default="rbf"
    rows : sequence of index arrays, default=None
        Sets of rows; None is one set with all of them.
    target : int or one per problem, default=None
        Rows of `targets`; None is each of them once.
    row_set : int or one per problem
        Which of `rows`.
    words : array of shape (n_words, n_rows), default=None
        Packed labels, needed with `context`.
    context : array of shape (n_problems, n_words) or (n_words,), default=None
        Which labels are context (`context_mask`).
    weights : array of shape (n_weights, n_rows) or (n_rows,), default=None
        Multiply C row by row; not negative.
    weight : int or one per problem, default=None
        Which of `weights`; -1 is none of them.
    group, start : see `Batch`
        By default every problem is a group of its own, started from zero.

    >>> from bncc.svm import solve, squared_distances
    >>> batch = make_batch(squared_distances([[0.0], [1.0]]), [-1, 1], gamma=0.5, C=10.0)
    >>> solve(batch)[0].coef.round(3).tolist()
    [-2.541, 2.541]
    """
    given = _Given(**fields)
    n = distances.n_rows
    signs = _targets(targets, n)
    which = np.arange(len(signs)) if given.target is None else given.target
    n_problems = given.n_problems(which)
    words = np.zeros((0, n), np.uint32) if given.words is None else np.ascontiguousarray(given.words, np.uint32)
    row_ptr, row_index = _row_sets(given.rows, n)
    table = read_weight_table(given.weights, n)
    weight = (0 if len(table) else -1) if given.weight is None else given.weight
    batch = Batch(
        distances=distances,
        kernel=given.kernel,
        words=words,
        targets=signs,
        row_ptr=row_ptr,
        row_index=row_index,
        weights=table,
        target=_spread("target", which, n_problems, np.int32),
        row_set=_spread("row_set", given.row_set, n_problems, np.int32),
        weight=_spread("weight", weight, n_problems, np.int32),
        gamma=_spread("gamma", given.gamma, n_problems, np.float64),
        C=_spread("C", given.C, n_problems, np.float64),
        context=_contexts(given.context, n_problems, len(words)),
        group=_spread("group", np.arange(n_problems) if given.group is None else given.group, n_problems, np.int32),
        start=_spread("start", given.start, n_problems, np.int32),
        token=uuid4().hex,
    )
    _check(batch)
    return batch


def _targets(targets: ArrayLike, n: int) -> Signs:
    signs = np.atleast_2d(np.asarray(targets))
    if signs.ndim != 2 or signs.shape[1] != n:
        raise ValueError(f"`targets` must have one column per row ({n}); got shape {signs.shape}.")
    if not ((signs == 1) | (signs == -1)).all():
        raise ValueError(f"`targets` must hold +1 and -1; got {np.setdiff1d(signs, (-1, 1))[:5].tolist()}.")
    return np.ascontiguousarray(signs, np.int8)


def _row_sets(rows: Sequence[ArrayLike] | None, n: int) -> tuple[Longs, NDArray[np.int32]]:
    sets = [np.arange(n)] if rows is None else [np.asarray(each) for each in rows]
    sizes = np.array([rows.size for rows in sets], np.int64)
    pointer = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if not _all_good(sets, sizes, pointer, n):
        _check_row_sets(sets, n)
    return pointer, np.ascontiguousarray(np.concatenate(sets), np.int32)


def _all_good(sets: list[Array], sizes: Longs, pointer: Longs, n: int) -> bool:
    """What `_check_row_sets` asks for, of all sets in one go: there may be a hundred thousand."""
    if not sets or not sizes.all() or any(rows.dtype.kind not in "iu" or rows.ndim != 1 for rows in sets):
        return False
    flat = np.concatenate(sets)
    ascends = flat[1:] > flat[:-1]
    ascends[pointer[1:-1] - 1] = True
    return bool(ascends.all() and flat.min() >= 0 and flat.max() < n)


def _check_row_sets(sets: list[Array], n: int) -> None:
    """Say which set is wrong, and how."""
    for number, rows in enumerate(sets):
        if rows.size == 0:
            raise ValueError(f"Row set {number} is empty; a problem needs at least one row.")
        check_row_set(number, rows, n)


def _contexts(context: Words | None, n_problems: int, n_words: int) -> Words:
    if context is None:
        return np.zeros((n_problems, n_words), np.uint32)
    if context.shape[-1] != n_words:
        raise ValueError(f"`context` must have {n_words} word(s) per problem, as `words`; got {context.shape[-1]}.")
    return np.ascontiguousarray(np.broadcast_to(context, (n_problems, n_words)), np.uint32)


def _spread(name: str, value: ArrayLike, n_problems: int, dtype: DTypeLike) -> Array:
    array = np.asarray(value)
    if array.ndim > 1 or (array.ndim == 1 and array.size not in (1, n_problems)):
        raise ValueError(f"`{name}` must be one value or one per problem ({n_problems}); got shape {array.shape}.")
    return np.ascontiguousarray(np.broadcast_to(array, (n_problems,)), dtype)


def _check(batch: Batch) -> None:
    if batch.kernel not in ("rbf", "linear"):
        raise ValueError(f'`kernel` must be "rbf" or "linear"; got {batch.kernel!r}.')
    if batch.words.shape[1:] != (batch.n_rows,):
        raise ValueError(f"`words` must have one column per row ({batch.n_rows}); got shape {batch.words.shape}.")
    for name, limit in (("target", len(batch.targets)), ("row_set", batch.row_ptr.size - 1)):
        index = getattr(batch, name)
        if index.size and (index.min() < 0 or index.max() >= limit):
            raise ValueError(f"`{name}` must lie in 0..{limit - 1}; got {index.min()}..{index.max()}.")
    if batch.weight.size and (batch.weight.min() < -1 or batch.weight.max() >= len(batch.weights)):
        raise ValueError(f"`weight` must lie in -1..{len(batch.weights) - 1}; got {batch.weight.max()}.")
    for name in ("gamma", "C"):
        values = getattr(batch, name)
        if not (np.isfinite(values) & (values > 0)).all():
            wrong = values[~(np.isfinite(values) & (values > 0))][0]
            raise ValueError(f"`{name}` must be positive and finite; got {wrong}.")
    _check_bounds(batch)
    _check_groups(batch)


def _check_bounds(batch: Batch) -> None:
    """C times weight stays where doubles have all their digits."""
    if not len(batch):
        return
    weights = batch.weights[batch.weights > 0] if (batch.weight >= 0).any() else np.ones(1)
    with np.errstate(over="ignore", under="ignore"):
        least, most = batch.C.min() * weights.min(initial=1.0), batch.C.max() * weights.max(initial=1.0)
    if least < _LEAST_BOUND or most > _LARGEST_BOUND:
        raise ValueError(
            f"`C` times a weight must lie in {_LEAST_BOUND:g}..{_LARGEST_BOUND:g}; got {least:g}..{most:g}. "
            "Scale `C` or the weights."
        )


def _check_groups(batch: Batch) -> None:
    _, first, member = np.unique(batch.group, return_index=True, return_inverse=True)
    leader = first[member]
    if (batch.gamma != batch.gamma[leader]).any() or (batch.context != batch.context[leader]).any():
        raise ValueError("Problems of one `group` must have the same gamma and context.")
    warm = np.flatnonzero(batch.start >= 0)
    origin = batch.start[warm]
    if (origin >= warm).any() or (batch.group[warm] != batch.group[origin]).any():
        raise ValueError("`start` must name an earlier problem of the same group, or -1.")
    if (batch.target[warm] != batch.target[origin]).any():
        raise ValueError("`start` must name a problem with the same target.")
