"""Methods by name, ready for any data: features become numbers, kernel and thresholds are chosen on training rows."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from bncc.cli.source import Source
from bncc.datasets import MultilabelStratifiedKFold
from bncc.metrics import METRICS, get_metric, get_scorer
from bncc.multilabel import (
    BNCC,
    BayesianChain,
    BinaryRelevance,
    CalibratedLabelRanking,
    ClassifierChain,
    EnsembleBNCC,
    EnsembleClassifierChain,
    GroupSensitiveChain,
    KMeansChain,
    LabelPowerset,
    MLkNN,
    MonteCarloChain,
    RandomKLabelsets,
    RangeScaler,
    TunedThresholds,
    recommended,
)
from bncc.multilabel.recommendation import COSTS, SIGMAS
from bncc.svm import KernelSearchCV, KernelSVC, choose_engine

__all__ = [
    "METHODS",
    "BaseOption",
    "EngineOption",
    "MetricOption",
    "check_methods",
    "choose_base",
    "complete_methods",
    "make_model",
]

Method = Callable[[Any, int], BaseEstimator]

METHODS: Mapping[str, tuple[str, Method | None]] = {
    "recommended": ("an ensemble of chains with tuned thresholds: when in doubt, this", None),
    "br": ("binary relevance: one classifier per label", lambda base, seed: BinaryRelevance(base)),
    "cc": ("a classifier chain in random order", lambda base, seed: ClassifierChain(base, random_state=seed)),
    "bncc": ("a chain ordered by the label network", lambda base, seed: BNCC(base)),
    "ecc": ("an ensemble of random chains", lambda base, seed: EnsembleClassifierChain(base, random_state=seed)),
    "ebncc": ("an ensemble of label networks' chains", lambda base, seed: EnsembleBNCC(base, random_state=seed)),
    "clr": ("calibrated label ranking: a vote of all pairs of labels", lambda base, seed: CalibratedLabelRanking(base)),
    "gcc": ("a chain per group of rows", lambda base, seed: GroupSensitiveChain(base, random_state=seed)),
    "lp": ("label powerset: every set of labels is a class", lambda base, seed: LabelPowerset(base)),
    "rakel": ("random small label sets", lambda base, seed: RandomKLabelsets(base, random_state=seed)),
    "kmcc": ("a chain ordered by clusters of labels", lambda base, seed: KMeansChain(base, random_state=seed)),
    "bcc": ("tree-structured Bayesian chains", lambda base, seed: BayesianChain(base, random_state=seed)),
    "m2cc": ("a chain whose order is searched", lambda base, seed: MonteCarloChain(base, random_state=seed)),
    "mlknn": ("nearest neighbours", lambda base, seed: MLkNN()),
}

_BASES = ("auto", "kernel", "linear")
_ENGINES = ("auto", "cpu", "cuda")
_MOST_KERNEL_ROWS = 20_000
_MOST_CATEGORIES = 200
_WORD = re.compile(r"\b\w\w+\b")

BaseOption = Annotated[
    str,
    typer.Option(
        "--base",
        help="Classifier of each label: kernel (RBF SVM; sigma and C are searched) or linear (logistic regression); "
        f"auto takes linear for text and beyond {_MOST_KERNEL_ROWS:,} rows, else kernel.",
        autocompletion=lambda incomplete: [base for base in _BASES if base.startswith(incomplete)],
    ),
]
MetricOption = Annotated[
    str,
    typer.Option(
        "--metric",
        help="What sigma, C and thresholds are chosen for, such as example_f1, micro_f1, macro_f1, hamming_loss.",
        autocompletion=lambda incomplete: [name for name in METRICS if name.startswith(incomplete)],
    ),
]


EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Who solves kernel links: cpu, cuda (an NVIDIA GPU), or auto, the GPU where there is one and it pays.",
        autocompletion=lambda incomplete: [name for name in _ENGINES if name.startswith(incomplete)],
    ),
]


def complete_methods(incomplete: str) -> list[str]:
    """Method names for the shell, also after a comma."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


