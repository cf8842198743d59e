"""One task of a study: all folds of a repeat of a method on a data set, or the choice of its sigma and C."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bncc._typing import Fold, Pulse, Rows
from bncc._versions import versions_now
from bncc.evaluation.folds import deal, deal_repeat, draw, method_seed, seed_of
from bncc.evaluation.records import WHOLE, Candidate, Record
from bncc.experiment.features import Facts, Features, facts_of, features, load_study_dataset
from bncc.experiment.method_estimators import make_estimator
from bncc.experiment.protocol import Protocol
from bncc.experiment.solving import Clock, Pair, Tested, describe, fit_folds, has_kernel, solve_folds
from bncc.metrics import evaluate, get_metric
from bncc.svm import choose_engine

__all__ = ["Outcome", "Task", "best_of", "mean_candidates", "run_task"]


@dataclass(frozen=True, order=True)
class Task:
    """A part of a study that is run and stored as a whole; repeat `WHOLE` is the choice of sigma and C on all rows."""

    dataset: str
    method: str
    repeat: int


@dataclass(frozen=True)
class Outcome:
    """What a task found, and where and how long it ran."""

    task: Task
    facts: Facts
    records: tuple[Record, ...]
    candidates: tuple[Candidate, ...]
    seconds: float
    host: str


def run_task(protocol: Protocol, task: Task, chosen: Pair | None = None, pulse: Pulse | None = None) -> Outcome:
    """Run one task; nothing is written anywhere.

    Parameters
    ----------
    protocol : Protocol
    task : Task
    chosen : (sigma, C), default=None
        For repeats of a protocol that chooses once for the whole data set.
    pulse : callable, default=None
        Called now and then with the number of binary problems solved; what it raises stops the task.
    """
    begin = time.perf_counter()
    trial = _Trial(protocol, task, pulse or (lambda solved: None))
    if task.repeat == WHOLE:
        records, candidates = list[Record](), trial.choose_on_all_rows()
    else:
        records, candidates = trial.test(chosen)
    seconds = time.perf_counter() - begin
    facts = facts_of(protocol.source(task.dataset))
    return Outcome(task, facts, tuple(records), tuple(candidates), seconds, platform.node())


def best_of(candidates: Sequence[Candidate], metric: str) -> Pair:
    """The best (sigma, C); values equal to 12 decimals tie, and the earlier candidate wins."""
    sign = 1.0 if get_metric(metric).greater_is_better else -1.0
    values = [sign * candidate.scores[metric] for candidate in candidates]
    best = candidates[int(np.argmax(np.nan_to_num(np.round(values, 12), nan=-np.inf)))]
    return best.sigma, best.C


def mean_candidates(choices: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Candidates whose scores are the means over several methods, in the order of the first."""
    scores: dict[Pair, list[dict[str, float]]] = {}
    for candidates in choices:
        for candidate in candidates:
            scores.setdefault((candidate.sigma, candidate.C), []).append(dict(candidate.scores))
    return [replace(one, scores=_means(scores[one.sigma, one.C])) for one in choices[0]]


