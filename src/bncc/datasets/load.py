"""One door to all data: a name of the catalogue, a folder of that name, or any file by its format."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from bncc.datasets.bundled import bundled
from bncc.datasets.catalogue import catalogue, load_entry
from bncc.datasets.dataset import Dataset
from bncc.datasets.errors import MAX_BYTES
from bncc.datasets.file_format import FileFormat
from bncc.datasets.files import check_readable, plain_suffix
from bncc.datasets.formats import format_of, known_suffixes
from bncc.datasets.openml import fetch, fetchable, is_fetched

__all__ = ["available", "load"]


#: Names of columns, a count of them, the path of an XML file, or one name of a column or matrix.
LabelsOption: TypeAlias = int | str | os.PathLike[str] | Iterable[str] | None


def load(
    source: str | os.PathLike[str], *, labels: LabelsOption = None, max_bytes: int = MAX_BYTES, **options: Any
) -> Dataset:
    """Load a data set by name, by folder or by file.

    Some data sets come with the package (``load("songs")``; `bundled` has them all) and need nothing. Another name of
    the catalogue (``load("yeast")``) is looked up in the folder that the environment variable BNCC_DATA
    names; one that is not there and was once fetched comes from the cache of `fetch`. A path to a folder of such a name
    is read the same way. Any other path is read by its suffix, ``.gz``
    allowed for text formats:

    ============================  ====================================================  ========================
    suffix                        `labels`                                              further options
    ============================  ====================================================  ========================
    ``.arff``                     names, count, or XML file; default: XML, MEKA ``-C``  drop, one_hot
    ``.csv``, ``.tsv``            names, count, or the one column of tags               tag_separator, drop, one_hot,
                                                                                        delimiter, header, raw_names
    ``.parquet``, ``.jsonl``      names, count, or the one column of tags               tag_separator, drop, one_hot
    ``.mat``, ``.npz``            name of the label matrix                              features
    ``.npz`` of scipy.sparse      file of the label matrix; default: the one beside
    ``.svm``, ``.libsvm``         (in the file)                                         zero_based
    ``.txt``                      (in the file; `read_extreme`)
    ============================  ====================================================  ========================

    A count takes columns as a slice does: ``-6`` the last six, ``6`` the first six. A file that is not what its format
    asks for raises `MalformedFile` with line and remedy.

    No file is unpacked beyond `max_bytes`, over all its members together (1 GiB, or what the environment variable
    BNCC_MAX_BYTES says), and no cell or name beyond 1 MiB (or BNCC_MAX_CELL; in CSV 131,072 characters, the limit of
    Python's csv module, unless BNCC_MAX_CELL or `csv.field_size_limit` say more). Devices, pipes and sockets are not
    read.
    """
    path = Path(source)
    entry = catalogue().get(path.name)
    is_name = str(source) == path.name
    if is_name and labels is None and not options and not _has_folder(path.name) and is_fetched(path.name):
        return fetch(path.name)
    if is_name and path.name in bundled() and not (entry is not None and _has_folder(path.name)):
        return _load_bundled(path.name, labels, max_bytes, options)
    if entry is not None and (is_name or path.is_dir()):
        folder = _folder_of(path.name) if is_name else path
        given = {} if labels is None else {"labels": labels}
        return load_entry(entry, folder, max_bytes=max_bytes, **given, **options)
    file_format = _format_of(path, source)
    given = {**options, **({} if labels is None else {"labels": labels})}
    unknown = sorted(set(given) - set(file_format.options))
    if unknown:
        raise TypeError(f"`load` takes for {path.suffix} files the options {file_format.options}; got {unknown}.")
    if labels is None and file_format.needs_labels:
        raise ValueError(
            f"`labels` must say which columns of a {plain_suffix(path)} file are labels: their names, a count "
            "(-6 for the last six), or the name of one column of tags."
        )
    return file_format.read(path, max_bytes=max_bytes, **given)


def _load_bundled(name: str, labels: LabelsOption, max_bytes: int, options: Mapping[str, object]) -> Dataset:
    """A set of the package; what is read from a file takes the options of its format, what is drawn takes none."""
    given = {**options, **({} if labels is None else {"labels": labels})}
    found = bundled()[name]
    if given and not found.is_file:
        raise TypeError(f"`load({name!r})` takes no options: it is drawn, not read; got {sorted(given)}.")
    return found.make(max_bytes=max_bytes, **given) if found.is_file else found.make()


def available(folder: str | os.PathLike[str] | None = None) -> list[str]:
    """Names of the catalogue whose files are in a folder (by default the one that BNCC_DATA names)."""
    root = Path(folder) if folder is not None else _data_folder(None)
    return [
        name for name, entry in catalogue().items() if all((root / name / file).is_file() for file in entry.required)
    ]


def _has_folder(name: str) -> bool:
    return Path(name).exists() or (Path(os.environ.get("BNCC_DATA") or "absent") / name).is_dir()


def _folder_of(name: str) -> Path:
    """Where a data set known by name lies: in the data folder, or else in the working directory."""
    if Path(name).is_dir() and not (Path(os.environ.get("BNCC_DATA") or "absent") / name).is_dir():
        return Path(name)
    return _data_folder(name) / name


def _data_folder(name: str | None) -> Path:
    folder = os.environ.get("BNCC_DATA")
    wanted = f"`load({name!r})`" if name else "`available()`"
    if not folder:
        raise FileNotFoundError(
            f"{wanted} looks in the folder that the environment variable BNCC_DATA names, and it is not set. "
            f"Set it, or give a path{_fetching(name)}. These need nothing: {', '.join(bundled())}."
        )
    root = Path(folder)
    if name and not (root / name).is_dir():
        there = ", ".join(available(root)) or "none of the catalogue"
        raise FileNotFoundError(
            f"no folder {name!r} in BNCC_DATA ({folder}); there are: {there}. Give a path{_fetching(name)}. "
            f"These need nothing: {', '.join(bundled())}."
        )
    return root


def _fetching(name: str | None) -> str:
    return f", or fetch it from OpenML: bncc data fetch {name}" if name in fetchable() else ""


def _format_of(path: Path, source: str | os.PathLike[str]) -> FileFormat:
    file_format = format_of(path)
    if file_format is not None and not path.is_dir():
        check_readable(path)
        return file_format
    if path.is_dir():
        files = sorted(file.name for file in path.iterdir())[:12]
        raise ValueError(f"{path} is a folder that the catalogue does not know; give one of its files: {files}.")
    if path.exists():
        raise ValueError(f"the suffix of {path} says no known format; known are {', '.join(known_suffixes())}.")
    raise ValueError(
        f"no data set or file {str(source)!r}. The catalogue has: {', '.join(catalogue())}. "
        f"These come with the package: {', '.join(bundled())}."
    )
