"""Types of numbers that a model file names: of a width that does not decide how much memory an answer takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

import numpy as np

from bncc._typing import DType
from bncc.multilabel.model_files.arrays import is_plain_dtype
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["check_types_of_answers", "is_number_type", "named_type", "plain_type"]

_MOST_TEXT = 2**17  # bytes of all labels of one row
_LONGEST_NAME = 12  # letters of a type: NumPy would take long text apart into types of many parts


def is_number_type(value: object) -> bool:
    """Whether a value names a type of numbers, or of objects, or several: cells of text are as wide as their type says.

    >>> [is_number_type(value) for value in (np.dtype("i4"), "float32", float, None, ["f8", "O"])]
    [True, True, True, True, True]
    >>> [is_number_type(value) for value in (np.dtype("U9999"), "U9999", {"names": ["a"], "formats": ["U9999"]})]
    [False, False, False]
    """
    if value is None or isinstance(value, type):
        return True
    if isinstance(value, list | tuple):
        return all(is_number_type(each) for each in value)
    if isinstance(value, str) and value == "numeric":  # what `check_array` calls any of them
        return True
    try:
        dtype = np.dtype(value) if _is_short(value) or isinstance(value, np.dtype) else None
    except (TypeError, ValueError, SyntaxError):
        return False
    return dtype is not None and (dtype.kind == "O" or (is_plain_dtype(dtype) and dtype.kind in "biuf"))


def _is_short(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) < _LONGEST_NAME


def named_type(dtype: DType) -> DType:
    """The type, if it is one of numbers or objects, or of the text that labels have as values."""
    if not is_number_type(dtype) and not (is_plain_dtype(dtype) and dtype.kind in "US"):
        raise Refused("a type of numbers that is not plain")
    return dtype


def plain_type(name: object) -> DType:
    """The type of a name, if arrays in a model file may have it."""
    try:
        dtype = np.dtype(name) if _is_short(name) else None
    except (TypeError, ValueError, SyntaxError) as error:
        raise Refused("a type of numbers that does not exist") from error
    if dtype is None or not is_plain_dtype(dtype):
        raise Refused("a type of numbers that is not plain")
    return dtype


def check_types_of_answers(values: Mapping[str, object]) -> None:
    """Refuse fields and options by whose name a type is meant, unless of numbers; labels may be short text."""
    for name, value in values.items():
        is_text_of_labels = name == "_dtype" and isinstance(value, np.dtype) and value.kind in "US"
        if name.endswith("dtype") and not is_text_of_labels and not is_number_type(value):
            raise Refused(f"{name[:60]} must be a type of numbers; got {str(value)[:40]!r}")
    n_labels, width = values.get("n_labels_"), _text_of_labels(values)
    if isinstance(n_labels, int) and n_labels * width > _MOST_TEXT:
        raise Refused(f"{n_labels} labels with text of {width} bytes each as values, more than {_MOST_TEXT} a row")


def _text_of_labels(values: Mapping[str, object]) -> int:
    """Bytes that the value of a label takes, if it is text."""
    columns = values.get("_column_values")
    found = [values.get("_values"), *(columns if isinstance(columns, list | tuple) else ())]
    types = [values.get("_dtype"), *(each.dtype for each in found if isinstance(each, np.ndarray))]
    return max((each.itemsize for each in types if isinstance(each, np.dtype) and each.kind in "US"), default=0)
