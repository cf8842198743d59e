"""Where commands may write."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bncc.datasets.formats import format_of

__all__ = ["check_output"]


def check_output(output: Path, *inputs: str | Path) -> None:
    """Tell before the work begins if a file cannot go there: no folder, no right to write, or it is what is read."""
    if not output.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {output.parent} to write {output.name} into; make it first.")
    if output.is_dir():
        raise IsADirectoryError(f"{output} is a folder; give the name of a file.")
    if output.exists() and not output.is_file():
        raise OSError(f"the output {output} is a device, a pipe or a socket; give the name of a file.")
    for given in map(Path, inputs):
        read = [file for file in given.iterdir() if format_of(file)] if given.is_dir() else [given]
        if output.exists() and any(file.exists() and file.samefile(output) for file in read):
            raise ValueError(f"the output {output} would replace the file that is read; give another name.")
    _try_to_write(output)


def _try_to_write(output: Path) -> None:
    """Make a file beside the output, and remove it: rights and mounts say no before the work, not after it."""
    try:
        handle, name = tempfile.mkstemp(prefix=".bncc-", dir=output.parent)
    except OSError as error:
        raise OSError(
            f"nothing can be written into the folder {output.parent} ({error.strerror}); "
            f"give another place for {output.name}."
        ) from None
    os.close(handle)
    Path(name).unlink()
