"""Methods compared by cross-validation: one record per method and fold, and what they come to."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
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
from bncc.evaluation.pipelines import Base, build_pipeline, choose_base, chosen_values
from bncc.evaluation.records import Record
from bncc.evaluation.row_origin import deal_by_time, group_numbers
from bncc.evaluation.tested_rows import Answers, answers_of
from bncc.evaluation.time_limits import (
    is_blend,
    likely_seconds,
    on_a_base,
    projected_seconds,
    seconds_of_blend,
    shown_seconds,
)
from bncc.metrics import evaluate, get_metric
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.tuned_thresholds import label_scores
from bncc.tables import TableWarning

__all__ = ["EvaluationPlan", "MethodSummary", "compare_methods", "deal_plan", "summarise_records"]

# Of its share, what a method may turn out to take after all, and a blend beyond it.
_TOO_SLOW, _GRACE = 1.5, 0.1

Report = Callable[[str, int, int], object]
Tell = Callable[[str], object]
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
    time_limit : float or None, default=None
        Seconds for all of it. Fits of a blend share what is left; the other methods take a linear base where kernels
        would be too slow, and one that would not be done in its share of the time is left out.
    verbose : as in `build_pipeline`

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
    tell: Tell | None = None,
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
    tell : callable, default=None
        Called with a line for whatever a limit of time leaves out or changes; None warns.

    Returns
    -------
    list of Record
        One per method (that was done in time), repeat and fold; `summarise_records` sums them up, `bncc.analysis`
        tests and draws them.

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> plan = EvaluationPlan(methods=["br", "mlknn"], folds=2, base="linear")
    >>> records = compare_methods(make_scenes(100), plan)
    >>> [(record.method, record.fold) for record in records]
    [('br', 0), ('br', 1), ('mlknn', 0), ('mlknn', 1)]
    """
    labelled, plan = as_labelled(data), plan or EvaluationPlan()
    clock = Clock(plan.time_limit)
    tests = _Tests(labelled, plan, deal_plan(labelled, plan), report, keep is not None)
    records = list[Record]()
    for tested in tests.in_time(clock, tell or _warn) if clock.limited else tests:
        records.append(tested.record)
        if keep is not None:
            keep(tested.record.method, tested.record.repeat, tested.record.fold, tested.answers)
        if keep_model is not None:
            keep_model(tested.record, tested.model, tested.answers.rows)
    if not records:
        raise ValueError("no method is done in time. Give more of it (`time_limit=`), or fewer methods or folds.")
    return records


def _warn(line: str) -> None:
    warnings.warn(f"{line}.", stacklevel=3)


@dataclass(frozen=True, eq=False)
class _Tested:
    """A method on one fold: its record, what it answered, and the model."""

    record: Record
    answers: Answers
    model: Pipeline

    @property
    def seconds(self) -> float:
        return self.record.train_seconds + self.record.test_seconds


@dataclass(frozen=True, eq=False)
class _Tests:
    """All that is to be tested; a loop over it does so."""

    data: LabelledData
    plan: EvaluationPlan
    repeats: Sequence[Sequence[Fold]]
    report: Report | None
    asked: bool

    def __iter__(self) -> Iterator[_Tested]:
        for method in self.plan.methods:
            for place in self.places:
                yield self._test(method, place, self.plan.base, None)

    @property
    def places(self) -> list[tuple[int, int]]:
        """Repeat and fold of every test of a method."""
        return [(repeat, fold) for repeat, folds in enumerate(self.repeats) for fold in range(len(folds))]

    def in_time(self, clock: Clock, tell: Tell) -> Iterator[_Tested]:
        """Every method that is done within its share of the seconds that are left when its turn comes."""
        base = self._base_in_time(clock, tell)
        for number, method in enumerate(self.plan.methods):
            share = clock.left / (len(self.plan.methods) - number)
            try:
                if is_blend(method, self.plan.base):
                    yield from self._blend_in_time(method, share)
                else:
                    yield from self._method_in_time(method, base, share)
            except OutOfTime as late:
                tell(f"{method} is left out: {late}")

    def _base_in_time(self, clock: Clock, tell: Tell) -> str:
        """The base of all methods that have one: linear where kernels would take more than their share."""
        methods = [method for method in self.plan.methods if on_a_base(method)]
        base = choose_base(self.plan.base, self.data)
        if base == "linear" or self.plan.base != "auto" or not methods:
            return base
        share = clock.left / len(self.plan.methods)
        likely = len(self.places) * self._likely(methods[0], base, share)
        if likely <= share:
            return base
        tell(f"the base is linear: with kernels {methods[0]} would take some {shown_seconds(likely, share)}")
        return "linear"

    def _method_in_time(self, method: str, base: str, share: float) -> Sequence[_Tested]:
        kind = choose_base(base, self.data) if on_a_base(method) else None
        likely = len(self.places) * self._likely(method, kind, share)
        if likely > share:
            raise OutOfTime(f"it would take some {shown_seconds(likely, share)}")
        done = list[_Tested]()
        for place in self.places:
            likely = projected_seconds([each.seconds for each in done], len(self.places))
            if likely > _TOO_SLOW * share:
                raise OutOfTime(f"it takes some {shown_seconds(likely, share)}")
            done.append(self._test(method, place, base, None))
        return done

    def _blend_in_time(self, method: str, share: float) -> Sequence[_Tested]:
        clock, over, done = Clock(max(share, 0.0)), list[float](), list[_Tested]()
        for number, place in enumerate(self.places):
            n_left = len(self.places) - number
            likely = clock.spent + projected_seconds(over, n_left)
            if projected_seconds(over, n_left) > max(clock.left, 0.0) + _GRACE * share:
                raise OutOfTime(f"it takes some {shown_seconds(likely, share)}")
            limit = seconds_of_blend(clock.left, n_left, over)
            done.append(self._test(method, place, self.plan.base, limit))
            over.append(max(done[-1].seconds - limit, 0.0))
        return done

    def _likely(self, method: str, base: Base | None, most: float) -> float:
        """Seconds of one fold, by some of its rows."""
        train = self.repeats[0][0][0]

        def seconds_of(n_rows: int) -> float:
            some = train[np.linspace(0, train.size - 1, n_rows).astype(np.int64)]
            begin = time.perf_counter()
            model = self._pipeline(method, 0, base or self.plan.base, None)
            _test(model, self.data, (some, some), self.plan.metrics, asked=self.asked)
            return time.perf_counter() - begin

        return likely_seconds(seconds_of, train.size, most, base)

    def _pipeline(self, method: str, repeat: int, base: str, limit: float | None) -> Pipeline:
        plan, seed = self.plan, method_seed(self.plan.seed, self.data.name, repeat)
        options: dict[str, Any] = {"base": base, "metric": plan.metric, "engine": plan.engine, "random_state": seed}
        return build_pipeline(self.data, method, time_limit=limit, verbose=plan.verbose, **options)

    def _test(self, method: str, place: tuple[int, int], base: str, limit: float | None) -> _Tested:
        repeat, fold = place
        if self.report is not None:
            self.report(method, repeat, fold)
        model = self._pipeline(method, repeat, base, limit)
        tested, answers = _test(model, self.data, self.repeats[repeat][fold], self.plan.metrics, asked=self.asked)
        seed = method_seed(self.plan.seed, self.data.name, repeat)
        return _Tested(Record(self.data.name, method, repeat, fold, seed=seed, **tested), answers, model)


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
