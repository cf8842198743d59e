"""Records of nearest neighbours: a file holds the rows, and the index over them is built again.

Those of many labels hold counts, too, and a network may join their labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from bncc._typing import Array as AnyArray
from bncc._typing import Classifier
from bncc.multilabel.model_files.fields import (
    Array,
    Either,
    Kind,
    Many,
    Nothing,
    Number,
    Optional,
    Part,
    Sizes,
    Sparse,
    Text,
    Values,
    Whole,
    held,
)
from bncc.multilabel.model_files.records_kernel import CLASSES, FEATURE_NAMES, FEATURES
from bncc.multilabel.model_files.records_methods import (
    FEATURE_FIELDS,
    LABEL_FIELDS,
    TRAINING_ROWS,
    check_labels,
    check_messages,
)
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Fields, Record, class_at
from bncc.multilabel.network_factors import MOST_PARENTS_OF_FACTOR
from bncc.structure import LabelNetwork
from bncc.structure.inference import eliminate

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
_FREE_BYTES = 2**23
_FREE_INDEX_BYTES, _PER_NODE, _USUAL_LEAF = 2**25, 32, 30
_MOST_LETTERS = 1000
_INDEXED = 64  # effort of fitting again, if only to a row
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
    "outlier_label": Optional(Either((Number(), Text()))),
    "classes_": CLASSES,
    "_y": Array("i8", "n", least=0, below="c"),
}


_COUNTS: Mapping[str, Kind] = {
    **LABEL_FIELDS,
    **FEATURE_FIELDS,
    "k": Whole(1, 2**31 - 1),
    "metric": Text(("cosine", "euclidean", "l1", "l2", "manhattan", "cityblock", "chebyshev", "minkowski")),
    "_n_neighbors": Whole(0, 2**31 - 1),
    "_labels_of_rows": Sparse("csr", "i4", "n L"),
    "_rows": Either((Array("f8 f4", "n d", finite=True), Sparse("csr", "f8 f4", "n d"))),
    "prior_": Array("f8", "L"),
    "conditional_": Array("f8", "2 L counts"),
}


def _check_rows(values: Values, sizes: Sizes) -> None:
    if not sizes.named["n"]:
        raise Refused("neighbours without rows")
    classes, rows, outlier = values.get("classes_"), values["_fit_X"], values.get("outlier_label")
    if isinstance(outlier, str) and len(outlier) > _MOST_LETTERS:
        raise Refused(f"neighbours with an outlier_label of more than {_MOST_LETTERS} letters")
    paid = _FREE_BYTES + 4 * (rows.nbytes if isinstance(rows, np.ndarray) else rows.data.nbytes + rows.indices.nbytes)
    if isinstance(classes, np.ndarray) and classes.itemsize * sizes.named["n"] > paid:  # each row has the name of one
        raise Refused("neighbours whose classes have longer names than their rows pay for")
    if isinstance(rows, np.ndarray) and values.get("algorithm") != "brute":
        _check_index(rows, int(values.get("leaf_size", _USUAL_LEAF)))


def _check_index(rows: AnyArray, leaf_size: int) -> None:
    """Each node of an index has bounds of all features: few rows in a leaf make many of them."""
    n_rows, n_features = rows.shape
    taken = 2 * n_rows // leaf_size * (_PER_NODE + 2 * 8 * n_features)
    if taken > _FREE_INDEX_BYTES + 4 * rows.nbytes:
        raise Refused(
            f"neighbours whose index of {n_rows} rows takes many times what they hold with a leaf_size of {leaf_size}; "
            f"{_USUAL_LEAF} is usual"
        )


def _check_counts(values: Values, sizes: Sizes) -> None:
    check_labels(values, sizes)
    k = held(values, "_n_neighbors", int)
    if k > sizes.named["n"] or sizes.named["counts"] != k + 1:
        raise Refused("MLkNN with more neighbours than rows, or tables of another size")


def _check_parent_tables(values: Values, sizes: Sizes) -> None:
    """Each label has a probability for every configuration of its parents, few enough to be written out."""
    _check_counts(values, sizes)
    parents = held(values, "network_", LabelNetwork).parents
    for group, table in zip(parents, held(values, "tables_", tuple), strict=True):
        if len(group) > MOST_PARENTS_OF_FACTOR or table.size != 2 ** len(group):
            raise Refused("NetworkMLkNN.tables_ must have a number for each configuration of the parents")
        if not ((table > 0) & (table < 1)).all():
            raise Refused("NetworkMLkNN.tables_ must be probabilities between 0 and 1")
    spoken = sum((len(group) + 1) * (2 << len(group)) for group in parents)
    check_messages("NetworkMLkNN", sizes.named["L"], len(parents), spoken, lambda: eliminate(parents))


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
    return Record(name, path, fields, check=_check_rows, make=_refit(path), effort=_INDEXED)


NEIGHBOURS = (
    _neighbours("KNeighborsClassifier", "_classification", _CLASSIFIER),
    _neighbours("RadiusNeighborsClassifier", "_classification", _CLASSIFIER),
    _neighbours("NearestNeighbors", "_unsupervised", _ROWS),
    Record(
        "MLkNN",
        "bncc.multilabel.mlknn:MLkNN",
        _COUNTS,
        check=_check_counts,
        effort=_INDEXED,
        ignores=TRAINING_ROWS,
    ),
    Record(
        "NetworkMLkNN",
        "bncc.multilabel.network_mlknn:NetworkMLkNN",
        {**_COUNTS, "network_": Part(("LabelNetwork",), same="L"), "tables_": Many(Array("f8", "_"), "L")},
        check=_check_parent_tables,
        effort=_INDEXED,
        ignores=TRAINING_ROWS,
    ),
)
