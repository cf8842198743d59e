"""A pipeline for any data: features become numbers, kernel and thresholds are chosen on training rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from bncc._typing import Classifier, Features
from bncc.datasets import MultilabelStratifiedKFold
from bncc.evaluation.estimators import build_estimator, takes_base
from bncc.evaluation.labelled import ColumnKind, LabelledData, column_kinds, kinds_settings
from bncc.evaluation.methods import METHODS, check_methods
from bncc.linear import LogisticRegression
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
from bncc.tables import TableFeatures
from bncc.tables.columns import is_table

__all__ = ["BASES", "MOST_KERNEL_ROWS", "Base", "build_pipeline", "choose_base", "chosen_engine", "chosen_values"]

Base = Literal["kernel", "linear"]
BASES = ("auto", "kernel", "linear")
MOST_KERNEL_ROWS = 20_000
"""Beyond this many rows, "auto" takes a linear base."""


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

    The columns of a table become features by `TableFeatures`; a matrix of numbers has missing ones filled by the median
    and all divided by their ranges. It is what ``bncc fit`` and ``bncc evaluate`` fit.

    Parameters
    ----------
    X : LabelledData, DataFrame or other table, array or sparse matrix
        Its columns say what the pipeline must do; its values are not learned from.
    method : str, default="recommended"
        A name of `METHODS`.
    text : names of columns of free text, in a table, where that is not found by itself
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
        steps: list[tuple[str, Any]] = [("features", _features(values, columns, keeps_gaps=True)), ("model", blend)]
    else:
        classifier = _classifier(name, kind, metric, random_state)
        steps = [("features", _features(values, columns, keeps_gaps=False)), ("model", classifier)]
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
        if isinstance(choice := getattr(part, "engine_", None), EngineChoice):
            return choice
        part = getattr(part, "best_estimator_", getattr(part, "estimator_", None))
    return None


def _columns(X: LabelledData | Features, text: Iterable[str] = ()) -> Mapping[str, ColumnKind] | None:
    """What the columns of a table hold; None for a matrix of numbers."""
    if isinstance(X, LabelledData):
        return X.schema["columns"] if X.schema["kind"] == "table" else None
    if is_table(X):
        return column_kinds(TableFeatures(text=text).fit(X).decisions_)
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


def _features(X: Any, columns: Mapping[str, ColumnKind] | None, *, keeps_gaps: bool) -> Any:
    """The first step: a blend fills in missing numbers itself, where a family cannot take them."""
    if columns is not None:
        return kinds_settings(columns, gaps="keep" if keeps_gaps else "impute")
    if keeps_gaps:
        return "passthrough"
    return RangeScaler() if sparse.issparse(X) else _numbers()


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
    """All links in one batch; models of very many labels stay small."""
    return LogisticRegression(C=10.0, drop_below="auto")
