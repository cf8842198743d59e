"""Mulan's XML file beside an ARFF file: which attributes are labels.

``<labels xmlns="http://mulan.sourceforge.net/labels"><label name="a"/>...</labels>``, labels may be nested. Document
types and entities are refused, so no entity can expand or reach outside.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.files import decode, read_lines_as_bytes

__all__ = ["read_label_names"]


def read_label_names(path: Path, *, max_bytes: int = MAX_BYTES) -> list[str]:
    """The label names in the order of the XML file."""
    text = decode(read_lines_as_bytes(path, max_bytes))
    names: list[str] = []
    parser = expat.ParserCreate("utf-8")

    def refuse(*_: Any) -> NoReturn:
        raise MalformedFile(
            path, parser.CurrentLineNumber, "document types and entities are not allowed.", "Remove the declaration."
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(":")[2] != "label":
            return
        if "name" not in attributes:
            raise MalformedFile(path, parser.CurrentLineNumber, "a label has no name.", 'Write <label name="..."/>.')
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
