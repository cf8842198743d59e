"""Data sets to ARFF: Mulan's, with an XML file beside it, and MEKA's, with ``-C`` in the relation name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import numpy as np
from scipy import sparse

from bncc.datasets.arff_header import quote
from bncc.datasets.dataset import Dataset
from bncc.datasets.files import plain_stem
from bncc.datasets.mulan import write_label_names, xml_beside
from bncc.datasets.text_writing import category_texts, cell_text, dense_rows, number_text, stored_rows, write_text

__all__ = ["write_meka", "write_mulan"]

_STALE_COUNT = re.compile(r"-C\s+-?\d+")


def write_mulan(data: Dataset, file: Path) -> list[Path]:
    """An ARFF file, labels last, and an XML file beside it that names them."""
    write_text(file, lambda out: _write_arff(data, out, quote(data.name), labels_first=False))
    xml = file.with_name(f"{plain_stem(file)}.xml")
    write_text(xml, lambda out: write_label_names(data.label_names, out))
    return [file, xml]


def write_meka(data: Dataset, file: Path) -> list[Path]:
    """An ARFF file with the labels first and their number in the relation name."""
    beside = xml_beside(file)
    if beside is not None:
        raise ValueError(f"{beside} stands beside {file.name} and would decide the labels; choose another name.")
    relation = quote(f"{_STALE_COUNT.sub('', data.name)}: -C {data.n_labels}")
    write_text(file, lambda out: _write_arff(data, out, relation, labels_first=True))
    return [file]


def _write_arff(data: Dataset, out: TextIO, relation: str, *, labels_first: bool) -> None:
    texts = {j: {code: quote(text) for code, text in by_code.items()} for j, by_code in category_texts(data).items()}
    kinds = zip(data.feature_names, _kinds(data, texts), strict=True)
    features = [f"@attribute {quote(name)} {kind}\n" for name, kind in kinds]
    labels = [f"@attribute {quote(name)} {{0,1}}\n" for name in data.label_names]
    out.write(f"@relation {relation}\n\n")
    out.writelines(labels + features if labels_first else features + labels)
    out.write("\n@data\n")
    write_rows = _write_sparse_rows if sparse.issparse(data.X) else _write_dense_rows
    write_rows(data, out, texts, labels_first)


def _write_sparse_rows(
    data: Dataset, out: TextIO, texts: Mapping[int, Mapping[float, str]], labels_first: bool
) -> None:
    shift_x, shift_y = (data.n_labels, 0) if labels_first else (0, data.n_features)
    for stored_x, stored_y in zip(stored_rows(data.X), stored_rows(data.Y_sparse), strict=True):
        entries = [(j + shift_x, cell_text(value, texts.get(j))) for j, value in stored_x]
        entries += [(j + shift_y, number_text(value)) for j, value in stored_y]
        out.write("{" + ",".join(f"{j} {text}" for j, text in sorted(entries)) + "}\n")


def _write_dense_rows(data: Dataset, out: TextIO, texts: Mapping[int, Mapping[float, str]], labels_first: bool) -> None:
    for x, y in zip(dense_rows(data.X), dense_rows(data.Y_sparse), strict=True):
        features, labels = list(map(number_text, x)), list(map(number_text, y))
        for j, by_code in texts.items():
            features[j] = cell_text(x[j], by_code)
        out.write(",".join(labels + features if labels_first else features + labels) + "\n")


def _kinds(data: Dataset, texts: Mapping[int, Mapping[float, str]]) -> list[str]:
    """``numeric``, or the texts or values, the one of zero first, as sparse rows leave out the first."""
    columns = sparse.csc_array(data.X) if sparse.issparse(data.X) else data.X
    kinds = []
    for j, nominal in enumerate(data.nominal.tolist()):
        if j in texts:
            kinds.append("{" + ",".join(texts[j].values()) + "}")
            continue
        if not nominal:
            kinds.append("numeric")
            continue
        values = columns[:, [j]].data if sparse.issparse(columns) else columns[:, j]
        occurring = set(np.asarray(values, np.float64)[~np.isnan(values)].tolist()) - {0.0}
        kinds.append("{" + ",".join(["0", *(number_text(value) for value in sorted(occurring))]) + "}")
    return kinds
