"""The file formats: one record each, and which of them a path is in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bncc.datasets import arff, delimited, extreme, json_lines, libsvm, mat, numpy_archive, parquet
from bncc.datasets.file_format import FileFormat, FrameReader, Writer
from bncc.datasets.files import plain_suffix

__all__ = ["FORMATS", "format_of", "frame_reader", "is_data_file", "known_suffixes", "writers"]

#: All formats; a new one is a file with its reader and its record, and an entry here.
FORMATS: tuple[FileFormat, ...] = (
    arff.FORMAT,
    mat.FORMAT,
    numpy_archive.FORMAT,
    delimited.FORMAT,
    parquet.FORMAT,
    json_lines.FORMAT,
    libsvm.FORMAT,
    extreme.FORMAT,
)


def format_of(path: Path) -> FileFormat | None:
    """The format that the suffix of a path says, ``.gz`` aside; None if it says none.

    >>> format_of(Path("scene-train.arff.gz")).name
    'ARFF'
    """
    suffix = plain_suffix(path)
    return next((known for known in FORMATS if suffix in known.suffixes), None)


def is_data_file(path: Path) -> bool:
    """Whether a path is a file in one of the formats; a suffix that other files have too does not decide alone."""
    known = format_of(path) if path.is_file() else None
    return known is not None and (known.recognises is None or known.recognises(path))


def frame_reader(path: Path) -> FrameReader | None:
    """What reads a path as a table of numbers, categories and text; None if its format is none of those."""
    known = format_of(path)
    return None if known is None else known.read_frame


def known_suffixes(*, written: bool = False) -> tuple[str, ...]:
    """The suffixes of all formats, or of those that can be written.

    >>> known_suffixes(written=True)
    ('.arff', '.npz', '.csv', '.tsv', '.parquet', '.svm', '.libsvm', '.svmlight', '.txt')
    """
    return tuple(suffix for known in FORMATS if known.writers or not written for suffix in known.suffixes)


def writers() -> Mapping[str, Writer]:
    """All writers, by the name that `save` takes as `format`."""
    return {name: writer for known in FORMATS for name, writer in known.writers.items()}
