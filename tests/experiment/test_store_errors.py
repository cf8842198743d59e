"""What a full disk, a read-only folder and a lock that cannot be made are called, on real file systems."""

import contextlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from bncc.experiment import Store, StoreError, load_protocol, run_study
from bncc.experiment import runner as runner_module
from bncc.experiment.store_errors import as_store_errors, check_path
from studies import PROTOCOL, table

FEW = (PROTOCOL[PROTOCOL.index("[methods.BR]") : PROTOCOL.index("[methods.kNN]")], "")


@pytest.fixture
def protocol(write_protocol):
    """Of one method, and quick."""
    return load_protocol(write_protocol(replace=[FEW]))


@contextlib.contextmanager
def mounted(folder, *options):
    """A file system of its own, where we may mount one."""
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder):
    """Write until the disk is full."""
    with contextlib.suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 4096)
    with contextlib.suppress(OSError), (folder / "rest").open("wb", buffering=0) as rest:
        while True:
            rest.write(b"x")


def sqlite_error(name, message="as SQLite says"):
    error = sqlite3.OperationalError(message)
    error.sqlite_errorname = name
    return error


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SQLITE_FULL", r"the disk that holds s\.sqlite is full .* Make room .* goes on from there"),
        ("SQLITE_IOERR_WRITE", r"s\.sqlite could not be read or written .* over a quota .* goes on from there"),
        ("SQLITE_READONLY_DIRECTORY", r"s\.sqlite cannot be opened for writing .* read-only"),
        ("SQLITE_CANTOPEN", r"s\.sqlite cannot be opened for writing"),
        ("SQLITE_BUSY", r"another run is writing to s\.sqlite"),
        ("SQLITE_CORRUPT", r"s\.sqlite is no result store, or a damaged one"),
        ("SQLITE_ERROR", r"s\.sqlite is no result store, or a damaged one"),
    ],
)
def test_each_error_has_its_words(name, words):
    with pytest.raises(StoreError, match=words), as_store_errors(Path("s.sqlite")):
        raise sqlite_error(name)


def test_the_file_that_is_meant_is_named():
    words = r"^s\.sqlite-lock cannot be opened"
    with pytest.raises(StoreError, match=words), as_store_errors(Path("s.sqlite"), Path("s.sqlite-lock")):
        raise sqlite_error("SQLITE_CANTOPEN")


def test_other_errors_pass():
    with pytest.raises(KeyError), as_store_errors(Path("s.sqlite")):
        raise KeyError("x")


def test_what_is_no_plain_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(StoreError, match="a device, a pipe or a socket"):
            check_path(path)


def test_a_disk_that_fills_in_the_middle_of_a_study(protocol, tmp_path):
    run_study(protocol, tmp_path / "whole.sqlite")
    (tmp_path / "disk").mkdir()
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=1m", "tmpfs") as disk:

        def report(progress):
            if progress.done == 2:
                fill(disk)

        with pytest.raises(StoreError, match=r"the disk that holds .* is full"):
            run_study(protocol, disk / "s.sqlite", report=report)
        with Store.read(disk / "s.sqlite") as store:
            assert 2 <= len(store.done()) < 4
        (disk / "filler").unlink()
        assert run_study(protocol, disk / "s.sqlite").done == 4
        with Store.read(disk / "s.sqlite") as store, Store.read(tmp_path / "whole.sqlite") as whole:
            assert table(store) == table(whole)


def test_a_disk_that_is_full_at_the_start(protocol, tmp_path):
    (tmp_path / "disk").mkdir()
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=256k", "tmpfs") as disk:
        fill(disk)
        with pytest.raises(StoreError, match=r"is full|full, or belongs"):
            run_study(protocol, disk / "s.sqlite")
        (disk / "filler").unlink()
        (disk / "s.sqlite").unlink(missing_ok=True)
        Store.create(disk / "s.sqlite", protocol).close()


def test_a_read_only_folder(protocol, tmp_path):
    (tmp_path / "disk").mkdir()
    run_study(protocol, tmp_path / "disk" / "s.sqlite")
    with mounted(tmp_path / "disk", "--bind", str(tmp_path / "disk")) as disk:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(disk)], check=True)
        for name in ("s.sqlite", "new.sqlite"):
            with pytest.raises(StoreError, match=r"sqlite-lock cannot be opened for writing .* is read-only"):
                run_study(protocol, disk / name)
        with pytest.raises(StoreError, match=r"new\.sqlite cannot be opened for writing"):
            Store.create(disk / "new.sqlite", protocol)
        with Store.read(disk / "s.sqlite") as store:  # a report needs no writing
            assert len(store.done()) == 4


def test_a_lock_that_cannot_be_made(protocol, tmp_path):
    (tmp_path / "s.sqlite-lock").mkdir()
    with pytest.raises(StoreError, match=r"s\.sqlite-lock cannot be opened for writing"):
        run_study(protocol, tmp_path / "s.sqlite")
    assert not (tmp_path / "s.sqlite").exists()


LIMITED = """
import resource, sys
from bncc.experiment import StoreError, load_protocol, run_study
for limit in (0, 40_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        run_study(load_protocol(sys.argv[1]), sys.argv[2])
    except StoreError as error:
        print(error)
"""


def test_a_limit_on_the_size_of_files(write_protocol, tmp_path):
    """Needs no rights: the system refuses to write beyond the limit, as a full disk or a quota would."""
    study, path = write_protocol(replace=[FEW]), tmp_path / "s.sqlite"
    command = [sys.executable, "-c", LIMITED, str(study), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done
    assert all("could not be read or written (disk I/O error; SQLITE_IOERR" in line for line in lines)
    assert all("over a quota or a limit on file sizes" in line for line in lines)
    assert run_study(load_protocol(study), path).done == 4


def test_the_lock_is_told_apart_from_a_broken_one(protocol, tmp_path, monkeypatch):
    class Broken:
        def execute(self, query):
            raise sqlite_error("SQLITE_FULL", "database or disk is full")

        def close(self):
            pass

    monkeypatch.setattr(runner_module.sqlite3, "connect", lambda *_, **__: Broken())
    with pytest.raises(StoreError, match=r"the disk that holds .*s\.sqlite-lock is full"):
        run_study(protocol, tmp_path / "s.sqlite")
