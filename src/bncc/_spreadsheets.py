"""Text in CSV files that a spreadsheet would run as a formula: marked when written, as it was when read.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end for a formula, whoever
wrote it: a label named ``=HYPERLINK(...)`` would run on the machine of the reader. An apostrophe before it makes it
text. Numbers are none of this, and stay as they are.
"""

from __future__ import annotations

import re

__all__ = ["spreadsheet_text", "unmarked_text"]

# Apostrophes that are there already count too, so that one is added to them and taken away again. The last four are
# the wide forms of the signs, which some spreadsheets take for them.
_WOULD_RUN = re.compile("'*(?:[\t\r\n]|\\s*[-=+@\uff1d\uff0b\uff0d\uff20])")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def spreadsheet_text(text: str) -> str:
    """Text as it may stand in a CSV cell: with an apostrophe before it where a spreadsheet would run it.

    >>> [spreadsheet_text(text) for text in ("=1+1", "@a", "a=b", "-1.5", "'=1+1", "'tis")]
    ["'=1+1", "'@a", 'a=b', '-1.5', "''=1+1", "'tis"]
    """
    return f"'{text}" if _would_run(text) else text


def unmarked_text(text: str) -> str:
    """The text that `spreadsheet_text` was given.

    >>> [unmarked_text(text) for text in ("'=1+1", "''=1+1", "'tis", "=1+1")]
    ['=1+1', "'=1+1", "'tis", '=1+1']
    """
    return text[1:] if text[:1] == "'" and _would_run(text[1:]) else text


def _would_run(text: str) -> bool:
    return _WOULD_RUN.match(text) is not None and not _NUMBER.fullmatch(text)
