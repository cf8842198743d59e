"""Which files of a folder are for training and which for testing, as collections on the web lay them out."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bncc.datasets.formats import is_data_file

__all__ = ["FolderParts", "find_parts"]

_SHARD = re.compile(r"-\d+-of-\d+(?=\.)")
_HELD_OUT = re.compile(r"valid|(?<![a-z])(?:val|dev)(?![a-z])")


@dataclass(frozen=True)
class FolderParts:
    """The files of a folder: of training, and of testing (none where there is one file for all rows)."""

    train: tuple[Path, ...]
    test: tuple[Path, ...] = ()


def find_parts(folder: Path) -> FolderParts:
    """The files whose names say train and test, each whole or in numbered shards; or the single data file.

    Where the folder has none itself, they are looked for in its folder ``data``. Files for validation belong to
    neither part; they are left out, with a warning.
    """
    here = [folder, folder / "data"]
    files = next((found for found in map(_data_files, here) if found), [])
    test = [file for file in files if "test" in file.name.lower()]
    train = [file for file in files if "train" in file.name.lower() and file not in test]
    if _are_one_part(train) and _are_one_part(test):
        unread = [file.name for file in files if _HELD_OUT.search(file.name.lower())]
        if unread:
            warnings.warn(f"{', '.join(unread)} in {folder} belong to neither part and are not read.", stacklevel=2)
        return FolderParts(tuple(train), tuple(test))
    if len(files) == 1:
        return FolderParts(tuple(files))
    shown = ", ".join(file.name for file in files[:12]) or "no data file"
    raise ValueError(
        f"{folder} must hold one data file with 'train' in its name and one with 'test' (or shards of them, as "
        f"train-00000-of-00002.jsonl), or a single one; got {shown}."
    )


def _data_files(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.iterdir()) if is_data_file(file)] if folder.is_dir() else []


def _are_one_part(files: Sequence[Path]) -> bool:
    """One file, or shards that differ by their numbers alone."""
    return len(files) == 1 or (
        len(files) > 1
        and all(_SHARD.search(file.name) for file in files)
        and len({_SHARD.sub("", file.name) for file in files}) == 1
    )
