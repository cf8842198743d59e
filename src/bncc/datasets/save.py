"""Data sets to files: Mulan ARFF with XML, MEKA ARFF, and CSV."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import quoteattr

import numpy as np
from scipy import sparse

from bncc._atomic import written_whole
from bncc.datasets.arff import xml_beside
from bncc.datasets.arff_header import quote
from bncc.datasets.dataset import Dataset
from bncc.datasets.delimited import MISSING
from bncc.datasets.files import plain_stem, plain_suffix, shorten
from bncc.datasets.table import category_codes

__all__ = ["save"]

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_STALE_COUNT = re.compile(r"-C\s+-?\d+")


def save(data: Dataset, path: str | os.PathLike[str], *, format: str | None = None) -> list[Path]:
    """Write a data set and return the files written; ``.gz`` at the end packs them.

    Parameters
    ----------
    format : {"mulan", "meka", "csv"} or None
        ``mulan``: an ARFF file, labels last, and an XML file beside it that names them. ``meka``: an ARFF file with
        the labels first and ``-C`` in the relation name. ``csv``: a line of names, features then labels, missing
        values empty; a tab separates columns if the path ends in ``.tsv``. None takes csv for ``.csv`` and ``.tsv``
        and mulan for ``.arff``.

    A sparse `X` gives sparse ARFF. Values are written so that reading gives the same float64. Nominal features are
    written as such, with the texts that their numbers stand for (`Dataset.categories`). The split
    is not written: save the parts of `train_test` under names of their own.

    >>> from bncc.datasets import load, make_dataset
    >>> import tempfile
    >>> data = make_dataset([[0.5], [2.0]], [[1, 0], [0, 1]], feature_names=["a b"], label_names=["it's", "50%"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print([file.name for file in save(data, f"{folder}/toy.arff")])
    ...     print(load(f"{folder}/toy.arff").label_names)
    ['toy.arff', 'toy.xml']
    ("it's", '50%')
    """
    file = Path(path)
    chosen = format or {".csv": "csv", ".tsv": "csv", ".arff": "mulan"}.get(plain_suffix(file))
    if chosen not in _WRITERS:
        raise ValueError(f"`format` must be one of {sorted(_WRITERS)}; got {format!r} for {file.name!r}.")
    _check_names(data)
    return _WRITERS[chosen](data, file)


def _save_mulan(data: Dataset, file: Path) -> list[Path]:
    _write(file, lambda out: _write_arff(data, out, quote(data.name), labels_first=False))
    xml = file.with_name(f"{plain_stem(file)}.xml")
    _write(xml, lambda out: _write_xml(data, out))
    return [file, xml]


def _save_meka(data: Dataset, file: Path) -> list[Path]:
    beside = xml_beside(file)
    if beside is not None:
        raise ValueError(f"{beside} stands beside {file.name} and would decide the labels; choose another name.")
    relation = quote(f"{_STALE_COUNT.sub('', data.name)}: -C {data.n_labels}")
    _write(file, lambda out: _write_arff(data, out, relation, labels_first=True))
    return [file]


def _save_csv(data: Dataset, file: Path) -> list[Path]:
    names = [*data.feature_names, *data.label_names]
    bad = [name for name in names if name != name.strip("\ufeff").strip() or not name or "\r" in name]
    if bad:
        raise ValueError(f"CSV cannot hold the names {bad[:5]}: no blanks around them, no carriage returns.")
    spelled = _spellings(data)
    lost = [text for texts in spelled.values() for text in texts.values() if not _fits_csv(text)]
    if lost:
        raise ValueError(f"CSV cannot hold the category {shorten(lost[0])}, which would be read as another; save ARFF.")

    def write(out: TextIO) -> None:
        delimiter = "\t" if plain_suffix(file) == ".tsv" else ","
        rows = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        rows.writerow(names)
        for x, y in zip(_dense_rows(data.X), _dense_rows(data.Y_sparse), strict=True):
            cells = ["" if value != value else _text(value) for value in x]
            for j, texts in spelled.items():
                cells[j] = texts.get(x[j], "")
            rows.writerow([*cells, *(str(int(value)) for value in y)])

    _write(file, write)
    return [file]


_WRITERS: dict[str, Callable[[Dataset, Path], list[Path]]] = {
    "mulan": _save_mulan,
    "meka": _save_meka,
    "csv": _save_csv,
}


def _check_names(data: Dataset) -> None:
    names = [*data.feature_names, *data.label_names]
    both = sorted(set(data.feature_names) & set(data.label_names))
    if both:
        raise ValueError(f"a file cannot tell features and labels of the same name apart: {both[:5]}.")
    texts = [text for group in data.categories.values() for text in group]
    bad = [name for name in [data.name, *names, *texts] if _UNWRITABLE.search(name)]
    if bad:
        raise ValueError(
            f"names and categories must hold no control characters; got {', '.join(map(shorten, bad[:5]))}."
        )


def _write(file: Path, write: Callable[[TextIO], None]) -> None:
    packed = file.suffix.lower() == ".gz"
    with written_whole(file) as draft, gzip.open(draft, "wb") if packed else draft.open("wb") as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        write(text)
        text.flush()
        text.detach()


def _write_xml(data: Dataset, out: TextIO) -> None:
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n')
    for name in data.label_names:
        out.write(f"<label name={quoteattr(name)}></label>\n")
    out.write("</labels>\n")


def _write_arff(data: Dataset, out: TextIO, relation: str, *, labels_first: bool) -> None:
    is_sparse = sparse.issparse(data.X)
    spelled = {j: {code: quote(text) for code, text in texts.items()} for j, texts in _spellings(data).items()}
    kinds = zip(data.feature_names, _kinds(data, spelled), strict=True)
    features = [f"@attribute {quote(name)} {kind}\n" for name, kind in kinds]
    labels = [f"@attribute {quote(name)} {{0,1}}\n" for name in data.label_names]
    out.write(f"@relation {relation}\n\n")
    out.writelines(labels + features if labels_first else features + labels)
    out.write("\n@data\n")
    shift_x, shift_y = (data.n_labels, 0) if labels_first else (0, data.n_features)
    if is_sparse:
        for stored_x, stored_y in zip(_stored(data.X), _stored(data.Y_sparse), strict=True):
            entries = [(j + shift_x, _cell(value, spelled.get(j))) for j, value in stored_x]
            entries += [(j + shift_y, _text(value)) for j, value in stored_y]
            out.write("{" + ",".join(f"{j} {text}" for j, text in sorted(entries)) + "}\n")
        return
    for x, y in zip(_dense_rows(data.X), _dense_rows(data.Y_sparse), strict=True):
        cells, labels = list(map(_text, x)), list(map(_text, y))
        for j, texts in spelled.items():
            cells[j] = _cell(x[j], texts)
        out.write(",".join(labels + cells if labels_first else cells + labels) + "\n")


def _spellings(data: Dataset) -> dict[int, dict[float, str]]:
    """By column, the text of each number; columns with a number that has none keep their numbers."""
    out = {}
    for j, name in enumerate(data.feature_names):
        texts = data.categories.get(name)
        if texts is None:
            continue
        by_code = dict(sorted(zip(category_codes(texts).tolist(), texts, strict=True)))
        column = data.X[:, [j]].toarray() if sparse.issparse(data.X) else data.X[:, [j]]
        if set(column[~np.isnan(column)].tolist()) <= set(by_code):
            out[j] = by_code
    return out


def _fits_csv(text: str) -> bool:
    return text == text.strip() and text not in MISSING and text.lower() != "nan" and "\r" not in text


def _cell(value: float, texts: Mapping[float, str] | None) -> str:
    return _text(value) if texts is None or value != value else texts[value]


def _kinds(data: Dataset, spelled: Mapping[int, Mapping[float, str]]) -> list[str]:
    """``numeric``, or the texts or values, the one of zero first, as sparse rows leave out the first."""
    columns = sparse.csc_array(data.X) if sparse.issparse(data.X) else data.X
    kinds = []
    for j, nominal in enumerate(data.nominal.tolist()):
        if j in spelled:
            kinds.append("{" + ",".join(spelled[j].values()) + "}")
            continue
        if not nominal:
            kinds.append("numeric")
            continue
        values = columns[:, [j]].data if sparse.issparse(columns) else columns[:, j]
        occurring = set(np.asarray(values, np.float64)[~np.isnan(values)].tolist()) - {0.0}
        kinds.append("{" + ",".join(["0", *(_text(value) for value in sorted(occurring))]) + "}")
    return kinds


def _text(value: float) -> str:
    """The shortest text that reads back as the same number; ``?`` for a missing one."""
    if value != value:
        return "?"
    return repr(float(value)).removesuffix(".0")


def _dense_rows(matrix: Any) -> Iterator[list[float]]:
    for start in range(0, matrix.shape[0], 256):
        block = matrix[start : start + 256]
        yield from (block.toarray() if sparse.issparse(block) else np.asarray(block, np.float64)).tolist()


def _stored(matrix: Any) -> Iterator[list[tuple[int, float]]]:
    rows = sparse.csr_array(matrix)
    indices, values = rows.indices.tolist(), rows.data.astype(np.float64).tolist()
    for start, end in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        yield list(zip(indices[start:end], values[start:end], strict=True))
