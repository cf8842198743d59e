"""Records of what prepares features: scalers, encoders, imputers, projections, and pipelines of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from bncc.multilabel.model_files.checked_estimators import CheckedColumns, CheckedUnion
from bncc.multilabel.model_files.checked_preparation import (
    CheckedGaussianProjection,
    CheckedPCA,
    CheckedPolynomial,
    CheckedSparseProjection,
)
from bncc.multilabel.model_files.column_fields import Distinct, Single, check_letters, check_part_names
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Kind,
    Many,
    Number,
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
from bncc.multilabel.model_files.records_kernel import FEATURE_NAMES, FEATURES
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import COLUMNS, Record
from bncc.multilabel.model_files.settings import Scalar
from bncc.multilabel.model_files.unlike_records import built_alone, checked_record

__all__ = ["PREPARATION"]

_FITTED: Mapping[str, Kind] = {"n_features_in_": FEATURES, "feature_names_in_": FEATURE_NAMES}
_PER_FEATURE = Optional(Array("f8 f4", "d"))
# Sparse features of a higher degree are multiplied out one by one, in Python.
_MOST_QUICK_DEGREE, _MOST_SLOW_COLUMNS = 3, 1 << 12
_MOST_COLUMNS = 1 << 21
_MOST_POWERS = 1 << 17  # numbers in every row
# Columns that parts take out of a row together, unless these are few times all that there are.
_MOST_TAKEN, _MOST_TIMES_TAKEN = 1 << 17, 4
_MOST_STEPS = 1000
_USUAL_LETTERS, _WIDEST = 64, 4  # of the name of a column, and bytes of one of them
_KERNELS = ("additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid")


def _loose(
    name: str,
    module: str,
    fields: Mapping[str, Kind] = _FITTED,
    work: Callable[[Values, Sizes], int] | None = None,
) -> Record:
    return Record(name, f"sklearn.{module}:{name}", fields, loose=True, work=work, columns=_named_features)


def _count_parts(field: str) -> Callable[[Values, Sizes], int]:
    """Parts that are asked one after another, in a field of a record: two steps each, to find it and to ask it."""
    return lambda values, sizes: 2 * len(values[field]) if isinstance(values.get(field), list | tuple) else 0


def _count_powers(values: Values, sizes: Sizes) -> int:
    """Features are transformed one by one, in an eighth of a step each."""
    return sizes.named.get("d", 0) // 8


def _check_steps(values: Values, sizes: Sizes) -> None:
    """Each step takes its time for every answer, and little of the file."""
    n_steps = len(values["steps"])
    if n_steps > _MOST_STEPS:
        raise Refused(f"a Pipeline of {n_steps} steps where at most {_MOST_STEPS} can be")


def _named_features(values: Values, sizes: Sizes) -> int:
    """Every feature gets a name, by its number if it has no other, and so does every component."""
    return sizes.named.get("d", 0) + sizes.named.get("k", 0)


def _named_alike(values: Values, sizes: Sizes) -> int:
    """Features of a function that says that they keep their names."""
    return sizes.named.get("d", 0) if values.get("feature_names_out") is not None else 0


def _named_powers(values: Values, sizes: Sizes) -> int:
    return sizes.named.get("d", 0) + int(values.get("n_output_features_", 0))


def _named_in_parts(field: str, with_names: bool = True) -> Callable[[Values, Sizes], int]:
    """Those of features and of parts, whose columns begin with the name of the part where it is written out."""

    def count(values: Values, sizes: Sizes) -> int:
        parts = values.get(field)
        named = [part for part in parts if len(part) > 1] if isinstance(parts, list | tuple) else []
        columns = sizes.named.get("d", 0)
        for name, part, *chosen in named:
            found = sizes.part_of(part)
            made = 0 if found is None else found.sizes.get(COLUMNS, 0)
            if isinstance(part, str) and part == "passthrough" and chosen:
                made = _count_taken(chosen[0], sizes.named.get("d", 0))
            columns += made * (_times_a_name(name) if with_names else 1)
        return columns

    return count


def _times_a_name(name: object) -> int:
    """How many usual names a name of this length takes; one letter that is not ASCII widens all."""
    letters = len(name) if isinstance(name, str) else 0
    return 1 + letters * (1 if isinstance(name, str) and name.isascii() else _WIDEST) // _USUAL_LETTERS


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
    full = values.get("_n_out_full")
    if full is not None and full != made + _powers_below(values, n, low):
        raise Refused("PolynomialFeatures with room for other columns than its degrees make")
    most = _MOST_POWERS if high <= _MOST_QUICK_DEGREE else _MOST_SLOW_COLUMNS
    if max(made, full or 0) > most:
        raise Refused(f"PolynomialFeatures of degree {high} with {made} columns; at most {most}")
    names = values.get("feature_names_in_")
    if names is not None:  # all features are in as many columns
        letters = sum(map(len, names.tolist())) * made * min(high, n) // n
        check_letters("PolynomialFeatures", letters, made, plain=all(map(str.isascii, names.tolist())))


def _powers_below(values: Values, n: int, low: int) -> int:
    """Columns of lower degrees, which are made and left out."""
    if values.get("interaction_only"):
        return sum(math.comb(n, size) for size in range(1, min(low - 1, n) + 1))
    return math.comb(n + max(low, 1) - 1, max(low, 1) - 1) - 1


def _check_function(values: Values, sizes: Sizes) -> None:
    """Functions of one number, without options: any other could be made to read or write elsewhere."""
    for name in ("func", "inverse_func"):
        if values.get(name) is not None and not isinstance(values[name], np.ufunc):
            raise Refused(f"FunctionTransformer whose {name} is not one of NumPy's functions of one number")
    for name in ("kw_args", "inv_kw_args"):
        if values.get(name):
            raise Refused(f"FunctionTransformer with {name}")


def _check_union(values: Values, sizes: Sizes) -> None:
    _check_shares(values, sizes)
    check_part_names("FeatureUnion", values.get("transformer_list"))


def _check_shares(values: Values, sizes: Sizes) -> None:
    """What parts are multiplied by are numbers: arrays would make many columns of one."""
    if not _are_numbers(values.get("transformer_weights")):
        raise Refused("weights of transformers that are no numbers")


def _are_numbers(options: object) -> bool:
    """Whether there are none, or all of them are numbers."""
    return options is None or (
        isinstance(options, dict) and all(isinstance(each, int | float) for each in options.values())
    )


def _check_columns(values: Values, sizes: Sizes) -> None:
    """Parts take columns that there are; those of the output lie side by side, and are no more than a row can have."""
    _check_shares(values, sizes)
    for name in ("transformers", "transformers_"):
        check_part_names("ColumnTransformer", values.get(name))
    _check_taken(values, sizes.named["d"])
    places = values.get("output_indices_")
    if places is None:
        return
    if not isinstance(places, dict) or not all(isinstance(each, slice) for each in places.values()):
        raise Refused("ColumnTransformer whose parts have no places")
    for each in places.values():
        ends = (each.start, each.stop)
        if not all(type(end) is int and 0 <= end <= _MOST_COLUMNS for end in ends) or each.step is not None:
            raise Refused(f"ColumnTransformer with parts beyond {_MOST_COLUMNS} columns")


def _check_taken(values: Values, n_columns: int) -> None:
    """What parts take of a row is copied for all of them before the first is asked."""
    if not all(len(part) == 3 for part in values["transformers_"]):
        raise Refused("ColumnTransformer with a part that has no columns")
    indices = values.get("_transformer_to_input_indices") or {}
    if not isinstance(indices, dict):
        raise Refused("ColumnTransformer whose parts have no columns")
    by_part = [_count_taken(chosen, n_columns) for _, _, chosen in values["transformers_"]]
    by_number = [_count_taken(chosen, n_columns) for chosen in indices.values()]
    if (most := max(by_part + by_number, default=0)) > n_columns:
        raise Refused(f"ColumnTransformer with a part that takes {most} columns where {n_columns} are")
    limit = max(_MOST_TAKEN, _MOST_TIMES_TAKEN * n_columns)
    if (taken := max(sum(by_part), sum(by_number))) > limit:
        raise Refused(f"ColumnTransformer whose parts take together {taken} columns; at most {limit}")


def _count_taken(chosen: object, n_columns: int) -> int:
    """How many columns a part of a ColumnTransformer takes."""
    if isinstance(chosen, str | int | np.generic):
        return 1
    if isinstance(chosen, slice):
        if chosen.step == 0:
            raise Refused("ColumnTransformer with a part whose columns are no names and no numbers")
        return len(range(n_columns)[chosen])
    if not isinstance(chosen, list | tuple) and not (isinstance(chosen, np.ndarray) and chosen.ndim == 1):
        raise Refused("ColumnTransformer with a part whose columns are no names and no numbers")
    return len(chosen)


def _check_kernel(values: Values, sizes: Sizes) -> None:
    if not _are_numbers(values.get("kernel_params")):
        raise Refused("Nystroem with options of its kernel that are no numbers")


_WIDTH = Whole(0, 2**31 - 1, "k")  # columns that have a name each are those that there are
_COMPONENTS: Mapping[str, Kind] = {
    **_FITTED,
    "components_": Array("f8 f4", "k d"),
    "mean_": _PER_FEATURE,
    "explained_variance_": Optional(Array("f8 f4", "k")),
}
_PROJECTION: Mapping[str, Kind] = {
    **_FITTED,
    "components_": Either((Array("f8 f4", "k d"), Sparse("csr csc", "f8 f4", "k d"))),
    "_n_features_out": Optional(Either((Text(("auto",)), _WIDTH))),
}
_NYSTROEM: Mapping[str, Kind] = {
    **_FITTED,
    "kernel": Text(_KERNELS),
    "gamma": Optional(Number()),
    "coef0": Optional(Number()),
    "degree": Optional(Number(0, 1000)),
    "components_": Either((Array("f8 f4", "k d"), Sparse("csr", "f8 f4", "k d"))),
    "normalization_": Array("f8 f4", "k k"),
    "_n_features_out": Optional(_WIDTH),
}
PREPARATION = (
    Record(
        "Pipeline",
        "sklearn.pipeline:Pipeline",
        {"steps": Many(Anything())},
        check=_check_steps,
        work=_count_parts("steps"),
        columns=_named_in_parts("steps", with_names=False),
    ),
    checked_record(
        "FeatureUnion",
        "pipeline",
        CheckedUnion,
        {},
        check=_check_union,
        work=_count_parts("transformer_list"),
        columns=_named_in_parts("transformer_list"),
    ),
    checked_record(
        "ColumnTransformer",
        "compose._column_transformer",
        CheckedColumns,
        {**_FITTED, "transformers_": Many(Anything())},
        check=_check_columns,
        work=_count_parts("transformers_"),
        columns=_named_in_parts("transformers_"),
    ),
    _loose("StandardScaler", "preprocessing._data", {**_FITTED, "scale_": _PER_FEATURE, "mean_": _PER_FEATURE}),
    _loose("MinMaxScaler", "preprocessing._data", {**_FITTED, "scale_": _PER_FEATURE, "min_": _PER_FEATURE}),
    _loose("MaxAbsScaler", "preprocessing._data", {**_FITTED, "scale_": _PER_FEATURE}),
    _loose("RobustScaler", "preprocessing._data", {**_FITTED, "scale_": _PER_FEATURE, "center_": _PER_FEATURE}),
    _loose("Normalizer", "preprocessing._data"),
    _loose("Binarizer", "preprocessing._data", {**_FITTED, "threshold": Number()}),
    _loose(
        "QuantileTransformer",
        "preprocessing._data",
        {**_FITTED, "references_": Array("f8", "q"), "quantiles_": Array("f8", "q d")},
        work=_count_powers,
    ),
    _loose(
        "PowerTransformer",
        "preprocessing._data",
        {**_FITTED, "lambdas_": Array("f8", "d"), "_scaler": Optional(Part(("StandardScaler",), same="d"))},
        work=_count_powers,
    ),
    Record(
        "FunctionTransformer",
        "sklearn.preprocessing._function_transformer:FunctionTransformer",
        {
            "n_features_in_": Optional(FEATURES),
            "feature_names_in_": FEATURE_NAMES,
            "feature_names_out": Optional(Text(("one-to-one",))),
        },
        loose=True,
        check=_check_function,
        columns=_named_alike,
    ),
    Record(
        "PolynomialFeatures",
        "sklearn.preprocessing._polynomial:PolynomialFeatures",
        {
            **_FITTED,
            "degree": Anything(),
            "interaction_only": Flag(),
            "include_bias": Flag(),
            "_min_degree": Whole(0, 1000),
            "_max_degree": Whole(0, 1000),
            "n_output_features_": Whole(),
            "_n_out_full": Optional(Whole()),
        },
        check=_check_polynomial,
        columns=_named_powers,
        make=built_alone(lambda: CheckedPolynomial),
        former=("bncc.multilabel.model_files.checked_preparation:CheckedPolynomial",),
    ),
    _loose(
        "SimpleImputer",
        "impute._base",
        {
            **_FITTED,
            "statistics_": Either((Array("*", "d"), ObjectTable(Scalar(), "d"))),
            "missing_values": Single(),
            "indicator_": Optional(Part(("MissingIndicator",), same="d")),
        },
    ),
    _loose(
        "MissingIndicator",
        "impute._base",
        {
            **_FITTED,
            "missing_values": Single(),
            "features_": Distinct("d"),
            "_n_features": Optional(Whole(0, 2**31 - 1, "d")),
        },
    ),
    checked_record(
        "PCA",
        "decomposition._pca",
        CheckedPCA,
        {**_COMPONENTS, "noise_variance_": Optional(Single())},
        columns=_named_features,
    ),
    _loose("TruncatedSVD", "decomposition._truncated_svd", _COMPONENTS),
    Record(
        "Nystroem",
        "sklearn.kernel_approximation:Nystroem",
        _NYSTROEM,
        loose=True,
        check=_check_kernel,
        columns=_named_features,
    ),
    _loose(
        "RBFSampler",
        "kernel_approximation",
        {**_FITTED, "random_weights_": Array("f8 f4", "d k"), "_n_features_out": Optional(_WIDTH)},
    ),
    checked_record(
        "GaussianRandomProjection", "random_projection", CheckedGaussianProjection, _PROJECTION, columns=_named_features
    ),
    checked_record(
        "SparseRandomProjection", "random_projection", CheckedSparseProjection, _PROJECTION, columns=_named_features
    ),
    _loose(
        "SelectKBest",
        "feature_selection._univariate_selection",
        {**_FITTED, "k": Single(), "scores_": Array("f8 f4", "d")},
    ),
    _loose(
        "SelectPercentile",
        "feature_selection._univariate_selection",
        {**_FITTED, "percentile": Number(), "scores_": Array("f8 f4", "d")},
    ),
    _loose(
        "VarianceThreshold",
        "feature_selection._variance_threshold",
        {**_FITTED, "threshold": Number(), "variances_": Array("f8 f4", "d")},
    ),
)
