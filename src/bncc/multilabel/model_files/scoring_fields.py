"""What measures a model that was read: scorers call functions of an explicit list, with options that are small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from bncc.multilabel.model_files.fields import Sizes, Text
from bncc.multilabel.model_files.functions import counted_functions, measures, name_of_function, ranked_functions
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["Counted", "Measure", "MeasureOptions", "Ranked", "ResponseMethod", "Scoring"]

_SCORERS = ("LabelScorer", "PassthroughScorer", "Scorer")
_RESPONSES = Text(("predict", "predict_proba", "decision_function", "predict_log_proba"))
_MOST_LETTERS = 1000
_MOST_ITEMS = 1000  # of an option: labels make a table of pairs
_MOST_PLACES = 10**6  # of a ranking


@dataclass(frozen=True)
class Measure:
    """A function of true labels and answers whose value is a number."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Of the list, one of our own metrics, or of a package that the caller trusts."""
        part = sizes.part_of(value)
        if part is not None and part.name in ("AveragedMetric", "MetricAtK"):
            return
        _check_function(value, measures(), where, sizes)


@dataclass(frozen=True)
class Counted:
    """A binary metric of four counts; its one option is a number."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Of the list, with numbers as options."""
        function: object = value
        if isinstance(value, partial):
            function = value.func
            if value.args or not all(_is_plain(each) for each in value.keywords.values()):
                raise Refused(f"{where} must have numbers as options")
        _check_function(function, counted_functions(), where, sizes)


@dataclass(frozen=True)
class Ranked:
    """A metric at k that takes its k."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Of the list."""
        _check_function(value, ranked_functions(), where, sizes)


@dataclass(frozen=True)
class MeasureOptions:
    """Options of a metric by name: numbers, short text and flags, or a few of them; propensities are one per label."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Each by itself."""
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise Refused(f"{where} must be a dict of options by name")
        for name, option in value.items():
            most = None if name == "propensities" else _MOST_ITEMS
            if not _is_plain(option) and not _are_few(option, most):
                raise Refused(f"{where} must have numbers, flags or text for {name[:60]}, at most {_MOST_ITEMS}")
            if name == "k" and isinstance(option, int | float | np.number) and option > _MOST_PLACES:
                raise Refused(f"{where} has a k of {option}, more than {_MOST_PLACES}")


@dataclass(frozen=True)
class ResponseMethod:
    """How a scorer asks: by a method that answers, or by the first of some that a model has."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Each a method that only answers."""
        for each in value if isinstance(value, list | tuple) else (value,):
            _RESPONSES.check(each, where, sizes)


@dataclass(frozen=True)
class Scoring:
    """What a model is scored by: the name of a scorer, a scorer, or several of them."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """None, or each a name, a scorer, or what the caller trusts."""
        if isinstance(value, dict):
            every = list(value.values())
        else:
            every = list(value) if isinstance(value, list | tuple | set) else [value]
        for each in every:
            part = sizes.part_of(each)
            is_scorer = part is not None and part.name in _SCORERS
            if each is not None and not isinstance(each, str) and not is_scorer and not _is_foreign(each, sizes):
                raise Refused(f"{where} must be a scorer, or the name of one; got {type(each).__name__}")


def _check_function(value: object, known: frozenset[Callable[..., object]], where: str, sizes: Sizes) -> None:
    if not _is_foreign(value, sizes) and not any(value is each for each in known):
        told = name_of_function(value) or type(value).__name__
        raise Refused(f"{where} must be a metric of true labels and answers whose value is a number; got {told}")


def _is_foreign(value: object, sizes: Sizes) -> bool:
    """Whether a value can be called and is nothing that this package makes: the caller has trusted it by name."""
    ours = isinstance(value, type | partial) or sizes.part_of(value) is not None or name_of_function(value) is not None
    return callable(value) and not ours


def _is_plain(option: object) -> bool:
    if isinstance(option, str):
        return len(option) <= _MOST_LETTERS
    return option is None or isinstance(option, bool | int | float | np.bool_ | np.number)


def _are_few(option: object, most: int | None) -> bool:
    if isinstance(option, np.ndarray):
        return option.ndim == 1 and option.dtype.kind in "biufU" and (most is None or option.size <= most)
    return isinstance(option, list | tuple) and len(option) <= _MOST_ITEMS and all(map(_is_plain, option))
