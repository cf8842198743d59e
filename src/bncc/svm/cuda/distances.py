"""Squared distances on the device: held as a matrix where that fits, else formed from the points when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from bncc.svm.cuda.device import Device
from bncc.svm.points import Points

__all__ = ["DistanceSource", "cross_source", "forget", "source_of_rows"]

_BLOCK = 1 << 27  # doubles at most in a block of the product, and in a block of features
_SHARE = 0.5  # of the free memory that distances may take


@dataclass(frozen=True, eq=False)
class DistanceSource:
    """Where a kernel finds distances: `define` is its compile-time choice, `fields` are those of the task.

    `n_left` is the number of rows that distances are of: the known rows, or new ones.
    """

    define: int
    fields: dict[str, Any]
    n_left: int


_held: WeakKeyDictionary[Points, tuple[Device, DistanceSource]] = WeakKeyDictionary()


def source_of_rows(device: Device, points: Points) -> DistanceSource:
    """Distances between all rows; the last ones are kept on the device while their points live."""
    kept = _held.get(points)
    if kept is not None and kept[0] is device:
        return kept[1]
    forget()
    if 4 * points.n_rows**2 <= _SHARE * device.free_memory():
        source = DistanceSource(0, {"d2": _distances(device, points, points)}, points.n_rows)
    else:
        source = _on_demand(device, points)
    _held[points] = (device, source)
    return source


def forget() -> None:
    """Give back the memory of the distances that are kept."""
    _held.clear()


def cross_source(device: Device, left: Points, right: Points) -> DistanceSource:
    """Distances of new rows to known ones, held."""
    return DistanceSource(0, {"d2": _distances(device, left, right)}, left.n_rows)


def _on_demand(device: Device, points: Points) -> DistanceSource:
    if points.by_row is None:
        fields = {"points": device.upload(points.values().T), "n_features": points.n_features}
        return DistanceSource(1, fields, points.n_rows)
    rows = points.by_row.sorted_indices()
    fields = {"indptr": rows.indptr.astype(np.int64), "indices": rows.indices.astype(np.int32), "values": rows.data}
    return DistanceSource(2, {name: device.upload(value) for name, value in fields.items()}, points.n_rows)


def _distances(device: Device, left: Points, right: Points) -> Any:
    """|a|^2 + |b|^2 - 2 ab in double; what cancels to within its rounding is a duplicate."""
    xp = device.xp
    out = xp.empty((left.n_rows, right.n_rows), np.float32)
    theirs = _Features(device, right)
    ours = theirs if left is right else _Features(device, left)
    block = _block(device)
    step = max(1, block // max(1, right.n_rows))
    for start in range(0, left.n_rows, step):
        rows = slice(start, min(start + step, left.n_rows))
        product = xp.zeros((rows.stop - rows.start, right.n_rows))
        scale = xp.zeros_like(product)
        for features in _parts(left, right, block):
            a, b = ours.part(features)[rows], theirs.part(features)
            product += a @ b.T
            scale += (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1)[None, :]
        product *= -2.0
        product += scale
        product[product < 1e-13 * scale] = 0.0
        out[rows] = product
    if left is right:
        xp.fill_diagonal(out, 0.0)
    return out


def _block(device: Device) -> int:
    """Doubles in a block: about five blocks live at a time, and each may take an eighth of the free memory."""
    return min(_BLOCK, device.free_memory() // 64)


def _parts(left: Points, right: Points, block: int) -> list[slice]:
    step = max(1, block // max(1, left.n_rows, right.n_rows))
    return [slice(start, start + step) for start in range(0, left.n_features, step)]


class _Features:
    """Columns of the points on the device, dense and in double; the last part asked for is kept."""

    def __init__(self, device: Device, points: Points) -> None:
        self.device, self.points = device, points
        self.whole = device.upload(points.values()) if points.by_row is None else None
        self.last: tuple[int, Any] | None = None

    def part(self, features: slice) -> Any:
        if self.last is None or self.last[0] != features.start:
            self.last = (features.start, self._make(features))
        return self.last[1]

    def _make(self, features: slice) -> Any:
        if self.whole is not None:
            return self.whole[:, features].astype(np.float64)
        columns = self.points.by_column
        stop = min(features.stop, self.points.n_features)
        begin, end = int(columns.indptr[features.start]), int(columns.indptr[stop])
        each = np.repeat(np.arange(stop - features.start), np.diff(columns.indptr[features.start : stop + 1]))
        out = self.device.xp.zeros((self.points.n_rows, stop - features.start))
        upload = self.device.upload
        out[upload(columns.indices[begin:end]), upload(each)] = upload(columns.data[begin:end].astype(np.float64))
        return out
