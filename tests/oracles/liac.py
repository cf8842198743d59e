"""An ARFF file by way of liac-arff, with the rules of the data sets applied one cell at a time."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import arff
import numpy as np

PAIRS = {"yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}


def cell(value: Any, categories: Any) -> float:
    if value is None:
        return float("nan")
    if not isinstance(categories, list):
        return float(value)
    try:
        numbers = [float(text) for text in categories]
        return numbers[categories.index(value)]
    except ValueError:
        lowered = {text.lower() for text in categories}
        if lowered in ({"yes", "no"}, {"true", "false"}):
            return PAIRS[value.lower()]
        return float(categories.index(value))


def read(path: Path, labels: Any, drop: tuple[str, ...] = ()) -> tuple[Any, Any, list[str], list[str]]:
    """X, Y, feature names and label names; `labels` is an XML file or a count of last columns (negative)."""
    text = path.read_text(encoding="utf-8")
    sparse = "\n{" in text
    content = arff.loads(text, return_type=arff.LOD if sparse else arff.DENSE)
    attributes = content["attributes"]
    names = [name for name, _ in attributes]
    if isinstance(labels, int):
        is_label = [i >= len(names) + labels for i in range(len(names))]
    else:
        listed = {node.attrib["name"] for node in ElementTree.parse(labels).getroot().iter() if "name" in node.attrib}
        is_label = [name in listed for name in names]
    first = [cell(kind[0], kind) if isinstance(kind, list) else 0.0 for _, kind in attributes]
    table = np.empty((len(content["data"]), len(names)))
    if sparse:
        table[:] = first
    for i, row in enumerate(content["data"]):
        for j, value in row.items() if sparse else enumerate(row):
            if names[j] not in drop:
                table[i, j] = cell(value, attributes[j][1])
    features = [j for j, name in enumerate(names) if not is_label[j] and name not in drop]
    targets = [j for j in range(len(names)) if is_label[j]]
    return table[:, features], table[:, targets], [names[j] for j in features], [names[j] for j in targets]