def check_methods(names: Sequence[str]) -> list[str]:
    """The names, if there is a method of each."""
    chosen = [name.strip().lower() for name in names if name.strip()]
    if not chosen:
        raise ValueError(f"at least one method is needed; there are {', '.join(METHODS)}.")
    for name in chosen:
        if name not in METHODS:
            close = difflib.get_close_matches(name, METHODS, n=2)
            hint = f"Did you mean {' or '.join(close)}?" if close else f"There are {', '.join(METHODS)}."
            raise ValueError(f"there is no method {name!r}. {hint}")
    return list(dict.fromkeys(chosen))


def choose_base(base: str, source: Source) -> str:
    """What `auto` means for these data."""
    if base not in _BASES:
        raise ValueError(f"`--base` must be one of {', '.join(_BASES)}; got {base!r}.")
    if base != "auto":
        return base
    has_text = "text" in source.schema.get("columns", {}).values()
    return "linear" if has_text or source.n_rows > _MOST_KERNEL_ROWS else "kernel"


def make_model(method: str, source: Source, *, base: str, metric: str, seed: int, engine: str = "auto") -> Pipeline:
    """An unfitted pipeline for data like the source's; everything it learns comes from the rows it is fitted to."""
    choose_engine(engine)
    steps = [("features", _features(source)), ("model", _classifier(method, base, metric, seed))]
    model = Pipeline([(name, step) for name, step in steps if step is not None])
    return model.set_params(**{name: engine for name in model.get_params() if name.endswith("__engine")})


def _features(source: Source) -> Any:
    if source.schema["kind"] == "matrix":
        if sparse.issparse(source.X):
            return RangeScaler()
        return _numbers()
    by_kind: dict[str, list[str]] = {"number": [], "category": [], "text": []}
    for name, kind in source.schema["columns"].items():
        by_kind[kind].append(name)
    for name in by_kind["text"]:
        _check_words(source.X[name], name)
    hot = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=_MOST_CATEGORIES)
    parts: list[tuple[str, Any, Any]] = [
        ("numbers", _numbers(), by_kind["number"]),
        ("categories", hot, by_kind["category"]),
        *((f"text{i}", TfidfVectorizer(sublinear_tf=True), name) for i, name in enumerate(by_kind["text"])),
    ]
    return ColumnTransformer([part for part in parts if part[2]])


def _check_words(texts: Iterable[str], name: str) -> None:
    """TF-IDF counts words of two letters or more, and can do nothing with a column that has none."""
    if not any(_WORD.search(text) for text in texts):
        raise ValueError(
            f"the text column {name!r} holds no word of two letters or more in any row. Leave it out: --drop {name!r}."
        )


def _numbers() -> Pipeline:
    """Missing values by the median, then every feature divided by its range."""
    return Pipeline([("impute", SimpleImputer(strategy="median", keep_empty_features=True)), ("scale", RangeScaler())])


def _classifier(method: str, base: str, metric: str, seed: int) -> Any:
    build = METHODS[method][1]
    if build is None:
        return _recommended(base, metric, seed)
    if base != "kernel" or method == "mlknn":
        return build(_linear(), seed)
    grid = {"sigma": list(SIGMAS), "C": list(COSTS)}
    folds = MultilabelStratifiedKFold(3, shuffle=False)
    return KernelSearchCV(build(KernelSVC(), seed), grid, scoring=get_scorer(metric), cv=folds)


def _recommended(base: str, metric: str, seed: int) -> Any:
    if base == "kernel":
        return recommended(metric, random_state=seed)["search"]
    ensemble = EnsembleClassifierChain(_linear(), random_state=seed)
    if get_metric(metric).needs == "scores":
        return ensemble
    return TunedThresholds(ensemble, metric, how="per_label")


def _linear() -> LogisticRegression:
    return LogisticRegression(C=10.0, max_iter=1000)
