"""The figures that the paper prints (Tables 3 to 6), under the names of this package's catalogue.

Data sets have the catalogue's names here (``chd49``), and `printed_name` gives the paper's (``CHD``); methods and
metrics keep the paper's names. Two departures from the print, both of them the paper's own slips: Education is in
Table 4 but not in Table 3, EukaryoteGo in Table 3 but not in Table 4.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from types import MappingProxyType
from typing import Literal, TypedDict, cast

import numpy as np

from bncc.analysis.collected_scores import Scores
from bncc.datasets import catalogue
from bncc.metrics import PAPER_METRICS, get_metric

__all__ = ["METHODS", "PrintedDataset", "datasets", "p_values", "printed_metric", "printed_name", "results", "seconds"]

#: The six methods that the paper compares, in its order.
METHODS = ("BR", "CLR", "CC", "GCC", "ECC", "BNCC")


@dataclass(frozen=True)
class PrintedDataset:
    """A row of the paper's Table 3; `n_test` is None where no split is given."""

    name: str
    printed_name: str
    domain: str
    n_train: int
    n_test: int | None
    n_features: int
    n_labels: int
    cardinality: float
    mean_imbalance: float


class _DatasetRow(TypedDict):
    """A row of Table 3."""

    domain: str
    n_train: int
    n_test: int | None
    n_features: int
    n_labels: int
    cardinality: float
    avg_ir: float


class _Tables(TypedDict):
    """The paper's tables: 3 by data set, 4 by metric, data set, method and figure, 5 by part, 6 by metric and pair."""

    datasets: dict[str, _DatasetRow]
    results: dict[str, dict[str, dict[str, dict[str, float]]]]
    seconds: dict[str, dict[str, dict[str, float]]]
    wilcoxon_p: dict[str, dict[str, float]]


@functools.cache
def datasets() -> Mapping[str, PrintedDataset]:
    """Table 3 by catalogue name.

    >>> datasets()["chd49"].printed_name, datasets()["chd49"].n_labels
    ('CHD', 6)
    """
    out = {}
    for printed, row in _tables()["datasets"].items():
        name = _catalogue_names()[printed]
        out[name] = PrintedDataset(
            name,
            printed,
            domain=row["domain"],
            n_train=row["n_train"],
            n_test=row["n_test"],
            n_features=row["n_features"],
            n_labels=row["n_labels"],
            cardinality=row["cardinality"],
            mean_imbalance=row["avg_ir"],
        )
    return MappingProxyType(out)


@functools.cache
def results(metric: str) -> Scores:
    """Table 4: mean and standard deviation per data set and method, as printed (4 decimals).

    >>> results("MicF").cell("yeast", "BNCC")
    (0.657, 0.0066)
    """
    printed = printed_metric(metric)
    rows = _tables()["results"][printed]
    cells = np.array([[[rows[row][method][what] for method in METHODS] for row in rows] for what in ("mean", "std")])
    names = tuple(_catalogue_names()[row] for row in rows)
    return _frozen(Scores(printed, get_metric(printed).greater_is_better, names, METHODS, cells[0], cells[1]))


@functools.cache
def seconds(part: Literal["train", "test"]) -> Scores:
    """Table 5: seconds for training or testing, with one decimal, on the authors' machine.

    >>> seconds("train").cell("bibtex", "BNCC")[0]
    16429.7
    """
    if part not in ("train", "test"):
        raise ValueError(f"`part` must be 'train' or 'test'; got {part!r}.")
    rows = _tables()["seconds"][part]
    mean = np.array([[rows[row][method] for method in METHODS] for row in rows], np.float64)
    name = {"train": "Training seconds", "test": "Testing seconds"}[part]
    names = tuple(_catalogue_names()[row] for row in rows)
    return _frozen(Scores(name, False, names, METHODS, mean, np.full(mean.shape, np.nan)))


@functools.cache
def p_values(metric: str) -> Mapping[tuple[str, str], float]:
    """Table 6: p-values of Wilcoxon's signed-rank test by pair of methods, in the paper's order.

    >>> p_values("MacF")["CC", "BNCC"]
    0.0429
    """
    out = {}
    for pair, p_value in _tables()["wilcoxon_p"][printed_metric(metric)].items():
        first, second = pair.split(" vs ")
        out[first, second] = float(p_value)
    return MappingProxyType(out)


def printed_name(dataset: str) -> str:
    """The paper's name of a data set of the catalogue; other names come back as they are.

    >>> printed_name("plantgo"), printed_name("mine")
    ('PlanGoB978', 'mine')
    """
    entry = catalogue().get(dataset)
    return dataset if entry is None else entry.title


def printed_metric(metric: str) -> str:
    """The paper's name of one of its four metrics, given by either name.

    >>> printed_metric("macro_f1")
    'MacF'
    """
    for printed, name in PAPER_METRICS.items():
        if metric in (printed, name):
            return printed
    raise ValueError(f"The paper reports {', '.join(PAPER_METRICS)}; got {metric!r}.")


@functools.cache
def _tables() -> _Tables:
    text = resources.files("bncc.analysis").joinpath("paper_tables.json").read_text(encoding="utf-8")
    return cast(_Tables, json.loads(text))


@functools.cache
def _catalogue_names() -> Mapping[str, str]:
    return {entry.title: name for name, entry in catalogue().items()}


def _frozen(scores: Scores) -> Scores:
    """One object serves all callers, so that none may write into it."""
    scores.mean.flags.writeable = scores.std.flags.writeable = False
    return scores
