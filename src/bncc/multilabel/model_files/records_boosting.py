"""Records of gradient boosting of scikit-learn: its trees are checked node by node, and its loss is made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bncc._typing import Array as AnyArray
from bncc.multilabel.model_files.checked_trees import MOST_FEATURES, CheckedBoosting, CheckedPredictor
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Kind,
    Many,
    Nothing,
    ObjectTable,
    Optional,
    Part,
    Rows,
    Sizes,
    Text,
    Values,
    Whole,
    held,
)
from bncc.multilabel.model_files.records_kernel import CLASSES, FEATURE_NAMES, FEATURES
from bncc.multilabel.model_files.records_trees import check_branches
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Fields, Record, class_at
from bncc.multilabel.model_files.unlike_records import path_of

__all__ = ["BOOSTING"]

_BOOSTED_NODE = "value count feature_idx num_threshold missing_go_to_left left right depth is_leaf is_categorical"


def _check_boosting(values: Values, sizes: Sizes) -> None:
    per_round = 1 if sizes.named["c"] == 2 else sizes.named["c"]
    if values["n_trees_per_iteration_"] != per_round or sizes.named["k"] != per_round:
        raise Refused("boosting with other trees than its classes ask for")
    if values.get("loss") == "exponential" and sizes.named["c"] != 2:
        # It has one column of decisions, and compiled code adds to as many as there are classes.
        raise Refused(f"boosting by the exponential loss of {sizes.named['c']} classes where it is for 2 alone")
    if sizes.named.get("outputs", 1) != 1:
        raise Refused("boosting with a regression tree of more than one value per leaf")


def _boosting_loss(values: Values) -> object:
    from sklearn._loss.loss import ExponentialLoss, HalfBinomialLoss, HalfMultinomialLoss

    classes = held(values, "classes_", np.ndarray)
    if values.get("loss") == "exponential":
        return ExponentialLoss()
    return HalfBinomialLoss() if classes.size == 2 else HalfMultinomialLoss(n_classes=classes.size)


def _make_boosting(kind: Callable[[], type]) -> Callable[[Fields], object]:
    """Estimators whose loss, an object of compiled code, is made from their classes."""

    def make(values: Fields) -> object:
        made: object = object.__new__(kind())
        extra = {"_loss": _boosting_loss(values)} if "classes_" in values else {}
        made.__setstate__({**values, **extra})  # type: ignore[attr-defined]
        return made

    return make


def _has_types_of_boosting(nodes: AnyArray) -> bool:
    """Whether nodes are what compiled code reads: numbers that are cast later would not be those that were checked."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    types: Mapping[str, Any] = PREDICTOR_RECORD_DTYPE.fields
    return all(nodes.dtype[name] == types[name][0] for name in nodes.dtype.names or () if name in types)


def _check_predictor(values: Values, sizes: Sizes) -> None:
    nodes = held(values, "nodes", np.ndarray)
    if not nodes.size or not _has_types_of_boosting(nodes):
        raise Refused("a tree of gradient boosting whose nodes are of other types")
    inner = nodes["is_leaf"] == 0
    check_branches(nodes["left"].astype(np.int64), nodes["right"].astype(np.int64), inner, "tree of gradient boosting")
    if nodes["is_categorical"].any():
        raise Refused("a tree of gradient boosting that splits on categories: encode them as numbers first")
    wanted = nodes["feature_idx"][inner]
    if wanted.size:
        if wanted.min() < 0:
            raise Refused("a tree of gradient boosting that asks for features that do not exist")
        sizes.bind("most feature", int(wanted.max()), "TreePredictor")


def _make_predictor(values: Fields) -> object:
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    given = held(values, "nodes", np.ndarray)
    nodes = np.zeros(given.size, PREDICTOR_RECORD_DTYPE)
    for name in given.dtype.names or ():
        if name in (nodes.dtype.names or ()):
            nodes[name] = given[name]
    return CheckedPredictor(nodes, np.zeros((0, 8), np.uint32), np.zeros((0, 8), np.uint32))


