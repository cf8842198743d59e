"""Mulan's XML file beside an ARFF file: which attributes are labels.

``<labels xmlns="http://mulan.sourceforge.net/labels"><label name="a"/>...</labels>``, labels may be nested. Document
types and entities are refused, so no entity can expand or reach outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn, TextIO
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from bncc.datasets.budgets import most_in_a_cell, too_long_cell
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.files import decode, plain_stem, read_lines_as_bytes

__all__ = ["read_label_names", "write_label_names", "xml_beside"]

_PART = re.compile(r"[-_](train|test)$", re.IGNORECASE)


def xml_beside(file: Path) -> Path | None:
    """The Mulan XML file that belongs to an ARFF file: same name, with or without ``-train`` or ``-test``."""
    stem = plain_stem(file)
    candidates = (file.with_name(f"{stem}.xml"), file.with_name(f"{_PART.sub('', stem)}.xml"))
    return next((path for path in candidates if path.is_file()), None)


def write_label_names(names: Iterable[str], out: TextIO) -> None:
    """Write an XML file that `read_label_names` reads."""
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n')
    for name in names:
        out.write(f"<label name={quoteattr(name)}></label>\n")
    out.write("</labels>\n")


def read_label_names(path: Path, *, max_bytes: int = MAX_BYTES) -> list[str]:
    """The label names in the order of the XML file."""
    text = decode(read_lines_as_bytes(path, max_bytes))
    names: list[str] = []
    parser = expat.ParserCreate("utf-8")

    def refuse(*_: object) -> NoReturn:
        raise MalformedFile(
            path, parser.CurrentLineNumber, "document types and entities are not allowed.", "Remove the declaration."
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] != "label":
            return
        if "name" not in attributes:
            raise MalformedFile(path, parser.CurrentLineNumber, "a label has no name.", 'Write <label name="..."/>.')
        if len(attributes["name"]) > most_in_a_cell():
            raise too_long_cell(path, parser.CurrentLineNumber, attributes["name"])
        names.append(attributes["name"])

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        problem = f"this is no well-formed XML ({expat.ErrorString(error.code)})."
        raise MalformedFile(path, error.lineno, problem, "Mend or remove the file.") from None
    if not names:
        raise MalformedFile(path, None, "no label is listed.", 'Write <labels><label name="..."/>...</labels>.')
    return names
