"""Reading DATA, whatever people have: files of any known format, a folder with train and test, or a catalogue name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc.datasets import Dataset, catalogue, load
from bncc.datasets.alike import read_features_like
from bncc.datasets.files import shorten, which_columns
from bncc.datasets.formats import format_of
from bncc.datasets.frames import Frame, column_names, is_frame, is_label_column, read_frame, read_frame_like

__all__ = [
    "Reading",
    "Source",
    "check_output",
    "load_dataset",
    "read_rows",
    "read_source",
    "source_of",
    "take",
]


@dataclass(frozen=True)
class Reading:
    """How the caller wants DATA to be read."""

    labels: Sequence[str] | None = None
    text: Sequence[str] = ()
    drop: Sequence[str] = ()
    tag_separator: str = ","
    features: str | None = None
    featureless: bool = False
    """Whether a table may have no feature at all."""


@dataclass(frozen=True, eq=False)
class Source:
    """What was read.

    Attributes
    ----------
    name, origin : str
    X : DataFrame (tables), array or csr_array
    Y : DataFrame of 0/1 with label names
    schema : mapping
        What a model must remember to read other rows the same way; plain JSON values.
    train, test : arrays of row numbers or None
    """

    name: str
    origin: str
    X: Any
    Y: Any
    schema: Mapping[str, Any]
    train: NDArray[np.int64] | None = None
    test: NDArray[np.int64] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels."""
        return tuple(map(str, self.Y.columns))

    @property
    def label_matrix(self) -> Any:
        """The labels as a sparse matrix."""
        frame = self.Y
        dense = all(dtype == np.int8 for dtype in frame.dtypes)
        return sparse.csr_array(frame.to_numpy()) if dense else sparse.csr_array(frame.sparse.to_coo())

    def part(self, which: str) -> Source:
        """The rows of the split that is asked for."""
        if which not in ("all", "train", "test"):
            raise ValueError(f"`--part` must be all, train or test; got {which!r}.")
        if which == "all":
            return self
        rows = self.train if which == "train" else self.test
        if rows is None:
            raise ValueError(f"{self.name!r} comes without a {which} part. Leave out `--part`, or give a folder.")
        return replace(self, X=take(self.X, rows), Y=self.Y.iloc[rows], train=None, test=None)


def check_output(output: Path, *inputs: str | Path) -> None:
    """Tell before the work begins if a file cannot go there: there is no folder, or it would replace what is read."""
    if not output.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {output.parent} to write {output.name} into; make it first.")
    for given in map(Path, inputs):
        read = [file for file in given.iterdir() if format_of(file)] if given.is_dir() else [given]
        if output.exists() and any(file.exists() and file.samefile(output) for file in read):
            raise ValueError(f"the output {output} would replace the file that is read; give another name.")