class _Trial:
    """The steps of one task, which share data, method and seeds."""

    def __init__(self, protocol: Protocol, task: Task, pulse: Pulse) -> None:
        self.protocol, self.task, self.pulse = protocol, task, pulse
        self.source = protocol.source(task.dataset)
        self.Y = np.asarray(load_study_dataset(self.source).Y)
        self.seed = method_seed(protocol.seed, task.dataset, task.repeat)
        method = protocol.method(task.method)
        self.estimator = make_estimator(method, task.dataset, seed=self.seed, engine=protocol.engine)
        self.has_kernel = has_kernel(self.estimator)

    def choose_on_all_rows(self) -> list[Candidate]:
        """Candidates for the whole data set."""
        if not self.has_kernel:
            return []
        feats = features(self.source, self.protocol.scaling, None)
        return self._candidates(feats, np.arange(len(self.Y)), WHOLE)

    def test(self, pair: Pair | None) -> tuple[list[Record], list[Candidate]]:
        """Records of all folds and of the whole repeat, and the candidates of nested selection."""
        plan = self.protocol.folds
        folds = deal_repeat(
            self.Y,
            plan.n,
            dataset=self.task.dataset,
            repeat=self.task.repeat,
            seed=self.protocol.seed,
            stratified=plan.stratified,
        )
        together = self.protocol.scaling.fit == "all" or self.protocol.scaling.method == "none"
        records, candidates, tested_folds = list[Record](), list[Candidate](), list[Tested]()
        for group in [list(range(plan.n))] if together else [[fold] for fold in range(plan.n)]:
            feats = features(self.source, self.protocol.scaling, None if together else folds[group[0]][0])
            values, tried, seconds = self._values(feats, folds, group, pair)
            candidates += tried
            for tested, clock in self._predictions(feats, folds, group, values):
                tested_folds.append(tested)
                records.append(self._record(tested, folds[tested.fold][1], clock, seconds[tested.fold]))
        records.sort(key=lambda record: record.fold)
        return [*records, self._pooled(records, tested_folds, folds)], candidates

    def _candidates(self, feats: Features, rows: Rows, fold: int) -> list[Candidate]:
        """Cross-validated scores of every (sigma, C) within some rows."""
        plan, seed = self.protocol.selection, seed_of(self.seed, "selection", fold)
        inner = draw(rows, plan.rows_for(self.task.dataset), seed)
        folds = deal(self.Y, plan.folds, stratified=self.protocol.folds.stratified, seed=seed, rows=inner)
        task, clock = describe(self.estimator, feats, self.Y, folds, Clock()), Clock()
        pairs = [(sigma, cost) for sigma in plan.sigma for cost in plan.C]
        scores: dict[Pair, list[dict[str, float]]] = {pair: [] for pair in pairs}
        for tested in solve_folds(task, pairs, engine=self.protocol.engine, clock=clock, pulse=self.pulse):
            assert tested.pair is not None
            scores[tested.pair].append(self._evaluate(folds[tested.fold][1], tested))
        who = (self.task.dataset, self.task.method, self.task.repeat, fold)
        return [Candidate(*who, *pair, _means(each)) for pair, each in scores.items()]

    def _values(
        self, feats: Features, folds: Sequence[Fold], group: Sequence[int], pair: Pair | None
    ) -> tuple[dict[int, Pair | None], list[Candidate], dict[int, float]]:
        """Sigma and C of each fold of the group, what was tried for them, and how long that took."""
        plan = self.protocol.selection
        first = (plan.sigma[0], plan.C[0]) if pair is None else pair
        values: dict[int, Pair | None] = dict.fromkeys(group, first if self.has_kernel else None)
        tried, seconds = list[Candidate](), dict.fromkeys(group, 0.0)
        if self.has_kernel and plan.mode == "nested" and len(plan.sigma) * len(plan.C) > 1:
            for fold in group:
                begin = time.perf_counter()
                candidates = self._candidates(feats, folds[fold][0], fold)
                values[fold] = best_of(candidates, plan.metric)
                tried += candidates
                seconds[fold] = time.perf_counter() - begin
        return values, tried, seconds

    def _predictions(
        self, feats: Features, folds: Sequence[Fold], group: Sequence[int], values: dict[int, Pair | None]
    ) -> Iterator[tuple[Tested, Clock]]:
        """Predictions for each fold of the group; folds with the same sigma and C are solved together."""
        for pair in dict.fromkeys(values.values()):
            members = [fold for fold in group if values[fold] == pair]
            member_folds, clock = [folds[fold] for fold in members], Clock()
            task = None if pair is None else describe(self.estimator, feats, self.Y, member_folds, clock)
            if task is not None and pair is not None and task.exact:
                each = list(solve_folds(task, [pair], engine=self.protocol.engine, clock=clock, pulse=self.pulse))
            else:
                each = list(fit_folds(self.estimator, feats, self.Y, member_folds, pair, clock=clock, pulse=self.pulse))
            share = Clock(clock.train / len(members), clock.test / len(members), clock.engine)
            yield from ((replace(tested, fold=members[tested.fold]), share) for tested in each)

    def _evaluate(self, rows: Rows, tested: Tested) -> dict[str, float]:
        zero = self.protocol.zero_division
        return evaluate(self.Y[rows], tested.labels, tested.scores, metrics=self.protocol.metrics, zero_division=zero)

    def _record(self, tested: Tested, rows: Rows, clock: Clock, select_seconds: float) -> Record:
        network, order = getattr(tested.model, "network_", None), getattr(tested.model, "order_", None)
        sigma, cost = (None, None) if tested.pair is None else tested.pair
        return Record(
            self.task.dataset,
            self.task.method,
            self.task.repeat,
            tested.fold,
            self._evaluate(rows, tested),
            sigma=sigma,
            C=cost,
            order=None if order is None else tuple(map(int, order)),
            parents=None if network is None else tuple(tuple(map(int, group)) for group in network.parents),
            select_seconds=select_seconds,
            train_seconds=clock.train,
            test_seconds=clock.test,
            seed=self.seed,
            engine=clock.engine or (choose_engine(self.protocol.engine).name if self.has_kernel else "sklearn"),
            versions=versions_now(),
        )

    def _pooled(self, records: Sequence[Record], tested_folds: Sequence[Tested], folds: Sequence[Fold]) -> Record:
        """Scores of all test rows of the repeat together, and the seconds of all folds."""
        rows = np.concatenate([folds[tested.fold][1] for tested in tested_folds])
        labels = np.concatenate([tested.labels for tested in tested_folds])
        scores = np.concatenate([tested.scores for tested in tested_folds])
        clock = Clock(sum(r.train_seconds for r in records), sum(r.test_seconds for r in records), records[0].engine)
        everything = Tested(WHOLE, None, labels, scores, None)
        return self._record(everything, rows, clock, sum(r.select_seconds for r in records))


def _means(each: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([scores[name] for scores in each])) for name in each[0]}
