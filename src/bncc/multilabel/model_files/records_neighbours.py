"""Records of nearest neighbours: a file holds the rows, and the index over them is built again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from bncc._typing import Classifier
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Kind,
    Nothing,
    Number,
    Optional,
    Sizes,
    Sparse,
    Text,
    Values,
    Whole,
)
from bncc.multilabel.model_files.records_kernel import CLASSES, FEATURE_NAMES, FEATURES
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Fields, Record, class_at

__all__ = ["NEIGHBOURS"]

_Make: TypeAlias = Callable[[Fields], object]

_METRICS = (
    "chebyshev",
    "cityblock",
    "cosine",
    "euclidean",
    "hamming",
    "l1",
    "l2",
    "manhattan",
    "minkowski",
    "sqeuclidean",
)
_FITTED = ("n_features_in_", "feature_names_in_", "classes_", "_y", "_fit_X")
_ROWS: Mapping[str, Kind] = {
    "metric": Text(_METRICS),
    "metric_params": Optional(Nothing()),
    "p": Optional(Number(1, 1e6)),
    "radius": Optional(Number(0)),
    "n_neighbors": Optional(Whole(1, 2**31 - 1)),
    "algorithm": Text(("auto", "ball_tree", "kd_tree", "brute")),
    "n_features_in_": FEATURES,
    "feature_names_in_": FEATURE_NAMES,
    "_fit_X": Either((Array("f8 f4", "n d", finite=True), Sparse("csr", "f8 f4", "n d"))),
}
_CLASSIFIER: Mapping[str, Kind] = {
    **_ROWS,
    "weights": Optional(Text(("uniform", "distance"))),
    "outlier_label": Optional(Anything()),
    "classes_": CLASSES,
    "_y": Array("i8", "n", least=0, below="c"),
}


def _check_rows(values: Values, sizes: Sizes) -> None:
    if not sizes.named["n"]:
        raise Refused("neighbours without rows")


def _refit(path: str) -> _Make:
    """Fit again to the rows of the file: what a tree of pointers would be trusted with is computed."""

    def make(values: Fields) -> object:
        made: Classifier = object.__new__(class_at(path))
        made.__setstate__({key: value for key, value in values.items() if key not in _FITTED})
        if "_fit_X" not in values:
            return made
        classes, codes = values.get("classes_"), values.get("_y")
        target = classes[codes] if isinstance(classes, np.ndarray) and isinstance(codes, np.ndarray) else None
        made.fit(values["_fit_X"], target)
        if isinstance(classes, np.ndarray) and not np.array_equal(made.classes_, classes):
            raise Refused("neighbours with classes that no row has, or in another order")
        if values.get("feature_names_in_") is not None:
            made.feature_names_in_ = values["feature_names_in_"]
        return made

    return make


def _neighbours(name: str, module: str, fields: Mapping[str, Kind]) -> Record:
    path = f"sklearn.neighbors.{module}:{name}"
    return Record(name, path, fields, check=_check_rows, make=_refit(path))


NEIGHBOURS = (
    _neighbours("KNeighborsClassifier", "_classification", _CLASSIFIER),
    _neighbours("RadiusNeighborsClassifier", "_classification", _CLASSIFIER),
    _neighbours("NearestNeighbors", "_unsupervised", _ROWS),
)
