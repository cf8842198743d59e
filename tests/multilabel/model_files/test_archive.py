import io
import os
import zipfile

import pytest

from bncc.multilabel.model_files.archive import Archive, open_regular
from bncc.multilabel.model_files.refusals import Refused


def archive(members, **options):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", **options) as made:
        for name, content in members.items():
            made.writestr(name, content)
    out.seek(0)
    return out


def test_members_are_read_within_limits():
    found = Archive(archive({"a.npy": b"12345", "b": b""}))
    assert found.read("a.npy") == b"12345"
    assert found.unpacked == found.size("a.npy") == 5
    assert "b" in found
    assert "c" not in found
    with pytest.raises(Refused, match="more than 4"):
        found.read("a.npy", most=4)
    with pytest.raises(Refused, match="no member 'c'"):
        found.read("c")


@pytest.mark.parametrize("name", ["../a", "/a", "a/b", "a\\b", "a b", "x" * 41, "ü"])
def test_members_of_other_names_are_refused(name):
    with pytest.raises(Refused, match="is called"):
        Archive(archive({name: b""}))


def test_other_ways_of_packing_are_refused():
    packed = archive({"a": b"1" * 100}, compression=zipfile.ZIP_BZIP2)
    with pytest.raises(Refused, match="packed"):
        Archive(packed)


def test_a_member_that_is_larger_than_it_says():
    content = archive({"a": b"x" * 1000}, compression=zipfile.ZIP_DEFLATED).getvalue()
    lying = content.replace((1000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    assert lying != content
    with pytest.raises(Refused, match=r"damaged|size"):
        Archive(io.BytesIO(lying)).read("a")


def test_what_is_larger_than_any_model_is_refused():
    content = archive({"a": b"x"}).getvalue()
    place = content.rindex(b"PK\x01\x02")
    lying = content[: place + 24] + (2**32 - 2).to_bytes(4, "little") + content[place + 28 :]
    twice = Archive(io.BytesIO(lying))
    with pytest.raises(Refused, match=r"size|damaged"):
        twice.read("a")


def test_only_regular_files_are_opened(tmp_path):
    (tmp_path / "file").write_bytes(b"1")
    with open_regular(tmp_path / "file") as stream:
        assert stream.read() == b"1"
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(Refused, match="no file"), open_regular(path):
            pass


def test_files_beyond_all_bounds_are_not_read(tmp_path):
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(2**33)
    with pytest.raises(Refused, match="more than"), open_regular(tmp_path / "huge"):
        pass


def test_links_in_a_ring(tmp_path):
    from bncc.multilabel import load_model

    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(OSError, match="no file"):
        load_model(tmp_path / "a")


def test_very_many_members_hold_something():
    few = {f"{number}.npy": b"" for number in range(2**15)}
    assert "7.npy" in Archive(archive(few))
    with pytest.raises(Refused, match="32769 members that hold 0 bytes, next to nothing"):
        Archive(archive({**few, "more.npy": b""}))
    assert "more.npy" in Archive(archive({**few, "more.npy": b"x" * 64}))
