"""Products and losses of a block of problems on a CUDA device.

With the squared hinge loss few rows matter to a problem near its solution: those within their margin. Only the scores
go over all rows; derivatives are sums over the entries (problem, row) that matter. Where most do, as with the logistic
loss, or features are dense, they are products with the transposed rows. Parts of a sum are added in no fixed order: two
runs differ in the last digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from typing import Any, get_args

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from bncc._typing import CSR, Array
from bncc.linear.block_newton import Table
from bncc.linear.problems import Batch, Loss, labels_seen

__all__ = ["DeviceArithmetic", "cupy", "device_arithmetic", "kernel"]

_WARPS = 8
_CHUNK = 16  # entries to a warp
_SEGMENT = 256  # stored values to a warp, where a row is cut
_MANY = 0.2  # share of entries that matter from which on products with all rows are faster


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Stored entries by columns, cut into lines of bounded length, and the column of each line."""

    pointer: Table
    rows: Table
    values: Table
    columns: Table


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Stored entries of the rows on the device; `on_host` makes the same matrix there."""

    pointer: Table
    columns: Table
    values: Table
    on_host: Callable[[], CSR]

    @cached_property
    def by_columns(self) -> SparseColumns:
        """The same by columns, made when it is first asked for."""
        xp, turned = cupy(), sparse.csc_array(self.on_host())
        counts = np.diff(turned.indptr).astype(np.int64)
        n_lines = -(-counts // _SEGMENT)
        columns = np.repeat(np.arange(counts.size), n_lines)
        number = np.arange(columns.size) - np.repeat(np.cumsum(n_lines) - n_lines, n_lines)
        begins = turned.indptr[columns].astype(np.int64) + number * _SEGMENT
        return SparseColumns(
            xp.asarray(np.append(begins, turned.indptr[-1]).astype(np.int64)),
            xp.asarray(turned.indices.astype(np.int32)),
            xp.asarray(turned.data.astype(self.values.dtype)),
            xp.asarray(columns.astype(np.int32)),
        )


@dataclass(frozen=True, eq=False)
class DeviceArithmetic:
    """See `BlockArithmetic`. Dense features are apart; `stored` has the labels then, else features and labels."""

    xp: Any
    stored: SparseRows
    dense: Table | None
    n_rows: int
    n_features: int
    n_labels: int
    bias_feature: float
    loss: Loss
    context: NDArray[np.uint32] | None = None

    @cached_property
    def seen(self) -> Table | None:
        """Which labels problems see (n_labels, width), made when it is first asked for."""
        if self.context is None:
            return None
        return self.xp.asarray(np.ascontiguousarray(labels_seen(self.context, self.n_labels).T))

    @property
    def n_columns(self) -> int:
        """Number of weights: features, labels, constant."""
        return self.n_features + self.n_labels + 1

    @property
    def _loss_code(self) -> int:
        return get_args(Loss).index(self.loss)

    def times(self, weights: Table) -> Table:
        """Scores of all rows."""
        stored = self.stored
        out = self.xp.empty((self.n_rows, weights.shape[1]), weights.dtype)
        lines = (stored.pointer, stored.columns, stored.values)
        _multiply(self.xp, lines, None, self.xp.ascontiguousarray(weights), out)
        if self.dense is not None:
            out += self.dense @ weights[: self.n_features]
        out += weights[-1] * weights.dtype.type(self.bias_feature)
        return out

    def collect(self, rows: Table, *, squared: bool = False) -> Table:
        """The transposed product of `times`; with the squares of all values if `squared`."""
        stored, bias = self.stored, self.bias_feature
        out = self.xp.zeros((self.n_columns, rows.shape[1]), rows.dtype)
        turned = stored.by_columns
        lines = (turned.pointer, turned.rows, turned.values)
        _multiply(self.xp, lines, turned.columns, self.xp.ascontiguousarray(rows), out, squared=squared)
        if self.dense is not None:
            out[: self.n_features] += (self.dense * self.dense if squared else self.dense).T @ rows
        out[-1] = rows.sum(axis=0) * rows.dtype.type(bias * bias if squared else bias)
        return self.hide(out)

    def hide(self, weights: Table) -> Table:
        """Set to zero, in place, the weights of labels that a problem does not see."""
        if self.n_labels:
            of_labels = weights[self.n_features : -1]
            of_labels *= 0 if self.seen is None else self.seen
        return weights

    def losses(self, scores: Table, costs: Table) -> Table:
        """The cost of each problem."""
        return _column_sums(self.xp, scores, costs, self._loss_code)

    def dots(self, left: Table, right: Table) -> Table:
        """Sums of products over every column."""
        return _column_sums(self.xp, left, right)

    def curve(self, scores: Table, costs: Table) -> EntryCurve | TableCurve:
        """The costs around the scores."""
        slope, curvature = _derivatives(self.xp, scores, costs, self._loss_code)
        if self.dense is None and self.loss == "squared_hinge":
            entries = _entries(self.xp, slope, curvature)
            if entries is not None:
                return EntryCurve(self, entries, scores.shape[1])
        return TableCurve(self, slope, curvature)

    def seeing(self, context: NDArray[np.uint32] | None) -> DeviceArithmetic:
        """The same for problems that see these labels."""
        return replace(self, context=context)

    def narrow(self, kept: NDArray[np.intp]) -> DeviceArithmetic:
        """The same for some of the problems."""
        if self.context is None:
            return self
        out = replace(self, context=self.context[kept])
        if "seen" in vars(self):  # on the device already
            vars(out)["seen"] = vars(self)["seen"][:, self.xp.asarray(kept)]
        return out

    def host(self, table: Table) -> Array:
        """A copy in main memory."""
        copied: Array = self.xp.asnumpy(table)
        return copied


@dataclass(frozen=True, eq=False)
class Entries:
    """Pairs of a problem and a row that matters to it, problem by problem, with both derivatives."""

    problems: Table
    rows: Table
    slope: Table
    curvature: Table


@dataclass(frozen=True, eq=False)
class EntryCurve:
    """See `Curve`: sums over the entries that matter."""

    arithmetic: DeviceArithmetic
    entries: Entries
    width: int

    def gradient(self) -> Table:
        """Derivatives by the weights."""
        return self._sum(self.entries.slope)

    def diagonal(self) -> Table:
        """The diagonal of the second derivatives."""
        return self._sum(self.entries.curvature, squared=True)

    def bend(self, weights: Table) -> Table:
        """Second derivatives times weights."""
        return self._sum(self.entries.curvature, weights)

    def _sum(self, factors: Table, weights: Table | None = None, *, squared: bool = False) -> Table:
        arithmetic, entries, xp = self.arithmetic, self.entries, self.arithmetic.xp
        stored, n_entries, dtype = arithmetic.stored, entries.rows.size, factors.dtype
        lines = xp.zeros((self.width, arithmetic.n_columns), dtype)
        given = None if weights is None else xp.ascontiguousarray(weights.T)
        if n_entries:
            kernel("collect", dtype.name)(
                (-(-n_entries // (_WARPS * _CHUNK)),),
                (32, _WARPS),
                (
                    *(stored.pointer, stored.columns, stored.values),
                    *(entries.problems, entries.rows, factors, np.int64(n_entries)),
                    np.uintp(0) if given is None else given,
                    *(np.int64(arithmetic.n_columns), dtype.type(arithmetic.bias_feature), np.int32(squared), lines),
                ),
            )
        return arithmetic.hide(xp.ascontiguousarray(lines.T))

    def keeps_signs(self, change: Table) -> NDArray[np.bool_]:
        """Of which problems no row's derivative changes its sign along a change of the scores."""
        entries, xp = self.entries, self.arithmetic.xp
        then = entries.slope + entries.curvature * change[entries.rows, entries.problems]
        turned = xp.bincount(entries.problems[entries.slope * then < 0], minlength=self.width)
        kept: NDArray[np.bool_] = self.arithmetic.host(turned) == 0
        return kept

    def narrow(self, kept: NDArray[np.intp]) -> EntryCurve:
        """The same for some of the problems."""
        xp, entries = self.arithmetic.xp, self.entries
        number = np.full(self.width, -1, np.int32)
        number[kept] = np.arange(kept.size)
        renumbered = xp.asarray(number)[entries.problems]
        there = xp.nonzero(renumbered >= 0)[0]
        left = Entries(renumbered[there], entries.rows[there], entries.slope[there], entries.curvature[there])
        return EntryCurve(self.arithmetic.narrow(kept), left, kept.size)


