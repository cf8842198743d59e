"""Results in SQLite: every task is written once, in one transaction, and is there after any crash.

The tables are meant to be read by people too: `results` has one row per data set, method, repeat and fold, with a
column per metric (fold -1: all folds of the repeat pooled).
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import bncc
from bncc.evaluation.records import Candidate, Record
from bncc.experiment.checksums import add_columns, check_rows, drop_rows, sign_rows
from bncc.experiment.features import Facts
from bncc.experiment.protocol import Method, Protocol, StudyDataset, plain, restore_protocol
from bncc.experiment.store_errors import StoreError, as_store_errors, check_path
from bncc.experiment.trial import Outcome, Task

__all__ = ["Store"]

FORMAT = 1
_TABLES = ("study", "protocols", "methods", "datasets", "results", "candidates", "tasks")
_JSON = ("order", "parents", "versions")
_KEY = ("dataset", "method", "repeat", "fold")
_ORDER = "(SELECT rowid FROM datasets WHERE name = dataset), (SELECT rowid FROM methods WHERE name = method), repeat"
_RESULT = (
    *("sigma", "C", "order", "parents", "select_seconds", "train_seconds", "test_seconds", "seed", "engine"),
    "versions",
)
_SCHEMA = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT);
CREATE TABLE protocols (name TEXT PRIMARY KEY, definition TEXT NOT NULL, checksum TEXT);
CREATE TABLE methods (name TEXT PRIMARY KEY, definition TEXT NOT NULL, checksum TEXT);
CREATE TABLE datasets (name TEXT PRIMARY KEY, definition TEXT NOT NULL, n_rows INTEGER, n_features INTEGER,
    n_labels INTEGER, label_names TEXT, fingerprint TEXT, checksum TEXT);
CREATE TABLE tasks (dataset TEXT, method TEXT, repeat INTEGER, seconds REAL, host TEXT, finished TEXT,
    checksum TEXT, PRIMARY KEY (dataset, method, repeat));
CREATE TABLE results (dataset TEXT, method TEXT, repeat INTEGER, fold INTEGER, {metrics},
    sigma REAL, C REAL, "order" TEXT, parents TEXT, select_seconds REAL, train_seconds REAL, test_seconds REAL,
    seed INTEGER, engine TEXT, versions TEXT, checksum TEXT,
    PRIMARY KEY (dataset, method, repeat, fold));
CREATE TABLE candidates (dataset TEXT, method TEXT, repeat INTEGER, fold INTEGER, sigma REAL, C REAL, {metrics},
    checksum TEXT, PRIMARY KEY (dataset, method, repeat, fold, sigma, C));
"""


