"""The zip archive of a model file: opened only if it is a regular file, and read member by member within limits."""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, cast

from bncc.multilabel.model_files.refusals import Refused

__all__ = ["HEAD", "MOST_HEAD_BYTES", "Archive", "open_regular"]

HEAD = "bncc.json"
MOST_HEAD_BYTES = 10**6

_MOST_BYTES = 2**32
_MOST_MEMBERS = 100_000
_FREE_MEMBERS, _BYTES_PER_MEMBER = 2**15, 64  # more must hold something: each takes memory, and an array has a header
_MOST_PER_MEMBER = 128  # bytes that the directory has for a member, at most: 46, its name, and large sizes
_ENTRY = b"PK\1\2"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}\Z")


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """A file open for reading; devices, pipes and sockets are refused without waiting for them."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        kind = os.fstat(handle)
        if not stat.S_ISREG(kind.st_mode):
            raise Refused("it is a device, a pipe or a socket, no file")
        if kind.st_size > _MOST_BYTES:
            raise Refused(f"the file has more than {_MOST_BYTES} bytes")
        stream = os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise
    with stream:
        yield stream


class _Watched(io.BufferedIOBase):
    """A file whose directory is refused where it is too long: before its members are made, and whatever its end says.

    `opening` is whether it is the directory that is read.
    """

    def __init__(self, stream: BinaryIO, most_members: int) -> None:
        self._stream = stream
        self._most_members = most_members
        self.opening = True

    def read(self, size: int | None = -1) -> bytes:
        if not self.opening:
            return self._stream.read(-1 if size is None else size)
        most = self._most_members * _MOST_PER_MEMBER
        content = self._stream.read(most + 1 if size is None or size < 0 else min(size, most + 1))
        if len(content) > most:
            raise Refused(f"the archive has a directory of more than {most} bytes")
        if (found := content.count(_ENTRY)) > self._most_members:
            raise Refused(f"the archive has {found} members, more than {self._most_members}")
        return content

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return self._stream.seek(place, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


class Archive:
    """The members of a zip archive by name, none of them larger than it says.

    Parameters
    ----------
    stream : open file
    most_members : int
        That it may have: one that needs few has its directory read in no time.
    """

    def __init__(self, stream: BinaryIO, most_members: int = _MOST_MEMBERS) -> None:
        watched = _Watched(stream, most_members)
        self._zip = zipfile.ZipFile(cast(BinaryIO, watched))
        watched.opening = False
        members = self._zip.infolist()
        self._members = {member.filename: member for member in members}
        if len(self._members) < len(members):
            raise Refused("the archive has two members of one name")
        for member in members:
            _check_member(member)
        self._said = sum(member.file_size for member in members)
        if self._said > _MOST_BYTES:
            raise Refused(f"the file unpacks to more than {_MOST_BYTES} bytes")
        if len(members) > _FREE_MEMBERS + self._said // _BYTES_PER_MEMBER:
            raise Refused(f"the archive has {len(members)} members that hold {self._said} bytes, next to nothing")
        self._seen: set[str] = set()
        self._waiting: dict[str, bytes] = {}

    @cached_property
    def unpacked(self) -> int:
        """Bytes of all members: what may be spent on reading them is measured by it.

        A member may say anything of its size until it is unpacked, so all of them are; each waits to be read.
        """
        for name in [each for each in self._members if each not in self._seen]:
            self._waiting[name] = self._unpack(name)
        return self._said

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def size(self, name: str) -> int:
        """Bytes of a member."""
        if name not in self._members:
            raise Refused(f"it has no member {name[:40]!r}")
        return self._members[name].file_size

    def read(self, name: str, most: int = _MOST_BYTES) -> bytes:
        """The bytes of a member, which must be as many as it says and no more than `most`."""
        size = self.size(name)
        if size > most:
            raise Refused(f"its member {name} has {size} bytes, more than {most}")
        return self._waiting.pop(name) if name in self._waiting else self._unpack(name)

    def _unpack(self, name: str) -> bytes:
        size = self.size(name)
        try:
            with self._zip.open(self._members[name]) as member:
                content = member.read(size)
                rest = member.read(1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
            raise Refused(f"its member {name} is damaged ({str(error)[:80]})") from error
        if len(content) != size or rest:
            raise Refused(f"its member {name} does not have the size that it says")
        self._seen.add(name)
        return content


def _check_member(member: zipfile.ZipInfo) -> None:
    if not _NAME.match(member.filename):
        raise Refused(f"a member is called {member.filename[:40]!r}")
    if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(f"its member {member.filename} is packed in a way that is not read")
