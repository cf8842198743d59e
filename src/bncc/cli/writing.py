"""Where commands may write."""

from __future__ import annotations

from pathlib import Path

from bncc.datasets.formats import format_of

__all__ = ["check_output"]


def check_output(output: Path, *inputs: str | Path) -> None:
    """Tell before the work begins if a file cannot go there: there is no folder, or it would replace what is read."""
    if not output.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {output.parent} to write {output.name} into; make it first.")
    if output.exists() and not output.is_file() and not output.is_dir():
        raise OSError(f"the output {output} is a device, a pipe or a socket; give the name of a file.")
    for given in map(Path, inputs):
        read = [file for file in given.iterdir() if format_of(file)] if given.is_dir() else [given]
        if output.exists() and any(file.exists() and file.samefile(output) for file in read):
            raise ValueError(f"the output {output} would replace the file that is read; give another name.")
