"""Protocols from TOML files: `load_protocol` finds and reads one, the tables below say what it may hold.

pydantic checks the tables. Of the libraries for this it is the one that

- tells mistakes as data, all of them at once (path, kind, value), so that each can be said in one plain sentence with
  a remedy; msgspec stops at the first and tells it as English text without the value, cattrs nests exceptions;
- is strict about types where asked to (``seed = true`` is no seed; cattrs would make it 1);
- adds no package to the command line, whose typer depends on it.

It is loaded when a protocol is read (a tenth of a second): nothing of ours waits for it before, and the records of
`bncc.experiment.protocol` know nothing of it. TOML itself is read by the standard library.
What is not checked here is checked when the study is planned: whether
there is an estimator of each name, and whether it takes its parameters.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from bncc.datasets.files import read_bytes
from bncc.experiment.protocol import Protocol, ProtocolError

__all__ = ["load_protocol", "read_protocol"]

_MOST_BYTES = 2**20


def load_protocol(source: str | os.PathLike[str]) -> Protocol:
    """Read a protocol from a TOML file, or by the name of one that comes with the package ("paper", "quick").

    A file with ``extends = "paper"`` begins as that protocol (a name, or a file beside it) and says what differs:
    its settings replace those of the other one, where tables such as ``[selection]`` are merged setting by setting.

    >>> protocol = load_protocol("quick")
    >>> [method.name for method in protocol.methods]
    ['BR', 'CC', 'BNCC']
    """
    path = _find(source)
    table, text = _read_tables(path)
    try:
        return replace(read_protocol(table, default_name=path.stem, folder=path.parent.absolute()), text=text)
    except ProtocolError as error:
        raise ProtocolError(f"{path.name}: {error}") from None


def read_protocol(table: Mapping[str, Any], *, default_name: str = "study", folder: Path | None = None) -> Protocol:
    """A protocol from a table as TOML has it; paths of data are relative to `folder`.

    >>> read_protocol({"datasets": ["flags"], "methods": {"BR": {"estimator": "BinaryRelevance"}}}).folds.n
    10
    """
    try:
        import pydantic  # noqa: F401
    except ImportError as error:
        raise ImportError('Protocol files are checked by pydantic: pip install "bncc[experiment]".') from error
    from bncc.experiment.protocol_tables import parse_protocol

    return parse_protocol({"name": default_name, **table}, folder or Path())


def _read_tables(path: Path, seen: tuple[Path, ...] = ()) -> tuple[dict[str, Any], str]:
    """The table of a file with what it extends, and the text of both."""
    if path.resolve() in seen:
        raise ProtocolError(f"{path.name} extends itself.")
    try:
        text = read_bytes(path, _MOST_BYTES).decode("utf-8").replace("\r\n", "\n")
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"{path} is no TOML file: {error}.") from error
    base = table.pop("extends", None)
    if base is None:
        return table, text
    if not isinstance(base, str):
        raise ProtocolError(f"{path.name}: `extends` must be the name of a protocol, or a file; got {base!r}.")
    beside = path.parent / base
    known, known_text = _read_tables(beside if beside.is_file() else _find(base), (*seen, path.resolve()))
    known.pop("name", None)
    return _merge(known, table), f"{text.rstrip()}\n\n# {base}:\n{known_text}"


def _merge(known: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """What `changes` says replaces what was known; tables are merged, one level deep."""
    tables = {key for key, value in changes.items() if isinstance(value, dict) and isinstance(known.get(key), dict)}
    return known | {key: known[key] | value if key in tables else value for key, value in changes.items()}


def _find(source: str | os.PathLike[str]) -> Path:
    shipped = {Path(str(item)).stem: Path(str(item)) for item in (files("bncc.experiment") / "protocols").iterdir()}
    path = Path(source)
    if path.is_file():
        return path
    if str(source) in shipped:
        return shipped[str(source)]
    raise ProtocolError(f"no protocol {str(source)!r}: give a TOML file, or one of {', '.join(sorted(shipped))}.")
