import os
import stat

import pytest

from bncc._atomic import written_whole


def test_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")

    def interrupted():
        with written_whole(target) as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_replaces_and_keeps_the_mode(tmp_path):
    target = tmp_path / "out.csv"
    target.write_text("old")
    target.chmod(0o640)
    with written_whole(target) as draft:
        assert draft.suffix == ".csv"
        draft.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
def test_a_new_file_follows_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        with written_whole(tmp_path / "new") as draft:
            draft.write_text("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_folders_are_named_in_errors(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"), written_whole(tmp_path):
        pass
    with (
        pytest.raises(FileNotFoundError, match=r"no folder .*absent.* to write a"),
        written_whole(tmp_path / "absent/a"),
    ):
        pass


def test_what_is_no_plain_file_is_never_replaced(tmp_path):
    """Whoever runs as root would lose a device."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match="is a device, a pipe or a socket"), written_whole(tmp_path / name):
            pass
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]
