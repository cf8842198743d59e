"""What goes wrong with a result store, told as what it is: a full disk, a folder that is read-only, another writer.

ValueError
  StoreError      a result store that cannot be read, written, or mixed with what is to be written
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["StoreError", "as_store_errors", "check_path"]

_GO_ON = "Finished parts are stored; the same command goes on from there."


class StoreError(ValueError):
    """A file that is no result store, one that cannot be written, or one that must not be mixed with what is to be."""


def check_path(path: Path) -> None:
    """Refuse a path at which no store can be."""
    if path.is_dir() or not path.parent.is_dir():
        raise StoreError(f"a result store is a file in a folder that exists; got {path}.")
    if path.exists() and not path.is_file():
        raise StoreError(f"a result store is a plain file; {path} is a device, a pipe or a socket.")


@contextmanager
def as_store_errors(path: Path, opened: Path | None = None) -> Iterator[None]:
    """Within the block, what SQLite complains of becomes a `StoreError` in words that name the cause and the remedy.

    `opened` is the file that it complains of, where that is not the store itself.

    >>> with as_store_errors(Path("s.sqlite")):
    ...     _ = sqlite3.connect(":memory:").execute("SELECT x FROM absent")
    Traceback (most recent call last):
    bncc.experiment.store_errors.StoreError: s.sqlite is no result store, or a damaged one (no such table: absent); \
restore a copy, or give another file.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_words(error, path, opened or path)) from error


def _words(error: sqlite3.Error, path: Path, opened: Path) -> str:
    """By the name of SQLite's error; extended names begin with that of their kind."""
    name = getattr(error, "sqlite_errorname", None) or ""
    cause = f"{error}; {name}" if name else str(error)
    if name.startswith("SQLITE_FULL"):
        return f"the disk that holds {opened} is full ({cause}). Make room on it. {_GO_ON}"
    if name.startswith("SQLITE_IOERR"):
        return (
            f"{opened} could not be read or written ({cause}): the disk is full, over a quota or a limit on file "
            f"sizes, or failing. Mend that. {_GO_ON}"
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
        return (
            f"{opened} cannot be opened for writing ({cause}): the file, or its folder {path.absolute().parent}, is "
            "read-only or full, or belongs to someone else. Make both writable, or give another place for the store."
        )
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"another run is writing to {path}; wait for it, or use another store."
    return f"{opened} is no result store, or a damaged one ({error}); restore a copy, or give another file."
