"""A protocol: everything a study depends on, read from a TOML file, checked and frozen."""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from bncc.metrics import PAPER_METRICS, get_metric

__all__ = ["Folds", "Method", "Protocol", "ProtocolError", "Scaling", "Selection", "Source", "load_protocol"]

PAPER_GRID = tuple(2.0**k for k in range(-3, 10))


class ProtocolError(ValueError):
    """A protocol that cannot be run; the message says where, what was found and what is possible."""


@dataclass(frozen=True)
class Source:
    """A data set: a name of the catalogue, or a file with the options that `bncc.load` takes."""

    name: str
    path: str | None = None
    options: tuple[tuple[str, Any], ...] = ()


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

    method: str = "range"
    fit: str = "training"


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
    """

    mode: str = "nested"
    metric: str = "example_f1"
    folds: int = 5
    sigma: tuple[float, ...] = PAPER_GRID
    C: tuple[float, ...] = (100.0,)
    rows: int | None = None


@dataclass(frozen=True)
class Protocol:
    """A study: which methods are compared on which data sets, how, and by which metrics.

    `text` is the file it was read from, whose comments say why.
    """

    name: str
    datasets: tuple[Source, ...]
    methods: tuple[Method, ...]
    metrics: tuple[str, ...] = tuple(PAPER_METRICS.values())
    zero_division: float = 0.0
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

    def source(self, name: str) -> Source:
        """A data set by name."""
        return next(source for source in self.datasets if source.name == name)


def plain(value: Any) -> Any:
    """Nested tuples and mappings as JSON has them."""
    return json.loads(json.dumps(value, default=str))


def load_protocol(source: str | os.PathLike[str]) -> Protocol:
    """Read a protocol from a TOML file, or by the name of one that comes with the package ("paper", "quick").

    >>> protocol = load_protocol("quick")
    >>> [method.name for method in protocol.methods]
    ['BR', 'CC', 'BNCC']
    """
    path = _find(source)
    try:
        text = path.read_text(encoding="utf-8")
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"{path} is no TOML file: {error}.") from error
    try:
        return replace(read_protocol(table, default_name=path.stem, folder=path.parent.absolute()), text=text)
    except ProtocolError as error:
        raise ProtocolError(f"{path.name}: {error}") from None


def restore_protocol(values: Mapping[str, Any]) -> Protocol:
    """A protocol from what `plain` made of it."""
    return Protocol(
        **{key: values[key] for key in ("name", "zero_division", "seed", "engine", "description", "text")},
        metrics=tuple(values["metrics"]),
        datasets=tuple(Source(item["name"], item["path"], _tuples(item["options"])) for item in values["datasets"]),
        methods=tuple(_restore_method(item) for item in values["methods"]),
        folds=Folds(**values["folds"]),
        scaling=Scaling(**values["scaling"]),
        selection=Selection(**{key: _tuples(value) for key, value in values["selection"].items()}),
    )


def _restore_method(values: Mapping[str, Any]) -> Method:
    base = values["base"]
    return Method(**{**values, "base": None if base is None else _restore_method(base)})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _find(source: str | os.PathLike[str]) -> Path:
    shipped = {Path(str(item)).stem: Path(str(item)) for item in (files("bncc.experiment") / "protocols").iterdir()}
    path = Path(source)
    if path.is_file():
        return path
    if str(source) in shipped:
        return shipped[str(source)]
    raise ProtocolError(f"no protocol {str(source)!r}: give a TOML file, or one of {', '.join(sorted(shipped))}.")


def read_protocol(table: Mapping[str, Any], *, default_name: str = "study", folder: Path | None = None) -> Protocol:
    """A protocol from a table as TOML has it; paths of data are relative to `folder`."""
    _known(table, [field.name for field in fields(Protocol) if field.name != "text"], "the protocol")
    for needed in ("datasets", "methods"):
        if not table.get(needed):
            raise ProtocolError(f"`{needed}` is missing: a protocol needs at least one.")
    sources = tuple(_source(item, folder) for item in _typed(table, "datasets", list))
    bodies = _mapping(table["methods"], "methods")
    methods = tuple(_method(name, _mapping(body, f"methods.{name}")) for name, body in bodies.items())
    names = [source.name for source in sources]
    _distinct(names, "datasets")
    metrics = _metrics(_typed(table, "metrics", list, list(PAPER_METRICS)))
    for method in methods:
        _known(method.on, names, f"methods.{method.name}.on", what="data set")
    return Protocol(
        name=_name(_typed(table, "name", str, default_name)),
        datasets=sources,
        methods=methods,
        metrics=metrics,
        zero_division=_one_of(float(_typed(table, "zero_division", (int, float), 0.0)), (0.0, 1.0), "zero_division"),
        seed=_at_least(_typed(table, "seed", int, 0), 0, "seed"),
        engine=_one_of(_typed(table, "engine", str, "auto"), ("auto", "cpu", "cuda"), "engine"),
        description=_typed(table, "description", str, ""),
        folds=_folds(_mapping(table.get("folds", {}), "folds")),
        scaling=_scaling(_mapping(table.get("scaling", {}), "scaling")),
        selection=_selection(_mapping(table.get("selection", {}), "selection"), metrics),
    )


def _name(name: str) -> str:
    """The name of a study, which names its store too."""
    if not re.fullmatch(r"\w[\w .+-]*", name):
        raise ProtocolError(f"name must be letters, digits, spaces and any of . _ + -; got {name!r}.")
    return name


def _source(item: Any, folder: Path | None) -> Source:
    if isinstance(item, str):
        return Source(item)
    body = dict(_mapping(item, "datasets"))
    name, path = body.pop("name", None), body.pop("path", None)
    if not isinstance(name, str) or not isinstance(path, str):
        raise ProtocolError(f"a data set is a name, or a table with `name` and `path`; got {item!r}.")
    options = tuple(sorted((key, tuple(v) if isinstance(v, list) else v) for key, v in body.items()))
    for key, value in options:
        if not all(isinstance(each, str | int | float) for each in (value if isinstance(value, tuple) else (value,))):
            raise ProtocolError(f"data set {name}: `{key}` must be text, a number or a list of these; got {value!r}.")
    return Source(name, str((folder or Path()) / path), options)


def _method(name: str, body: Mapping[str, Any]) -> Method:
    params = dict(body)
    estimator, base, on = params.pop("estimator", None), params.pop("base", None), params.pop("on", {})
    if not isinstance(estimator, str):
        raise ProtocolError(f"methods.{name} needs `estimator`, the name of a class; got {estimator!r}.")
    if isinstance(base, str):
        base = {"estimator": base}
    inner = None if base is None else _method(f"{name}.base", _mapping(base, f"methods.{name}.base"))
    on = _mapping(on, f"methods.{name}.on")
    exceptions = {key: dict(_mapping(value, f"methods.{name}.on.{key}")) for key, value in on.items()}
    return Method(name, estimator, params, inner, exceptions)


def _metrics(names: list[str]) -> tuple[str, ...]:
    if not all(isinstance(name, str) for name in names):
        raise ProtocolError(f"metrics must be names; got {names!r}.")
    try:
        chosen = tuple(get_metric(name).name for name in names)
    except ValueError as error:
        raise ProtocolError(f"metrics: {error}") from error
    if not chosen:
        raise ProtocolError("`metrics` must name at least one metric.")
    _distinct(chosen, "metrics")
    return chosen


def _folds(table: Mapping[str, Any]) -> Folds:
    _known(table, ("n", "repeats", "stratified"), "folds")
    return Folds(
        _at_least(_typed(table, "n", int, 10, "folds"), 2, "folds.n"),
        _at_least(_typed(table, "repeats", int, 1, "folds"), 1, "folds.repeats"),
        _typed(table, "stratified", bool, True, "folds"),
    )


def _scaling(table: Mapping[str, Any]) -> Scaling:
    _known(table, ("method", "fit"), "scaling")
    return Scaling(
        _one_of(_typed(table, "method", str, "range", "scaling"), ("none", "range", "standard"), "scaling.method"),
        _one_of(_typed(table, "fit", str, "training", "scaling"), ("training", "all"), "scaling.fit"),
    )


def _selection(table: Mapping[str, Any], metrics: tuple[str, ...]) -> Selection:
    _known(table, [field.name for field in fields(Selection)], "selection")
    usual = "example_f1" if "example_f1" in metrics else metrics[0]
    metric = _metrics([_typed(table, "metric", str, usual, "selection")])[0]
    if metric not in metrics:
        raise ProtocolError(
            f"selection.metric must be one of `metrics` ({', '.join(metrics)}); got {metric!r}: add it."
        )
    rows, folds = table.get("rows"), _at_least(_typed(table, "folds", int, 5, "selection"), 2, "selection.folds")
    return Selection(
        _one_of(_typed(table, "mode", str, "nested", "selection"), ("nested", "whole", "none"), "selection.mode"),
        metric,
        folds,
        _grid(table, "sigma", PAPER_GRID),
        _grid(table, "C", (100.0,)),
        None if rows is None else _at_least(_typed(table, "rows", int, 0, "selection"), folds, "selection.rows"),
    )


def _grid(table: Mapping[str, Any], name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    values = table.get(name, list(default))
    values = values if isinstance(values, list) else [values]
    good = all(isinstance(v, int | float) and not isinstance(v, bool) and 1e-100 < v < 1e100 for v in values)
    if not values or not good:
        raise ProtocolError(f"selection.{name} must be positive numbers; got {str(values)[:80]}.")
    _distinct([str(float(v)) for v in values], f"selection.{name}")
    return tuple(float(v) for v in values)


def _known(table: Mapping[str, Any], names: Any, where: str, what: str = "setting") -> None:
    for key in table:
        if key not in names:
            close = difflib.get_close_matches(key, names, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}."
            raise ProtocolError(f"{where} has no {what} {key!r}; {hint}")


def _typed(table: Mapping[str, Any], key: str, kind: Any, default: Any = None, where: str = "") -> Any:
    value = table.get(key, default)
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = " or ".join(k.__name__ for k in kinds)
        raise ProtocolError(f"{where + '.' if where else ''}{key} must be {wanted}; got {value!r}.")
    return value


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProtocolError(f"{where} must be a table; got {value!r}.")
    return value


def _one_of(value: Any, allowed: tuple[Any, ...], where: str) -> Any:
    if value not in allowed:
        raise ProtocolError(f"{where} must be one of {', '.join(map(repr, allowed))}; got {value!r}.")
    return value


def _at_least(value: int, least: int, where: str) -> int:
    if value < least:
        raise ProtocolError(f"{where} must be at least {least}; got {value}.")
    return value


def _distinct(names: Any, where: str) -> None:
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise ProtocolError(f"{where} must not repeat; got twice: {', '.join(map(str, twice))}.")
