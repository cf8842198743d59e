"""A protocol: everything a study depends on, as frozen records.

`bncc.experiment.protocol_file` reads them from TOML, where they are checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from bncc._records import revive
from bncc._typing import ZeroDivision
from bncc.metrics import PAPER_METRICS

__all__ = ["Folds", "Method", "Option", "Protocol", "ProtocolError", "Scaling", "Selection", "StudyDataset"]

PAPER_GRID = tuple(2.0**k for k in range(-3, 10))

# For `Selection.shared_by`: what is best in the mean over all methods.
SHARED_BY_MEAN = "mean"

Option = str | int | float | bool | tuple[str | int | float | bool, ...]
"""What an option of `bncc.load` may be in a protocol."""


class ProtocolError(ValueError):
    """A protocol that cannot be run; the message says where, what was found and what is possible."""


@dataclass(frozen=True)
class StudyDataset:
    """A data set: a name of the catalogue, or a file with the options that `bncc.load` takes."""

    name: str
    path: str | None = None
    options: tuple[tuple[str, Option], ...] = ()


@dataclass(frozen=True)
class Method:
    """A method: an estimator by name, its parameters, the classifier under it, and exceptions for some data sets.

    Attributes
    ----------
    name : str
    estimator : str
        A class of this package, or a classifier of scikit-learn.
    params : mapping
    base : Method or None
        Goes in as `estimator`; None is KernelSVC where there is such a parameter.
    on : mapping of data set name to parameters
        Replace `params` there.
    """

    name: str
    estimator: str
    params: Mapping[str, Any]
    base: Method | None
    on: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Folds:
    """How rows are tested: folds of each repeat, plain (shuffled) or stratified by labels."""

    n: int = 10
    repeats: int = 1
    stratified: bool = True


@dataclass(frozen=True)
class Scaling:
    """How features are scaled: by "range", "standard" or "none"; "training" learns it from training rows alone."""

    method: Literal["none", "range", "standard"] = "range"
    fit: Literal["training", "all"] = "training"


@dataclass(frozen=True)
class Selection:
    """How sigma and C are chosen.

    Attributes
    ----------
    mode : "nested", "whole" or "none"
        "nested": by cross-validation within the training rows of every fold. "whole": once, by cross-validation on
        all rows, as the paper does; test rows have then helped to choose. "none": the first value of each.
    metric : str
    folds : int
    sigma, C : tuple of float
        Values to try, crossed; the earlier one wins a tie.
    rows : int or None
        Choose on this many rows, drawn at random; None is all.
    rows_on : mapping of data set name to int, or None
        Replaces `rows` there.
    shared_by : str or None
        With mode "whole": one sigma and C per data set for all methods, those that are best for the method of this
        name, or in the mean over all methods with a kernel ("mean"). None: each method has its own.
    """

    mode: Literal["nested", "whole", "none"] = "nested"
    metric: str = "example_f1"
    folds: int = 5
    sigma: tuple[float, ...] = PAPER_GRID
    C: tuple[float, ...] = (100.0,)
    rows: int | None = None
    rows_on: Mapping[str, int] | None = None
    shared_by: str | None = None

    def rows_for(self, dataset: str) -> int | None:
        """How many rows of a data set to choose on; None is all.

        >>> Selection(rows=500, rows_on={"medical": 333}).rows_for("medical")
        333
        """
        return (self.rows_on or {}).get(dataset, self.rows)


@dataclass(frozen=True)
class Protocol:
    """A study: which methods are compared on which data sets, how, and by which metrics.

    `text` is the file it was read from, whose comments say why.
    """

    name: str
    datasets: tuple[StudyDataset, ...]
    methods: tuple[Method, ...]
    metrics: tuple[str, ...] = tuple(PAPER_METRICS.values())
    zero_division: ZeroDivision = "empty"
    seed: int = 0
    engine: str = "auto"
    description: str = ""
    folds: Folds = Folds()
    scaling: Scaling = Scaling()
    selection: Selection = Selection()
    text: str = ""

    def settings(self) -> dict[str, Any]:
        """What all results of a store must share; data sets, methods and repeats may be added to one."""
        whole = asdict(self)
        out = {name: whole[name] for name in ("metrics", "zero_division", "seed", "folds", "scaling", "selection")}
        out["folds"] = {key: value for key, value in out["folds"].items() if key != "repeats"}
        return plain(out)

    def method(self, name: str) -> Method:
        """A method by name."""
        return next(method for method in self.methods if method.name == name)

    def source(self, name: str) -> StudyDataset:
        """A data set by name."""
        return next(source for source in self.datasets if source.name == name)


def plain(value: Any) -> Any:
    """Nested tuples and mappings as JSON has them."""
    return json.loads(json.dumps(value, default=str))


def restore_protocol(values: Mapping[str, Any]) -> Protocol:
    """A protocol from what `plain` made of it."""
    return revive(Protocol, values, "protocol")
