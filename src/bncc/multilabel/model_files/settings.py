"""Settings of estimators as `fit` would take them: what compiled code calculates with is a number, not an array."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from bncc.multilabel.model_files.fields import Sizes
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["Scalar", "check_settings"]

_MOST_LETTERS = 200  # of what is told
_OF_NAMES = "UO"  # kinds of arrays in which names of columns may be listed
_WITH_ARRAYS = frozenset(("order", "class_weight"))  # settings of ours


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
    known = getattr(kind, "_parameter_constraints", None)
    if kind.__module__.startswith("sklearn.") and isinstance(known, dict):
        try:
            validate_parameter_constraints(known, dict(settings), caller_name=kind.__name__)
        except InvalidParameterError as error:
            raise Refused(str(error)[:_MOST_LETTERS]) from None
    elif kind.__module__.startswith("bncc."):
        for name, value in settings.items():
            if (
                isinstance(value, np.ndarray)
                and name not in _WITH_ARRAYS
                and not (value.ndim == 1 and value.dtype.kind in _OF_NAMES)
            ):
                raise Refused(f"the setting {name} of a {kind.__name__} is an array")
