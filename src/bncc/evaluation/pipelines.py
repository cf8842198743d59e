"""A pipeline for any data: features become numbers, kernel and thresholds are chosen on training rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from bncc._typing import Classifier, DataFrame, Features
from bncc.datasets import MultilabelStratifiedKFold
from bncc.evaluation.estimators import build_estimator, takes_base
from bncc.evaluation.labelled import ColumnKind, LabelledData, column_kinds
from bncc.evaluation.methods import METHODS, check_methods
from bncc.metrics import get_metric, get_scorer
from bncc.multilabel import (
    EnsembleClassifierChain,
    RangeScaler,
    TunedThresholds,
    recommended,
    recommended_kernels,
)
from bncc.multilabel.kernel_recommendation import COSTS, SIGMAS
from bncc.svm import EngineChoice, KernelSearchCV, KernelSVC, choose_engine

__all__ = ["BASES", "MOST_KERNEL_ROWS", "Base", "build_pipeline", "choose_base", "chosen_engine", "chosen_values"]

Base = Literal["kernel", "linear"]
BASES = ("auto", "kernel", "linear")
MOST_KERNEL_ROWS = 20_000
"""Beyond this many rows, "auto" takes a linear base."""

_MOST_CATEGORIES = 200
_WORD = re.compile(r"\b\w\w+\b")


def build_pipeline(
    X: LabelledData | Features,
    method: str = "recommended",
    *,
    text: Iterable[str] = (),
    base: str = "auto",
    metric: str = "example_f1",
    random_state: int = 0,
    engine: str = "auto",
    time_limit: float | None = None,
    verbose: int = 0,
) -> Pipeline:
    """An unfitted pipeline for data like these; everything it learns comes from the rows it is fitted to.

    Numbers that are missing become the median of their column and all are divided by their ranges; categories become
    0/1 columns, free text TF-IDF weights. It is what ``bncc fit`` and ``bncc evaluate`` fit.

    Parameters
    ----------
    X : LabelledData, DataFrame, array or sparse matrix
        Its columns say what the pipeline must do; its values are not learned from.
    method : str, default="recommended"
        A name of `METHODS`.
    text : names of columns of free text, in a DataFrame
    base : "auto", "kernel" or "linear", default="auto"
        The classifier of each label: an RBF SVM whose sigma and C are searched, or logistic regression; "auto" takes
        the latter for text and beyond 20,000 rows. With "auto", "recommended" is a `Blend` of all families; with
        another base, thresholds on an ensemble of chains over it.
    metric : str, default="example_f1"
        What sigma, C and thresholds are chosen for.
    random_state : int, default=0
        Draws whatever the method draws.
    engine : "auto", "cpu" or "cuda", default="auto"
        Who solves kernel links.
    time_limit : float or None, default=None
        Seconds for the fit of a blend; other methods have no limit.
    verbose : int, default=0
        1: a blend tells on standard error what it tries.

    Returns
    -------
    Pipeline
        With steps "features" and "model".

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"body": ["red fox", "grey wolf", "red deer", "grey fox"] * 5})
    >>> Y = pd.DataFrame({"fox": [1, 0, 0, 1] * 5, "red": [1, 0, 1, 0] * 5})
    >>> model = build_pipeline(X, "br", text=["body"]).fit(X, Y)
    >>> model.predict(pd.DataFrame({"body": ["fox in red"]}))
    array([[1, 1]])
    """
    (name,) = check_methods([method])
    choose_engine(engine)
    columns = _columns(X, text)
    values: Any = X.X if isinstance(X, LabelledData) else X
    kind = _choose_base(base, columns, int(values.shape[0]))
    if METHODS[name].estimator is None and base == "auto":
        blend = recommended(metric, time_limit=time_limit, random_state=random_state, verbose=verbose)
        # A blend fills in missing numbers itself, where a family cannot take them.
        steps: list[tuple[str, Any]] = [("features", _features(values, columns, "passthrough")), ("model", blend)]
    else:
        classifier = _classifier(name, kind, metric, random_state)
        steps = [("features", _features(values, columns, _numbers())), ("model", classifier)]
    model = Pipeline(steps)
    return model.set_params(**{param: engine for param in model.get_params() if param.endswith("__engine")})


def choose_base(base: str, data: LabelledData) -> Base:
    """What `base` means for these data: "auto" is linear for text and beyond 20,000 rows, else kernel.

    >>> from bncc.datasets import make_scenes
    >>> from bncc.evaluation import as_labelled
    >>> choose_base("auto", as_labelled(make_scenes(20)))
    'kernel'
    """
    return _choose_base(base, _columns(data), data.n_rows)


def chosen_values(model: Pipeline) -> dict[str, float]:
    """The sigma and C that a search inside a fitted pipeline chose; empty where there was none."""
    best: Mapping[str, float] = getattr(model[-1], "best_params_", {})
    return {name: float(best[name]) for name in ("sigma", "C") if name in best}


def chosen_engine(model: Pipeline) -> EngineChoice | None:
    """What solved the links of the last step of a pipeline, and why; None where it has no kernel links."""
    part = model[-1]
    while part is not None:
        if (choice := getattr(part, "engine_", None)) is not None:
            return cast("EngineChoice", choice)
        part = getattr(part, "best_estimator_", getattr(part, "estimator_", None))
    return None


def _columns(X: LabelledData | Features, text: Iterable[str] = ()) -> Mapping[str, ColumnKind] | None:
    """What the columns of a table hold; None for a matrix of numbers."""
    if isinstance(X, LabelledData):
        return X.schema["columns"] if X.schema["kind"] == "table" else None
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        return column_kinds(cast("DataFrame", X), text)
    if list(text):
        raise ValueError(f"`text=` names columns of a DataFrame; got {type(X).__name__}.")
    return None


def _choose_base(base: str, columns: Mapping[str, ColumnKind] | None, n_rows: int) -> Base:
    if base not in BASES:
        raise ValueError(f"`base=` must be one of {', '.join(BASES)}; got {base!r}.")
    if base != "auto":
        return cast("Base", base)
    has_text = columns is not None and "text" in columns.values()
    return "linear" if has_text or n_rows > MOST_KERNEL_ROWS else "kernel"


def _features(X: Any, columns: Mapping[str, ColumnKind] | None, numbers: str | Pipeline) -> Any:
    if columns is None:
        return RangeScaler() if sparse.issparse(X) and numbers != "passthrough" else numbers
    by_kind: dict[str, list[str]] = {"number": [], "category": [], "text": []}
    for name, kind in columns.items():
        by_kind[kind].append(name)
    for name in by_kind["text"]:
        _check_words(X[name], name)
    hot = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=_MOST_CATEGORIES)
    parts: list[tuple[str, Any, Any]] = [
        ("numbers", numbers, by_kind["number"]),
        ("categories", hot, by_kind["category"]),
        *((f"text{i}", TfidfVectorizer(sublinear_tf=True), name) for i, name in enumerate(by_kind["text"])),
    ]
    return ColumnTransformer([part for part in parts if part[2]])


def _check_words(texts: Iterable[str], name: str) -> None:
    """TF-IDF counts words of two letters or more, and can do nothing with a column that has none."""
    if not any(_WORD.search(str(text)) for text in texts):
        raise ValueError(
            f"the text column {name!r} holds no word of two letters or more in any row. Leave it out: drop={name!r}."
        )


def _numbers() -> Pipeline:
    """Missing values by the median, then every feature divided by its range."""
    return Pipeline([("impute", SimpleImputer(strategy="median", keep_empty_features=True)), ("scale", RangeScaler())])


def _classifier(method: str, base: Base, metric: str, seed: int) -> Classifier:
    estimator = METHODS[method].estimator
    if estimator is None:
        return _recommended(base, metric, seed)
    if not takes_base(estimator):
        return build_estimator(estimator, {}, seed=seed)
    if base == "linear":
        return build_estimator(estimator, {}, base=_linear(), seed=seed)
    grid = {"sigma": list(SIGMAS), "C": list(COSTS)}
    folds = MultilabelStratifiedKFold(3, shuffle=False)
    kernel_method = build_estimator(estimator, {}, base=KernelSVC(), seed=seed)
    return KernelSearchCV(kernel_method, grid, scoring=get_scorer(metric), cv=folds)


def _recommended(base: Base, metric: str, seed: int) -> Classifier:
    if base == "kernel":
        return recommended_kernels(metric, random_state=seed)["search"]
    ensemble = EnsembleClassifierChain(_linear(), random_state=seed)
    if get_metric(metric).needs != "labels":
        return ensemble
    return TunedThresholds(ensemble, metric, how="per_label")


def _linear() -> LogisticRegression:
    """Newton's method takes a dozen steps where the default solver takes a hundred, on dense and sparse features."""
    return LogisticRegression(C=10.0, max_iter=1000, solver="newton-cg")