@dataclass(frozen=True, eq=False)
class TableCurve:
    """See `Curve`: first and second derivatives by the scores (n_rows, width)."""

    arithmetic: DeviceArithmetic
    slope: Table
    curvature: Table

    def gradient(self) -> Table:
        """Derivatives by the weights."""
        return self.arithmetic.collect(self.slope)

    def diagonal(self) -> Table:
        """The diagonal of the second derivatives."""
        return self.arithmetic.collect(self.curvature, squared=True)

    def bend(self, weights: Table) -> Table:
        """Second derivatives times weights."""
        return self.arithmetic.collect(self.curvature * self.arithmetic.times(weights))

    def keeps_signs(self, change: Table) -> NDArray[np.bool_]:
        """Of which problems no row's derivative changes its sign along a change of the scores."""
        kept = (self.slope * (self.slope + self.curvature * change) >= 0).all(axis=0)
        there: NDArray[np.bool_] = self.arithmetic.host(kept)
        return there

    def narrow(self, kept: NDArray[np.intp]) -> TableCurve:
        """The same for some of the problems."""
        numbers = self.arithmetic.xp.asarray(kept)
        return TableCurve(self.arithmetic.narrow(kept), self.slope[:, numbers], self.curvature[:, numbers])


def device_arithmetic(batch: Batch) -> DeviceArithmetic:
    """The arithmetic of a batch whose features have the precision that it is to have; the rows are copied once."""
    xp = cupy()
    features, dtype = batch.features, batch.features.values.dtype
    stored = features.matrix() if features.is_sparse else sparse.csr_array((batch.n_rows, features.n_features))
    return DeviceArithmetic(
        xp,
        _joined(xp, stored, batch.labels(), dtype) if batch.n_labels else _upload(xp, stored, dtype),
        None if features.is_sparse else xp.asarray(features.values),
        batch.n_rows,
        features.n_features,
        batch.n_labels,
        batch.bias_feature,
        batch.loss,
    )


