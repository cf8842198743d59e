import errno
import os
import tempfile
from pathlib import Path

import pytest

from bncc.cli.writing import check_output


def test_an_output_goes_into_a_folder_that_is_there(tmp_path):
    check_output(tmp_path / "new.csv", tmp_path / "old.csv")
    with pytest.raises(FileNotFoundError, match=r"there is no folder .* to write new\.csv into"):
        check_output(tmp_path / "nowhere" / "new.csv")


def test_what_is_read_is_not_replaced(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("x\n")
    with pytest.raises(ValueError, match="would replace the file that is read"):
        check_output(Path("data.csv"), tmp_path / "data.csv")
    with pytest.raises(ValueError, match="would replace the file that is read"):
        check_output(Path("data.csv"), tmp_path)


def test_a_pipe_is_no_place_to_write_to(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(OSError, match="is a device, a pipe or a socket"):
        check_output(tmp_path / "pipe.csv")


def test_a_folder_is_no_file_to_write(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"is a folder; give the name of a file\."):
        check_output(tmp_path)


def test_a_folder_that_takes_no_file_is_told_before_the_work(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system", "/mnt/.bncc-x")

    check_output(tmp_path / "m.bncc")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    with pytest.raises(OSError, match=r"nothing can be written into the folder .* \(Read-only file system\); give"):
        check_output(tmp_path / "m.bncc")
