"""The HTML page that commands leave behind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bncc.analysis.page import Summary, join_summaries, write_page

__all__ = ["NoPageOption", "PageOption", "check_page", "leave_page"]

PageOption = Annotated[
    Path, typer.Option("--page", help="The HTML page to write: one file that works offline, to look at and to keep.")
]
NoPageOption = Annotated[bool, typer.Option("--no-page", help="Write no page.")]


def check_page(page: Path, no_page: bool) -> Path | None:
    """Where the page goes, if anywhere; told before the work begins if it cannot go there."""
    if no_page:
        return None
    if page.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"`--page` must end in .html; got {page.name!r}.")
    if not page.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {page.parent} to write {page.name} into; make it first.")
    return page


def leave_page(page: Path | None, *summaries: Summary) -> str | None:
    """Write the page, if one is wanted, and return its path."""
    return None if page is None else str(write_page(join_summaries(*summaries), page))
