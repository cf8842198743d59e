"""Columns of pandas' category type, for bases that use them: numbers on the way, categories when they arrive."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from sklearn.base import clone

from bncc._typing import Classifier, Floats, Rowwise
from bncc.multilabel.coded_categories import CodedCategories

__all__ = ["CategoryLevels", "category_levels", "takes_categories", "takes_gaps", "with_categories", "with_codes"]

CategoryLevels = Mapping[int, tuple[str, ...]]
"""The levels of columns of categories, by the number of the column."""

# What compiled code of scikit-learn can tell apart.
_MOST_LEVELS = 255
_OTHERS = ("catboost", "lightgbm")
_OF_SCIKIT_LEARN = "categorical_features"


def _package(base: Classifier) -> str:
    return type(base).__module__.partition(".")[0]


def takes_categories(base: Classifier) -> bool:
    """Whether a base uses columns of categories: histogram boosting that reads types, LightGBM and CatBoost."""
    if _package(base) in _OTHERS:
        return True
    if isinstance(base, type) or not hasattr(base, "get_params"):
        return False
    asked = getattr(base, _OF_SCIKIT_LEARN, None)
    return isinstance(asked, str) and asked == "from_dtype"


def takes_gaps(base: Classifier) -> bool:
    """Whether a base takes missing values although it does not say so to scikit-learn: CatBoost."""
    return _package(base) == "catboost" or isinstance(base, CodedCategories)


def category_levels(X: Rowwise) -> CategoryLevels:
    """The levels of the columns of a pandas DataFrame that are of its category type; empty for anything else."""
    if not hasattr(X, "iloc") or not hasattr(X, "dtypes"):
        return {}
    levels = {i: dtype.categories for i, dtype in enumerate(X.dtypes) if hasattr(dtype, "categories")}
    return {i: tuple(map(str, each)) for i, each in levels.items() if len(each) <= _MOST_LEVELS}


def with_codes(X: Rowwise, levels: CategoryLevels) -> Rowwise:
    """The same table with the number of each level; NaN for gaps, and for levels that are not among them."""
    if not levels or not hasattr(X, "iloc") or X.shape[1] <= max(levels):
        return X
    return X.assign(**{X.columns[i]: _codes(X.iloc[:, i], each) for i, each in levels.items()})


def _codes(column: Rowwise, levels: tuple[str, ...]) -> Floats:
    code = {level: number for number, level in enumerate(levels)}
    cells = [None if gap else str(cell) for cell, gap in zip(column.tolist(), column.isna().tolist(), strict=True)]
    return np.array([np.nan if cell is None else code.get(cell, np.nan) for cell in cells])


def with_categories(base: Classifier, levels: CategoryLevels) -> Classifier:
    """A copy of a base that knows which of its columns are categories; contexts of chains come after them."""
    if _package(base) in _OTHERS:
        return CodedCategories(base, tuple(sorted(levels)), whole=_package(base) == "catboost")
    return clone(base).set_params(**{_OF_SCIKIT_LEARN: sorted(levels)})