class Store:
    """A result store; a context manager. Open one with `Store.create` (for writing) or `Store.read`.

    Attributes
    ----------
    path : Path
    metrics : tuple of str
    unchecked : int
        Rows without a checksum, written by an earlier version: they are read, and whether they are sound is not known.

    Opening a store compares every other row with its checksum: one that is not as it was written is named in a
    `StoreError`, and nothing is read.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        self.unchecked = _check(connection, path)
        self.metrics: tuple[str, ...] = tuple(json.loads(self._value("settings"))["metrics"])

    @classmethod
    def create(cls, path: str | os.PathLike[str], protocol: Protocol) -> Store:
        """Open a store for a protocol, a new one if there is none; one of another protocol is refused."""
        path = Path(path)
        with _connected(path) as connection:
            if _tables(connection, path) and not connection.execute("SELECT count(*) FROM tasks").fetchone()[0]:
                _clear(connection)  # nothing to mix with
            if not _tables(connection, path):
                _initialise(connection, protocol)
            store = cls(path, connection)
            store._adopt(protocol)
            return store

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Store:
        """Open a store that exists."""
        path = Path(path)
        if not path.is_file():
            raise StoreError(f"there is no result store {path}; `bncc experiment run` makes one.")
        with _connected(path) as connection:
            if not _tables(connection, path):
                raise StoreError(f"{path} is empty; `bncc experiment run` fills it.")
            return cls(path, connection)

    @staticmethod
    def drop_damaged(path: str | os.PathLike[str]) -> int:
        """Delete the tasks of which a row does not match its checksum, to be run again; returns how many."""
        path = Path(path)
        with _connected(path) as connection:
            if not _tables(connection, path):
                return 0
            connection.execute("BEGIN IMMEDIATE")
            n_tasks = drop_rows(connection, check_rows(connection).damaged)
            connection.execute("COMMIT")
            connection.close()
        return n_tasks

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def protocols(self) -> list[Protocol]:
        """The protocols that were run into this store, each as it was last."""
        rows = self._execute("SELECT definition FROM protocols ORDER BY rowid")
        return [restore_protocol(json.loads(row[0])) for row in rows]

    @property
    def protocol(self) -> dict[str, Any]:
        """Settings, methods and data sets of everything that was run into this store, as plain data."""
        protocols = self.protocols()
        out = {**json.loads(self._value("settings")), "name": " + ".join(one.name for one in protocols)}
        out["folds"] |= {"repeats": max(one.folds.repeats for one in protocols)}
        for part in ("methods", "datasets"):
            rows = self._execute(f"SELECT name, definition FROM {part} ORDER BY rowid")
            out[part] = [{"name": name} | json.loads(definition) for name, definition in rows]
        return out

    def done(self) -> dict[Task, float]:
        """Finished tasks and their seconds."""
        rows = self._execute("SELECT dataset, method, repeat, seconds FROM tasks")
        return {Task(*row[:3]): row[3] for row in rows}

    def facts(self) -> dict[str, Facts]:
        """What is known of the data sets that have been used."""
        columns = "name, n_rows, n_features, n_labels, label_names, fingerprint"
        rows = self._execute(f"SELECT {columns} FROM datasets WHERE fingerprint NOT NULL")
        return {
            name: Facts(name, n_rows, n_features, n_labels, tuple(json.loads(names)), mark)
            for name, n_rows, n_features, n_labels, names, mark in rows
        }

    def check_data(self, facts: Facts) -> None:
        """Refuse a data set that has changed since results of it were stored."""
        query = "SELECT fingerprint FROM datasets WHERE name = ?"
        ((known,),) = self._execute(query, (facts.name,))
        if known is not None and known != facts.fingerprint:
            raise StoreError(
                f"data set {facts.name!r} is not the one that {self.path} has results of "
                f"(fingerprint {facts.fingerprint[:8]}, there {known[:8]}). Give it another name, or use a new store."
            )

    def records(self, *, pooled: bool = False) -> list[Record]:
        """All results: those of each fold, or those of each repeat with its folds pooled.

        In the order of the protocol, whichever task was finished first; what a later protocol added comes after.
        """
        columns = [*_KEY, *self.metrics, *_RESULT]
        sign = "<" if pooled else ">="
        names = ", ".join(map(_quote, columns))
        rows = self._execute(f"SELECT {names} FROM results WHERE fold {sign} 0 ORDER BY {_ORDER}, fold")
        return [self._record(dict(zip(columns, row, strict=True))) for row in rows]

    def candidates(self, task: Task | None = None) -> list[Candidate]:
        """All (sigma, C) that were tried, of one task or of all, in the order of the protocol."""
        columns = (*_KEY, "sigma", "C", *self.metrics)
        query = f"SELECT {', '.join(map(_quote, columns))} FROM candidates"
        query += "" if task is None else " WHERE dataset = ? AND method = ? AND repeat = ?"
        values = () if task is None else (task.dataset, task.method, task.repeat)
        rows = self._execute(f"{query} ORDER BY {_ORDER}, rowid", values)
        return [
            Candidate(dataset, method, repeat, fold, sigma, C, self._scores(scores))
            for dataset, method, repeat, fold, sigma, C, *scores in rows
        ]

    def write(self, outcome: Outcome) -> bool:
        """Write what a task found, all or nothing; False if the task is there already."""
        task = outcome.task
        with self._transaction():
            if self._has(task):
                return False
            self.check_data(outcome.facts)
            self._remember(outcome.facts)
            self._insert("results", map(self._result_row, outcome.records))
            self._insert("candidates", map(self._candidate_row, outcome.candidates))
            now = datetime.now(UTC).isoformat(timespec="seconds")
            row = {"seconds": outcome.seconds, "host": outcome.host, "finished": now}
            self._insert("tasks", [asdict(task) | row])
        return True

    def _execute(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with as_store_errors(self.path):
            return self._connection.execute(query, values).fetchall()

    def _sign(self, table: str, condition: str, *values: object) -> None:
        with as_store_errors(self.path):
            sign_rows(self._connection, table, condition, values)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._execute("ROLLBACK")
            raise
        self._execute("COMMIT")

    def _has(self, task: Task) -> bool:
        query = "SELECT 1 FROM tasks WHERE dataset = ? AND method = ? AND repeat = ?"
        return bool(self._execute(query, (task.dataset, task.method, task.repeat)))

    def _insert(self, table: str, rows: Iterable[dict[str, Any]]) -> None:
        for row in rows:
            names = ", ".join(map(_quote, row))
            marks = ", ".join("?" * len(row))
            self._execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
            self._sign(table, "rowid = last_insert_rowid()")

    def _result_row(self, record: Record) -> dict[str, Any]:
        row = {name: getattr(record, name) for name in (*_KEY, *_RESULT)}
        row |= {name: None if row[name] is None else json.dumps(plain(row[name])) for name in _JSON}
        return row | {name: record.scores[name] for name in self.metrics}

    def _candidate_row(self, candidate: Candidate) -> dict[str, Any]:
        row = {name: getattr(candidate, name) for name in (*_KEY, "sigma", "C")}
        return row | {name: candidate.scores[name] for name in self.metrics}

    def _scores(self, values: Sequence[float | None]) -> dict[str, float]:
        return dict(zip(self.metrics, map(_number, values), strict=True))

    def _record(self, row: dict[str, Any]) -> Record:
        scores = {name: _number(row.pop(name)) for name in self.metrics}
        for name in _JSON:
            row[name] = None if row[name] is None else json.loads(row[name])
        row["order"] = None if row["order"] is None else tuple(row["order"])
        row["parents"] = None if row["parents"] is None else tuple(map(tuple, row["parents"]))
        return Record(scores=scores, **row)

    def _value(self, key: str) -> str:
        rows = self._execute("SELECT value FROM study WHERE key = ?", (key,))
        if not rows:
            raise StoreError(f"{self.path} lacks its {key!r}: it is damaged, or no result store.")
        return str(rows[0][0])

    def _remember(self, facts: Facts) -> None:
        """Note size and fingerprint of a data set."""
        sizes = (facts.n_rows, facts.n_features, facts.n_labels, json.dumps(facts.label_names), facts.fingerprint)
        self._execute(
            "UPDATE datasets SET n_rows = ?, n_features = ?, n_labels = ?, label_names = ?, fingerprint = ? "
            "WHERE name = ?",
            (*sizes, facts.name),
        )
        self._sign("datasets", "name = ?", facts.name)

    def _adopt(self, protocol: Protocol) -> None:
        """Check that the protocol agrees with what is here, and note what it adds."""
        known = json.loads(self._value("settings"))
        differences = _differences(known, protocol.settings())
        parts: list[tuple[str, Sequence[Method | StudyDataset]]] = [
            ("methods", protocol.methods),
            ("datasets", protocol.datasets),
        ]
        with self._transaction():
            with as_store_errors(self.path):
                add_columns(self._connection)
            for table, items in parts:
                differences += self._note(table, items)
            if differences:
                raise StoreError(
                    f"{self.path} holds results of another protocol: {'; '.join(differences)}. "
                    "Use a new store, or the old protocol; data sets, methods and repeats may be added."
                )
            self._execute(
                "INSERT INTO protocols (name, definition) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET definition = excluded.definition",
                (protocol.name, json.dumps(plain(asdict(protocol)))),
            )
            self._sign("protocols", "name = ?", protocol.name)

    def _note(self, table: str, items: Sequence[Method | StudyDataset]) -> list[str]:
        """Add definitions that are new; say which are defined otherwise here."""
        out = []
        for item in items:
            definition = json.dumps(plain(_definition(item)), sort_keys=True)
            rows = self._execute(f"SELECT definition FROM {table} WHERE name = ?", (item.name,))
            if not rows:
                self._insert(table, [{"name": item.name, "definition": definition}])
            elif rows[0][0] != definition:
                changed = _differences(json.loads(rows[0][0]), json.loads(definition))
                out.append(f"{table} {item.name}: {', '.join(changed)}")
        return out


@contextmanager
def _connected(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that is closed again if the block fails."""
    check_path(path)
    with as_store_errors(path):
        connection = sqlite3.connect(path, isolation_level=None, timeout=30.0)
        try:
            yield connection
        except BaseException:
            connection.close()
            raise


