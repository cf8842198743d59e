"""Records of the kernel and linear engines: everything that compiled code reads is declared to the last size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from bncc.multilabel.linear_links import LinkContexts
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Kind,
    Many,
    Nothing,
    Number,
    ObjectTable,
    Optional,
    Part,
    Pointers,
    Sizes,
    Sparse,
    Text,
    Values,
    Whole,
    held,
)
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record
from bncc.multilabel.model_files.settings import Scalar
from bncc.svm.distances import Distances

__all__ = ["ANSWERS", "CLASSES", "FEATURES", "FEATURE_NAMES", "KERNEL"]

_PANEL = 32

_MOST_CLASSES = 2**21  # an answer has a number or more for each, however little a class takes in the file


@dataclass(frozen=True)
class _Classes:
    """The classes that an estimator knows, called c."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Values of any type, but not too many."""
        Either((Array("*", "c"), ObjectTable(Scalar(), "c"))).check(value, where, sizes)
        if sizes.named["c"] > _MOST_CLASSES:
            raise Refused(f"{where} must have at most {_MOST_CLASSES} classes")


#: Fields that most estimators have.
FEATURES = Whole(1, 2**31 - 1, "d")
FEATURE_NAMES = Optional(ObjectTable(Text(), "d"))
CLASSES = _Classes()
#: Methods whose answers other estimators take, by names in files.
ANSWERS = ("predict_proba", "decision_function", "predict", "predict_log_proba")

_JOBS = Optional(Whole(-512, 512))
_ENGINE = Text(("auto", "cpu", "cuda", "native", "numpy"))


def _per_problem(dtype: str, least: int | None = None, below: str = "") -> Array:
    return Array(dtype, "p", least=least, below=below, in_order=True)