def _check_histogram(values: Values, sizes: Sizes) -> None:
    per_round = 1 if sizes.named["c"] == 2 else sizes.named["c"]
    if values["n_trees_per_iteration_"] != per_round or sizes.named["k"] != per_round:
        raise Refused("gradient boosting with other trees than its classes ask for")
    for each in held(values, "_predictors", list):
        if len(each) != per_round:
            raise Refused("gradient boosting with other trees than its classes ask for")
        for tree in each:
            nodes = tree.nodes
            if (nodes["feature_idx"][nodes["is_leaf"] == 0] >= sizes.named["d"]).any():
                raise Refused("gradient boosting that asks for features that do not exist")


def _boosted(values: Mapping[str, Kind]) -> Mapping[str, Kind]:
    return {
        "n_features_in_": FEATURES,
        "feature_names_in_": FEATURE_NAMES,
        "classes_": CLASSES,
        "n_trees_per_iteration_": Whole(1, 2**31 - 1),
        "train_score_": Optional(Array("f8", "_")),
        **values,
    }


_GRADIENT = "sklearn.ensemble._gb:GradientBoostingClassifier"
_HISTOGRAM = "sklearn.ensemble._hist_gradient_boosting.gradient_boosting:HistGradientBoostingClassifier"

BOOSTING = (
    Record(
        "GradientBoostingClassifier",
        _GRADIENT,
        _boosted(
            {
                "n_features_in_": Whole(1, MOST_FEATURES, "d"),
                "loss": Text(("log_loss", "exponential")),
                "n_classes_": Whole(2, 2**31 - 1, "c"),
                "estimators_": ObjectTable(Part(("DecisionTreeRegressor",), same="d outputs"), "_ k"),
                # Compiled code adds to what this one says, and takes its number of columns on trust.
                "init_": Either((Text(("zero",)), Part(("DummyClassifier",), same="c"))),
                "max_features_": Whole(1, 2**31 - 1),
                "n_estimators_": Optional(Whole()),
                "oob_improvement_": Optional(Array("f8", "_")),
                "oob_scores_": Optional(Array("f8", "_")),
                "oob_score_": Optional(Anything()),
                "_rng": Optional(Part(("RandomState",))),
                "_n_classes": Optional(Whole()),
            }
        ),
        check=_check_boosting,
        make=_make_boosting(lambda: CheckedBoosting),
        former=(path_of(CheckedBoosting),),
        ignores=("_loss", "loss_"),
    ),
    Record(
        "TreePredictor",
        "sklearn.ensemble._hist_gradient_boosting.predictor:TreePredictor",
        {"nodes": Rows(_BOOSTED_NODE, "_")},
        inner=True,
        check=_check_predictor,
        state=lambda tree: {"nodes": tree.nodes},
        make=_make_predictor,
        former=(path_of(CheckedPredictor),),
    ),
    Record(
        "BinMapper",
        "sklearn.ensemble._hist_gradient_boosting.binning:_BinMapper",
        {
            "n_bins": Whole(3, 256),
            "subsample": Optional(Whole()),
            "is_categorical": Optional(Nothing()),
            "known_categories": Optional(Nothing()),
            "random_state": Anything(),
            "n_threads": Optional(Whole(1, 512)),
            "is_categorical_": Array("u1", "d", least=0, below="1"),
            "missing_values_bin_idx_": Whole(0, 255),
            "bin_thresholds_": Many(Array("f8", "_"), "d"),
            "n_bins_non_missing_": Array("u4", "d"),
        },
        inner=True,
    ),
    Record(
        "HistGradientBoostingClassifier",
        _HISTOGRAM,
        _boosted(
            {
                "loss": Text(("log_loss",)),
                "is_categorical_": Optional(Nothing()),
                "_preprocessor": Optional(Nothing()),
                "_is_categorical_remapped": Optional(Nothing()),
                "_label_encoder": Optional(Part(("LabelEncoder",))),
                "_n_features": Whole(1, 2**31 - 1, "d"),
                "_bin_mapper": Part(("BinMapper",), same="d"),
                "_baseline_prediction": Array("f8", "1 k"),
                "_predictors": Many(Many(Part(("TreePredictor",)), "k")),
                "_random_seed": Optional(Anything()),
                "do_early_stopping_": Optional(Flag()),
                "_use_validation_data": Optional(Flag()),
                "_scorer": Optional(Anything()),
                "validation_score_": Optional(Array("f8", "_")),
            }
        ),
        check=_check_histogram,
        make=_make_boosting(lambda: class_at(_HISTOGRAM)),
        ignores=("_loss", "_feature_subsample_rng"),
    ),
)
