"""Reading whatever people have: files of any known format, a folder with train and test, or a catalogue name."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bncc._typing import CSR, DataFrame, Floats, Matrix, Table
from bncc.datasets import BundledTable, Dataset, catalogue, load
from bncc.datasets.alike import read_features_like
from bncc.datasets.files import shorten, which_columns
from bncc.datasets.formats import format_of
from bncc.datasets.frames import Frame, column_names, is_frame, is_label_column, read_frame, read_table
from bncc.evaluation.bundled_tables import bundled_table, table_file
from bncc.evaluation.folder_parts import find_parts
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
from bncc.evaluation.leaks import LeakWarning, find_leaks
from bncc.evaluation.row_origin import parse_times
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
    group : str or None, default=None
        The column that says what a row belongs to; rows of one value stay together in every fold.
    time : str or None, default=None
        The column that says when a row is from, in numbers or dates; tests are on later rows. Neither is a feature.
    warn_of_leaks : bool, default=False
        Whether to look for columns of a table that give labels away (`find_leaks`), unless there is a `group`.
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
    group: str | None = None
    time: str | None = None
    warn_of_leaks: bool = False

    @property
    def apart(self) -> list[str]:
        """The columns that say where a row is from, and are no features."""
        return [name for name in (self.group, self.time) if name is not None]


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
    if (table := bundled_table(data)) is not None:
        with table_file(table, path.name) as file:
            return replace(_read_table(file, _reading_of(table, reading)), origin="generated")
    if path.is_dir() and path.name not in catalogue():
        return _read_folder(path, reading)
    if path.is_file() and is_frame(path):
        return _read_table(path, reading)
    return _with_origin(as_labelled(load_dataset(str(data), reading)), reading)


def read_features(data: str | os.PathLike[str], schema: Schema, reading: Reading | None = None) -> Any:
    """The features of other data as a model knows them from its schema; labels need not be there."""
    path, reading = Path(data), reading or Reading()
    if (table := bundled_table(data)) is not None and schema["kind"] == "table":
        with table_file(table, path.name) as file:
            return _read_columns(file, schema["columns"])
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
        return _read_columns(path, schema["columns"])
    return read_features_like(str(data), schema["features"], schema["categories"], **_load_options(path, reading))


def _read_columns(path: Path, columns: Iterable[str]) -> Table:
    """The columns of a file that a model learned from, as far as it has them: one at least."""
    table, wanted = read_table(path, columns=columns), list(columns)
    if wanted and not table.shape[1]:
        raise ValueError(
            f"{path}: none of the columns that the model learned from is there: {', '.join(map(shorten, wanted[:8]))}. "
            f"The file has {', '.join(map(shorten, column_names(path)[:8]))}."
        )
    return table


def load_dataset(data: str, reading: Reading) -> Dataset:
    """Data as `bncc.datasets.load` reads it."""
    for option in ("text", "category", "number", "date"):
        if getattr(reading, option):
            raise ValueError(f"`{option}=` is for .csv, .tsv and .parquet files; got {data!r}.")
    try:
        return load(data, **_load_options(Path(data), reading))
    except TypeError as error:
        raise ValueError(f"these options do not fit {data!r}: {error}") from None


def _reading_of(table: BundledTable, reading: Reading) -> Reading:
    """Labels that are left out are those of the table."""
    if reading.labels is not None:
        return reading
    return replace(reading, labels=[table.labels], tag_separator=reading.tag_separator or table.tag_separator)


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
    holds_comma = any("," in name for name in ([reading.drop] if isinstance(reading.drop, str) else reading.drop))
    return name_columns(reading.drop, _known_columns(path) if holds_comma and path.is_file() else ())


def _known_columns(path: Path) -> list[str]:
    """The names of the columns of a file, where its format has names."""
    file_format = format_of(path)
    if file_format is None or file_format.read_table is None:
        return []
    return column_names(path) if is_frame(path) else [each.name for each in file_format.read_table(path).columns]


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
        _check_names(path, name_columns([*reading.text], list(frame.X)), list(frame.X))
        return LabelledData(frame.name, frame.source, frame.X, Y, {"kind": "table", "columns": {}})
    features, X = _table_features(path, reading), frame.X
    groups, times = _row_origin(path, X, reading)
    if reading.warn_of_leaks and reading.group is None:
        _warn_of_leaks(path, X.drop(columns=reading.apart), frame.Y, _drop_names(path, reading))
    X = X.drop(columns=reading.apart)
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
    data = LabelledData(frame.name, frame.source, tidied, Y, schema, decisions=decisions)
    return replace(data, groups=groups, times=times)


def _check_names(path: Path, names: Sequence[str], known: Sequence[str]) -> None:
    absent = [name for name in names if name not in known]
    if absent:
        raise ValueError(f"{path.name}: no column is named {shorten(absent[0])}. {which_columns(known, absent[0])}")


def _row_origin(path: Path, X: DataFrame, reading: Reading) -> tuple[list[object] | None, Floats | None]:
    """Groups and times of the rows of a table."""
    columns: Any = X
    known = list(columns)
    _check_names(path, reading.apart, known)
    groups = None if reading.group is None else columns[reading.group].tolist()
    return groups, None if reading.time is None else parse_times(columns[reading.time].tolist(), reading.time)


def _warn_of_leaks(path: Path, X: DataFrame, Y: CSR, dropped: Sequence[str]) -> None:
    """Say which columns give labels away, also those that are no features: other columns may know them too."""
    tables: list[Any] = [X, *([read_table(path, columns=dropped)] if dropped else [])]
    columns = {name: table[name] for table in tables for name in table}
    for leak in find_leaks(columns, Y):
        warnings.warn(str(leak), LeakWarning, stacklevel=4)


def _with_origin(data: LabelledData, reading: Reading) -> LabelledData:
    """A matrix whose columns of groups and times are no features any more."""
    if not reading.apart or data.schema["kind"] != "matrix":
        return data
    names = data.schema["features"]
    absent = [name for name in reading.apart if name not in names]
    if absent:
        raise ValueError(f"{data.name}: no column is named {shorten(absent[0])}. {which_columns(names, absent[0])}")
    cells = {name: _column(data.X, names.index(name)) for name in reading.apart}
    left = [i for i, name in enumerate(names) if name not in reading.apart]
    return replace(
        data,
        X=data.X[:, left],
        schema={**data.schema, "features": [names[i] for i in left]},
        groups=None if reading.group is None else cells[reading.group],
        times=None if reading.time is None else parse_times(cells[reading.time], reading.time),
    )


def _column(X: Matrix, column: int) -> list[float]:
    values = X[:, [column]]
    return (values if isinstance(values, np.ndarray) else values.toarray()).ravel().tolist()


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
    """A folder with files for training and for testing, or with a single data file."""
    parts = find_parts(folder)
    if not parts.test:
        return read_labelled(parts.train[0], reading)
    train = _read_shards(parts.train, reading)
    test = _read_shards(parts.test, reading, train)
    joined = join_parts(train, test, open_labels=_names_what_occurs(parts.train[0], reading))
    return replace(joined, name=folder.resolve().name, origin=str(folder))


def _read_shards(files: Sequence[Path], reading: Reading, like: LabelledData | None = None) -> LabelledData:
    """The rows of several files, in the order of their names; columns are read as in the first, or as in `like`."""
    rows: LabelledData | None = None
    for file in files:
        is_table = like is not None and like.schema["kind"] == "table"
        part = _read_table(file, reading, like) if is_table else read_labelled(file, reading)
        part = replace(part, name=file.name)
        like = like or part
        if rows is not None:
            part = replace(join_parts(rows, part, open_labels=_names_what_occurs(file, reading)), train=None, test=None)
        rows = part
    if rows is None:
        raise ValueError("there is no file to read.")
    return rows


def _names_what_occurs(file: Path, reading: Reading) -> bool:
    """Whether a file names only the labels that occur in it."""
    file_format = format_of(file)
    in_rows = file_format is not None and file_format.labels == "rows"
    return in_rows or isinstance(parse_labels(reading.labels), str)
