"""Checksums of the rows of a result store: a byte that changed on the disk is noticed, and the row is named.

Every row carries a digest of its own values; that of a task covers the rows of its results too, so that a row which
is gone is missed. The digest finds accidents, not forgers: whoever can write the file can write its digests.
Rows that earlier versions wrote have none, and are counted as not checked.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeAlias

__all__ = ["COLUMN", "DamagedRow", "Verdict", "add_columns", "check_rows", "drop_rows", "sign_rows"]

COLUMN = "checksum"
_PARTS = ("results", "candidates")  # rows that belong to a task
_KEYS: Mapping[str, tuple[str, ...]] = {
    "study": ("key",),
    "protocols": ("name",),
    "methods": ("name",),
    "datasets": ("name",),
    "results": ("dataset", "method", "repeat", "fold"),
    "candidates": ("dataset", "method", "repeat", "fold", "sigma", "C"),
    "tasks": ("dataset", "method", "repeat"),
}
_OWNER = ("dataset", "method", "repeat")

Value: TypeAlias = int | float | bytes | None
Row: TypeAlias = dict[str, Value]


@dataclass(frozen=True)
class DamagedRow:
    """A row that is not what was written.

    Attributes
    ----------
    table : str
    rowid : int
    key : tuple of str
        What names the row; it may be what is damaged.
    """

    table: str
    rowid: int
    key: tuple[str, ...]

    def __str__(self) -> str:
        named = ", ".join(f"{name} {value}" for name, value in zip(_KEYS[self.table], self.key, strict=True))
        lost = ", or a row of its results is gone or changed" if self.table == "tasks" else ""
        return f"{self.table} row {self.rowid} ({named}) does not match its checksum{lost}"


@dataclass(frozen=True)
class Verdict:
    """What a check of all rows found: those that are damaged, and how many carry no checksum."""

    damaged: tuple[DamagedRow, ...]
    unchecked: int


def add_columns(connection: sqlite3.Connection) -> None:
    """Give the tables of an earlier version their column of checksums; the rows that are there get none."""
    for table in _KEYS:
        known = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        if COLUMN not in known:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {COLUMN} TEXT")


def sign_rows(connection: sqlite3.Connection, table: str, condition: str, values: Sequence[object] = ()) -> None:
    """Write the checksums of the rows that meet an SQL condition; sign a task after the rows of its results."""
    for rowid, row in _rows(connection, table, f"WHERE {condition}", values):
        parts = [sum_ for part in _PARTS for sum_ in _sums_of_task(connection, part, row)] if table == "tasks" else []
        digest = _digest(table, row, parts)
        connection.execute(f"UPDATE {table} SET {COLUMN} = ? WHERE rowid = ?", (digest, rowid))


def check_rows(connection: sqlite3.Connection) -> Verdict:
    """Compare every row with its checksum, and every task with the checksums of its rows: none may be gone."""
    all_signed = bool(connection.execute("SELECT 1 FROM study WHERE key = 'checksums'").fetchone())
    sums_of_task: dict[tuple[Value, ...], list[Value]] = {}
    damaged: list[DamagedRow] = []
    unchecked = 0
    for table in _KEYS:  # tasks come last
        for rowid, row in _rows(connection, table):
            stored = row.get(COLUMN)
            if table in _PARTS:
                sums_of_task.setdefault(_owner(row), []).append(stored)
            parts = sums_of_task.get(_owner(row), []) if table == "tasks" else []
            if stored is None and not all_signed:
                unchecked += 1
            elif stored != _digest(table, row, parts).encode():
                damaged.append(_named(table, rowid, row))
    return Verdict(tuple(damaged), unchecked)


def drop_rows(connection: sqlite3.Connection, damaged: Collection[DamagedRow]) -> int:
    """Delete damaged results with their whole tasks, which can then be run again; returns how many tasks went."""
    owners = {row.key[: len(_OWNER)] for row in damaged if row.table in (*_PARTS, "tasks")}
    before = connection.execute("SELECT count(*) FROM tasks").fetchone()[0]
    for table in ("tasks", *_PARTS):
        rowids = [(row.rowid,) for row in damaged if row.table == table]
        connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", rowids)
        connection.executemany(f"DELETE FROM {table} WHERE dataset = ? AND method = ? AND repeat = ?", owners)
        if table != "tasks":  # the key of a task may be what was damaged
            same = " AND ".join(f"tasks.{name} = {table}.{name}" for name in _OWNER)
            connection.execute(f"DELETE FROM {table} WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE {same})")
    return int(before - connection.execute("SELECT count(*) FROM tasks").fetchone()[0])


def _owner(row: Row) -> tuple[Value, ...]:
    return tuple(row[name] for name in _OWNER)


def _named(table: str, rowid: int, row: Row) -> DamagedRow:
    values = (row[name] for name in _KEYS[table])
    key = (value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value) for value in values)
    return DamagedRow(table, rowid, tuple(key))


def _sums_of_task(connection: sqlite3.Connection, table: str, task: Row) -> list[Value]:
    condition = "WHERE dataset = ? AND method = ? AND repeat = ?"
    texts = [value.decode() if isinstance(value, bytes) else value for value in _owner(task)]
    return [row[COLUMN] for _, row in _rows(connection, table, condition, texts)]


def _rows(
    connection: sqlite3.Connection, table: str, condition: str = "", values: Sequence[object] = ()
) -> list[tuple[int, Row]]:
    """Row numbers and rows, with texts as the bytes that are stored: damaged ones need not be UTF-8."""
    text_factory, connection.text_factory = connection.text_factory, bytes
    try:
        cursor = connection.execute(f"SELECT rowid, * FROM {table} {condition}", values)
        names = [column[0] for column in cursor.description[1:]]
        if not set(_KEYS[table]) <= set(names):
            raise sqlite3.DatabaseError(f"table {table} has the columns {', '.join(names)}")
        return [(row[0], dict(zip(names, row[1:], strict=True))) for row in cursor]
    finally:
        connection.text_factory = text_factory


def _digest(table: str, row: Row, parts: Iterable[Value] = ()) -> str:
    """Of names and values, whatever the order of the columns, and of the checksums of the parts, in any order."""
    digest = blake2b(table.encode(), digest_size=16)
    for name in sorted(row):
        if name != COLUMN:
            digest.update(b"%s=%s;" % (name.encode(), _bytes(row[name])))
    for part in sorted(map(_bytes, parts)):
        digest.update(part)
    return digest.hexdigest()


def _bytes(value: Value) -> bytes:
    """A value with its type and length, so that no two rows are spelled alike."""
    if value is None:
        return b"-"
    if isinstance(value, int):
        return b"i%d" % value
    return b"f" + struct.pack("<d", value) if isinstance(value, float) else b"t%d:%s" % (len(value), value)
