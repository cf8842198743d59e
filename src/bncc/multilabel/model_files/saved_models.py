"""Models people can keep: files that hold a fitted estimator, run no code when they are opened, and crash nothing.

A model file is a zip archive: ``bncc.json`` (the number of the format, the versions that wrote the file, and notes),
``structure.json`` (records by short names, see `registry`), and one ``.npy`` member per array. Files of formats 1 and 2
are archives of skops; they are translated (`skops_files`) and pass the same checks.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from sklearn.base import BaseEstimator

from bncc._atomic import written_whole
from bncc._typing import Classifier, JSONObject
from bncc._versions import versions_now
from bncc.datasets.errors import MalformedFile
from bncc.datasets.files import check_readable, shorten
from bncc.multilabel.model_files.archive import HEAD, MOST_HEAD_BYTES, Archive, open_regular
from bncc.multilabel.model_files.foreign import is_named
from bncc.multilabel.model_files.json_content import parse_json
from bncc.multilabel.model_files.reading import Reader
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.skops_files import SCHEMA, structure_of_schema
from bncc.multilabel.model_files.writing import Writer

__all__ = ["FORMAT", "SavedModel", "load_model", "open_model", "save_model"]

#: Raised when what this package writes can no longer be read by the releases before it.
FORMAT = 3

_STRUCTURE = "structure.json"
_AGAIN = "Copy it again from where it was whole, or fit the model again."
_OTHER_VERSIONS = "Install those versions, or fit the model again."


@dataclass(frozen=True, eq=False)
class SavedModel:
    """What a model file holds.

    Attributes
    ----------
    model : estimator
    format : int
    versions : mapping of package name to the version that wrote the file
    notes : mapping
        What the writer added: plain JSON values.
    """

    model: Any
    format: int
    versions: Mapping[str, str]
    notes: Mapping[str, Any]


def save_model(
    model: Classifier,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
    trusted: Iterable[str] = (),
) -> Path:
    """Write an estimator to a file that `load_model` reads.

    Answers after loading are identical. Of the training rows only support vectors travel, and what a nearest-neighbour
    method needs: label networks leave their label matrix behind, and probabilities are calibrated now if they have not
    been asked for yet. The file appears whole or not at all, and has been read once before it does.

    Parameters
    ----------
    model : estimator of this package or of scikit-learn, or a pipeline or search of such
    path : file name, ``.bncc`` by custom
    notes : mapping of plain JSON values, kept beside the model (see `open_model`)
    trusted : full names of types from other packages that the model holds, or of whole packages ("lightgbm")
        Readers must name them too. What these do when they are read is outside of what this package can promise.

    >>> import tempfile
    >>> from bncc.datasets import make_scenes
    >>> from bncc.multilabel import BNCC
    >>> data = make_scenes(80)
    >>> model = BNCC().fit(data.X, data.Y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = save_model(model, f"{folder}/scenes.bncc")
    ...     print(bool((load_model(file).predict(data.X) == model.predict(data.X)).all()))
    True
    """
    if isinstance(model, type) or not isinstance(model, BaseEstimator):
        raise TypeError(f"`model` must be an estimator; got {type(model).__name__}.")
    head = json.dumps({"format": FORMAT, "versions": versions_now(), "notes": dict(notes or {})}).encode()
    if len(head) > MOST_HEAD_BYTES:
        raise ValueError(f"`notes` must fit into {MOST_HEAD_BYTES:,} bytes of JSON; got {len(head):,}.")
    writer = Writer(_trust(trusted))
    structure = json.dumps(writer.write(model), separators=(",", ":")).encode()
    if writer.strange:
        raise TypeError(
            f"`model` holds types that `load_model` does not trust: {', '.join(sorted(writer.strange))}. Another base "
            "classifier avoids them; if they are safe to make, pass their names in `trusted`, here and in `load_model`."
        )
    with written_whole(path) as draft:
        with zipfile.ZipFile(draft, "w", compression=zipfile.ZIP_DEFLATED) as archive:
            for name, content in {HEAD: head, _STRUCTURE: structure, **writer.members}.items():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        _check_readable_again(draft, trusted)
    return Path(path)


def load_model(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> Any:
    """The estimator in a file written by `save_model`; opening a file from a stranger runs no code.

    Raises
    ------
    MalformedFile
        If the file is damaged, is no model file, was written by a later format, or holds types that are neither
        listed in this package nor named in `trusted`.
    """
    return open_model(path, trusted=trusted).model


def open_model(path: str | os.PathLike[str], *, trusted: Iterable[str] = ()) -> SavedModel:
    """As `load_model`, with the versions that wrote the file and the notes in it."""
    file = Path(path)
    check_regular(file)
    try:
        with open_regular(file) as stream:
            return _read(file, stream, _trust(trusted))
    except Refused as error:
        raise MalformedFile(file, None, f"{error}.", _AGAIN) from error


def check_regular(file: Path) -> None:
    """What the operating system says of a file that cannot be opened; a pipe or device is not waited for."""
    if file.exists() and not file.is_file() and not file.is_dir():
        raise MalformedFile(file, None, "it is a device, a pipe or a socket, no file.", "Give a model file.")
    check_readable(file, "check the path of the model")


def _trust(trusted: Iterable[str]) -> Callable[[str], bool]:
    named = (trusted,) if isinstance(trusted, str) else tuple(trusted)
    return lambda name: is_named(name, named)


def _check_readable_again(draft: Path, trusted: Iterable[str]) -> None:
    try:
        open_model(draft, trusted=trusted)
    except MalformedFile as error:
        raise TypeError(
            f"`model` cannot be kept in a file: {error.problem.rstrip('.')}. Parts from outside bncc must stand "
            "where any object may; pickle keeps other models, for files that you alone have written."
        ) from error


def _read(file: Path, stream: BinaryIO, is_trusted: Callable[[str], bool]) -> SavedModel:
    head, archive = _read_head(file, stream)
    try:
        structure = _structure(archive, head["format"], is_trusted)
        model = Reader(archive, is_trusted).read(structure)
    except Refused as error:
        raise _refusal(file, error, head) from error
    except (Exception, RecursionError) as error:
        raise MalformedFile(file, None, *_why_not(error, head)) from error
    if not isinstance(model, BaseEstimator):
        raise MalformedFile(file, None, f"it holds a {type(model).__name__}, no estimator.", "Save the model again.")
    return SavedModel(model, head["format"], head["versions"], head["notes"])


def _structure(archive: Archive, number: int, is_trusted: Callable[[str], bool]) -> object:
    if number < 3:
        return structure_of_schema(parse_json(archive.read(SCHEMA), archive.unpacked), is_trusted)
    return parse_json(archive.read(_STRUCTURE), archive.unpacked)


def _read_head(file: Path, stream: BinaryIO) -> tuple[JSONObject, Archive]:
    begin = stream.read(2)
    stream.seek(0)
    try:
        archive = Archive(stream)
        if HEAD not in archive:
            raise MalformedFile(
                file, None, "this is no model file of bncc.", "Write models with `save_model` or `bncc fit`."
            )
        head = parse_json(archive.read(HEAD, MOST_HEAD_BYTES), archive.unpacked)
    except zipfile.BadZipFile:
        raise MalformedFile(file, None, *_no_archive(begin)) from None
    except (MalformedFile, Refused):
        raise
    except (Exception, RecursionError) as error:
        raise MalformedFile(file, None, f"the file is damaged ({shorten(str(error), 80)}).", _AGAIN) from error
    return _check_head(file, head), archive


def _no_archive(begin: bytes) -> tuple[str, str]:
    if begin == b"PK":
        return "the file is damaged: its end is missing.", _AGAIN
    if begin[:1] == b"\x80":
        return "this is a pickle, which could run any code when opened.", "Write models with `save_model`."
    return "this is no model file of bncc.", "Write models with `save_model` or `bncc fit`."


def _check_head(file: Path, head: object) -> JSONObject:
    shape = {"format": int, "versions": dict, "notes": dict}
    if not isinstance(head, dict) or any(not isinstance(head.get(key), kind) for key, kind in shape.items()):
        raise MalformedFile(file, None, f"its {HEAD} is not what `save_model` writes.", _AGAIN)
    head["versions"] = {str(name): str(number) for name, number in head["versions"].items()}
    if not 1 <= head["format"] <= FORMAT:
        writer = head["versions"].get("bncc", "an unknown version")
        raise MalformedFile(
            file,
            None,
            f"the model is in format {head['format']}, written by bncc {writer}; this release reads 1 to {FORMAT}.",
            "Install that version or a later one.",
        )
    return head


def _refusal(file: Path, error: Refused, head: JSONObject) -> MalformedFile:
    """What to say of content that is refused: another version may have written it, or a stranger."""
    written = _written_with(head)
    is_of_ours = any(f": {package}." in str(error) for package in ("bncc", "sklearn"))
    if "not trusted" in str(error) and not (written and is_of_ours):
        remedy = "If you know who wrote it and what these do, name them in `trusted`."
        return MalformedFile(file, None, f"{error}. Nothing of it was run.", remedy)
    if written:
        return MalformedFile(file, None, f"the model cannot be opened: {error}. {written}", _OTHER_VERSIONS)
    return MalformedFile(file, None, f"{error}.", _AGAIN)


def _why_not(error: BaseException, head: JSONObject) -> tuple[str, str]:
    """What to say of a file whose parts are of the list, and that yet cannot be opened."""
    told = shorten(f"{type(error).__name__}: {error}", 120)
    written = _written_with(head)
    if written:
        return f"the model cannot be opened ({told}). {written}", _OTHER_VERSIONS
    return f"the file is damaged ({told}).", _AGAIN


def _written_with(head: JSONObject) -> str:
    """The packages whose minor version was another when the file was written; empty if there are none."""
    then, now = head["versions"], versions_now()
    other = [name for name in now if name in then and _minor(now[name]) != _minor(then[name])]
    named = ", ".join(f"{name} {shorten(then[name])[1:-1]} (here {now[name]})" for name in other)
    return f"It was written with {named}." if other else ""


def _minor(number: str) -> list[str]:
    return number.split(".")[:2]
