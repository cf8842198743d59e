"""Records of what prepares features: scalers, encoders, imputers, projections, and pipelines of them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from bncc._typing import Array as AnyArray
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Kind,
    Many,
    ObjectTable,
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
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record

__all__ = ["PREPARATION"]

_FITTED: Mapping[str, Kind] = {"n_features_in_": FEATURES, "feature_names_in_": FEATURE_NAMES}
_PER_FEATURE = Optional(Array("f8 f4", "d"))
_CATEGORIES = Many(Either((Array("*", "_"), ObjectTable(Anything(), "_"))), "d")


def _loose(name: str, module: str, fields: Mapping[str, Kind] = _FITTED) -> Record:
    return Record(name, f"sklearn.{module}:{name}", fields, loose=True)


def _check_one_hot(values: Values, sizes: Sizes) -> None:
    """Codes become columns of a sparse matrix that no one checks again: all must be below the number of columns."""
    categories = held(values, "categories_", list)
    mappings = values.get("_default_to_infrequent_mappings") if values.get("_infrequent_enabled") else None
    if values.get("_infrequent_enabled") and not isinstance(mappings, list):
        raise Refused("OneHotEncoder without the groups of its rare categories")
    for each in categories:
        if (
            isinstance(each, np.ndarray)
            and each.dtype.kind in "biuf"
            and not (each[:-1] < each[1:])[: _known(each)].all()
        ):
            raise Refused("OneHotEncoder with categories that do not ascend")
    widths = [len(each) for each in categories]
    for feature, mapping in enumerate(mappings or []):
        if mapping is not None:
            widths[feature] = _grouped(mapping, widths[feature])
    dropped = values.get("_drop_idx_after_grouping")
    if dropped is not None:
        _check_dropped(dropped, widths)
    outputs = [width - (_dropped_of(dropped, feature) is not None) for feature, width in enumerate(widths)]
    if "_n_features_outs" in values and values["_n_features_outs"] != outputs:
        raise Refused("OneHotEncoder with another number of columns than categories")


def _known(numbers: AnyArray) -> int:
    """Pairs of neighbours that can be compared: all, but for NaN at the end."""
    return numbers.size - 1 - int(bool(numbers.size) and numbers.dtype.kind == "f" and bool(np.isnan(numbers[-1])))


def _grouped(mapping: object, width: int) -> int:
    whole = isinstance(mapping, np.ndarray) and mapping.dtype == np.int64 and mapping.shape == (width,)
    if not whole or (width and (mapping.min() < 0 or mapping.max() >= width)):  # type: ignore[attr-defined]
        raise Refused("OneHotEncoder with rare categories that are none")
    return int(mapping.max()) + 1 if width else 0  # type: ignore[attr-defined]


def _check_dropped(dropped: object, widths: list[int]) -> None:
    if not isinstance(dropped, np.ndarray) or dropped.shape != (len(widths),):
        raise Refused("OneHotEncoder that drops categories that are none")
    for each, width in zip(dropped.tolist(), widths, strict=True):
        if each is not None and not (type(each) is int and 0 <= each < width):
            raise Refused("OneHotEncoder that drops categories that are none")


def _dropped_of(dropped: object, feature: int) -> object:
    return dropped[feature] if isinstance(dropped, np.ndarray) else None


def _check_polynomial(values: Values, sizes: Sizes) -> None:
    """As many columns as the degrees make of the features, and not so many that one row fills the memory."""
    n, low, high = (held(values, name, int) for name in ("n_features_in_", "_min_degree", "_max_degree"))
    if values.get("interaction_only"):
        made = sum(math.comb(n, size) for size in range(max(1, low), min(high, n) + 1))
    else:
        made = math.comb(n + high, high) - math.comb(n + max(low, 1) - 1, max(low, 1) - 1)
    made += bool(values.get("include_bias"))
    if values["n_output_features_"] != made:
        raise Refused("PolynomialFeatures with another number of columns than its degrees make")


_ONE_HOT: Mapping[str, Kind] = {
    **_FITTED,
    "categories_": _CATEGORIES,
    "_infrequent_enabled": Optional(Flag()),
    "_default_to_infrequent_mappings": Optional(Many(Anything(), "d")),
    "_infrequent_indices": Optional(Many(Anything(), "d")),
    "_drop_idx_after_grouping": Optional(Anything()),
    "drop_idx_": Optional(Anything()),
    "_n_features_outs": Optional(Many(Whole(0, 2**31 - 1), "d")),
    "_missing_indices": Optional(Anything()),
    "handle_unknown": Text(("error", "ignore", "infrequent_if_exist", "warn")),
    "feature_name_combiner": Text(("concat",)),
}
_COMPONENTS: Mapping[str, Kind] = {**_FITTED, "components_": Array("f8 f4", "k d")}

PREPARATION = (
    Record("Pipeline", "sklearn.pipeline:Pipeline", {"steps": Many(Anything())}),
    _loose("FeatureUnion", "pipeline", {}),
    Record(
        "ColumnTransformer",
        "sklearn.compose._column_transformer:ColumnTransformer",
        {**_FITTED, "transformers_": Many(Anything())},
        loose=True,
    ),
    _loose("StandardScaler", "preprocessing._data", {**_FITTED, "scale_": _PER_FEATURE, "mean_": _PER_FEATURE}),
    _loose("MinMaxScaler", "preprocessing._data", {**_FITTED, "scale_": _PER_FEATURE, "min_": _PER_FEATURE}),
    _loose("MaxAbsScaler", "preprocessing._data", {**_FITTED, "scale_": _PER_FEATURE}),
    _loose("RobustScaler", "preprocessing._data", {**_FITTED, "scale_": _PER_FEATURE, "center_": _PER_FEATURE}),
    _loose("Normalizer", "preprocessing._data"),
    _loose("Binarizer", "preprocessing._data"),
    _loose(
        "QuantileTransformer",
        "preprocessing._data",
        {**_FITTED, "references_": Array("f8", "q"), "quantiles_": Array("f8", "q d")},
    ),
    _loose("PowerTransformer", "preprocessing._data", {**_FITTED, "lambdas_": Array("f8", "d")}),
    Record("OneHotEncoder", "sklearn.preprocessing._encoders:OneHotEncoder", _ONE_HOT, check=_check_one_hot),
    _loose("OrdinalEncoder", "preprocessing._encoders", {**_FITTED, "categories_": _CATEGORIES}),
    Record("LabelEncoder", "sklearn.preprocessing._label:LabelEncoder", {"classes_": CLASSES}),
    _loose("LabelBinarizer", "preprocessing._label", {"classes_": CLASSES}),
    _loose("FunctionTransformer", "preprocessing._function_transformer", {}),
    Record(
        "PolynomialFeatures",
        "sklearn.preprocessing._polynomial:PolynomialFeatures",
        {
            **_FITTED,
            "degree": Anything(),
            "_min_degree": Whole(0, 1000),
            "_max_degree": Whole(0, 1000),
            "n_output_features_": Whole(0, 2**20),
            "_n_out_full": Optional(Whole(0, 2**20)),
        },
        check=_check_polynomial,
    ),
    Record(
        "KBinsDiscretizer",
        "sklearn.preprocessing._discretization:KBinsDiscretizer",
        {
            **_FITTED,
            "bin_edges_": ObjectTable(Array("f8 f4", "_"), "d"),
            "n_bins_": Array("i8", "d"),
            "_encoder": Optional(Part(("OneHotEncoder",), same="d")),
        },
    ),
    _loose(
        "SimpleImputer",
        "impute._base",
        {**_FITTED, "statistics_": Either((Array("*", "d"), ObjectTable(Anything(), "d")))},
    ),
    _loose("MissingIndicator", "impute._base"),
    _loose("PCA", "decomposition._pca", _COMPONENTS),
    _loose("TruncatedSVD", "decomposition._truncated_svd", _COMPONENTS),
    _loose("Nystroem", "kernel_approximation", {**_FITTED, "normalization_": Array("f8 f4", "k k")}),
    _loose("RBFSampler", "kernel_approximation", {**_FITTED, "random_weights_": Array("f8 f4", "d k")}),
    _loose("GaussianRandomProjection", "random_projection", _COMPONENTS),
    _loose(
        "SparseRandomProjection",
        "random_projection",
        {**_FITTED, "components_": Either((Array("f8 f4", "k d"), Sparse("csr csc", "f8 f4", "k d")))},
    ),
    _loose("SelectKBest", "feature_selection._univariate_selection", {**_FITTED, "scores_": Array("f8 f4", "d")}),
    _loose("SelectPercentile", "feature_selection._univariate_selection", {**_FITTED, "scores_": Array("f8 f4", "d")}),
    _loose(
        "VarianceThreshold", "feature_selection._variance_threshold", {**_FITTED, "variances_": Array("f8 f4", "d")}
    ),
)