def _check(connection: sqlite3.Connection, path: Path) -> int:
    """Refuse a store that is not as it was written; returns how many rows carry no checksum."""
    with as_store_errors(path):
        connection.execute("BEGIN")  # one state of it, while another run writes
        try:
            faults = [line for (line,) in connection.execute("PRAGMA integrity_check(3)") if line != "ok"]
            verdict = check_rows(connection)
        finally:
            connection.execute("ROLLBACK")
    faults += map(str, verdict.damaged[:3])
    if faults:
        more = f" and {len(verdict.damaged) - 3} more" if len(verdict.damaged) > 3 else ""
        remedy = "Restore a copy: its pages are damaged, not single results."
        if verdict.damaged:
            remedy = (
                "Restore a copy; or let `bncc experiment resume --drop-damaged` delete the tasks of damaged results "
                "and run them again."
            )
        raise StoreError(f"{path} is damaged: {'; '.join(faults)}{more}. {remedy}")
    return verdict.unchecked


def _tables(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file has our tables; another file is refused, and so is a store of a later format."""
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not names:
        return False
    if not set(_TABLES) <= names:
        raise StoreError(f"{path} is an SQLite file with other tables; give another file.")
    query = "SELECT CAST(max(value) AS INTEGER) FROM study WHERE key = 'format'"
    stored_format = connection.execute(query).fetchone()[0]
    if stored_format != FORMAT:
        raise StoreError(f"{path} has store format {stored_format}; this version of bncc reads {FORMAT}.")
    return True


def _clear(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for name in _TABLES:
        connection.execute(f"DROP TABLE {name}")
    connection.execute("COMMIT")


def _initialise(connection: sqlite3.Connection, protocol: Protocol) -> None:
    metrics = ", ".join(f"{_quote(name)} REAL" for name in protocol.metrics)
    script = _SCHEMA.format(metrics=metrics)
    connection.execute("BEGIN IMMEDIATE")
    for statement in filter(None, map(str.strip, script.split(";"))):
        connection.execute(statement)
    values = {
        "format": str(FORMAT),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "bncc": bncc.__version__,
        "settings": json.dumps(protocol.settings(), sort_keys=True),
        "checksums": "every row",  # so that one without is damaged
    }
    connection.executemany("INSERT INTO study (key, value) VALUES (?, ?)", values.items())
    sign_rows(connection, "study", "true")
    connection.execute("COMMIT")


def _differences(known: Any, given: Any, where: str = "") -> list[str]:
    """Settings that differ, as "folds.n was 10, is 5"."""
    if isinstance(known, dict) and isinstance(given, dict):
        keys = dict.fromkeys([*known, *given])
        prefix = f"{where}." if where else ""
        return [line for key in keys for line in _differences(known.get(key), given.get(key), f"{prefix}{key}")]
    return [] if known == given else [f"{where} was {json.dumps(known)}, is {json.dumps(given)}"]


def _definition(item: Method | StudyDataset) -> dict[str, Any]:
    """What makes a method or a data set itself; where a file lies does not, and its content has a fingerprint."""
    return {key: value for key, value in asdict(item).items() if key not in ("name", "path")}


def _number(value: float | None) -> float:
    """SQLite keeps NaN as NULL."""
    return float("nan") if value is None else float(value)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
