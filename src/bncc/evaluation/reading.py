"""Reading whatever people have: files of any known format, a folder with train and test, or a catalogue name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bncc.datasets import Dataset, catalogue, load
from bncc.datasets.alike import read_features_like
from bncc.datasets.files import shorten, which_columns
from bncc.datasets.formats import format_of, is_data_file
from bncc.datasets.frames import Frame, column_names, is_frame, is_label_column, read_frame, read_table
from bncc.evaluation.joining import join_parts
from bncc.evaluation.labelled import (
    ColumnKind,
    LabelledData,
    Schema,
    as_labelled,
    column_kinds,
    kinds_settings,
    tidy_table,
)
from bncc.tables import TableFeatures

__all__ = ["LabelColumns", "Reading", "load_dataset", "name_columns", "parse_labels", "read_features", "read_labelled"]

LabelColumns = int | str | os.PathLike[str] | Sequence[str] | None
"""A count (-6: the last six columns), names, names in one text with commas between them, one column of tags, or a
Mulan XML file; None where the format says it itself."""


@dataclass(frozen=True)
class Reading:
    """How data are to be read.

    Attributes
    ----------
    labels : see below, default=None
        A count (-6: the last six columns), names (a list, or one text with commas between them), one column of tags,
        or a Mulan XML file; None where the format says it itself.
    text, drop : names of columns
        Free text, in tables; columns that are neither feature nor label. A list, or one text with commas between names.
    tag_separator : str or None, default=None
        Between the tags of a column of tags; None: it is found.
    features : str or None
        Name of the feature matrix in a .mat or .npz file.
    featureless : bool, default=False
        Whether only labels are wanted: a table may have no feature at all, and what its other columns hold is not
        asked.
    category, number, date : names of columns
        What columns of a table are read as, whatever is found.
    """

    labels: LabelColumns = None
    text: Sequence[str] = ()
    drop: Sequence[str] = ()
    tag_separator: str | None = None
    features: str | None = None
    featureless: bool = False
    category: Sequence[str] = ()
    number: Sequence[str] = ()
    date: Sequence[str] = ()


def read_labelled(data: str | os.PathLike[str], reading: Reading | None = None) -> LabelledData:
    """Read a file, a folder with a training and a test file, or a name of the catalogue, with its labels.

    CSV, TSV and Parquet files keep their columns as a DataFrame of numbers, categories and text (needs pandas); other
    formats are a matrix of numbers.

    >>> from bncc.datasets import make_scenes, save
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = save(make_scenes(20), f"{folder}/photos.csv")
    ...     data = read_labelled(f"{folder}/photos.csv", Reading(labels=-10))
    >>> data.name, data.X.shape, data.label_names[:2]
    ('photos', (20, 24), ('Rural', 'Village'))
    """
    path, reading = Path(data), reading or Reading()
    if path.is_dir() and path.name not in catalogue():
        return _read_folder(path, reading)
    if path.is_file() and is_frame(path):
        return _read_table(path, reading)
    return as_labelled(load_dataset(str(data), reading))


def read_features(data: str | os.PathLike[str], schema: Schema, reading: Reading | None = None) -> Any:
    """The features of other data as a model knows them from its schema; labels need not be there."""
    path, reading = Path(data), reading or Reading()
    if path.is_dir() and path.name not in catalogue():
        raise ValueError(f"{path} is a folder; give the one file of it whose rows are to be predicted.")
    if schema["kind"] == "table":
        if not path.exists():
            raise FileNotFoundError(f"no file {path}; check the path.")
        if not is_frame(path):
            raise ValueError(
                f"this model learned from a table with named columns; got {path.name!r}. Give a .csv, .tsv or .parquet "
                "file with the same columns."
            )
        return read_table(path, columns=schema["columns"])
    return read_features_like(str(data), schema["features"], schema["categories"], **_load_options(path, reading))


def load_dataset(data: str, reading: Reading) -> Dataset:
    """Data as `bncc.datasets.load` reads it."""
    for option in ("text", "category", "number", "date"):
        if getattr(reading, option):
            raise ValueError(f"`{option}=` is for .csv, .tsv and .parquet files; got {data!r}.")
    try:
        return load(data, **_load_options(Path(data), reading))
    except TypeError as error:
        raise ValueError(f"these options do not fit {data!r}: {error}") from None


def parse_labels(labels: LabelColumns) -> int | str | Path | list[str] | None:
    """A count, the path of an XML file, a list of names, one name, or None.

    >>> parse_labels("-6"), parse_labels("rain, wind"), parse_labels(["tags"]), parse_labels(["a,b", "c"])
    (-6, ['rain', 'wind'], 'tags', ['a,b', 'c'])
    """
    if isinstance(labels, int):
        return labels
    names = _label_words(labels)
    if len(names) != 1:
        return names or None
    only = names[0]
    if re.fullmatch(r"[+-]?\d+", only.strip()):
        return int(only)
    if only.lower().endswith(".xml"):
        return Path(only)
    if "," in only:
        return [name.strip() for name in only.split(",") if name.strip()]
    return only


def _label_words(labels: str | os.PathLike[str] | Sequence[str] | None) -> list[str]:
    if labels is None:
        return []
    return [os.fspath(labels)] if isinstance(labels, str | os.PathLike) else list(labels)


def _find_labels(path: Path, reading: Reading) -> int | str | Path | list[str] | None:
    """As `parse_labels`; in a table, one name may hold a comma."""
    labels = parse_labels(reading.labels)
    if not isinstance(labels, list) or isinstance(reading.labels, int) or not is_frame(path):
        return labels
    words = _label_words(reading.labels)
    if labels == words:
        return labels
    known = column_names(path)
    if words[0] in known:
        return words[0]
    absent = [name for name in labels if name not in known]
    if absent:
        raise ValueError(
            f"{path}: no column is named {', '.join(map(shorten, absent[:5]))}. {which_columns(known, absent[0])} "
            "Names that hold commas go into a list: labels=['rain, heavy', 'wind']."
        )
    return labels


def _load_options(path: Path, reading: Reading) -> dict[str, Any]:
    file_format = format_of(path)
    names_matrix = file_format is not None and file_format.labels == "matrix"
    labels = _find_labels(path, reading)
    if isinstance(labels, str) and not names_matrix and not _holds_tags(path, labels):
        labels = [labels]
    separator = reading.tag_separator if isinstance(labels, str) and is_frame(path) else None
    options: dict[str, Any] = {"labels": labels, "drop": _drop_names(path, reading) or None}
    options["features"] = reading.features
    options |= {"tag_separator": separator}
    return {name: value for name, value in options.items() if value is not None}


def _holds_tags(path: Path, name: str) -> bool:
    return path.is_file() and is_frame(path) and not is_label_column(path, name)


def _drop_names(path: Path, reading: Reading) -> list[str]:
    return name_columns(reading.drop, column_names(path) if path.is_file() and is_frame(path) else ())


def name_columns(names: Sequence[str] | str, known: Sequence[str]) -> list[str]:
    """Names of columns from a list in which one text may hold several, with commas between them.

    >>> name_columns(["id, day", "rain, heavy"], ["id", "day", "rain, heavy"])
    ['id', 'day', 'rain, heavy']
    """
    listed = [names] if isinstance(names, str) else list(names)
    out: list[str] = []
    for name in listed:
        whole = name in known or "," not in name
        out += [name] if whole else [part.strip() for part in name.split(",") if part.strip()]
    return out


def _read_table(path: Path, reading: Reading, like: LabelledData | None = None) -> LabelledData:
    """A table with its labels; `like` is one whose columns say what those of this one are."""
    frame = _read_frame(path, reading)
    Y = _label_frame(frame)
    if reading.featureless:
        return LabelledData(frame.name, frame.source, frame.X, Y, {"kind": "table", "columns": {}})
    features, X = _table_features(path, reading), frame.X
    if like is not None:
        columns = _table_columns(like)
        absent = [name for name in columns if name not in X]
        if absent:
            raise ValueError(f"{path}: the columns {', '.join(map(shorten, absent[:5]))} of {like.name} are missing.")
        features, X = kinds_settings(columns), X[list(columns)]
    try:
        tidied, decisions = tidy_table(X, features)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if not decisions.kinds():
        raise ValueError(
            f"{path}: no column can be a feature: all are empty, labels or dropped. Name one with "
            "`text=`, `category=` or `number=`."
        )
    schema: Schema = {"kind": "table", "columns": column_kinds(decisions)}
    return LabelledData(frame.name, frame.source, tidied, Y, schema, decisions=decisions)


def _label_frame(frame: Frame) -> Any:
    import pandas as pd

    Y = pd.DataFrame(frame.Y.toarray(), columns=list(frame.label_names))
    return Y if frame.unknown is None else Y.astype(np.float64).mask(frame.unknown.toarray() != 0)


def _table_columns(data: LabelledData) -> Mapping[str, ColumnKind]:
    return data.schema["columns"] if data.schema["kind"] == "table" else {}


def _read_frame(path: Path, reading: Reading) -> Frame:
    labels = _find_labels(path, reading)
    if labels is None:
        raise ValueError(
            f"nothing says which columns of {path.name} are labels. Add `labels=`: names, a count (-6 for the last "
            "six), or one column of tags."
        )
    if isinstance(labels, Path):
        from bncc.datasets.mulan import read_label_names

        labels = list(read_label_names(labels))
    return read_frame(
        path,
        labels=labels,
        drop=_drop_names(path, reading),
        tag_separator=reading.tag_separator,
        featureless=reading.featureless,
    )


def _table_features(path: Path, reading: Reading) -> TableFeatures:
    known = column_names(path)
    return TableFeatures(
        text=name_columns(reading.text, known),
        category=name_columns(reading.category, known),
        number=name_columns(reading.number, known),
        date=name_columns(reading.date, known),
    )


def _read_folder(folder: Path, reading: Reading) -> LabelledData:
    """A folder with one file for training and one for testing, or with a single data file."""
    files = [file for file in sorted(folder.iterdir()) if is_data_file(file)]
    parts = [[file for file in files if word in file.name.lower()] for word in ("train", "test")]
    if len(parts[0]) == len(parts[1]) == 1:
        return _read_parts(folder, parts[0][0], parts[1][0], reading)
    if len(files) == 1:
        return read_labelled(files[0], reading)
    shown = ", ".join(file.name for file in files[:12]) or "no data file"
    raise ValueError(
        f"{folder} must hold one data file with 'train' in its name and one with 'test', or a single one; got {shown}."
    )


def _read_parts(folder: Path, train_file: Path, test_file: Path, reading: Reading) -> LabelledData:
    train = read_labelled(train_file, reading)
    if train.schema["kind"] == "table":
        test = _read_table(test_file, reading, replace(train, name=train_file.name))
    else:
        test = read_labelled(test_file, reading)
    named = [replace(part, name=file.name) for part, file in ((train, train_file), (test, test_file))]
    joined = join_parts(named[0], named[1], open_labels=_names_what_occurs(train_file, reading))
    return replace(joined, name=folder.resolve().name, origin=str(folder))


def _names_what_occurs(file: Path, reading: Reading) -> bool:
    """Whether a file names only the labels that occur in it."""
    file_format = format_of(file)
    in_rows = file_format is not None and file_format.labels == "rows"
    return in_rows or isinstance(parse_labels(reading.labels), str)
