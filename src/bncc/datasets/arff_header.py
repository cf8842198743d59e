"""The upper part of an ARFF file: the relation and its attributes.

Keywords in any case, names plain or quoted (``'it\\'s'``, ``"a b"``), nominal value lists, comments, blank lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bncc.datasets.column_table import Column
from bncc.datasets.errors import MAX_COLUMNS, MalformedFile
from bncc.datasets.files import decode, shorten

__all__ = ["QUOTED", "Header", "parse_header", "quote", "split_at_data", "unescape"]

_DATA = re.compile(rb"^[ \t]*@data[ \t]*(?:%[^\n]*)?$", re.IGNORECASE | re.MULTILINE)
_KEYWORD = re.compile(r"@([a-z]+)\b\s*+(.*)", re.IGNORECASE)
QUOTED = r"""'(?P<single>(?:[^'\\]|\\.)*+)'|"(?P<double>(?:[^"\\]|\\.)*+)\""""
_QUOTED_NAME = re.compile(rf"(?:{QUOTED})\s*+(?P<kind>.*)")
_PLAIN_NAME = re.compile(r"(?P<plain>\S++)\s++(?P<kind>\S.*)")
_TIGHT_NAME = re.compile(r"(?P<plain>[^\s{]++)(?P<kind>\{.*)")
_VALUE = re.compile(rf"\s*+(?:(?:{QUOTED})|(?P<plain>[^,}}'\"][^,}}]*+)?)\s*+(?P<end>[,}}])")
_MEKA = re.compile(r":.*?-C\s+(-?\d{1,7})\b")
_ESCAPE = re.compile(r"\\(.)")
_NEEDS_QUOTES = re.compile(r"[\s,{}%'\"\\]|^$|^\?$|^@")
_NAMED_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}

_NUMBERS = ("numeric", "real", "integer")
_TEXTS = ("string", "date")


@dataclass(frozen=True)
class Header:
    """Relation name and columns; `meka_count` is the number after MEKA's ``-C``, if any."""

    relation: str
    columns: tuple[Column, ...]
    meka_count: int | None


def unescape(text: str) -> str:
    r"""The name behind a quoted one.

    >>> print(unescape(r"it\'s 5\%"))
    it's 5%
    """
    return _ESCAPE.sub(lambda m: _NAMED_ESCAPES.get(m[1], m[1]), text) if "\\" in text else text


def quote(text: str) -> str:
    r"""A name or value as ARFF writes it, quoted only where it must be.

    >>> print(quote("plain"), quote("it's 5%"))
    plain 'it\'s 5%'
    """
    if not _NEEDS_QUOTES.search(text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + "'"


def split_at_data(content: bytes, file: str) -> tuple[str, bytes, int]:
    """The header's text, the data's bytes without the line ends after them, and the line number of the first."""
    match = _DATA.search(content)
    if match is None:
        raise MalformedFile(file, None, "there is no '@data' line.", "Check that this is a whole ARFF file.")
    end = len(content)
    while end > match.end() and content[end - 1] in b"\n ":
        end -= 1
    body = content[match.end() + 1 : end]
    return decode(content[: match.start()]), body, content.count(b"\n", 0, match.end()) + 2


def parse_header(text: str, file: str) -> Header:
    """Read the lines above ``@data``."""
    relation, columns = "", []
    first_line: dict[str, int] = {}
    lists: dict[str, tuple[str, ...]] = {}  # most attributes of a file share a few lists of values
    for line, raw in enumerate(text.split("\n"), start=1):
        content = raw.strip()
        if not content or content.startswith("%"):
            continue
        keyword, rest = _keyword(content, file, line)
        if keyword == "relation":
            relation = _relation(rest)
        else:
            column = _attribute(rest, file, line, lists)
            if column.name in first_line:
                raise MalformedFile(
                    file,
                    line,
                    f"attribute {shorten(column.name)} is declared twice (first on line {first_line[column.name]}).",
                    "Rename one of them.",
                )
            first_line[column.name] = line
            columns.append(column)
    if not columns:
        raise MalformedFile(file, None, "no attribute is declared.", "Check that this is a whole ARFF file.")
    if len(columns) > MAX_COLUMNS:
        raise MalformedFile(file, None, f"more than {MAX_COLUMNS} attributes are declared.", "Split the file.")
    meka = _MEKA.search(relation)
    return Header(relation, tuple(columns), int(meka[1]) if meka else None)


def _keyword(content: str, file: str, line: int) -> tuple[str, str]:
    match = _KEYWORD.match(content)
    keyword = match[1].lower() if match else ""
    if match is None or keyword not in ("relation", "attribute"):
        raise MalformedFile(
            file,
            line,
            f"expected @relation, @attribute or @data; got {shorten(content)}.",
            "Start comments with '%'.",
        )
    return keyword, match[2]


def _relation(rest: str) -> str:
    match = _QUOTED_NAME.match(rest)
    return _unquoted(match) if match else rest.strip()


def _unquoted(match: re.Match[str]) -> str:
    text = match["single"] if match["single"] is not None else match["double"]
    return unescape(text)


def _attribute(rest: str, file: str, line: int, lists: dict[str, tuple[str, ...]]) -> Column:
    quoted = rest[:1] in ("'", '"')
    match = _QUOTED_NAME.match(rest) if quoted else _PLAIN_NAME.match(rest) or _TIGHT_NAME.match(rest)
    if match is None or not match["kind"]:
        raise MalformedFile(
            file,
            line,
            f"expected '@attribute name type'; got {shorten(rest)}.",
            "Close the quotes around the name, and give a type.",
        )
    name = _unquoted(match) if quoted else match["plain"]
    kind = match["kind"].strip()
    if kind.startswith("{"):
        if kind not in lists:
            lists[kind] = _values(kind, file, line)
        return Column(name, lists[kind])
    word = kind.split(None, 1)[0].lower()
    if word not in _NUMBERS + _TEXTS:
        raise MalformedFile(
            file,
            line,
            f"attribute {shorten(name)} has the unknown type {shorten(kind)}.",
            "Types are numeric, real, integer, string, date and {value, value, ...}.",
        )
    return Column(name, is_text=word in _TEXTS)


def _values(kind: str, file: str, line: int) -> tuple[str, ...]:
    values, at, end = [], 1, ","
    while end == ",":
        match = _VALUE.match(kind, at)
        if match is None:
            raise MalformedFile(
                file,
                line,
                f"the list of values is not closed near {shorten(kind[at:])}.",
                "Write {value, value, ...}, with quotes around values that hold ',' or '}'.",
            )
        plain = match["plain"]
        values.append(plain.strip() if plain is not None else _unquoted_or_empty(match))
        at, end = match.end(), match["end"]
    if kind[at:].strip() and not kind[at:].strip().startswith("%"):
        raise MalformedFile(file, line, f"text after the list of values: {shorten(kind[at:])}.", "Remove it.")
    if len(set(values)) != len(values) or ("" in values and not _holds_quoted_empty(kind)):
        raise MalformedFile(file, line, "a declared value is empty or repeated.", "Declare each value once.")
    return tuple(values)


def _unquoted_or_empty(match: re.Match[str]) -> str:
    return "" if match["single"] is None and match["double"] is None else _unquoted(match)


def _holds_quoted_empty(kind: str) -> bool:
    return "''" in kind or '""' in kind
