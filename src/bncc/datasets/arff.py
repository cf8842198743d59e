"""ARFF files, dense or sparse, with the labels told by Mulan's XML, by MEKA's ``-C`` or by the caller."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from bncc.datasets.arff_data import parse_rows
from bncc.datasets.arff_header import Header, parse_header, split_at_data, unescape
from bncc.datasets.arff_writer import write_meka, write_mulan
from bncc.datasets.budgets import check_quoted_cells
from bncc.datasets.column_table import ColumnTable, label_columns, name_list, table_to_dataset
from bncc.datasets.dataset import Dataset
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.file_format import FileFormat
from bncc.datasets.files import plain_stem, read_lines_as_bytes, shorten
from bncc.datasets.mulan import read_label_names, xml_beside

__all__ = ["FORMAT", "read_arff", "read_arff_table"]


def read_arff(
    path: str | os.PathLike[str],
    *,
    labels: int | str | os.PathLike[str] | Iterable[str] | None = None,
    drop: Iterable[str] = (),
    one_hot: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read an ARFF file (``.arff`` or ``.arff.gz``; UTF-8 or Latin-1).

    Parameters
    ----------
    labels : count, names, path of a Mulan XML file, or None
        ``-6`` takes the last six columns, ``6`` the first six. None looks for an XML file of the same name (without
        ``-train`` or ``-test``), then for MEKA's ``-C`` in the relation name.
    drop : names of columns that are neither feature nor label, such as an identifier
    one_hot : bool
        Nominal attributes become one column each: numeric text keeps its number, YES/NO and true/false become 1/0,
        anything else its index in the declared list. With `one_hot`, those of more than two values become one 0/1
        column per value.
    max_bytes : int
        The most bytes the file may unpack to; memory stays within a small multiple of it.

    Label columns keep the order of the ARFF file. Sparse rows give a CSR `X`. Missing values become NaN.
    """
    file = Path(path)
    drop = name_list(drop, "drop")
    table, header = read_arff_table(file, max_bytes)
    columns = _label_columns(table, header, file, labels, max_bytes)
    return table_to_dataset(table, columns, drop=drop, one_hot=one_hot, name=plain_stem(file), source=str(file))


def read_arff_table(file: Path, max_bytes: int = MAX_BYTES) -> tuple[ColumnTable, Header]:
    """All columns of an ARFF file, before labels are told from features."""
    content = read_lines_as_bytes(file, max_bytes)
    check_quoted_cells(content, file)
    text, body, first_line = split_at_data(content, str(file))
    header = parse_header(text, str(file))
    values, lines = parse_rows(body, header.columns, first_line, str(file))
    return ColumnTable(values, header.columns, lines, str(file)), header


def _label_columns(
    table: ColumnTable,
    header: Header,
    file: Path,
    labels: int | str | os.PathLike[str] | Iterable[str] | None,
    max_bytes: int,
) -> list[int]:
    if labels is None:
        beside = xml_beside(file)
        if beside is not None:
            return _named_in_xml(table, beside, max_bytes)
        if header.meka_count:
            return label_columns(table, header.meka_count)
        raise MalformedFile(
            file,
            None,
            "nothing says which attributes are labels: no XML file beside it, no '-C' in the relation name.",
            "Pass `labels=`: label names, a count (-6 for the last six), or the path of a Mulan XML file.",
        )
    if isinstance(labels, str | os.PathLike):
        if not Path(labels).exists() and any(column.name == str(labels) for column in table.columns):
            raise ValueError(
                f"`labels={str(labels)!r}` is taken for the path of an XML file, and there is none; "
                f"for the attribute of that name write labels=[{str(labels)!r}]."
            )
        return _named_in_xml(table, Path(labels), max_bytes)
    return label_columns(table, labels)


def _named_in_xml(table: ColumnTable, xml: Path, max_bytes: int) -> list[int]:
    """XML files write names as the ARFF file does or without its escapes; both are found."""
    names = read_label_names(xml, max_bytes=max_bytes)
    known = {column.name for column in table.columns}
    as_in_file = [name if name in known else unescape(name) for name in names]
    absent = [name for name in as_in_file if name not in known]
    if absent:
        raise MalformedFile(
            xml,
            None,
            f"{len(absent)} label(s) are no attributes of {table.file}: {', '.join(map(shorten, absent[:5]))}.",
            "Give the XML file that belongs to the data.",
        )
    return label_columns(table, as_in_file)


FORMAT = FileFormat(
    name="ARFF",
    suffixes=(".arff",),
    read=read_arff,
    labels="columns",
    writers={"mulan": write_mulan, "meka": write_meka},
    read_table=lambda file: read_arff_table(file)[0],
)
