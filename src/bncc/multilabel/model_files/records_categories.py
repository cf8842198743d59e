"""Records of what turns categories into numbers: encoders, bins, and binarizers of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bncc._typing import Array as AnyArray
from bncc.multilabel.model_files.column_fields import check_letters
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
    Text,
    Values,
    Whole,
    held,
)
from bncc.multilabel.model_files.records_kernel import CLASSES, FEATURE_NAMES, FEATURES
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record
from bncc.multilabel.model_files.settings import Scalar

__all__ = ["CATEGORIES"]

_FITTED: Mapping[str, Kind] = {"n_features_in_": FEATURES, "feature_names_in_": FEATURE_NAMES}
_CATEGORIES = Many(Either((Array("*", "_"), ObjectTable(Scalar(), "_"))), "d")
# Bytes that a category takes when it is asked: a name of its column, and where it is text of a fixed width, an object
# in a set and in a dictionary. Some are free, and the categories pay for others by what they hold.
_PER_CATEGORY, _PER_TEXT = 96, 300
_FREE_BYTES, _MULTIPLE = 2**25, 8


def _check_counts(what: str, categories: Sequence[AnyArray]) -> None:
    """Short categories are large when they are looked up: no more than what they hold pays for, and some."""
    taken = sum(len(each) * (_PER_TEXT if each.dtype.kind in "US" else _PER_CATEGORY) for each in categories)
    if taken > _FREE_BYTES + _MULTIPLE * sum(each.nbytes for each in categories):
        n_categories = sum(map(len, categories))
        raise Refused(
            f"{what} with {n_categories} categories, which take many times what they hold; as an array of objects "
            "short text takes less"
        )


def _check_ordinal(values: Values, sizes: Sizes) -> None:
    _check_counts("OrdinalEncoder", held(values, "categories_", list))


def _check_classes(values: Values, sizes: Sizes) -> None:
    if "classes_" in values:
        _check_counts("LabelEncoder", [values["classes_"]])


def _named_categories(values: Values, sizes: Sizes) -> int:
    """Each has a column; what they hold was counted, so that four of them are as one."""
    return sum(map(len, values.get("categories_") or ())) // 4


def _count_features(values: Values, sizes: Sizes) -> int:
    """Features that are looked at one by one."""
    return sizes.named.get("d", 0)


def _check_one_hot(values: Values, sizes: Sizes) -> None:
    """Codes become columns of a sparse matrix that no one checks again: all must be below the number of columns."""
    categories = held(values, "categories_", list)
    _check_counts("OneHotEncoder", categories)
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
    if mappings is not None:
        _check_infrequent(values.get("_infrequent_indices"), mappings, widths)
    for feature, mapping in enumerate(mappings or []):
        if mapping is not None:
            widths[feature] = _grouped(mapping, widths[feature])
    dropped = values.get("_drop_idx_after_grouping")
    if dropped is not None:
        _check_dropped(dropped, widths)
    outputs = [width - (_dropped_of(dropped, feature) is not None) for feature, width in enumerate(widths)]
    if "_n_features_outs" in values and values["_n_features_outs"] != outputs:
        raise Refused("OneHotEncoder with another number of columns than categories")
    _check_names("OneHotEncoder", values, widths)
    sizes.named["most outputs"] = max(widths, default=0)


def _check_names(what: str, values: Values, widths: Sequence[int]) -> None:
    """Every column that is made of a feature begins with its name."""
    names = values.get("feature_names_in_")
    if names is not None:
        letters = sum(len(name) * width for name, width in zip(names.tolist(), widths, strict=True))
        check_letters(what, letters, sum(widths))


def _check_bins(values: Values, sizes: Sizes) -> None:
    """The columns of bins are those of an encoder."""
    part = sizes.part_of(values.get("_encoder"))
    if part is not None:
        _check_names("KBinsDiscretizer", values, [part.sizes.get("most outputs", 0)] * sizes.named["d"])


def _known(numbers: AnyArray) -> int:
    """Pairs of neighbours that can be compared: all, but for NaN at the end."""
    return numbers.size - 1 - int(bool(numbers.size) and numbers.dtype.kind == "f" and bool(np.isnan(numbers[-1])))


def _check_infrequent(indices: object, mappings: list[object], widths: list[int]) -> None:
    """Unknown values become the first rare category: there is one where there is a group of them, and nowhere else."""
    if not isinstance(indices, list) or len(indices) != len(mappings):
        raise Refused("OneHotEncoder without its rare categories")
    for rare, mapping, width in zip(indices, mappings, widths, strict=True):
        if (rare is None) != (mapping is None):
            raise Refused("OneHotEncoder with groups of other categories than its rare ones")
        whole = type(rare) is np.ndarray and rare.dtype == np.int64 and rare.ndim == 1 and rare.size
        if rare is not None and not (whole and rare.min() >= 0 and rare.max() < width):
            raise Refused("OneHotEncoder with rare categories that are none")


def _grouped(mapping: object, width: int) -> int:
    whole = type(mapping) is np.ndarray and mapping.dtype == np.int64 and mapping.shape == (width,)
    if not whole or (width and (mapping.min() < 0 or mapping.max() >= width)):  # type: ignore[attr-defined]
        raise Refused("OneHotEncoder with rare categories that are none")
    return int(mapping.max()) + 1 if width else 0  # type: ignore[attr-defined]


def _check_dropped(dropped: object, widths: list[int]) -> None:
    if type(dropped) is not np.ndarray or dropped.shape != (len(widths),):
        raise Refused("OneHotEncoder that drops categories that are none")
    for each, width in zip(dropped.tolist(), widths, strict=True):
        if each is not None and not (type(each) is int and 0 <= each < width):
            raise Refused("OneHotEncoder that drops categories that are none")


def _dropped_of(dropped: object, feature: int) -> object:
    return dropped[feature] if type(dropped) is np.ndarray else None


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
_BINARIZER: Mapping[str, Kind] = {
    "classes_": CLASSES,
    "neg_label": Whole(-(2**31)),
    "pos_label": Whole(-(2**31)),
    "sparse_output": Flag(),
    "sparse_input_": Optional(Flag()),
    "y_type_": Optional(Text()),
}

CATEGORIES = (
    Record(
        "OneHotEncoder",
        "sklearn.preprocessing._encoders:OneHotEncoder",
        _ONE_HOT,
        check=_check_one_hot,
        columns=_named_categories,
        work=_count_features,
    ),
    Record(
        "OrdinalEncoder",
        "sklearn.preprocessing._encoders:OrdinalEncoder",
        {**_FITTED, "categories_": _CATEGORIES},
        loose=True,
        check=_check_ordinal,
        work=_count_features,
    ),
    Record("LabelEncoder", "sklearn.preprocessing._label:LabelEncoder", {"classes_": CLASSES}, check=_check_classes),
    Record("LabelBinarizer", "sklearn.preprocessing._label:LabelBinarizer", _BINARIZER, loose=True),
    Record(
        "KBinsDiscretizer",
        "sklearn.preprocessing._discretization:KBinsDiscretizer",
        {
            **_FITTED,
            "bin_edges_": ObjectTable(Array("f8 f4", "_"), "d"),
            "n_bins_": Array("i8", "d"),
            "_encoder": Optional(Part(("OneHotEncoder",), same="d")),
        },
        check=_check_bins,
        work=_count_features,
    ),
)
