"""Records of classifiers of scikit-learn whose answers NumPy computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from bncc._typing import Array as AnyArray
from bncc.multilabel.model_files.checked_estimators import (
    CheckedOneVsOne,
    CheckedOneVsRest,
    CheckedOutputs,
    CheckedStack,
    CheckedVotes,
)
from bncc.multilabel.model_files.column_fields import Distinct, check_letters, check_part_names
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Kind,
    Many,
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
from bncc.multilabel.model_files.records_kernel import ANSWERS, CLASSES, FEATURE_NAMES, FEATURES
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record
from bncc.multilabel.model_files.settings import Scalar
from bncc.multilabel.model_files.unlike_records import checked_record

__all__ = ["BASES"]

_FITTED: Mapping[str, Kind] = {"n_features_in_": FEATURES, "feature_names_in_": FEATURE_NAMES, "classes_": CLASSES}
_MOST_CLASSES_IN_TURN = 2**16  # of those that Python goes through one by one, for every question
_WEIGHTS = Either((Array("f8 f4", "k d"), Array("f8 f4", "d"), Sparse("csr", "f8 f4", "k d")))
_PER_CLASS = Array("f8 f4", "c")
# Compiled code takes memory for each of them and some hundred rows, and does not ask whether it was given.
_MOST_CLUSTERS = 4096
_INTERCEPTS = Either((Array("f8 f4", "k"), Array("f8 f4", ""), Number()))
# Classes of numbers, and back: any other transformer could make much of little.
_BINARIZER = Optional(Part(("LabelBinarizer",)))
_ENCODER = Part(("LabelEncoder",))
_MOST_ANSWERS = 1 << 17
_LINEAR: Mapping[str, Kind] = {**_FITTED, "coef_": _WEIGHTS, "intercept_": _INTERCEPTS}
# Compiled code of `partial_fit` goes on with these, and writes as many as there are features.
_ONLINE: Mapping[str, Kind] = {
    **_LINEAR,
    **{
        name: Optional(Either((Array("f8 f4", "d"), Array("f8 f4", "k d", in_order=True))))
        for name in ("_standard_coef", "_average_coef")
    },
    **{name: Optional(Array("f8 f4", "k")) for name in ("_standard_intercept", "_average_intercept")},
}


def _linear(name: str, module: str) -> Record:
    return Record(name, f"sklearn.{module}:{name}", _LINEAR, loose=True, check=_check_lines)


def _online(name: str, module: str) -> Record:
    """A linear model that goes on learning by `partial_fit`; its loss is made again."""
    ignores = ("_loss_function_", "loss_function_")
    return Record(
        name, f"sklearn.linear_model.{module}:{name}", _ONLINE, loose=True, check=_check_lines, ignores=ignores
    )


def _loose(name: str, module: str, fields: Mapping[str, Kind] = _FITTED, **more: tuple[str, ...]) -> Record:
    return Record(name, f"sklearn.{module}:{name}", fields, loose=True, **more)  # type: ignore[arg-type]


def _check_lines(values: Values, sizes: Sizes) -> None:
    """A line of weights per class, one for two."""
    n_classes, n_lines = sizes.named["c"], sizes.named.get("k", 1)
    if n_lines != (1 if n_classes == 2 else n_classes):
        raise Refused(f"{n_lines} lines of weights for {n_classes} classes")


def _check_layers(values: Values, sizes: Sizes) -> None:
    """Each layer takes what the one before it gives."""
    coefs, intercepts = held(values, "coefs_", list), held(values, "intercepts_", list)
    if values["n_layers_"] != len(coefs) + 1 or len(intercepts) != len(coefs):
        raise Refused("a network of other layers than its weights")
    width = sizes.named["d"]
    for weights, offsets in zip(coefs, intercepts, strict=True):
        if weights.shape[0] != width or offsets.shape != weights.shape[1:] or not weights.size:
            raise Refused("a network whose layers do not belong together")
        width = weights.shape[1]
    n_classes = sizes.named["c"]
    if width not in (n_classes, 1 if n_classes == 2 else n_classes):
        raise Refused(f"a network of {width} outputs for {n_classes} classes")
    _check_moments(values.get("_optimizer"), [*coefs, *intercepts])


def _check_moments(optimizer: object, weights: Sequence[AnyArray]) -> None:
    """What `partial_fit` goes on with has the shapes of the weights: others would be spread over them."""
    for name in ("ms", "vs", "velocities"):
        kept = [] if optimizer is None else vars(optimizer).get(name, [])
        plain = isinstance(kept, list) and all(type(each) is np.ndarray for each in kept)
        if not plain or (kept and [each.shape for each in kept] != [each.shape for each in weights]):
            raise Refused("a network that learns on from other weights than it has")


def _are_numbers(values: object) -> bool:
    """Whether there are none, or a list or an array of numbers."""
    if isinstance(values, list | tuple):
        return all(isinstance(each, int | float | np.number) for each in values)
    return values is None or (type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "biuf")


def _check_constant(values: Values, sizes: Sizes) -> None:
    """One class, which is there: it is written out for every row."""
    constant, classes = values.get("constant"), held(values, "classes_", np.ndarray)
    if isinstance(constant, list | tuple | np.ndarray):
        constant = constant[0] if len(constant) == 1 else None
    Scalar().check(constant, "DummyClassifier.constant", sizes)
    if values["_strategy"] == "constant" and (constant is None or constant not in classes.tolist()):
        raise Refused("a DummyClassifier that predicts a class that it does not have")


def _check_projection(values: Values, sizes: Sizes) -> None:
    """Classes are told apart in fewer directions than they are; each of these has a name."""
    for name in ("_max_components", "_n_features_out"):
        if (values.get(name) or 0) >= sizes.named["c"]:
            raise Refused(f"LinearDiscriminantAnalysis.{name} must be below {sizes.named['c']}, the number of classes")


def _check_pairs(values: Values, sizes: Sizes) -> None:
    n_classes, n_parts = sizes.named["c"], sizes.named["p"]
    if n_parts != n_classes * (n_classes - 1) // 2:
        raise Refused(f"OneVsOneClassifier of {n_classes} classes with {n_parts} parts")


def _check_stack(values: Values, sizes: Sizes) -> None:
    """Each number that a part gives has a name, which begins with that of the part."""
    parts, widths = values.get("estimators"), values.get("_n_feature_outs")
    check_part_names("StackingClassifier", parts)
    if isinstance(parts, list | tuple) and widths is not None:
        letters = sum(int(width) * len(part[0]) for part, width in zip(parts, widths, strict=False))
        check_letters("StackingClassifier", letters, sum(map(int, widths)))


def _named_stack(values: Values, sizes: Sizes) -> int:
    """Numbers that parts give, and features where these are handed on: as many as the first part says."""
    parts = values.get("estimators_")
    handed = getattr(parts[0], "n_features_in_", 0) if values.get("passthrough") and parts else 0
    return int(handed) + sum(map(int, values.get("_n_feature_outs") or ()))


def _named_votes(values: Values, sizes: Sizes) -> int:
    """Each part has a rate for every class."""
    return sizes.named.get("c", 0) * len(values.get("estimators") or ())


def _check_in_turn(values: Values, sizes: Sizes) -> None:
    """Classes that are asked about one after the other are few enough to wait for."""
    if sizes.named["c"] > _MOST_CLASSES_IN_TURN:
        raise Refused(f"{sizes.named['c']} classes, one after the other, where at most {_MOST_CLASSES_IN_TURN} can be")


def _check_discriminant(values: Values, sizes: Sizes) -> None:
    """Class by class: a rotation of the features, and as many scalings."""
    _check_in_turn(values, sizes)
    rotations, scalings = held(values, "rotations_", list), held(values, "scalings_", list)
    if len(rotations) != sizes.named["c"] or len(scalings) != sizes.named["c"]:
        raise Refused("rotations of other classes than there are")
    if any(len(scaling) != rotation.shape[1] for rotation, scaling in zip(rotations, scalings, strict=True)):
        raise Refused("rotations and scalings that do not belong together")


def _check_votes(values: Values, sizes: Sizes) -> None:
    """Votes are counted in an array as long as the largest class of a voter."""
    check_part_names("VotingClassifier", values.get("estimators"))
    if not _are_numbers(values.get("weights")):
        raise Refused("VotingClassifier with weights that are no numbers")
    for voter in values["estimators_"]:
        classes = getattr(voter, "classes_", None)
        if not isinstance(classes, np.ndarray) or classes.dtype.kind not in "biu":
            raise Refused("voters without classes that are numbers")
        if classes.size and not 0 <= int(classes.min()) <= int(classes.max()) < sizes.named["c"]:
            raise Refused("voters for classes that do not exist")


_NETWORK: Mapping[str, Kind] = {
    **_FITTED,
    "hidden_layer_sizes": Anything(),
    "coefs_": Many(Array("f8 f4", "_ _")),
    "intercepts_": Many(Array("f8 f4", "_")),
    "n_layers_": Whole(2, 1000),
    "_random_state": Optional(Part(("RandomState",))),
    "_label_binarizer": _BINARIZER,
    "_optimizer": Optional(Part(("AdamOptimizer", "SGDOptimizer"))),
}
_NAIVE: Mapping[str, Kind] = {**_FITTED, "feature_log_prob_": Array("f8", "c d"), "class_log_prior_": Array("f8", "c")}
_RIDGE: Mapping[str, Kind] = {**_LINEAR, "classes_": Optional(Anything()), "_label_binarizer": _BINARIZER}
_DISCRIMINANT: Mapping[str, Kind] = {
    **_LINEAR,
    "means_": Array("f8 f4", "c d"),
    "xbar_": Optional(Array("f8 f4", "d")),
    "priors_": _PER_CLASS,
    "scalings_": Optional(Array("f8 f4", "d _")),
    "_max_components": Optional(Whole()),
    "_n_features_out": Optional(Whole()),
}
_ONE_VS_REST: Mapping[str, Kind] = {"classes_": Optional(Anything()), "estimators_": Many(Anything(), "p")}

BASES = (
    _linear("LogisticRegression", "linear_model._logistic"),
    _linear("LogisticRegressionCV", "linear_model._logistic"),
    _loose("RidgeClassifier", "linear_model._ridge", _RIDGE),
    _loose("RidgeClassifierCV", "linear_model._ridge", _RIDGE),
    _online("SGDClassifier", "_stochastic_gradient"),
    _online("Perceptron", "_perceptron"),
    _online("PassiveAggressiveClassifier", "_passive_aggressive"),
    _linear("LinearSVC", "svm._classes"),
    Record(
        "LinearDiscriminantAnalysis",
        "sklearn.discriminant_analysis:LinearDiscriminantAnalysis",
        _DISCRIMINANT,
        loose=True,
        check=_check_projection,
    ),
    Record(
        "QuadraticDiscriminantAnalysis",
        "sklearn.discriminant_analysis:QuadraticDiscriminantAnalysis",
        {
            **_FITTED,
            "means_": Array("f8 f4", "c d"),
            "priors_": _PER_CLASS,
            "rotations_": Many(Array("f8 f4", "d _")),
            "scalings_": Many(Array("f8 f4", "_")),
        },
        loose=True,
        check=_check_discriminant,
    ),
    Record(
        "GaussianNB",
        "sklearn.naive_bayes:GaussianNB",
        {**_FITTED, "theta_": Array("f8", "c d"), "var_": Array("f8", "c d"), "class_prior_": _PER_CLASS},
        loose=True,
        check=_check_in_turn,
    ),
    _loose("MultinomialNB", "naive_bayes", _NAIVE),
    _loose("ComplementNB", "naive_bayes", _NAIVE),
    _loose("BernoulliNB", "naive_bayes", {**_NAIVE, "binarize": Optional(Number())}),
    _loose(
        "CategoricalNB",
        "naive_bayes",
        {
            **_FITTED,
            "class_count_": _PER_CLASS,
            "class_log_prior_": _PER_CLASS,
            "feature_log_prob_": Many(Array("f8", "c _"), "d"),
        },
    ),
    _loose(
        "NearestCentroid",
        "neighbors._nearest_centroid",
        {
            **_FITTED,
            "metric": Text(("euclidean", "manhattan")),
            "centroids_": Array("f8 f4", "c d"),
            "deviations_": Optional(Array("f8 f4", "c d")),
            "within_class_std_dev_": Optional(Array("f8 f4", "d")),
            "class_prior_": Optional(_PER_CLASS),
        },
    ),
    Record(
        "DummyClassifier",
        "sklearn.dummy:DummyClassifier",
        {
            "n_features_in_": Optional(FEATURES),
            "feature_names_in_": Optional(Anything()),
            "classes_": CLASSES,
            "n_classes_": Whole(1, 2**31 - 1, "c"),
            "class_prior_": Array("f8", "c"),
            "n_outputs_": Whole(1, 1),
            "sparse_output_": Flag(only=False),
            "_strategy": Text(("constant", "most_frequent", "prior", "stratified", "uniform")),
        },
        check=_check_constant,
    ),
    Record(
        "MLPClassifier",
        "sklearn.neural_network._multilayer_perceptron:MLPClassifier",
        _NETWORK,
        loose=True,
        check=_check_layers,
    ),
    _loose("AdamOptimizer", "neural_network._stochastic_optimizers", {}),
    _loose("SGDOptimizer", "neural_network._stochastic_optimizers", {}),
    Record(
        "KMeans",
        "sklearn.cluster._kmeans:KMeans",
        {
            "n_features_in_": FEATURES,
            "feature_names_in_": FEATURE_NAMES,
            "cluster_centers_": Array("f8 f4", "clusters d", in_order=True, finite=True),
            "_n_threads": Whole(1, 512),
            "labels_": Array("i4", "_"),
            "inertia_": Anything(),
            "n_iter_": Anything(),
            "_n_features_out": Whole(1, _MOST_CLUSTERS, "clusters"),
            "_tol": Optional(Anything()),
            "_n_init": Optional(Anything()),
            "_algorithm": Optional(Text()),
        },
    ),
    _loose("CalibratedClassifierCV", "calibration", {"classes_": CLASSES, "calibrated_classifiers_": Many(Anything())}),
    Record(
        "CalibratedClassifier",
        "sklearn.calibration:_CalibratedClassifier",
        {
            "estimator": Anything(),
            "calibrators": Many(Part(("SigmoidCalibration", "IsotonicRegression"))),
            "classes": CLASSES,
            "method": Text(),
        },
    ),
    Record(
        "CodedCategories",
        "bncc.multilabel.coded_categories:CodedCategories",
        {"columns": Distinct(), "whole": Flag(), "classes_": CLASSES, "estimator_": Anything()},
        loose=True,
    ),
    checked_record(
        "OneVsRestClassifier",
        "multiclass",
        CheckedOneVsRest,
        {**_ONE_VS_REST, "label_binarizer_": Part(("LabelBinarizer",))},
    ),
    checked_record(
        "OneVsOneClassifier",
        "multiclass",
        CheckedOneVsOne,
        {**_ONE_VS_REST, "classes_": CLASSES, "pairwise_indices_": Optional(Many(Distinct(), "p"))},
        check=_check_pairs,
    ),
    checked_record("MultiOutputClassifier", "multioutput", CheckedOutputs, _ONE_VS_REST),
    Record(
        "sklearn ClassifierChain",
        "sklearn.multioutput:ClassifierChain",
        {**_ONE_VS_REST, "chain_method_": Optional(Text(ANSWERS)), "order_": Distinct("p", "p")},
        loose=True,
    ),
    checked_record(
        "VotingClassifier",
        "ensemble._voting",
        CheckedVotes,
        {"classes_": CLASSES, "estimators_": Many(Anything()), "le_": Optional(_ENCODER)},
        check=_check_votes,
        columns=_named_votes,
    ),
    checked_record(
        "StackingClassifier",
        "ensemble._stacking",
        CheckedStack,
        {
            **_ONE_VS_REST,
            "stack_method_": Many(Text(ANSWERS)),
            "_n_feature_outs": Optional(Many(Whole(0, _MOST_ANSWERS))),
            "_label_encoder": Optional(Either((_ENCODER, Many(_ENCODER)))),
        },
        check=_check_stack,
        columns=_named_stack,
    ),
    Record("SigmoidCalibration", "sklearn.calibration:_SigmoidCalibration", {"a_": Number(), "b_": Number()}),
    _loose(
        "IsotonicRegression",
        "isotonic",
        {
            "X_thresholds_": Array("f8 f4", "t"),
            "y_thresholds_": Array("f8 f4", "t"),
            **{name: Optional(Number()) for name in ("X_min_", "X_max_", "y_min", "y_max")},
        },
        ignores=("f_",),
    ),
)
