"""Parquet files, read and written by pyarrow (an optional dependency)."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bncc._atomic import written_whole
from bncc._typing import Array, Floats, Matrix
from bncc.datasets.budgets import Budget, most_in_a_cell, too_long_cell
from bncc.datasets.column_table import Column, ColumnTable, columns_to_dataset
from bncc.datasets.dataset import Dataset
from bncc.datasets.delimited import nominal_column
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.file_format import Cells, FileFormat
from bncc.datasets.files import check_readable, shorten, which_columns
from bncc.datasets.text_writing import category_texts

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["FORMAT", "read_parquet", "read_parquet_columns", "write_parquet"]

_ROWS_AT_ONCE = 2**16
_CELLS_AT_ONCE = 2**22


def read_parquet(
    path: str | os.PathLike[str],
    *,
    labels: int | str | Iterable[str],
    tag_separator: str | None = None,
    drop: Iterable[str] = (),
    one_hot: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a Parquet file; the parameters are those of `read_csv`, and a column of tags may also hold lists."""
    read_columns = partial(read_parquet_columns, max_bytes=max_bytes)
    return columns_to_dataset(Path(path), read_columns, labels, tag_separator=tag_separator, drop=drop, one_hot=one_hot)


def read_parquet_columns(
    file: Path, *, raw: Collection[str] = (), drop: Collection[str] = (), max_bytes: int = MAX_BYTES
) -> tuple[ColumnTable, Cells]:
    """The columns of a Parquet file, before they are told apart; those in `raw` also as the values in the file."""
    check_readable(file)
    frame = _arrow_table(file, max_bytes)
    names = list(frame.column_names)
    if len(set(names)) != len(names):
        raise MalformedFile(file, None, "two columns have the same name.", "Rename one of them.")
    absent = [name for name in raw if name not in names]
    if absent:
        raise MalformedFile(file, None, f"no column is named {shorten(absent[0])}.", which_columns(names, absent[0]))
    values = np.empty((frame.num_rows, len(names)))
    unread = {*raw, *drop}
    columns = tuple(_column(values, j, name, frame.column(j), unread) for j, name in enumerate(names))
    table = ColumnTable(values, columns, np.empty(0, np.int64), str(file))
    return table, {name: _cells(frame.column(names.index(name))) for name in raw}


def _arrow_table(file: Path, max_bytes: int) -> pa.Table:
    FORMAT.check_installed()
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as stream:
            budget = Budget(file, max_bytes)
            _check_size(stream.metadata, budget)
            texts = _text_columns(stream.metadata)
        with pq.ParquetFile(file, read_dictionary=texts) as stream:
            batches = list(_within(stream.iter_batches(_ROWS_AT_ONCE, use_threads=False), budget))
            table = pa.Table.from_batches(batches, stream.schema_arrow)
        table.validate(full=True)  # offsets, codes and UTF-8, which reading takes on trust
        _ = table.column_names  # decodes them
        return table
    except (pa.ArrowException, OSError, RuntimeError, UnicodeDecodeError) as error:
        problem = f"this is no readable Parquet file ({shorten(str(error), 120)})."
        raise MalformedFile(file, None, problem, "Write it again.") from None


def _text_columns(metadata: pq.FileMetaData) -> list[str]:
    """Columns to keep as dictionaries, as they are stored: spelled out, one long text may fill every row."""
    columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
    texts = [column for column in columns if column.physical_type == "BYTE_ARRAY"]
    return [column.path for column in texts if column.logical_type.type in ("STRING", "NONE")]


def _within(batches: Iterable[pa.RecordBatch], budget: Budget) -> Iterator[pa.RecordBatch]:
    """What is unpacked is counted too: the sizes that a file states need not be true."""
    limit = most_in_a_cell()
    for batch in batches:
        budget.take(batch.nbytes)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            for texts in _dictionaries(column):
                if texts.nbytes > limit and max(map(len, filter(None, texts.to_pylist())), default=0) > limit:
                    raise too_long_cell(budget.file, None, f"column {name}")
        yield batch


def _dictionaries(column: pa.Array) -> Iterator[pa.Array]:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        yield column.dictionary
    elif pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        yield from _dictionaries(column.values)


