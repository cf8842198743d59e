"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["written_whole"]


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside the given one to write to; it takes the given name when the block ends, and is gone if it fails.

    Whoever interrupts the writing finds the old file, or none, never a part of the new one.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "a.txt") as draft:
    ...         _ = draft.write_text("all of it")
    ...     print((Path(folder) / "a.txt").read_text())
    all of it
    """
    final = Path(path)
    if final.is_dir():
        raise IsADirectoryError(f"{final} is a folder; give the name of a file.")
    if final.exists() and not final.is_file():  # a file would take its place: whoever may, would lose /dev/null
        raise OSError(f"{final} is a device, a pipe or a socket; give the name of a file.")
    if not final.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {final.parent} to write {final.name} into; make it first.")
    handle, name = tempfile.mkstemp(prefix=f".{final.name[:40]}.", suffix=final.suffix, dir=final.parent)
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        draft.chmod(final.stat().st_mode & 0o777 if final.exists() else 0o666 & ~_umask())
        draft.replace(final)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
