"""Families of this package's own methods: settings searched on some rows, then answers for every fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from bncc import linear
from bncc._typing import Array, Floats, Matrix, Pulse
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.binary_relevance import BinaryRelevance
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.family import Family, FittedPart, Settings, Tried
from bncc.multilabel.blending.few_rows import NO_BOUND, OfFewRows
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids, fit_sigmoids
from bncc.multilabel.blending.row_steps import FEW_SHARES, MOST_SHARES, RowSteps
from bncc.multilabel.blending.settings_search import SEARCH_ROWS, search_settings
from bncc.multilabel.blending.timed_fit import TimedFit, time_fits
from bncc.multilabel.blending.tree_family import draw_rows
from bncc.multilabel.classifier_chain import ClassifierChain
from bncc.multilabel.crossval import FitTask, LinkTask, describe_folds
from bncc.multilabel.ensemble import EnsembleClassifierChain
from bncc.multilabel.feature_rows import as_array, narrow
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.selection import BatchOptions
from bncc.svm import KernelSVC

__all__ = ["LinkedFamily", "LinkedPart", "linked_families"]

# Rows on which a trial is timed beforehand.
_TIMED_ROWS = 300
_CLIP_SCORES = 50.0
# Of the seconds left, what a fit may take by that estimate, and what a trial that is followed by a larger one.
_SURE_SHARE = 0.4
_SECOND_TRIAL_SHARE = 0.1
# What a search may take, and what where rows are left out for want of time.
_SEARCH_SHARE = 1.0 / 3.0
_SHORT_SEARCH_SHARE = 0.05
# Fits whose time grows faster with the rows are timed once.
_MOST_POWER_TIMED_TWICE = 1.5


@dataclass(frozen=True, eq=False)
class LinkedPart(FittedPart):
    """An estimator of this package with calibrated scores, behind features made into numbers."""

    model: LinkedClassifier
    sigmoids: RateSigmoids
    to_numbers: Any = None

    def rates(self, X: Matrix) -> Floats:
        """Calibrated probabilities."""
        return self._calibrated(self.model._scores(self._features(X)))

    def label_planes(self, X: Matrix) -> tuple[Array, ...]:
        """The labels that links hand on along each of the model's walks."""
        return self.model._label_planes(self._features(X))

    def rates_given(self, X: Matrix, planes: Sequence[Array]) -> Floats:
        """Calibrated probabilities with the labels of the planes."""
        every_label = np.arange(self.model.n_labels_)
        return self._calibrated(self.model._scores_given(self._features(X), planes, every_label))

    def _calibrated(self, scores: Floats) -> Floats:
        return self.sigmoids(np.clip(scores, -_CLIP_SCORES, _CLIP_SCORES))

    def _features(self, X: Matrix) -> Matrix:
        features = as_array(X) if self.to_numbers is None else narrow(self.to_numbers.transform(X))
        if features.shape[1] != self.model.n_features_in_:
            raise ValueError(
                f"A part of the blend knows {self.model.n_features_in_} features; got {features.shape[1]}."
            )
        return features


