"""The data sets this package knows by name: files, figures and hashes, kept in ``catalogue.toml``."""

from __future__ import annotations

import functools
import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from bncc._typing import Longs
from bncc.datasets.dataset import Dataset
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.files import read_bytes
from bncc.datasets.formats import format_of

__all__ = ["Entry", "Figures", "catalogue", "load_entry"]


@dataclass(frozen=True)
class Figures:
    """What a data set must load to: rows N, features d, labels M, and Card and AvgIR to three decimals."""

    n_rows: int
    n_features: int
    n_labels: int
    cardinality: float
    mean_imbalance: float


@dataclass(frozen=True)
class Entry:
    """One data set of the catalogue; file names are relative to the folder of that name."""

    name: str
    title: str
    figures: Figures
    file: str | None = None
    train: str | None = None
    test: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    sha256: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""
    openml: int | None = None
    note: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The files of the split, train first; where there is a whole file beside them they may be absent."""
        return tuple(name for name in (self.train, self.test) if name is not None)

    @property
    def required(self) -> tuple[str, ...]:
        """The files without which the data set cannot be loaded."""
        return tuple(name for name in self.sha256 if self.file is None or name not in self.parts)


@functools.cache
def catalogue() -> Mapping[str, Entry]:
    """All entries by name, in alphabetical order.

    >>> catalogue()["yeast"].figures.n_labels
    14
    """
    text = resources.files("bncc.datasets").joinpath("catalogue.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)
    return {
        name: Entry(name=name, **{**entries[name], "figures": Figures(**entries[name]["figures"])})
        for name in sorted(entries)
    }


def load_entry(entry: Entry, folder: Path, *, max_bytes: int = MAX_BYTES, **options: Any) -> Dataset:
    """Load a data set of the catalogue from its folder: files checked by hash, parts joined, the split restored."""
    has_parts = entry.file is None or all((folder / name).is_file() for name in entry.parts)
    for name, expected in entry.sha256.items():
        if has_parts or name not in entry.parts:
            _check_hash(folder / name, expected, max_bytes)

    def read(name: str) -> Dataset:
        given = {**entry.options, **options}
        if isinstance(given.get("labels"), str) and given["labels"].endswith(".xml"):
            given["labels"] = folder / given["labels"]
        file_format = format_of(Path(name))
        if file_format is None:
            raise ValueError(f"the catalogue names {name!r}, whose suffix says no known format.")
        return file_format.read(folder / name, max_bytes=max_bytes, **given)

    parts = [read(part) for part in entry.parts] if has_parts else []
    whole = read(entry.file) if entry.file is not None else _join(parts)
    whole = replace(whole, name=entry.name, source=str(folder))
    if not parts:
        return whole
    train, test = _find_rows(whole, parts)
    return replace(whole, train=train, test=test)


def _check_hash(path: Path, expected: str, max_bytes: int) -> None:
    sha256 = hashlib.sha256(read_bytes(path, max_bytes)).hexdigest()
    if sha256 != expected:
        raise MalformedFile(
            path,
            None,
            f"not the file that the catalogue knows (sha256 {sha256[:12]}..., not {expected[:12]}...).",
            f"Get the file again, or read it as it is: load({str(path)!r}).",
        )


def _join(parts: list[Dataset]) -> Dataset:
    first = parts[0]
    stack = sparse.vstack if sparse.issparse(first.X) else np.vstack
    X = stack([part.X for part in parts])
    X = sparse.csr_array(X) if sparse.issparse(X) else X
    return replace(first, X=X, Y_sparse=sparse.csr_array(sparse.vstack([part.Y_sparse for part in parts])))


def _find_rows(whole: Dataset, parts: list[Dataset]) -> list[Longs]:
    """Where the rows of each part stand in the whole; equal rows are taken in order of their appearance."""
    rows_of_key: dict[bytes, list[int]] = {}
    for row, key in reversed(list(enumerate(_row_keys(whole)))):
        rows_of_key.setdefault(key, []).append(row)
    out = []
    for part in parts:
        try:
            out.append(np.array([rows_of_key[key].pop() for key in _row_keys(part)], np.int64))
        except (KeyError, IndexError):
            raise MalformedFile(part.source, None, f"a row of this part is not in {whole.source}.") from None
    return out


def _row_keys(data: Dataset) -> list[bytes]:
    keys = []
    X, Y = sparse.csr_array(data.X), data.Y_sparse
    for row in range(data.n_rows):
        a, b = X.indptr[row], X.indptr[row + 1]
        c, d = Y.indptr[row], Y.indptr[row + 1]
        keys.append(b"".join(part.tobytes() for part in (X.indices[a:b], X.data[a:b], Y.indices[c:d])) + bytes([0]))
    return keys
