"""The tables of a protocol file, as pydantic checks them, and the records they become.

Needs pydantic; `bncc.experiment.protocol_file` loads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, MinLen
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from bncc._names import did_you_mean
from bncc._typing import ZeroDivision
from bncc.experiment.protocol import (
    PAPER_GRID,
    SHARED_BY_MEAN,
    Folds,
    Method,
    Option,
    Protocol,
    ProtocolError,
    Scaling,
    Selection,
    StudyDataset,
)
from bncc.experiment.protocol_problems import describe_problem
from bncc.metrics import PAPER_METRICS, get_metric

__all__ = ["parse_protocol"]

# What a file writes where every method has a sigma of its own.
_SHARED_BY_NONE = "none"


def parse_protocol(table: Mapping[str, Any], folder: Path) -> Protocol:
    """The protocol of a table as TOML has it; `ProtocolError` names everything that is wrong with it."""
    try:
        parsed = ProtocolTable.model_validate(table)
    except ValidationError as error:
        raise ProtocolError(" ".join(describe_problem(problem, _KNOWN) for problem in error.errors())) from None
    return parsed.record(folder)


def _distinct(names: Sequence[str], where: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ProtocolError(f"{where} must not repeat; got twice: {', '.join(twice)}.")


def _check_name(name: str) -> str:
    """The name of a study, which names its store too."""
    if not re.fullmatch(r"\w[\w .+-]*", name):
        raise ProtocolError(f"name must be letters, digits, spaces and any of . _ + -; got {name!r}.")
    return name


def _check_dataset(item: Any) -> Any:
    if isinstance(item, str):
        return {"name": item}
    if not isinstance(item, Mapping) or not all(isinstance(item.get(key), str) for key in ("name", "path")):
        raise ProtocolError(f"a data set is a name, or a table with `name` and `path`; got {item!r}.")
    for key, value in item.items():
        if not all(isinstance(each, str | int | float) for each in (value if isinstance(value, list) else [value])):
            raise ProtocolError(
                f"data set {item['name']}: `{key}` must be text, a number or a list of these; got {value!r}."
            )
    return item


def _check_metrics(names: Any) -> list[str]:
    """The names by which this package knows the metrics."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ProtocolError(f"metrics must be names; got {names!r}.")
    if not names:
        raise ProtocolError("`metrics` must name at least one metric.")
    metrics = [_check_metric(name, "metrics") for name in names]
    if wrong := [name for name in metrics if get_metric(name).needs == "probabilities"]:
        raise ProtocolError(f"metrics: studies have scores, no probabilities, which {', '.join(wrong)} would need.")
    _distinct(metrics, "metrics")
    return metrics


def _check_metric(name: str, where: str = "selection.metric") -> str:
    try:
        return get_metric(name).name
    except ValueError as error:
        raise ProtocolError(f"{where}: {error}") from error


def _check_zero_division(value: object) -> ZeroDivision:
    if value == "empty":
        return "empty"
    if isinstance(value, bool) or value not in (0.0, 1.0):
        raise ProtocolError(f"zero_division must be one of 'empty', 0.0, 1.0; got {value!r}.")
    return 1.0 if value == 1.0 else 0.0


def _check_grid(values: Any, info: ValidationInfo) -> tuple[float, ...]:
    """Values to try: one number, or a list of them."""
    numbers = values if isinstance(values, list | tuple) else [values]
    good = all(isinstance(v, int | float) and not isinstance(v, bool) and 1e-100 < v < 1e100 for v in numbers)
    if not numbers or not good:
        raise ProtocolError(f"selection.{info.field_name} must be positive numbers; got {str(values)[:80]}.")
    _distinct([str(float(value)) for value in numbers], f"selection.{info.field_name}")
    return tuple(map(float, numbers))


def _base_table(base: Any) -> Any:
    return {"estimator": base} if isinstance(base, str) else base


