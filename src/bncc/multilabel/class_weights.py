"""Class weights of links, by the classes that these have."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from bncc._checks import check_class_weight
from bncc._typing import Array, Floats

__all__ = ["factors_of_classes"]


def factors_of_classes(class_weight: Mapping[int, float] | str | None, classes: Array, target: Array) -> Floats:
    """The factor of C of each class of a link, from a dict or "balanced" over the link's targets.

    >>> factors_of_classes({1: 5.0}, np.arange(2), np.array([0, 1, 0])).tolist()
    [1.0, 5.0]
    """
    check_class_weight(class_weight)
    try:
        return np.asarray(compute_class_weight(class_weight, classes=classes, y=target), np.float64)
    except ValueError as error:
        if not isinstance(class_weight, Mapping):
            raise
        raise ValueError(
            f"`class_weight` must be by the classes of the links, {classes.tolist()}; got {class_weight!r}. Whatever "
            "values y has, a label is learned as 0 and 1, and several classes by their places: write {0: ..., 1: ...}."
        ) from error
