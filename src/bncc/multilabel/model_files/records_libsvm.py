"""Records of the classifiers of scikit-learn that LIBSVM answers for: all that it reads belongs together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bncc._typing import Matrix
from bncc.multilabel.model_files.checked_estimators import CheckedNuSVC, CheckedSVC
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Kind,
    Many,
    Number,
    Optional,
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
from bncc.multilabel.model_files.unlike_records import checked_record

__all__ = ["LIBSVM"]


def _check_svc(values: Values, sizes: Sizes) -> None:
    """LIBSVM reads all of these by the number of classes and of support vectors, without asking."""
    n_classes, n_support = sizes.named["c"], sizes.named["s"]
    pairs = n_classes * (n_classes - 1) // 2
    counts, is_sparse = held(values, "_n_support", np.ndarray), values["_sparse"]
    if int(counts.sum(dtype=np.int64)) != n_support or n_classes < 2:
        raise Refused("an SVC whose support vectors are not those of its classes")
    if sizes.named["lines"] != n_classes - 1 or sizes.named["pairs"] != pairs:
        raise Refused("an SVC whose coefficients are not those of its classes")
    if sizes.named["pA"] not in (0, pairs) or sizes.named["pA"] != sizes.named["pB"]:
        raise Refused("an SVC whose probabilities are not those of its classes")
    if not sizes.named["pA"] and any(_is_true(values.get(name)) for name in ("probability", "_effective_probability")):
        raise Refused("an SVC that says it has probabilities and has none")
    for name in ("support_vectors_", "_dual_coef_"):
        if isinstance(values[name], np.ndarray) == bool(is_sparse):
            raise Refused("an SVC that is neither dense nor sparse")
    _check_dual(values["_dual_coef_"])
    support = held(values, "support_", np.ndarray)  # columns of a kernel that is given, once it is asked for one
    if support.size and support.max() >= values["shape_fit_"][0]:
        raise Refused("an SVC whose support vectors are rows that it was not fitted to")


def _is_true(value: object) -> bool:
    return isinstance(value, bool | np.bool_) and bool(value)


def _check_dual(coefficients: Matrix) -> None:
    """Sparse coefficients are read as if they were all there; what they should be is not written out to compare."""
    if not isinstance(coefficients, np.ndarray):
        lines, width = coefficients.shape
        places = coefficients.indices
        if places.size != lines * width or (places.reshape(lines, width) != np.arange(width)).any():
            raise Refused("an SVC with coefficients left out")


_SVC: Mapping[str, Kind] = {
    "n_features_in_": FEATURES,
    "feature_names_in_": FEATURE_NAMES,
    "classes_": CLASSES,
    "kernel": Text(("linear", "poly", "rbf", "sigmoid")),
    "coef0": Number(),
    "decision_function_shape": Text(("ovo", "ovr")),
    "break_ties": Flag(),
    "probability": Either((Flag(), Text(("deprecated",)))),
    "_sparse": Flag(),
    "support_vectors_": Either((Array("f8", "s d", in_order=True), Sparse("csr", "f8", "s d"))),
    "support_": Array("i4", "s", least=0, in_order=True),
    "_n_support": Array("i4", "c", least=0, in_order=True),
    "dual_coef_": Either((Array("f8", "lines s"), Sparse("csr", "f8", "lines s"))),
    "_dual_coef_": Either((Array("f8", "lines s", in_order=True), Sparse("csr", "f8", "lines s"))),
    "intercept_": Array("f8", "pairs", in_order=True),
    "_intercept_": Array("f8", "pairs", in_order=True),
    "_probA": Array("f8", "pA", in_order=True),
    "_probB": Array("f8", "pB", in_order=True),
    "_gamma": Number(),
    "class_weight_": Array("f8", "c", in_order=True),
    "fit_status_": Whole(0, 1),
    "shape_fit_": Many(Whole(0, 2**31 - 1), "2"),
    "n_iter_": Anything(),
    "_num_iter": Optional(Anything()),
    "_effective_probability": Optional(Flag()),
    "_impl": Optional(Text(("c_svc", "nu_svc"))),
    "epsilon": Optional(Number()),
    "nu": Optional(Number()),
    "C": Optional(Number()),
}


def _svc(name: str, checked: type) -> Record:
    return checked_record(name, "svm._classes", checked, _SVC, check=_check_svc, loose=False, ignores=("_impl",))


LIBSVM = (_svc("SVC", CheckedSVC), _svc("NuSVC", CheckedNuSVC))