class _Table(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class FoldsTable(_Table):
    """`[folds]`."""

    n: Annotated[int, Ge(2)] = Folds.n
    repeats: Annotated[int, Ge(1)] = Folds.repeats
    stratified: bool = Folds.stratified


class ScalingTable(_Table):
    """`[scaling]`."""

    method: Literal["none", "range", "standard"] = Scaling.method
    fit: Literal["training", "all"] = Scaling.fit


class SelectionTable(_Table):
    """`[selection]`; without a metric, it is the usual one, or the first of the protocol."""

    mode: Literal["nested", "whole", "none"] = Selection.mode
    metric: Annotated[str, AfterValidator(_check_metric)] | None = None
    folds: Annotated[int, Ge(2)] = Selection.folds
    sigma: Annotated[tuple[float, ...], BeforeValidator(_check_grid)] = PAPER_GRID
    C: Annotated[tuple[float, ...], BeforeValidator(_check_grid)] = Selection.C
    rows: int | None = None
    rows_on: dict[str, int] | None = None
    shared_by: str | None = None

    @model_validator(mode="after")
    def _parts_fit(self) -> SelectionTable:
        limits = {"rows": self.rows} | {f"rows_on.{name}": rows for name, rows in (self.rows_on or {}).items()}
        for name, rows in limits.items():
            if rows is not None and rows < self.folds:
                raise ProtocolError(f"selection.{name} must be at least {self.folds}; got {rows}.")
        if self.shared_by not in (None, _SHARED_BY_NONE) and self.mode != "whole":
            raise ProtocolError(f'selection.shared_by needs mode = "whole"; got mode = "{self.mode}".')
        return self

    def record(self, metrics: Sequence[str]) -> Selection:
        """As a record, with a metric."""
        usual = Selection.metric if Selection.metric in metrics else metrics[0]
        alone = self.shared_by == _SHARED_BY_NONE
        changes = {
            "metric": self.metric or usual,
            "shared_by": None if alone else self.shared_by,
            "rows_on": self.rows_on or None,
        }
        return Selection(**{**dict(self), **changes})


class SourceTable(_Table):
    """A data set: a name, or a table with a path and the options of `bncc.load`."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    name: str
    path: str | None = None

    def record(self, folder: Path) -> StudyDataset:
        """As a record, its path below the folder."""
        given: dict[str, Any] = self.model_extra or {}
        options: dict[str, Option] = {key: tuple(v) if isinstance(v, list) else v for key, v in given.items()}
        path = None if self.path is None else str(folder / self.path)
        return StudyDataset(self.name, path, tuple(sorted(options.items())))


class MethodTable(_Table):
    """`[methods.NAME]`: what has no meaning here is a parameter of the estimator."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True)

    estimator: str
    base: Annotated[MethodTable | None, BeforeValidator(_base_table)] = None
    on: dict[str, dict[str, Any]] = {}

    def record(self, name: str) -> Method:
        """As a record."""
        base = None if self.base is None else self.base.record(f"{name}.base")
        return Method(name, self.estimator, dict(self.model_extra or {}), base, self.on)


class ProtocolTable(_Table):
    """The whole file."""

    name: Annotated[str, AfterValidator(_check_name)]
    datasets: Annotated[list[Annotated[SourceTable, BeforeValidator(_check_dataset)]], MinLen(1)]
    methods: Annotated[dict[str, MethodTable], MinLen(1)]
    metrics: Annotated[list[str], BeforeValidator(_check_metrics)] = list(PAPER_METRICS.values())
    zero_division: Annotated[ZeroDivision, BeforeValidator(_check_zero_division)] = Protocol.zero_division
    seed: Annotated[int, Ge(0)] = Protocol.seed
    engine: Literal["auto", "cpu", "cuda"] = "auto"
    description: str = Protocol.description
    folds: FoldsTable = FoldsTable()
    scaling: ScalingTable = ScalingTable()
    selection: SelectionTable = SelectionTable()

    @model_validator(mode="after")
    def _parts_fit(self) -> ProtocolTable:
        names = [source.name for source in self.datasets]
        _distinct(names, "datasets")
        for method, table in self.methods.items():
            for name in table.on:
                if name not in names:
                    remedy = did_you_mean(name, names)
                    raise ProtocolError(f"methods.{method}.on has no data set {name!r}; {remedy}")
        self._check_selection(names)
        return self

    def _check_selection(self, datasets: Sequence[str]) -> None:
        """Data sets and methods that `[selection]` names must be there."""
        for name in self.selection.rows_on or {}:
            if name not in datasets:
                raise ProtocolError(f"selection.rows_on has no data set {name!r}; {did_you_mean(name, datasets)}")
        chooser = self.selection.shared_by
        known = [SHARED_BY_MEAN, _SHARED_BY_NONE, *self.methods]
        if chooser is not None and chooser not in known:
            raise ProtocolError(f"selection.shared_by has no method {chooser!r}; {did_you_mean(chooser, known)}")
        metric = self.selection.metric
        if metric is not None and metric not in self.metrics:
            metrics = ", ".join(self.metrics)
            raise ProtocolError(f"selection.metric must be one of `metrics` ({metrics}); got {metric!r}: add it.")

    def record(self, folder: Path) -> Protocol:
        """As a record; paths of data are below the folder."""
        return Protocol(
            name=self.name,
            datasets=tuple(table.record(folder) for table in self.datasets),
            methods=tuple(table.record(name) for name, table in self.methods.items()),
            metrics=tuple(self.metrics),
            zero_division=self.zero_division,
            seed=self.seed,
            engine=self.engine,
            description=self.description,
            folds=Folds(**dict(self.folds)),
            scaling=Scaling(**dict(self.scaling)),
            selection=self.selection.record(self.metrics),
        )


_KNOWN = {
    "": list(ProtocolTable.model_fields),
    "folds": list(FoldsTable.model_fields),
    "scaling": list(ScalingTable.model_fields),
    "selection": list(SelectionTable.model_fields),
}
