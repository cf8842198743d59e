"""What commands print: one console, one look of tables."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

__all__ = ["console", "plain_table"]

console = Console(highlight=False)


def plain_table(title: str, caption: str | None = None) -> Table:
    """An empty table in the look of this command line."""
    return Table(title=title, caption=caption, box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
