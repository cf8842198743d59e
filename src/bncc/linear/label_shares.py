"""A batch in shares that other machines can solve: whole blocks of labels, and their solutions put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Array, Longs
from bncc.linear.features import Features
from bncc.linear.plans import N_LANES, Plan
from bncc.linear.problems import Batch
from bncc.linear.solutions import BlockCosts, Solutions

__all__ = ["Share", "batch_of_share", "join_solutions", "share_out", "without_problems"]

_PER_PROBLEM = ("target", "row_set", "weight", "cost_positive", "cost_negative", "context", "start")


@dataclass(frozen=True, eq=False)
class Share:
    """Some blocks of a batch: what is needed to solve them beside the rows.

    Attributes
    ----------
    problems : (n_problems,), int64
        Their numbers in the batch, ascending.
    tables : tuple of arrays
        What the batch has of each of these problems, in the order of its attributes; `start` is counted in the share.
    plan : Plan
        The blocks as the whole batch has them, their problems counted in the share.
    blocks : (n_blocks,), int64
        Their numbers in the plan of the batch.
    """

    problems: Longs
    tables: tuple[Array, ...]
    plan: Plan
    blocks: Longs


def share_out(batch: Batch, plan: Plan, n_shares: int) -> list[Share]:
    """The units of a plan, dealt in turn to up to so many shares; a unit stays whole, so that its results stay too.

    The costliest units come first in a plan: each share gets as many of them as the others.

    >>> from bncc.linear import make_batch, plan_blocks
    >>> batch = make_batch([[0.0], [1.0]], [[0, 1]] * 2, target=np.zeros(40, int))
    >>> [len(share.problems) for share in share_out(batch, plan_blocks(batch), 2)]
    [24, 16]
    """
    n_units = len(plan.unit_ptr) - 1
    n_shares = min(n_shares, n_units)
    return [_share(batch, plan, range(first, n_units, n_shares)) for first in range(n_shares)]


def _share(batch: Batch, plan: Plan, units: range) -> Share:
    sizes = np.diff(plan.unit_ptr)[units]
    blocks = np.concatenate([np.arange(*plan.unit_ptr[unit : unit + 2]) for unit in units])
    lanes = plan.problems[blocks]
    problems = np.sort(lanes[lanes >= 0]).astype(np.int64)
    own = np.full(len(batch) + 1, -1, np.int32)  # the last: -1, no problem, stays it
    own[problems] = np.arange(problems.size)
    tables = [getattr(batch, name)[problems] for name in _PER_PROBLEM]
    tables[-1] = own[tables[-1]]
    unit_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Share(problems, tuple(tables), Plan(own[lanes].reshape(-1, N_LANES), unit_ptr), blocks)


def without_problems(batch: Batch) -> tuple[Features, Batch]:
    """What all shares have in common: the features, and the batch with neither features nor problems."""
    features = batch.features
    nothing = Features(features.n_rows, features.n_features, features.values[:0])
    empty = {name: getattr(batch, name)[:0] for name in _PER_PROBLEM}
    return features, replace(batch, features=nothing, **empty)


def batch_of_share(features: Features, common: Batch, share: Share) -> Batch:
    """The problems of a share as a batch of their own, on the same rows."""
    tables: dict[str, Any] = dict(zip(_PER_PROBLEM, share.tables, strict=True))
    return replace(common, features=features, **tables)


def join_solutions(batch: Batch, shares: Sequence[Share], solved: Sequence[Solutions]) -> Solutions:
    """The solutions of a batch from those of all its shares."""
    by_problem = np.argsort(np.concatenate([share.problems for share in shares]))
    by_block = np.argsort(np.concatenate([share.blocks for share in shares]))
    joined = {
        name: np.concatenate([getattr(each, name) for each in solved])[by_problem]
        for name in ("bias", "objective", "dual_objective", "iterations", "status")
    }
    costs = {
        name: np.concatenate([getattr(each.costs, name) for each in solved])[by_block]
        for name in ("updates", "checks", "active", "seconds")
    }
    join = _join_sparse if sparse.issparse(solved[0].weights) else _join_dense
    return Solutions(
        n_features=batch.features.n_features,
        weights=join(batch, shares, [each.weights for each in solved]),
        costs=BlockCosts(**costs),
        **joined,
    )


def _join_dense(batch: Batch, shares: Sequence[Share], weights: Sequence[Array]) -> Array:
    dense = np.zeros((len(batch), batch.n_columns), weights[0].dtype)
    for share, part in zip(shares, weights, strict=True):
        dense[share.problems] = part
    return dense


def _join_sparse(batch: Batch, shares: Sequence[Share], weights: Sequence[CSR]) -> CSR:
    lengths = np.zeros(len(batch), np.int64)
    for share, part in zip(shares, weights, strict=True):
        lengths[share.problems] = np.diff(part.indptr)
    pointer = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.empty(pointer[-1], weights[0].indices.dtype)
    values = np.empty(pointer[-1], weights[0].dtype)
    for share, part in zip(shares, weights, strict=True):
        # Lines of a share lie one after the other there, and apart here.
        here = np.repeat(pointer[share.problems] - part.indptr[:-1], np.diff(part.indptr)) + np.arange(part.nnz)
        columns[here], values[here] = part.indices, part.data
    return sparse.csr_array((values, columns, pointer), shape=(len(batch), batch.n_columns))
