"""Records of trees, forests and boosting of scikit-learn: nodes are checked one and all before a tree is built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bncc._typing import Array as AnyArray
from bncc.multilabel.model_files.checked_estimators import CheckedBoost
from bncc.multilabel.model_files.checked_trees import (
    MOST_FEATURES,
    CheckedExtraRegression,
    CheckedExtraTrees,
    CheckedForest,
    CheckedRegression,
)
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Kind,
    Many,
    Nothing,
    Optional,
    Part,
    Rows,
    Sizes,
    Values,
    Whole,
    held,
)
from bncc.multilabel.model_files.records_kernel import CLASSES, FEATURE_NAMES, FEATURES
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Fields, Record, class_at
from bncc.multilabel.model_files.unlike_records import built_alone, built_as, checked_record, path_of

__all__ = ["TREES", "check_branches"]

_NODE = "left_child right_child feature threshold impurity n_node_samples weighted_n_node_samples"
_FEATURES = Whole(1, MOST_FEATURES, "d")


def _tree_fields(tree: object) -> dict[str, object]:
    reduced: Any = tree.__reduce__()
    _, (n_features, n_classes, n_outputs), state = reduced
    kept = {name: state[name] for name in ("max_depth", "nodes", "values")}
    return {"n_features": int(n_features), "n_classes": n_classes, "n_outputs": int(n_outputs), **kept}


def check_branches(left: AnyArray, right: AnyArray, inner: AnyArray, what: str) -> None:
    """Both branches of an inner node lead on to later nodes, so that every way down ends, and no two to the same."""
    place = np.flatnonzero(inner)
    for child in (left[inner], right[inner]):
        if (child <= place).any() or (child >= inner.size).any():
            raise Refused(f"a {what} whose branches lead astray")
    if np.bincount(np.concatenate([left[inner], right[inner]]), minlength=1).max() > 1:
        raise Refused(f"a {what} whose branches meet again")


def _check_tree(values: Values, sizes: Sizes) -> None:
    nodes, n_classes = held(values, "nodes", np.ndarray), held(values, "n_classes", np.ndarray)
    if not nodes.size:
        raise Refused("a decision tree without nodes")
    for name in ("left_child", "right_child", "feature"):
        if nodes[name].dtype != np.int64:
            raise Refused("a decision tree whose nodes are of other types")
    left, right, feature = nodes["left_child"], nodes["right_child"], nodes["feature"]
    inner = left != -1
    check_branches(left, right, inner, "decision tree")
    if (right[~inner] != -1).any():
        raise Refused("a decision tree with leaves that branch")
    if (feature[inner] < 0).any() or (feature[inner] >= sizes.named["d"]).any():
        raise Refused("a decision tree that asks for features that do not exist")
    if n_classes.size != sizes.named["outputs"] or int(n_classes.max(initial=1)) != sizes.named["most"]:
        raise Refused("a decision tree whose values have another number of classes")


def _make_tree(values: Fields) -> object:
    from sklearn.tree._tree import Tree

    given, n_outputs = held(values, "nodes", np.ndarray), values["n_outputs"]
    depth = _depth(given["left_child"], given["right_child"])
    tree = Tree(values["n_features"], values["n_classes"], n_outputs)
    # An empty tree tells the type that nodes have in this version of scikit-learn.
    nodes = np.zeros(given.size, tree.__getstate__()["nodes"].dtype)
    for name in given.dtype.names or ():
        if name in (nodes.dtype.names or ()):
            nodes[name] = given[name]
    state = {"max_depth": depth, "node_count": nodes.size, "nodes": nodes, "values": values["values"]}
    tree.__setstate__(state)
    return tree


def _depth(left: AnyArray, right: AnyArray) -> int:
    """The depth of a tree whose branches lead on; what a file says of it would size the room for a way down.

    Every node looks twice as far up in each round, so that a tree of any form takes few of them.
    """
    above, inner = np.arange(left.size), np.flatnonzero(left != -1)
    above[left[inner]] = above[right[inner]] = inner
    steps = (above != np.arange(left.size)).astype(np.int64)
    while steps[above].any():
        steps += steps[above]
        above = above[above]
    return int(steps[above == 0].max())


def _check_tree_classifier(values: Values, sizes: Sizes) -> None:
    """One output: the trees of several hand out arrays of other shapes, and no method of ours makes them."""
    if sizes.named["outputs"] != 1 or sizes.named["c"] != sizes.named["most"]:
        raise Refused("a decision tree with other classes than its leaves")


def _check_regressor(values: Values, sizes: Sizes) -> None:
    if sizes.named["most"] != 1:
        raise Refused("a regression tree with more than one value per leaf and output")


def _check_bagging(values: Values, sizes: Sizes) -> None:
    """An estimator has features of its own, at most as many as there are."""
    if max((each.size for each in held(values, "estimators_features_", list)), default=0) > sizes.named["d"]:
        raise Refused(
            f"BaggingClassifier.estimators_features_ has more than {sizes.named['d']} features for one of them"
        )


_TREE_PARTS: Mapping[str, Kind] = {
    "n_features_in_": _FEATURES,
    "feature_names_in_": FEATURE_NAMES,
    "n_outputs_": Whole(1, 2**16, "outputs"),
    "max_features_": Whole(1, 2**31 - 1),
    "tree_": Part(("Tree",), same="d outputs most"),
}
_TREE_CLASSIFIER: Mapping[str, Kind] = {
    **_TREE_PARTS,
    "n_outputs_": Whole(1, 1),
    "classes_": CLASSES,
    "n_classes_": Whole(1, 2**31 - 1, "c"),
}
_FOREST: Mapping[str, Kind] = {
    "n_features_in_": _FEATURES,
    "feature_names_in_": FEATURE_NAMES,
    "n_outputs_": Whole(1, 1),
    "classes_": CLASSES,
    "n_classes_": Whole(1, 2**31 - 1, "c"),
    "estimator": Optional(Anything()),
    "estimator_": Optional(Anything()),
    "estimators_": Many(Part(("DecisionTreeClassifier", "ExtraTreeClassifier"), same="d c")),
    "estimator_params": Optional(Anything()),
    "_n_samples": Optional(Whole()),
    "_n_samples_bootstrap": Optional(Whole()),
    "_sample_weight": Optional(Nothing()),
    "oob_score_": Optional(Anything()),
    "oob_decision_function_": Optional(Array("f8", "_ c")),
}


def _check_votes(values: Values, sizes: Sizes) -> None:
    if sizes.named["c"] * len(values["estimators_"]) > 2**28:  # each part is compared with each class
        raise Refused("AdaBoostClassifier of too many parts and classes")


_ENSEMBLE: Mapping[str, Kind] = {
    "n_features_in_": FEATURES,
    "classes_": CLASSES,
    "n_classes_": Whole(1, 2**31 - 1, "c"),
    "estimators_": Many(Anything()),
}
_REGRESSION_FOREST: Mapping[str, Kind] = {
    "n_features_in_": _FEATURES,
    "feature_names_in_": FEATURE_NAMES,
    "n_outputs_": Whole(1, 2**16, "outputs"),
    "estimator": Optional(Anything()),
    "estimator_": Optional(Anything()),
    "estimators_": Many(Part(("DecisionTreeRegressor", "ExtraTreeRegressor"), same="d outputs")),
    "estimator_params": Optional(Anything()),
    "_n_samples": Optional(Whole()),
    "_n_samples_bootstrap": Optional(Whole()),
}


def _classes(kind: str, fields: Mapping[str, Kind]) -> Record:
    return Record(
        kind, f"sklearn.tree._classes:{kind}", fields, check=_check_tree_classifier, ignores=("_sample_weight",)
    )


def _forest(kind: str, checked: type, fields: Mapping[str, Kind]) -> Record:
    """A forest in whose place one of `checked_trees` is built."""
    path, former = f"sklearn.ensemble._forest:{kind}", (path_of(checked),)
    return Record(kind, path, fields, make=built_as(checked), ignores=("_sample_weight",), former=former)


TREES = (
    Record(
        "Tree",
        "sklearn.tree._tree:Tree",
        {
            "n_features": _FEATURES,
            "n_outputs": Whole(1, 2**16, "outputs"),
            "n_classes": Array("i8", "outputs", least=1, in_order=True),
            "max_depth": Whole(0, 2**31 - 1),
            "nodes": Rows(_NODE, "nodes"),
            "values": Array("f8", "nodes outputs most", in_order=True),
        },
        inner=True,
        check=_check_tree,
        state=_tree_fields,
        make=_make_tree,
        effort=8,
    ),
    _classes("DecisionTreeClassifier", _TREE_CLASSIFIER),
    _classes("ExtraTreeClassifier", _TREE_CLASSIFIER),
    Record("DecisionTreeRegressor", "sklearn.tree._classes:DecisionTreeRegressor", _TREE_PARTS, check=_check_regressor),
    Record("ExtraTreeRegressor", "sklearn.tree._classes:ExtraTreeRegressor", _TREE_PARTS, check=_check_regressor),
    _forest("RandomForestRegressor", CheckedRegression, _REGRESSION_FOREST),
    _forest("ExtraTreesRegressor", CheckedExtraRegression, _REGRESSION_FOREST),
    _forest("RandomForestClassifier", CheckedForest, _FOREST),
    _forest("ExtraTreesClassifier", CheckedExtraTrees, _FOREST),
    checked_record(
        "AdaBoostClassifier",
        "ensemble._weight_boosting",
        CheckedBoost,
        {**_ENSEMBLE, "estimator_weights_": Array("f8", "_"), "estimator_errors_": Optional(Array("f8", "_"))},
        _check_votes,
        ignores=("_sample_weight",),
    ),
    Record(
        "BaggingClassifier",
        "sklearn.ensemble._bagging:BaggingClassifier",
        {**_ENSEMBLE, "estimators_features_": Many(Array("i8 i4", "_", least=0, below="d"))},
        loose=True,
        check=_check_bagging,
        make=built_alone(lambda: class_at("sklearn.ensemble._bagging:BaggingClassifier")),
        ignores=("_sample_weight",),
    ),
)