def _upload(xp: Any, stored: CSR, dtype: DTypeLike) -> SparseRows:
    return SparseRows(
        xp.asarray(stored.indptr).astype(np.int64, copy=False),
        xp.asarray(stored.indices).astype(np.int32, copy=False),
        xp.asarray(stored.data).astype(dtype, copy=False),
        lambda: stored,
    )


def _joined(xp: Any, features: CSR, labels: CSR, dtype: DTypeLike) -> SparseRows:
    """Features, then labels: put together on the device, which is many times as fast."""
    left, right = _upload(xp, features, dtype), _upload(xp, labels, dtype)
    n_rows, size = features.shape[0], left.columns.size + right.columns.size
    out = SparseRows(
        left.pointer + right.pointer,
        xp.empty(size, np.int32),
        xp.empty(size, dtype),
        lambda: sparse.csr_array(sparse.hstack([features, labels])),
    )
    parts = (each for part in (left, right) for each in (part.pointer, part.columns, part.values))
    shape, number = np.int32(features.shape[1]), np.int64(n_rows)
    kernel("join_rows", np.dtype(dtype).name)(
        (-(-n_rows // _WARPS),), (32, _WARPS), (*parts, number, shape, out.pointer, out.columns, out.values)
    )
    return out


def _multiply(
    xp: Any,
    lines: tuple[Table, Table, Table],
    targets: Table | None,
    dense: Table,
    out: Table,
    *,
    squared: bool = False,
) -> None:
    """Lines of stored entries times a dense block, written to `out`, or added to it where lines have targets."""
    n_lines, width = lines[0].size - 1, dense.shape[1]
    if not n_lines:
        return
    kernel("multiply", dense.dtype.name)(
        (-(-n_lines // _WARPS), -(-width // 128)),
        (32, _WARPS),
        (
            *(*lines, np.int64(n_lines), np.uintp(0) if targets is None else targets),
            *(dense, np.int32(width), np.int32(squared), out),
        ),
    )


def _column_sums(xp: Any, left: Table, right: Table, loss: int = -1) -> Table:
    """Sums over every column of products, or of losses at scores with costs."""
    n_rows, width = left.shape
    n_parts = max(1, min(256, n_rows // 64))
    parts = xp.zeros((n_parts, width), np.float64)
    launch = kernel("column_sums", left.dtype.name)
    tables = (xp.ascontiguousarray(left), xp.ascontiguousarray(right))
    launch((-(-width // 32), n_parts), (32, 8), (*tables, np.int64(n_rows), np.int32(width), np.int32(loss), parts))
    return parts.sum(axis=0)


def _derivatives(xp: Any, scores: Table, costs: Table, loss: int) -> tuple[Table, Table]:
    """First and second derivatives of the costs by the scores."""
    slope, curvature, size = xp.empty_like(scores), xp.empty_like(scores), scores.size
    kernel("derivatives", scores.dtype.name)(
        (-(-size // 256),), (256, 1), (scores, costs, np.int64(size), np.int32(loss), slope, curvature)
    )
    return slope, curvature


def _entries(xp: Any, slope: Table, curvature: Table) -> Entries | None:
    """The entries that matter; None where they are many. Far on the wrong side a slope has next to no curvature."""
    matters = xp.ascontiguousarray(((curvature != 0) | (slope != 0)).T)
    if int(matters.sum()) > _MANY * matters.size:
        return None
    problems, rows = xp.nonzero(matters)
    return Entries(problems.astype(np.int32), rows.astype(np.int32), slope[rows, problems], curvature[rows, problems])


def cupy() -> Any:
    """The module, imported when a device is first asked for."""
    return import_module("cupy")


@cache
def kernel(name: str, dtype: str) -> Callable[..., None]:
    """A compiled kernel for values of that type, to be called with grid, block and arguments."""
    file = {"descend": "descent", "count_rows": "working_sets", "list_rows": "working_sets"}.get(name, "products")
    found: Callable[..., None] = _module(file, dtype).get_function(name)
    return found


@cache
def _module(file: str, dtype: str) -> Any:
    source = files("bncc.linear.cuda").joinpath(f"{file}.cu").read_text("utf-8")
    real = {"float32": "float", "float64": "double"}[dtype]
    options = ("-std=c++17", f"-DREAL={real}", f"-DCHUNK={_CHUNK}")
    return cupy().RawModule(code=source, options=options)