def _check_points(values: Values, sizes: Sizes) -> None:
    """Dense rows in panels or sparse ones in both orders, never a mixture."""
    n, d = sizes.named["n"], sizes.named["d"]
    n_panels = -(-n // _PANEL)
    if sizes.named["padded"] != n_panels * _PANEL:
        raise Refused("Points.norms must have one entry per row of every panel")
    is_dense = values.get("panels") is not None
    if is_dense != (values.get("centre") is not None) or is_dense == (values.get("by_row") is not None):
        raise Refused("Points must be dense or sparse, not both")
    if (values.get("by_row") is None) != (values.get("by_column") is None):
        raise Refused("Points must have their sparse rows in both orders")
    if is_dense and sizes.named["panels"] != n_panels:
        raise Refused("Points.panels must have a panel for every 32 rows")
    by_row, by_column = values.get("by_row"), values.get("by_column")
    if sparse.issparse(by_row) and sparse.issparse(by_column):
        _check_both_orders(by_row, by_column, (n, d))


def _check_both_orders(by_row: sparse.csr_array, by_column: sparse.csc_array, shape: tuple[int, int]) -> None:
    if by_row.shape != shape or by_column.shape != shape or by_row.nnz != by_column.nnz:
        raise Refused("Points must have the same sparse rows in both orders")
    if max(by_row.indptr[-1], 0) >= 2**31:
        raise Refused("Points have too many entries")
    turned = by_row.tocsc()
    for name in ("data", "indices", "indptr"):
        if not np.array_equal(getattr(turned, name), getattr(by_column, name)):
            raise Refused("Points must have the same sparse rows in both orders")


def _check_batch(values: Values, sizes: Sizes) -> None:
    """The contexts of a problem are bits of the words that there are; no training rows are left in a file."""
    for name, least in (("gamma", 0.0), ("C", 0.0)):
        array = held(values, name, np.ndarray)
        if not (np.isfinite(array) & (array > least)).all():
            raise Refused(f"Batch.{name} must be positive and finite")


def _check_links(values: Values, sizes: Sizes) -> None:
    words, n_labels = sizes.named["w"], sizes.named["L"]
    if words != -(-n_labels // 32):
        raise Refused(f"KernelLinks of {n_labels} labels with {words} words per row")


def _check_svc(values: Values, sizes: Sizes) -> None:
    n_classes = sizes.named["c"]
    pairs = n_classes * (n_classes - 1) // 2
    for name in ("p", "pairs"):
        if sizes.named.get(name, pairs) != pairs:
            raise Refused(f"KernelSVC of {n_classes} classes with {sizes.named[name]} problems")


def _check_linear_links(values: Values, sizes: Sizes) -> None:
    if sizes.named["columns"] - sizes.named["d"] not in (0, sizes.named["L"]):
        raise Refused("LinearLinks with weights of features or labels that do not exist")
    if (np.diff(held(values, "first", np.ndarray)) < 1).any():
        raise Refused("LinearLinks without problems of their own")
    if values.get("contexts") is not None:
        _check_contexts(values["contexts"], sizes.named["L"])


def _check_contexts(contexts: LinkContexts, n_labels: int) -> None:
    """The labels that a link sees are labels, each once."""
    if contexts.labels.size and contexts.labels.max() >= n_labels:
        raise Refused("LinkContexts.labels points beyond what there is")
    links = np.repeat(np.arange(contexts.first.size - 1), np.diff(contexts.first))
    seen = np.sort(links * n_labels + contexts.labels)
    if (seen[1:] == seen[:-1]).any():
        raise Refused("LinkContexts.labels must not repeat a label of a link")


def _check_pairs(values: Values, sizes: Sizes) -> None:
    if sizes.named["columns"] != sizes.named["landmarks"]:
        raise Refused("MappedPairs with another number of weights than of landmarks")


def _check_mapped(values: Values, sizes: Sizes) -> None:
    """The features of its links are the landmarks of its map."""
    if values["links"].solutions.n_features != sizes.named["landmarks"]:
        raise Refused("MappedLinks with links over another number of landmarks")


def _check_linear(values: Values, sizes: Sizes) -> None:
    n_classes = sizes.named["c"]
    if sizes.named["k"] != (1 if n_classes == 2 else n_classes):
        raise Refused(f"a linear classifier of {n_classes} classes with {sizes.named['k']} rows of weights")


_NUMBERS = "f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1 ?"
_NO_TOKEN = Either((Nothing(), Text(("",))))  # a model holds what belongs together

_POINTS: dict[str, Kind] = {
    "n_rows": Whole(0, 2**31 - 257, "n"),
    "n_features": Whole(0, 2**31 - 1, "d"),
    "norms": Array("f4", "padded", in_order=True),
    "panels": Optional(Array("f4", "panels d 32", in_order=True)),
    "centre": Optional(Array("f8", "d", in_order=True)),
    "by_row": Optional(Sparse("csr", "f4", "n d")),
    "by_column": Optional(Sparse("csc", "f4", "n d")),
    "exact": Optional(Either((Array(_NUMBERS, "n d", finite=True, in_order=True), Sparse("csr", _NUMBERS, "n d")))),
    "exponent": Optional(Whole(-1100, 1100)),
    "slip": Optional(Number(0)),
}
_BATCH: dict[str, Kind] = {
    "distances": Part(("Distances",), same="n d"),
    "kernel": Text(("rbf", "linear")),
    "words": Array("u4", "w n", in_order=True),
    "targets": Array("i1", "0 n", in_order=True),
    "row_ptr": Array("i8", "1", least=0, below="1", in_order=True),
    "row_index": Array("i4", "0", in_order=True),
    "weights": Array("f8", "0 n", in_order=True),
    "target": _per_problem("i4"),
    "row_set": _per_problem("i4"),
    "weight": _per_problem("i4"),
    "gamma": _per_problem("f8"),
    "C": _per_problem("f8"),
    "context": Array("u4", "p w", in_order=True),
    "group": _per_problem("i4"),
    "start": _per_problem("i4"),
    "token": Optional(_NO_TOKEN),
}
_SOLUTIONS: dict[str, Kind] = {
    "support": Array("i4", "s", least=0, in_order=True),
    "support_ptr": Pointers("p", of="s"),
    "coef": Array("f8", "s", in_order=True),
    "bias": _per_problem("f8"),
    "objective": _per_problem("f8"),
    "iterations": _per_problem("i8"),
    "status": _per_problem("i1", least=0, below="8"),
    "costs": Optional(Anything()),
    "token": Optional(_NO_TOKEN),
    "precise": Optional(Array("?", "p", in_order=True)),
}
_SETTINGS: dict[str, Kind] = {
    "tol": Number(1e-300, 1e300),
    "max_iter": Whole(-1, 2**62),
    "cache_size": Number(0, 1e9),
    "n_jobs": _JOBS,
    "engine": _ENGINE,
}


def _check_model(values: Values, sizes: Sizes) -> None:
    solutions = values["solutions"]
    support = getattr(solutions, "support", None)
    if not isinstance(support, np.ndarray) or (support.size and support.max() >= sizes.named["n"]):
        raise Refused("Model.solutions points to rows that the model does not have")


_KERNEL_SVC: dict[str, Kind] = {
    "C": Number(),
    "max_iter": Whole(-1, 2**62),
    "kernel": Text(("rbf", "linear")),
    "tol": Number(1e-300, 1e300),
    "engine": _ENGINE,
    "n_features_in_": FEATURES,
    "feature_names_in_": FEATURE_NAMES,
    "classes_": CLASSES,
    "gamma_": Number(0),
    "sigma_": Number(0),
    "engine_": Optional(Part(("EngineChoice",))),
    "_mapped": Optional(Part(("MappedPairs",), same="d pairs")),
    "landmarks_": Optional(Either((Array("f8 f4", "_ d"), Sparse("csr", "f8 f4", "_ d")))),
    # With landmarks there are no support vectors.
    "_model": Optional(Part(("Model",), same="d p")),
    "n_iter_": Array("i8", "pairs"),
    "support_": Optional(Array("i4", "v", least=0)),
    "n_support_": Optional(Array("i4", "c", least=0)),
    "support_vectors_": Optional(Either((Array("f8 f4", "v d"), Sparse("csr", "f8 f4", "v d")))),
    "dual_coef_": Optional(Array("f8", "_ v")),
    "intercept_": Optional(Array("f8", "pairs")),
    "coef_": Optional(Array("f8", "pairs d")),
    "_sigmoids": Array("f8", "pairs 2"),
}
_LINEAR: dict[str, Kind] = {
    "n_features_in_": FEATURES,
    "feature_names_in_": FEATURE_NAMES,
    "classes_": CLASSES,
    "coef_": Either((Array("f8 f4", "k d"), Sparse("csr", "f8 f4", "k d"))),
    "intercept_": Array("f8", "k"),
    "n_iter_": Optional(Whole(0, 2**62)),
}
_LINEAR_SOLUTIONS: dict[str, Kind] = {
    "n_features": Whole(0, 2**31 - 1, "d"),
    "weights": Either((Array("f8 f4", "q columns"), Sparse("csr", "f8 f4", "q columns"))),
    **{name: Array("f8", "q") for name in ("bias", "objective", "dual_objective")},
    "iterations": Array("i8", "q"),
    "status": Array("i1", "q", least=0, below="3"),
    "costs": Optional(Part(("BlockCosts",))),
}
_LINEAR_LINKS: dict[str, Kind] = {
    "solutions": Part(("linear Solutions",), same="d q columns"),
    "n_labels": Whole(1, 2**24, "L"),
    "first": Pointers("p", of="q"),
    "classes": Optional(Many(Array("*", "_"), "p")),
    "writes": Array("i4 i8", "p", least=-1, below="L"),
    "base": Part(("bncc LinearSVC", "bncc LogisticRegression")),
    "contexts": Optional(Part(("LinkContexts",), same="p")),
    "choice": Optional(Part(("LinearChoice",))),
}

KERNEL = (
    Record("Points", "bncc.svm.points:Points", _POINTS, inner=True, check=_check_points),
    Record(
        "Distances",
        "bncc.svm.distances:Distances",
        {
            "points": Part(("Points",), same="n d"),
            "held": Optional(Flag(only=False)),
            "n_jobs": _JOBS,
            "matrix": Optional(Nothing()),
        },
        inner=True,
        make=lambda values: Distances(values["points"], held=False, n_jobs=values.get("n_jobs")),
    ),
    Record("Batch", "bncc.svm.problems:Batch", _BATCH, inner=True, check=_check_batch),
    Record("Solutions", "bncc.svm.problems:Solutions", _SOLUTIONS, inner=True),
    Record(
        "Model",
        "bncc.svm.models:Model",
        {
            "batch": Part(("Batch",), same="n d p w"),
            "solutions": Part(("Solutions",), same="p"),
            "rows": Array("i4", "n", least=0),
        },
        inner=True,
        check=_check_model,
    ),
    Record(
        "KernelLinks",
        "bncc.multilabel.kernel:KernelLinks",
        {
            "model": Part(("Model",), same="d p w"),
            "n_labels": Whole(1, 2**24, "L"),
            "writes": Array("i4", "p", least=-1, below="L", in_order=True),
            "settings": Optional(Part(("SolverSettings",))),
            "choice": Optional(Part(("EngineChoice",))),
            # Files of the first release hold settings one by one.
            "cache_size": Optional(Number(0, 1e9)),
            "n_jobs": _JOBS,
            "engine": Optional(_ENGINE),
        },
        inner=True,
        check=_check_links,
    ),
    Record("SolverSettings", "bncc.svm.solver_settings:SolverSettings", _SETTINGS),
    Record("EngineChoice", "bncc.svm.engines:EngineChoice", {"name": Text(), "reason": Text()}),
    Record("KernelSVC", "bncc.svm.classifier:KernelSVC", _KERNEL_SVC, check=_check_svc),
    Record("linear Solutions", "bncc.linear.solutions:Solutions", _LINEAR_SOLUTIONS, inner=True),
    Record(
        "BlockCosts",
        "bncc.linear.solutions:BlockCosts",
        {name: Array("f8", "blocks") for name in ("updates", "checks", "active", "seconds")},
    ),
    Record(
        "LinearLinks",
        "bncc.multilabel.linear_links:LinearLinks",
        _LINEAR_LINKS,
        inner=True,
        check=_check_linear_links,
    ),
    Record(
        "LinkContexts",
        "bncc.multilabel.linear_links:LinkContexts",
        {"labels": Array("i4 i8", "n", least=0), "first": Pointers("p", of="n")},
        inner=True,
    ),
    Record("LinearChoice", "bncc.multilabel.linear_links:LinearChoice", {"name": Text(), "reason": Text()}),
    Record(
        "LandmarkMap",
        "bncc.svm.landmarks:LandmarkMap",
        {
            "landmarks": Either((Array("f8 f4", "landmarks d"), Sparse("csr", "f8 f4", "landmarks d"))),
            "gamma": Number(0),
            "projection": Array("f8", "landmarks landmarks"),
        },
        inner=True,
    ),
    Record(
        "MappedPairs",
        "bncc.svm.approximation:MappedPairs",
        {
            "features": Part(("LandmarkMap",), same="d landmarks"),
            "solutions": Part(("linear Solutions",), same="columns"),
        },
        inner=True,
        check=_check_pairs,
    ),
    Record(
        "MappedLinks",
        "bncc.multilabel.nystroem:MappedLinks",
        {"landmarks": Part(("LandmarkMap",), same="d landmarks"), "links": Part(("LinearLinks",), same="L p")},
        inner=True,
        check=_check_mapped,
    ),
    Record("bncc LinearSVC", "bncc.linear.linear_svc:LinearSVC", _LINEAR, check=_check_linear),
    Record("bncc LogisticRegression", "bncc.linear.logistic:LogisticRegression", _LINEAR, check=_check_linear),
)
