"""Settings of estimators as `fit` would take them: what compiled code calculates with is a number, not an array."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeGuard

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from bncc.multilabel.model_files.fields import Sizes
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["Scalar", "check_settings"]

_MOST_LETTERS = 200  # of what is told
_OF_NAMES = "UO"  # kinds of arrays in which names of columns may be listed
_WITH_ARRAYS = frozenset(("order", "class_weight"))  # settings of ours
_PLAIN = (bool, int, float, str, type(None))
_SHORT = 100  # letters of a setting whose check is remembered


@dataclass(frozen=True)
class Scalar:
    """A text, a number or nothing: what comparing with others cannot make into tables."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """No array, and no collection."""
        plain = isinstance(value, str | bytes | int | float | np.generic | type(None))
        if not plain or isinstance(value, np.void):
            raise Refused(f"{where} must hold texts and numbers alone")


def check_settings(kind: type, settings: Mapping[str, object]) -> None:
    """Refuse settings that the class would refuse in `fit`: for those of scikit-learn, by what they declare."""
    if kind.__module__.startswith("sklearn.") and isinstance(getattr(kind, "_parameter_constraints", None), dict):
        for name, value in settings.items():
            told = (
                _told_before(kind, name, type(value).__name__, value) if _is_short(value) else _told(kind, name, value)
            )
            if told is not None:
                raise Refused(told)
    elif kind.__module__.startswith("bncc."):
        for name, value in settings.items():
            if (
                isinstance(value, np.ndarray)
                and name not in _WITH_ARRAYS
                and not (value.ndim == 1 and value.dtype.kind in _OF_NAMES)
            ):
                raise Refused(f"the setting {name} of a {kind.__name__} is an array")


def _is_short(value: object) -> TypeGuard[Hashable]:
    return type(value) in _PLAIN and (not isinstance(value, str) or len(value) <= _SHORT)


def _told(kind: type, name: str, value: object) -> str | None:
    """What scikit-learn says against a setting; None where it takes it."""
    known = getattr(kind, "_parameter_constraints", {})
    try:
        validate_parameter_constraints(known, {name: value}, caller_name=kind.__name__)
    except InvalidParameterError as error:
        return str(error)[:_MOST_LETTERS]
    return None


@lru_cache(maxsize=4096)
def _told_before(kind: type, name: str, type_name: str, value: Hashable) -> str | None:
    """The same, remembered: the trees of a forest have the same settings. 1, 1.0 and True are told apart by type."""
    return _told(kind, name, value)
