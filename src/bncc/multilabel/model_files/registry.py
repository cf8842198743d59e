"""Which types a model file may hold, by short names: a record of fields for each.

To let a file hold a new type, add its `Record` to a ``records_*`` file: a name, where the class is, and what its fields
must be. Everything that compiled code reads, or that decides how much work or memory an answer takes, is declared; what
Python code checks by itself when it uses it may be `Anything`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from typing import Any, TypeAlias

from bncc.multilabel.model_files.column_fields import check_output
from bncc.multilabel.model_files.fields import (
    Anything,
    Either,
    Flag,
    Kind,
    Nothing,
    Number,
    Optional,
    Sizes,
    Text,
    Values,
    Whole,
    takes_parts,
)
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.scoring_fields import Scoring
from bncc.multilabel.model_files.settings import check_settings

__all__ = ["COLUMNS", "Fields", "Record", "check_record", "class_at", "record_named", "record_of", "records"]

Fields: TypeAlias = dict[str, Any]  # those of one object, checked or about to be

#: The size of a record that has columns with names.
COLUMNS = "columns with names"

_MOST_JOBS = 512
_MOST_DRAWS = 10_000


@dataclass(frozen=True)
class Record:
    """One type that a model file may hold.

    Attributes
    ----------
    name : str
        What the type is called in files; it stays when the class moves.
    path : str
        ``module:Class``.
    fields : mapping of field name to Kind
        Checked in this order. Parameters of an estimator need no mention unless they are bounded.
    loose : bool
        Whether other fields may hold any plain value. Not for types that hand fields to compiled code.
    inner : bool
        Whether it may stand only in fields that ask for it by name (`Part`).
    check : callable, default=None
        What else must hold between the fields: raises Refused.
    state : callable, default=None
        The fields of an object; None is its `__getstate__`.
    make : callable, default=None
        An object of the fields; None is `__setstate__`, or setting its attributes.
    work : callable, default=None
        Steps that Python takes for an answer, as one for each feature or part; None is few, whatever the fields are.
    effort : int
        What reading it takes, beside its fields and parts: each about 10 microseconds.
    columns : callable, default=None
        Columns that it makes names for when it is asked, those of its parts included; None is none.
    ignores : tuple of field names
        Left out when an object is written: what Python makes again by itself.
    former : tuple of paths
        Where the class was in files of earlier formats.
    """

    name: str
    path: str
    fields: Mapping[str, Kind] = field(default_factory=dict)
    loose: bool = False
    inner: bool = False
    check: Callable[[Values, Sizes], None] | None = None
    state: Callable[[Any], dict[str, object]] | None = None
    make: Callable[[Fields], object] | None = None
    work: Callable[[Values, Sizes], int] | None = None
    effort: int = 5
    columns: Callable[[Values, Sizes], int] | None = None
    ignores: tuple[str, ...] = ()
    former: tuple[str, ...] = ()

    def type(self) -> type:
        """The class itself."""
        return class_at(self.path)

    def is_estimator(self) -> bool:
        """Whether it may be there before `fit`, with its parameters alone."""
        return hasattr(self.type(), "get_params")

    def settings(self) -> frozenset[str]:
        """Names of the parameters of an estimator's constructor; none for other types."""
        return _settings_of(self.path)

    @cached_property
    def asks_for_parts(self) -> frozenset[str]:
        """Names of the fields in which inner records may stand."""
        return frozenset(name for name, kind in self.fields.items() if takes_parts(kind))

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """Names of the fields that are there after `fit`."""
        optional = {name for name, kind in self.fields.items() if isinstance(kind, Optional)}
        return tuple(name for name in self.fields if name not in self.settings() | optional)


#: What parameters of any estimator must be, where they decide how much is done; others may be any plain value.
SETTINGS: Mapping[str, Kind] = {
    "n_jobs": Optional(Whole(-_MOST_JOBS, _MOST_JOBS)),
    "n_threads": Optional(Whole(1, _MOST_JOBS)),
    "memory": Nothing(),  # a folder of pickles
    "verbose": Either((Flag(), Whole(0, 100))),
    "random_state": Anything(),
    "cache_size": Number(1e-6, 1e9),
    "beam_width": Whole(1, _MOST_DRAWS),
    "n_samples": Whole(1, _MOST_DRAWS),
    "degree": Optional(Number(0, 1000)),
    "leaf_size": Whole(1, 10**6),
    "scoring": Scoring(),
    "verbose_feature_names_out": Flag(),  # texts are formats, which make names of any length
    "pre_dispatch": Either((Whole(0, 10**6), Text(("all", "n_jobs", "2*n_jobs")))),
}
_VERSION = "_sklearn_version"
# What is no parameter, and yet there before `fit`.
_BEFORE_FIT = (_VERSION, "_sklearn_output_config", "_metadata_request", "_output")