def take(data: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of a matrix or DataFrame."""
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def read_source(data: str, reading: Reading) -> Source:
    """Read DATA with its labels."""
    path = Path(data)
    if path.is_dir() and path.name not in catalogue():
        return _read_folder(path, reading)
    if path.is_file() and is_frame(path):
        return _from_frame(read_frame(path, **_frame_options(path, reading)))
    return source_of(load_dataset(data, reading))


def read_rows(data: str, schema: Mapping[str, Any], reading: Reading) -> Any:
    """The features of DATA as a model knows them from its schema; labels need not be there."""
    path = Path(data)
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
        return read_frame_like(path, schema["columns"])
    return read_features_like(data, schema["features"], schema["categories"], **_load_options(data, reading))


def _frame_options(path: Path, reading: Reading) -> dict[str, Any]:
    labels = _find_labels(path, reading)
    if labels is None:
        raise ValueError(
            f"nothing says which columns of {path.name} are labels. Add --labels: names, a count (-6 for the last "
            "six), or one column of tags."
        )
    if isinstance(labels, Path):
        from bncc.datasets.mulan import read_label_names

        labels = list(read_label_names(labels))
    given = {"text": reading.text, "drop": reading.drop, "tag_separator": reading.tag_separator}
    return {"labels": labels, "featureless": reading.featureless, **given}


def parse_labels(labels: Sequence[str] | None) -> Any:
    """A count, a path of an XML file, a list of names, one name, or None.

    >>> parse_labels(["-6"]), parse_labels(["rain, wind"]), parse_labels(["tags"]), parse_labels(["a,b", "c"])
    (-6, ['rain', 'wind'], 'tags', ['a,b', 'c'])
    """
    if not labels:
        return None
    if len(labels) > 1:
        return list(labels)
    only = labels[0]
    if re.fullmatch(r"[+-]?\d+", only.strip()):
        return int(only)
    if only.lower().endswith(".xml"):
        return Path(only)
    if "," in only:
        return [name.strip() for name in only.split(",") if name.strip()]
    return only


def _find_labels(path: Path, reading: Reading) -> Any:
    """As `parse_labels`; in a table, one name may hold a comma."""
    labels = parse_labels(reading.labels)
    whole = (reading.labels or [""])[0]
    if not isinstance(labels, list) or labels == list(reading.labels or ()) or not is_frame(path):
        return labels
    known = column_names(path)
    if whole in known:
        return whole
    absent = [name for name in labels if name not in known]
    if absent:
        raise ValueError(
            f"{path}: no column is named {', '.join(map(shorten, absent[:5]))}. {which_columns(known, absent[0])} "
            "For names that hold commas repeat the option: -l 'rain, heavy' -l wind."
        )
    return labels


def _load_options(data: str, reading: Reading) -> dict[str, Any]:
    file_format = format_of(Path(data))
    names_matrix = file_format is not None and file_format.labels == "matrix"
    labels = _find_labels(Path(data), reading)
    if isinstance(labels, str) and not names_matrix and not _holds_tags(Path(data), labels):
        labels = [labels]
    separator = reading.tag_separator if isinstance(labels, str) and is_frame(data) else None
    options = {"labels": labels, "drop": list(reading.drop) or None, "features": reading.features}
    options |= {"tag_separator": separator}
    return {name: value for name, value in options.items() if value is not None}


def _holds_tags(path: Path, name: str) -> bool:
    return path.is_file() and is_frame(path) and not is_label_column(path, name)


def load_dataset(data: str, reading: Reading) -> Dataset:
    """DATA as `bncc.datasets.load` reads it."""
    if reading.text:
        raise ValueError(f"`--text` is for .csv, .tsv and .parquet files; got {data!r}.")
    try:
        return load(data, **_load_options(data, reading))
    except TypeError as error:
        raise ValueError(f"these options do not fit {data!r}: {error}") from None


def source_of(data: Dataset) -> Source:
    """A data set as a source."""
    schema = {"kind": "matrix", "features": list(data.feature_names), "categories": dict(data.categories)}
    return Source(data.name, data.source, data.X, data.Y_frame, schema, data.train, data.test)


def _from_frame(frame: Frame) -> Source:
    Y = _label_frame(frame.Y, frame.label_names)
    return Source(frame.name, frame.source, frame.X, Y, {"kind": "table", "columns": dict(frame.kinds)})


def _label_frame(Y: Any, names: Sequence[str]) -> Any:
    import pandas as pd

    return pd.DataFrame(Y.toarray(), columns=list(names))


def _read_folder(folder: Path, reading: Reading) -> Source:
    """A folder with one file for training and one for testing, or with a single data file."""
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and format_of(file)]
    parts = [[file for file in files if word in file.name.lower()] for word in ("train", "test")]
    if len(parts[0]) == len(parts[1]) == 1:
        return _join(folder, parts[0][0], parts[1][0], reading)
    if len(files) == 1:
        return read_source(str(files[0]), reading)
    shown = ", ".join(file.name for file in files[:12]) or "no data file"
    raise ValueError(
        f"{folder} must hold one data file with 'train' in its name and one with 'test', or a single one; got {shown}."
    )


def _join(folder: Path, train: Path, test: Path, reading: Reading) -> Source:
    first = read_source(str(train), reading)
    if first.schema["kind"] == "table":
        options = _frame_options(test, reading)
        second = _from_frame(read_frame(test, **options, kinds=first.schema["columns"]))
        X = _concat([first.X, second.X])
    else:
        second = read_source(str(test), reading)
        X, first = _stack(first, second)
    Y = _concat([first.Y, second.Y]).fillna(0).astype(np.int8)
    if set(first.label_names) != set(second.label_names) and not _open_ended(train, reading):
        odd = sorted(set(first.label_names) ^ set(second.label_names))
        raise ValueError(f"{train.name} and {test.name} must have the same labels; only one has {shorten(odd[0])}.")
    n = first.n_rows
    rows = np.arange(len(Y))
    return replace(first, name=folder.resolve().name, origin=str(folder), X=X, Y=Y, train=rows[:n], test=rows[n:])


def _open_ended(file: Path, reading: Reading) -> bool:
    """Whether a file names only the labels that occur in it."""
    file_format = format_of(file)
    in_rows = file_format is not None and file_format.labels == "rows"
    return in_rows or isinstance(parse_labels(reading.labels), str)


def _concat(frames: Sequence[Any]) -> Any:
    import pandas as pd

    return pd.concat(frames, ignore_index=True)


def _stack(first: Source, second: Source) -> tuple[Any, Source]:
    """Both matrices as one, and the first source with the names of all features."""
    names = [source.schema["features"] for source in (first, second)]
    if first.schema["categories"] != second.schema["categories"]:
        raise ValueError("the train and test files declare different categories for their features.")
    if names[0] == names[1]:
        stack = sparse.vstack if sparse.issparse(first.X) else np.vstack
        X = stack([first.X, second.X])
        return (sparse.csr_array(X) if sparse.issparse(X) else X), first
    longest = max(names, key=len)
    if not sparse.issparse(first.X) or any(longest[: len(own)] != own for own in names):
        raise ValueError(
            f"the train and test files must have the same features; got {len(names[0])} and {len(names[1])}."
        )
    parts = [sparse.csr_array((m.data, m.indices, m.indptr), (m.shape[0], len(longest))) for m in (first.X, second.X)]
    return sparse.csr_array(sparse.vstack(parts)), replace(first, schema={**first.schema, "features": longest})
