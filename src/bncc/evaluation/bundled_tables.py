"""Tables that come with the package, as files for a moment: what reads people's files reads them too."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bncc.datasets import BundledTable, bundled

__all__ = ["bundled_table", "table_file"]


def bundled_table(data: str | os.PathLike[str]) -> BundledTable | None:
    """The table that a name means; None for a path that exists, and for names of other sets.

    >>> bundled_table("tickets").labels, bundled_table("songs")
    ('tags', None)
    """
    name = os.fspath(data)
    return bundled()[name].table if name in bundled() and not Path(name).exists() else None


@contextmanager
def table_file(table: BundledTable, name: str) -> Iterator[Path]:
    """The table as a CSV file of this name, which is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="bncc-") as folder:
        yield table.write(Path(folder) / f"{name}.csv")
