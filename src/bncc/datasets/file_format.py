"""What the package must know of a file format: one frozen record, made beside the format's reader.

A format is one file that ends in such a record, and one entry in `bncc.datasets.formats.FORMATS`. Nothing else asks
what a file is by its suffix.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from bncc._typing import CSR
from bncc.datasets.column_table import ColumnTable
from bncc.datasets.dataset import Dataset

__all__ = ["Cells", "FileFormat", "FrameReader", "LabelsMean", "Writer"]

Cells: TypeAlias = Mapping[str, list[object]]  # by column, what the file holds: text, numbers, lists, None
Writer: TypeAlias = Callable[..., list[Path]]  # of a data set and a path; gives the files that it wrote
LabelsMean: TypeAlias = Literal["columns", "matrix", "rows"]


class FrameReader(Protocol):
    """Reads a table whose cells may be asked for as they are."""

    def __call__(
        self, file: Path, *, raw: Collection[str] = (), drop: Collection[str] = ()
    ) -> tuple[ColumnTable, Cells]:
        """The table, and the cells of the columns in `raw`; what columns in `drop` hold need not be understood."""


@dataclass(frozen=True)
class FileFormat:
    """A file format.

    Attributes
    ----------
    name : str
        What it is called in messages.
    suffixes : tuple of str
        Lower case, with the dot and without ``.gz``.
    read : callable ``(path, *, max_bytes, **options) -> Dataset``
    labels : {"columns", "matrix", "rows"}
        What the labels are in such a file, and so what `labels=` names: some of its columns, a matrix of its own, or
        (nothing to name) what each row begins with, so that only labels that occur are known.
    writers : mapping of names to callables ``(data, path) -> files written``
        By the name that `save` takes as `format`; the first is the one for these suffixes. One that marks names
        which a spreadsheet would run takes `raw_names` too.
    needs : tuple of str
        Packages that must be installed to read it, from the extra ``data``.
    read_table : callable ``(path) -> ColumnTable``, optional
        All columns by name, for rows whose labels are not there.
    read_frame : FrameReader, optional
        For tables as people have them, which may hold text; such a file does not say which columns are labels.
    read_names : callable ``(path) -> list of str``, optional
        The names of the columns alone, beside `read_frame`.
    read_features : callable ``(path) -> csr_array or None``, optional
        The features of rows whose labels are not there, where columns have no names; None for a file whose features
        cannot be had without its labels.
    recognises : callable ``(path) -> bool``, optional
        Whether a file is one of these, where its suffix is that of other files too (as notes beside the data).
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[..., Dataset]
    labels: LabelsMean
    writers: Mapping[str, Writer] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    read_table: Callable[[Path], ColumnTable] | None = None
    read_frame: FrameReader | None = None
    read_names: Callable[[Path], list[str]] | None = None
    read_features: Callable[[Path], CSR | None] | None = None
    recognises: Callable[[Path], bool] | None = None

    @property
    def write(self) -> Writer | None:
        """The writer for a path with one of the suffixes; None where the format is only read."""
        return next(iter(self.writers.values()), None)

    @property
    def options(self) -> list[str]:
        """What the reader takes beside the path, sorted."""
        return sorted(set(inspect.signature(self.read).parameters) - {"path"})

    @property
    def needs_labels(self) -> bool:
        """Whether the reader must be told the labels."""
        labels = inspect.signature(self.read).parameters.get("labels")
        return labels is not None and labels.default is inspect.Parameter.empty

    def check_installed(self) -> None:
        """Raise if a package that reading needs is not there."""
        absent = [package for package in self.needs if find_spec(package) is None]
        if absent:
            raise ImportError(f"{self.name} files need {', '.join(absent)}: pip install 'bncc[data]'.")
