"""A pipeline for any data: features become numbers, kernel and thresholds are chosen on training rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from bncc.cli.methods import METHODS
from bncc.cli.names import BASES
from bncc.cli.options import MOST_KERNEL_ROWS
from bncc.cli.source import Source
from bncc.datasets import MultilabelStratifiedKFold
from bncc.metrics import get_metric, get_scorer
from bncc.multilabel import EnsembleClassifierChain, RangeScaler, TunedThresholds, recommended
from bncc.multilabel.recommendation import COSTS, SIGMAS
from bncc.svm import KernelSearchCV, KernelSVC, choose_engine

__all__ = ["choose_base", "make_model"]

_MOST_CATEGORIES = 200
_WORD = re.compile(r"\b\w\w+\b")


def choose_base(base: str, source: Source) -> str:
    """What `auto` means for these data."""
    if base not in BASES:
        raise ValueError(f"`--base` must be one of {', '.join(BASES)}; got {base!r}.")
    if base != "auto":
        return base
    has_text = "text" in source.schema.get("columns", {}).values()
    return "linear" if has_text or source.n_rows > MOST_KERNEL_ROWS else "kernel"


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
    """Newton's method takes a dozen steps where the default solver takes a hundred, on dense and sparse features."""
    return LogisticRegression(C=10.0, max_iter=1000, solver="newton-cg")