@dataclass(frozen=True)
class LinkedFamily(Family):
    """A method with its base.

    Attributes
    ----------
    name : str
    grid : settings of the base to try
    searched : makes the estimator that is searched: one chain, where the answer has many
    answering : makes the estimator that answers
    most_rows : int
        Rows that a fit learns from.
    most_work, least_work : float
        Rows x labels x features (dense) or stored numbers, beyond and below which it is not tried.
    power : float
        How the time of a fit grows with its rows.
    takes_missing, takes_sparse : bool
    least_rows, least_labels, most_labels : int
        Rows and labels below which, and labels beyond which it is not tried.
    few_rows : OfFewRows
    least_learned : int
        Rows that a fit must learn from to be worth its time, where there are more.
    """

    name: str
    grid: tuple[Settings, ...]
    searched: Callable[[BlendProblem], LinkedClassifier]
    answering: Callable[[BlendProblem], LinkedClassifier]
    most_rows: int
    most_work: float
    power: float
    takes_missing: bool = False
    takes_sparse: bool = True
    least_rows: int = 1
    least_labels: int = 1
    most_labels: int = 1 << 40
    least_learned: int = 300
    least_work: float = 0.0
    few_rows: OfFewRows = NO_BOUND

    def suits(self, problem: BlendProblem) -> bool:
        """Within its bounds of work."""
        rows = problem.rows
        n_rows = min(rows.X.shape[0], self.most_rows)
        if rows.X.shape[0] < self.least_rows or not self.least_labels <= rows.targets.n_labels <= self.most_labels:
            return False
        if sparse.issparse(rows.X) and not self.takes_sparse:
            return False
        per_row = getattr(rows.X, "nnz", rows.X.shape[0] * rows.X.shape[1]) / rows.X.shape[0]
        work = n_rows * per_row * rows.targets.n_labels
        if self.must_lead(problem) and (
            rows.targets.n_labels > self.few_rows.most_labels or work > self.few_rows.most_work
        ):
            return False
        return bool(self.least_work <= work <= self.most_work)

    def must_lead(self, problem: BlendProblem) -> bool:
        """Where rows are few for it."""
        return bool(problem.rows.X.shape[0] < self.few_rows.rows)

    def try_out(self, problem: BlendProblem, clock: Clock, reserve: float, settings: Settings | None = None) -> Tried:
        """Search settings on some rows, then answer for every fold."""
        if settings is None:
            rows = self._rows(problem)
            timed = self._timed(problem, rows, clock, reserve)
            settings = {**self._search(problem, rows, timed, clock, reserve)}
            fewer = self._fewer_rows(problem, timed, clock, reserve)
            if timed is not None and self._times_twice(problem):
                return self._answer_in_steps(problem, settings, timed, clock, reserve)
            settings |= fewer
        return self._answer(problem, settings, clock.pulse(reserve))

    def _answer_in_steps(
        self, problem: BlendProblem, settings: Settings, timed: TimedFit, clock: Clock, reserve: float
    ) -> Tried:
        n_rows = min(problem.folds[0][0].size, self.most_rows)

        def answer(wanted: int) -> Tried:
            done = {**settings, "rows": wanted} if wanted < n_rows else settings
            return self._answer(problem, done, clock.pulse(reserve))

        shares = MOST_SHARES if problem.linear_first else FEW_SHARES
        return RowSteps(answer, n_rows, self.least_learned, shares).answer_in_time(timed, clock, reserve)

    def _answer(self, problem: BlendProblem, settings: Settings, pulse: Pulse | None) -> Tried:
        model = self.answering(problem).set_base_params(**_of_base(settings))
        most_rows = int(settings.get("rows", self.most_rows))
        scores, fitted = self._held_out(model, problem, self._rows(problem), most_rows, pulse)
        sigmoids = fit_sigmoids(scores, problem.truth, problem.known, problem.weight)
        part = None if fitted is None else self._part(problem, fitted, sigmoids)
        return Tried(self.name, dict(settings), sigmoids(scores), part, sigmoids)

    def fit(self, problem: BlendProblem, tried: Tried, clock: Clock) -> FittedPart:
        """Fitted to all rows, or as many as it takes, and calibrated by what it answered for the folds."""
        rows = self._rows(problem)
        kept = draw_rows(np.arange(rows.targets.n_rows), self.most_rows, problem.seed)
        model = self.answering(problem).set_base_params(**_of_base(tried.settings))
        assert tried.sigmoids is not None
        return self._part(problem, _fitted(model, rows.take(kept), clock.pulse()), tried.sigmoids)

    def _raw(self, problem: BlendProblem) -> bool:
        return self.takes_missing and not sparse.issparse(problem.rows.X)

    def _rows(self, problem: BlendProblem) -> TrainingRows:
        return problem.rows if self._raw(problem) else problem.numbers

    def _part(self, problem: BlendProblem, model: LinkedClassifier, sigmoids: RateSigmoids) -> LinkedPart:
        return LinkedPart(model, sigmoids, None if self._raw(problem) else problem.to_numbers)

    def _timed(self, problem: BlendProblem, rows: TrainingRows, clock: Clock, reserve: float) -> TimedFit | None:
        """A fit on few rows; gives up at once where that says that there will be no answer in time."""
        if not clock.limited:
            return None

        def seconds_of(n_rows: int) -> float:
            kept = draw_rows(np.arange(rows.targets.n_rows), min(self.most_rows, n_rows), problem.seed)
            begin = clock.spent
            model = _fitted(self.answering(problem), rows.take(kept), clock.pulse(reserve))
            if problem.held_out_once:  # of thousands of labels, answers take as long as a fit on few rows
                model._scores(rows.X[problem.tested])
            return clock.spent - begin

        twice = self._times_twice(problem)
        again_within = _SECOND_TRIAL_SHARE * (clock.left - reserve) if twice else 0.0
        n_rows = min(max(1, rows.targets.n_rows // 4) if twice else rows.targets.n_rows, _TIMED_ROWS)
        timed = time_fits(seconds_of, n_rows, self.power, again_within)
        self._fewer_rows(problem, timed, clock, reserve)
        return timed

    def _times_twice(self, problem: BlendProblem) -> bool:
        return problem.held_out_once and self.power < _MOST_POWER_TIMED_TWICE

    def _fewer_rows(
        self, problem: BlendProblem, timed: TimedFit | None, clock: Clock, reserve: float
    ) -> dict[str, int]:
        """As a setting, rows to learn from where all of them would take too long; `OutOfTime` where few would."""
        if timed is None:
            return {}
        available = clock.left - reserve
        n_rows = min(problem.folds[0][0].size, self.most_rows)
        if not problem.held_out_once:
            # The guess is high: a fit on few rows is mostly preparation, and folds share work. What is too slow after
            # all is stopped at the limit.
            in_time = 0.4 * timed.of_rows(n_rows) * (len(problem.folds) + 1.0) <= available
        else:
            in_time = timed.of_rows(n_rows) <= _SURE_SHARE * available
        if in_time:
            return {}
        fitting = timed.rows_in(_SURE_SHARE * available)
        if not problem.held_out_once or fitting < min(n_rows, self.least_learned):
            raise OutOfTime(f"{self.name} would take longer than the {clock.left:.0f} seconds that are left.")
        return {"rows": fitting}

    def _search(
        self, problem: BlendProblem, rows: TrainingRows, timed: TimedFit | None, clock: Clock, reserve: float
    ) -> Settings:
        """The setting with the best held-out score on some of the rows; the first of equally good ones.

        With a limit, a third of the time at most; of settings that are not all done then the best that is, or the
        middle one. Where rows are left out for want of time, they are worth more than a search.
        """
        middle = self.grid[len(self.grid) // 2]
        n_searched = min(SEARCH_ROWS, rows.targets.n_rows)
        leaves_rows = bool(self._fewer_rows(problem, timed, clock, reserve))
        most = (_SHORT_SEARCH_SHARE if leaves_rows else _SEARCH_SHARE) * (clock.left - reserve)
        n_fits = len(self.grid) if problem.held_out_once else 1  # in folds, they share much of their work
        if len(self.grid) == 1 or (timed is not None and n_fits * timed.of_rows(n_searched) > most):
            return middle
        until = clock.left - most if clock.limited else 0.0
        return search_settings(self.grid, self.searched, problem, rows, clock, until) or middle

    def _held_out(
        self, model: LinkedClassifier, problem: BlendProblem, rows: TrainingRows, most_rows: int, pulse: Pulse | None
    ) -> tuple[Floats, LinkedClassifier | None]:
        """Scores for the tested rows, and the model where it came with them (with a single fold, it is the answer)."""
        if problem.held_out_once:
            train, test = problem.folds[0]
            _fitted(model, rows.take(draw_rows(train, most_rows, problem.seed)), pulse)
            return np.clip(model._scores(rows.X[test]), -_CLIP_SCORES, _CLIP_SCORES), model
        model._calibrates = False
        model._remember(rows.targets)
        fitted = model._unfitted() if model._backend().fits_with_folds and rows.targets.n_rows <= most_rows else None
        with _few_threads(model):
            task = describe_folds(model, rows, problem.folds)
            scores = task.scores(BatchOptions(pulse=pulse)) if fitted is None else _fit_and_score(task, fitted, pulse)
        return np.clip(scores[problem.tested], -_CLIP_SCORES, _CLIP_SCORES), fitted


def _of_base(settings: Settings) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "rows"}


def _fitted(model: LinkedClassifier, rows: TrainingRows, pulse: Pulse | None) -> LinkedClassifier:
    """The model, fitted without calibration of its own; what the pulse raises stops it."""
    with _few_threads(model), _quietly(model, rows, pulse):
        model._fit_alone(rows)
    return model


def _fit_and_score(task: LinkTask | FitTask, model: LinkedClassifier, pulse: Pulse | None) -> Floats:
    """Held-out scores of a task; the model is fitted by the way, as `_fitted` does it."""
    with _quietly(model, task.rows, pulse):
        return task.fit_and_score(model)


@contextmanager
def _quietly(model: LinkedClassifier, rows: TrainingRows, pulse: Pulse | None) -> Iterator[None]:
    """Within, a model is fitted to rows without calibration; after it, it is as every other model."""
    model._pulse, model._calibrates = pulse, False
    yield
    model.n_features_in_ = rows.X.shape[1]
    del model._pulse, model._calibrates


def _few_threads(model: LinkedClassifier) -> AbstractContextManager[object]:
    """Boosting waits for all of its threads after every step: on busy cores one thread is quicker by far."""
    boosts = isinstance(model.estimator, HistGradientBoostingClassifier)
    limited: AbstractContextManager[object] = threadpool_limits(1, "openmp") if boosts else nullcontext()
    return limited


def _kernel(problem: BlendProblem) -> KernelSVC:
    return KernelSVC(n_jobs=problem.n_jobs, engine=problem.engine)


def _one_chain(problem: BlendProblem) -> LinkedClassifier:
    return ClassifierChain(_kernel(problem), n_jobs=problem.n_jobs, random_state=problem.seed)


def _kernel_chains(problem: BlendProblem) -> LinkedClassifier:
    n_chains = 10 if problem.rows.targets.n_labels <= 60 else 5
    if problem.rows.targets.n_labels > 300:
        n_chains = 1
    return EnsembleClassifierChain(
        _kernel(problem), n_chains=n_chains, n_jobs=problem.n_jobs, random_state=problem.seed
    )


def _linear(problem: BlendProblem) -> LinkedClassifier:
    base = linear.LogisticRegression(C=1.0, drop_below="auto", n_jobs=problem.n_jobs)
    return BinaryRelevance(base, n_jobs=1)


def _linear_svm(problem: BlendProblem) -> LinkedClassifier:
    base = linear.LinearSVC(C=0.3, drop_below="auto", n_jobs=problem.n_jobs)
    return BinaryRelevance(base, n_jobs=1)


def _linear_chain(problem: BlendProblem) -> LinkedClassifier:
    base = linear.LogisticRegression(C=1.0, n_jobs=problem.n_jobs)
    return ClassifierChain(base, n_jobs=1, random_state=problem.seed)


def _linear_chains(problem: BlendProblem) -> LinkedClassifier:
    base = linear.LogisticRegression(C=1.0, n_jobs=problem.n_jobs)
    return EnsembleClassifierChain(base, n_chains=5, n_jobs=1, random_state=problem.seed)


def _boosting(problem: BlendProblem) -> LinkedClassifier:
    few = problem.rows.X.shape[0] < _FEW_TO_BOOST
    base = HistGradientBoostingClassifier(
        max_iter=80,
        learning_rate=0.1,
        max_leaf_nodes=15,
        min_samples_leaf=10 if few else 20,
        early_stopping=False,
        random_state=problem.seed,
    )
    return BinaryRelevance(base, n_jobs=1)


# Below so many rows boosted trees must be ahead, and have smaller leaves.
_FEW_TO_BOOST = 1000
_SIGMAS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def linked_families() -> tuple[LinkedFamily, ...]:
    """Kernel chains, linear models and chains of them, and boosted trees, with what each may cost."""
    kernel_grid: Sequence[Settings] = [{"sigma": sigma, "C": cost} for sigma in _SIGMAS for cost in (1.0, 10.0)]
    linear_grid: Sequence[Settings] = [{"C": cost} for cost in (0.1, 1.0, 10.0)]
    svm_grid: Sequence[Settings] = [{"C": cost} for cost in (0.03, 0.3, 3.0)]
    return (
        LinkedFamily(
            "kernel chains", tuple(kernel_grid), _one_chain, _kernel_chains, 8000, 3e9, 2.0, least_learned=2000
        ),
        LinkedFamily("linear", tuple(linear_grid), _linear, _linear, 1 << 40, 1e11, 1.1),
        # As good as logistic regression where there is much data, and many times as fast.
        LinkedFamily("linear SVM", tuple(svm_grid), _linear_svm, _linear_svm, 1 << 40, 1e12, 1.0, least_work=1e8),
        LinkedFamily(
            "linear chains",
            tuple(linear_grid),
            _linear_chain,
            _linear_chains,
            1 << 40,
            1e10,
            1.1,
            least_labels=2,
            most_labels=1000,
        ),
        LinkedFamily(
            "boosted trees",
            ({},),
            _boosting,
            _boosting,
            50_000,
            1e8,
            1.0,
            True,
            False,
            least_rows=200,
            least_learned=2000,
            few_rows=OfFewRows(_FEW_TO_BOOST, 16, 5e5),
        ),
    )