@cache
def records() -> Mapping[str, Record]:
    """Every record by its name."""
    from bncc.multilabel.model_files.records_bases import BASES
    from bncc.multilabel.model_files.records_blends import BLENDS
    from bncc.multilabel.model_files.records_boosting import BOOSTING
    from bncc.multilabel.model_files.records_categories import CATEGORIES
    from bncc.multilabel.model_files.records_kernel import KERNEL
    from bncc.multilabel.model_files.records_libsvm import LIBSVM
    from bncc.multilabel.model_files.records_methods import METHODS
    from bncc.multilabel.model_files.records_neighbours import NEIGHBOURS
    from bncc.multilabel.model_files.records_preparation import PREPARATION
    from bncc.multilabel.model_files.records_selection import SELECTION
    from bncc.multilabel.model_files.records_tables import TABLES
    from bncc.multilabel.model_files.records_text import TEXT
    from bncc.multilabel.model_files.records_trees import TREES

    every = (
        *METHODS,
        *BLENDS,
        *KERNEL,
        *SELECTION,
        *BASES,
        *LIBSVM,
        *TREES,
        *BOOSTING,
        *NEIGHBOURS,
        *PREPARATION,
        *CATEGORIES,
        *TEXT,
        *TABLES,
    )
    return {record.name: record for record in every}


def record_named(name: str) -> Record:
    """The record of a name in a file."""
    if name not in records():
        raise Refused(f"it holds types that are not trusted: {name[:80]}")
    return records()[name]


@cache
def _by_path() -> Mapping[str, Record]:
    paths = {record.path: record for record in records().values()}
    return paths | {former: record for record in records().values() for former in record.former}


def record_of(path: str) -> Record | None:
    """The record of a class by its ``module:Class``, present or former."""
    return _by_path().get(path)


def check_record(record: Record, values: Values, sizes: Sizes) -> None:
    """Raise Refused unless the fields are those of the record, each of its kind, and belong together.

    An estimator that has only parameters is one before `fit`. If there is anything else, then so are all declared
    fields (but `Optional` ones), as checks of one field may build on others.
    """
    for name in values:
        if not _may_have(record, name):
            raise Refused(f"{record.name} has a field {name[:60]!r} that it may not have")
        if not _may_be_called(record, name, values[name]):
            raise Refused(f"{record.name} has a function {name[:60]!r} where it has none")
    check_output(record.name, record.type(), values)
    is_learned = any(_is_learned(record, name) for name in values)
    if missing := [name for name in record.needed if name not in values and (is_learned or not record.is_estimator())]:
        raise Refused(f"{record.name} has no {missing[0]}")
    for name, kind in SETTINGS.items():
        if name in values and name in record.settings() and name not in record.fields:
            kind.check(values[name], f"{record.name}.{name}", sizes)
    for name, kind in record.fields.items():
        if name in values:
            kind.check(values[name], f"{record.name}.{name}", sizes)
    check_settings(record.type(), {name: values[name] for name in record.settings() & values.keys()})
    if record.check is not None and (is_learned or not record.needed or not record.is_estimator()):
        record.check(values, sizes)


def _is_learned(record: Record, name: str) -> bool:
    """Whether a field is there since `fit`; constructors may set more than their parameters, by plain names."""
    return name.strip("_") != name and name not in record.settings() and name not in _BEFORE_FIT


def _may_have(record: Record, name: str) -> bool:
    if name in record.fields or name in record.settings() or name == _VERSION:
        return True
    if name in record.ignores:  # what Python makes again by itself is not believed
        return False
    # What stands in the place of a method could take its checks away.
    return record.loose and name.isidentifier() and not name.startswith("__") and not hasattr(record.type(), name)


def _may_be_called(record: Record, name: str, value: object) -> bool:
    """Whether a value is no function, or a setting or a declared field, which are looked at."""
    return not callable(value) or name in record.fields or name in record.settings()


@cache
def class_at(path: str) -> type:
    """The class of a record's path."""
    module, _, name = path.partition(":")
    found: type = getattr(import_module(module), name)
    return found


@cache
def _settings_of(path: str) -> frozenset[str]:
    kind = class_at(path)
    if not hasattr(kind, "get_params"):
        return frozenset()
    return frozenset(inspect.signature(kind).parameters)
