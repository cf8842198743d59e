"""NumPy archives (``.npz``): `X`, `Y` and optionally names and a split, or a sparse matrix with its labels beside."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from bncc._atomic import written_whole
from bncc._typing import Array
from bncc.datasets.array_archive import ArrayArchive
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.file_format import FileFormat
from bncc.datasets.files import plain_stem
from bncc.datasets.sparse_archive import (
    holds_sparse_matrix,
    read_sparse_archive,
    read_sparse_features,
    write_sparse_archive,
)

__all__ = ["FORMAT", "read_numpy", "write_numpy"]


def read_numpy(
    path: str | os.PathLike[str],
    *,
    features: str = "X",
    labels: str | os.PathLike[str] = "Y",
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a NumPy archive: arrays `features` and `labels`, and where present `feature_names`, `label_names`,
    and a split as `n_train` (so many rows first) or as row numbers `train` and `test`.

    What `scipy.sparse.save_npz` wrote is one sparse matrix, the features. Its labels are another such file (or an
    archive with an array `Y`): the one that `labels` names, else ``posts-labels.npz`` beside ``posts.npz``, and
    ``Y.npz`` beside ``X.npz``.
    """
    file = Path(path)
    arrays = ArrayArchive(file, max_bytes)
    if holds_sparse_matrix(arrays):
        return read_sparse_archive(arrays, None if labels == "Y" else labels, max_bytes)
    labels = os.fspath(labels)
    X, Y = arrays.matrix(features), arrays.matrix(labels)
    if X.shape[0] != Y.shape[0]:
        raise MalformedFile(file, None, f"{features!r} has {X.shape[0]} rows, {labels!r} has {Y.shape[0]}.")
    train, test = _split(arrays, X.shape[0])
    try:
        return make_dataset(
            X,
            np.where(Y == -1, 0, Y),
            feature_names=arrays.names("feature_names"),
            label_names=arrays.names("label_names"),
            name=plain_stem(file),
            source=str(file),
            train=train,
            test=test,
        )
    except ValueError as error:
        raise MalformedFile(file, None, str(error), "Write the archive again.") from None


def _split(arrays: ArrayArchive, n_rows: int) -> tuple[Array | None, Array | None]:
    if "n_train" in arrays.members:
        count = arrays.read("n_train")
        if count.size != 1 or count.dtype.kind not in "iu" or not 0 <= int(count.reshape(())) <= n_rows:
            raise MalformedFile(arrays.file, None, f"'n_train' must be a whole number from 0 to {n_rows}.")
        first = int(count.reshape(()))
        return np.arange(first), np.arange(first, n_rows)
    parts = [arrays.read(name) if name in arrays.members else None for name in ("train", "test")]
    for part in parts:
        if part is not None and part.dtype.kind not in "iu":
            raise MalformedFile(arrays.file, None, "'train' and 'test' must be arrays of row numbers.")
    return parts[0], parts[1]


def write_numpy(data: Dataset, file: Path) -> list[Path]:
    """Dense features: one archive with `X`, `Y` and names. Sparse ones: two files, as `write_sparse_archive` says."""
    if file.suffix.lower() == ".gz":
        raise ValueError(f"a NumPy archive is packed already; leave out .gz: {file.name!r}.")
    if not isinstance(data.X, np.ndarray):
        return write_sparse_archive(data, file)
    arrays: dict[str, Any] = {"X": data.X, "Y": data.Y}
    arrays |= {"feature_names": np.array(data.feature_names, str), "label_names": np.array(data.label_names, str)}
    with written_whole(file) as draft, draft.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
    return [file]


FORMAT = FileFormat(
    name="NumPy",
    suffixes=(".npz",),
    read=read_numpy,
    labels="matrix",
    writers={"numpy": write_numpy},
    read_features=read_sparse_features,
)