def _check_size(metadata: pq.FileMetaData, budget: Budget) -> None:
    """A few bytes can claim any number of rows, so the claim is checked before anything is unpacked."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    unpacked = sum(max(group.total_byte_size, 0) for group in groups)
    cells = max([metadata.num_rows, *(group.num_rows for group in groups)]) * max(metadata.num_columns, 1)
    if max(unpacked, 8 * cells) > budget.left:
        budget.take(max(unpacked, 8 * cells))


def _column(values: Floats, j: int, name: str, array: pa.ChunkedArray, unread: set[str]) -> Column:
    import pyarrow as pa

    kind = array.type
    values[:, j] = np.nan
    if name in unread:
        return Column(name, is_text=True)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind) or pa.types.is_null(kind):
        numbers = array.cast(pa.uint8()) if pa.types.is_boolean(kind) else array
        values[:, j] = numbers.cast(pa.float64(), safe=False).to_numpy()
        return Column(name)
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return Column(name, is_text=True)
    codes: dict[str, int] = {}
    values[:, j] = [np.nan if cell is None else codes.setdefault(str(cell), len(codes)) for cell in _cells(array)]
    return nominal_column(values, j, name, list(codes))


def _cells(array: pa.ChunkedArray) -> list[object]:
    """The values of a column; texts that are equal in the file are one object here."""
    return [cell for chunk in array.chunks for cell in _cells_of_chunk(chunk)]


def _cells_of_chunk(chunk: pa.Array) -> list[object]:
    import pyarrow as pa

    if pa.types.is_dictionary(chunk.type):
        texts = chunk.dictionary.to_pylist()
        return [None if code is None else texts[code] for code in chunk.indices.to_pylist()]
    if (pa.types.is_list(chunk.type) or pa.types.is_large_list(chunk.type)) and len(chunk):
        parts = _cells_of_chunk(chunk.flatten())
        lengths = chunk.value_lengths().to_pylist()
        ends = np.cumsum([length or 0 for length in lengths]).tolist()
        return [None if n is None else parts[end - n : end] for n, end in zip(lengths, ends, strict=True)]
    return list(chunk.to_pylist())


def write_parquet(data: Dataset, file: Path) -> list[Path]:
    """Features as numbers or, where they stand for categories, as texts; labels as 0/1; missing values as null."""
    FORMAT.check_installed()
    if file.suffix.lower() == ".gz":
        raise ValueError(f"a Parquet file is packed already; leave out .gz: {file.name!r}.")
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = category_texts(data)
    kinds = [pa.string() if j in texts else pa.float64() for j in range(data.n_features)]
    names = [*data.feature_names, *data.label_names]
    schema = pa.schema(list(zip(names, [*kinds, *[pa.int8()] * data.n_labels], strict=True)))
    n_rows = max(1, min(_ROWS_AT_ONCE, _CELLS_AT_ONCE // max(1, len(names))))
    with written_whole(file) as draft, pq.ParquetWriter(draft, schema) as writer:
        for start in range(0, max(data.n_rows, 1), n_rows):
            rows = slice(start, start + n_rows)
            X, Y = (_dense(matrix[rows]) for matrix in (data.X, data.Y_sparse))
            gaps = np.zeros(Y.shape, bool) if data.unknown is None else _dense(data.unknown[rows]) != 0
            features = [_written(X[:, j], texts.get(j), kind) for j, kind in enumerate(kinds)]
            labels = [pa.array(column, pa.int8(), mask=gap) for column, gap in zip(Y.T, gaps.T, strict=True)]
            writer.write_batch(pa.record_batch([*features, *labels], schema=schema))
    return [file]


def _dense(block: Matrix) -> Array:
    return block if isinstance(block, np.ndarray) else block.toarray()


def _written(values: Array, text_of_code: Mapping[float, str] | None, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if text_of_code is not None:
        return pa.array([text_of_code.get(value) for value in values.tolist()], kind)
    return pa.array(values.astype(np.float64), kind, from_pandas=True)  # NaN is null


FORMAT = FileFormat(
    name="Parquet",
    suffixes=(".parquet",),
    read=read_parquet,
    labels="columns",
    writers={"parquet": write_parquet},
    needs=("pyarrow",),
    read_table=lambda file: read_parquet_columns(file)[0],
    read_frame=read_parquet_columns,
    read_names=lambda file: [column.name for column in read_parquet_columns(file)[0].columns],
)
