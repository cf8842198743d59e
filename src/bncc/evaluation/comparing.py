"""Methods compared by cross-validation: one record per method and fold, and what they come to."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from bncc._rows import take_rows
from bncc._typing import Rows
from bncc.datasets import Dataset
from bncc.evaluation.fitting import fit_rows
from bncc.evaluation.folds import Fold, deal_repeat, method_seed
from bncc.evaluation.labelled import LabelledData, as_labelled
from bncc.evaluation.methods import check_methods
from bncc.evaluation.pipelines import build_pipeline, chosen_values
from bncc.evaluation.records import Record
from bncc.evaluation.row_origin import deal_by_time, group_numbers
from bncc.evaluation.tested_rows import Answers, answers_of
from bncc.metrics import evaluate, get_metric
from bncc.multilabel.tuned_thresholds import label_scores
from bncc.tables import TableWarning

__all__ = ["EvaluationPlan", "MethodSummary", "compare_methods", "deal_plan", "summarise_records"]

Report = Callable[[str, int, int], object]
Keep = Callable[[str, int, int, Answers], object]
KeepModel = Callable[[Record, Pipeline, Rows], object]
MethodSummary = dict[str, Any]
"""Scores by metric, each with its mean, standard deviation and values, and mean seconds."""


@dataclass(frozen=True)
class EvaluationPlan:
    """What is compared, on which rows, and by which metrics.

    Attributes
    ----------
    methods, metrics : tuples of str
        Names of `METHODS` and of `bncc.metrics.METRICS`; the paper's names of metrics become ours.
    folds, repeats : int
        Stratified folds, dealt anew in each repeat.
    own_split : bool, default=False
        Train and test on the split that the data come with instead.
    base, metric, engine : str
        As in `build_pipeline`.
    seed : int, default=0
        Draws folds and whatever methods draw, as in a study (`deal_repeat`, `method_seed`).
    time_limit, verbose : as in `build_pipeline`
        The limit is that of one fit.

    Examples
    --------
    >>> EvaluationPlan(methods=("BR", "bncc"), metrics=["MacF"]).metrics
    ('macro_f1',)
    """

    methods: Sequence[str] = ("br", "cc", "bncc", "recommended")
    metrics: Sequence[str] = ("hamming_loss", "example_f1", "macro_f1", "micro_f1")
    folds: int = 5
    repeats: int = 1
    own_split: bool = False
    base: str = "auto"
    metric: str = "example_f1"
    engine: str = "auto"
    seed: int = 0
    time_limit: float | None = None
    verbose: int = 0

    def __post_init__(self) -> None:
        get_metric(self.metric)
        metrics = tuple(get_metric(name.strip()).name for name in self.metrics if name.strip())
        if not metrics:
            raise ValueError("`metrics=` must name at least one metric, such as example_f1.")
        for name, least in (("folds", 2), ("repeats", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"`{name}=` must be at least {least}; got {getattr(self, name)}.")
        object.__setattr__(self, "methods", check_methods(self.methods))
        object.__setattr__(self, "metrics", metrics)


def compare_methods(
    data: LabelledData | Dataset,
    plan: EvaluationPlan | None = None,
    *,
    report: Report | None = None,
    keep: Keep | None = None,
    keep_model: KeepModel | None = None,
) -> list[Record]:
    """Fit and test every method on every fold; whatever is chosen is chosen inside the training rows.

    It is what ``bncc evaluate`` does.

    Parameters
    ----------
    data : LabelledData or Dataset
    plan : EvaluationPlan, default=None
        None compares the usual four methods on five folds.
    report : callable, default=None
        Called with method, repeat and fold before each of them; what it raises stops the comparison.
    keep : callable, default=None
        Called with method, repeat, fold and the `Answers` on its test rows after each of them: labels, scores and
        probabilities, as `bncc.analysis.quality` judges them. They are asked for only if somebody keeps them.
    keep_model : callable, default=None
        Called with the record, the fitted pipeline and its test rows after each of them, as
        `bncc.analysis.best_models` wants it.

    Returns
    -------
    list of Record
        One per method, repeat and fold; `summarise_records` sums them up, `bncc.analysis` tests and draws them.

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> plan = EvaluationPlan(methods=["br", "mlknn"], folds=2, base="linear")
    >>> records = compare_methods(make_scenes(100), plan)
    >>> [(record.method, record.fold) for record in records]
    [('br', 0), ('br', 1), ('mlknn', 0), ('mlknn', 1)]
    """
    labelled, plan = as_labelled(data), plan or EvaluationPlan()
    repeats, records = deal_plan(labelled, plan), list[Record]()
    options: dict[str, Any] = {"base": plan.base, "metric": plan.metric, "engine": plan.engine}
    options |= {"time_limit": plan.time_limit, "verbose": plan.verbose}
    for method in plan.methods:
        for repeat, folds in enumerate(repeats):
            seed = method_seed(plan.seed, labelled.name, repeat)
            for number, fold in enumerate(folds):
                if report is not None:
                    report(method, repeat, number)
                model = build_pipeline(labelled, method, random_state=seed, **options)
                tested, answers = _test(model, labelled, fold, plan.metrics, asked=keep is not None)
                if keep is not None:
                    keep(method, repeat, number, answers)
                records.append(Record(labelled.name, method, repeat, number, seed=seed, **tested))
                if keep_model is not None:
                    keep_model(records[-1], model, fold[1])
    return records


def deal_plan(data: LabelledData, plan: EvaluationPlan) -> list[list[Fold]]:
    """The folds of every repeat; the data's own split is one repeat with one fold.

    Rows of a group are in one fold; where rows have times, folds test on later rows than they learn from.
    """
    if not plan.own_split:
        Y, groups = data.label_matrix, None if data.groups is None else group_numbers(data.groups)
        if data.times is not None:
            if plan.repeats > 1:
                raise ValueError("folds by time are the same in every repeat. Leave out `repeats=`, or the time.")
            return [deal_by_time(data.times, plan.folds, groups)]
        return [
            deal_repeat(Y, plan.folds, dataset=data.name, repeat=repeat, seed=plan.seed, groups=groups)
            for repeat in range(plan.repeats)
        ]
    if data.groups is not None or data.times is not None:
        raise ValueError("the data's own split is as it is. Leave out `own_split=` for folds by group or time.")
    if data.train is None or data.test is None:
        raise ValueError(f"{data.name!r} comes without a train and test part. Leave out `own_split=` for folds.")
    return [[(data.train, data.test)]]


def _test(
    model: Pipeline, data: LabelledData, fold: Fold, metrics: Sequence[str], *, asked: bool
) -> tuple[dict[str, Any], Answers]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # rows of a table that differ from others are what is tested
        return _test_fold(model, data, fold, metrics, asked=asked)


def _test_fold(
    model: Pipeline, data: LabelledData, fold: Fold, metrics: Sequence[str], *, asked: bool
) -> tuple[dict[str, Any], Answers]:
    train, test = fold
    start = time.perf_counter()
    fit_rows(model, data.take(train))
    fitted = time.perf_counter()
    X, truth = take_rows(data.X, test), data.Y.iloc[test].to_numpy()
    predicted = np.asarray(model.predict(X)).reshape(truth.shape)
    scores = None
    if any(get_metric(name).needs == "scores" for name in metrics):
        scores = label_scores(model, X, truth.shape[1])
    rates = None
    if any(get_metric(name).needs == "probabilities" for name in metrics):
        if not hasattr(model, "predict_proba"):
            raise ValueError(f"{model[-1]!r} gives no probabilities, which log_loss and brier_score need.")
        rates = model.predict_proba(X)
    values = evaluate(truth, predicted, scores, rates, metrics=metrics)
    seconds = {"train_seconds": fitted - start, "test_seconds": time.perf_counter() - fitted}
    answers = Answers(test, predicted.astype(np.bool_), scores, None)
    if asked:
        answers = answers_of(model, X, test, truth.shape[1], given=answers)
    return {"scores": values, **chosen_values(model), **seconds}, answers


def summarise_records(records: Sequence[Record]) -> dict[str, MethodSummary]:
    """By method: scores with mean, standard deviation (ddof=1; None for one fold), values, and mean seconds.

    >>> records = [Record("d", "br", 0, fold, {"macro_f1": score}) for fold, score in enumerate((0.5, 0.7))]
    >>> round(summarise_records(records)["br"]["scores"]["macro_f1"]["mean"], 3)
    0.6
    """
    by_method: dict[str, list[Record]] = {}
    for record in records:
        by_method.setdefault(record.method, []).append(record)
    return {method: _summary(each) for method, each in by_method.items()}


def _summary(records: Sequence[Record]) -> MethodSummary:
    scores = {name: [record.scores[name] for record in records] for name in records[0].scores}
    return {
        "scores": {
            name: {"mean": float(np.mean(values)), "std": _spread(values), "folds": values}
            for name, values in scores.items()
        },
        "train_seconds": float(np.mean([record.train_seconds for record in records])),
        "test_seconds": float(np.mean([record.test_seconds for record in records])),
    }


def _spread(values: Sequence[float]) -> float | None:
    return float(np.std(values, ddof=1)) if len(values) > 1 else None
