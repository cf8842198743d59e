"""BatchSearchCV: choose settings by cross-validation, all folds and candidates in one call where they can share it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted, indexable

from bncc._checks import split_unknown
from bncc._failed_fits import ForgetsFailedFits
from bncc._label_forms import read_label_forms, rows_of_labels
from bncc._rows import take_rows
from bncc._typing import Array, Classifier, EngineName, Features, Floats, Integers, Labels, Weights
from bncc.selection.scoring import Scorer, check_refit, chosen_by, read_scorers, values_of
from bncc.selection.screening import ROUGHLY, SOME_ROWS, draw_sample, half_of, worth_trying
from bncc.selection.searched_rows import SearchedRows, read_folds
from bncc.selection.tasks import BatchOptions, Candidate, EngineUsed, Searchable, SearchTask

__all__ = ["BatchSearchCV"]


class _DecisionsAsked(Exception):
    """A scorer looked at decisions of problems that were solved roughly."""


def _refitted(attribute: str) -> Callable[[BatchSearchCV], bool]:
    def check(search: BatchSearchCV) -> bool:
        if hasattr(search, "best_estimator_"):
            getattr(search.best_estimator_, attribute)
        else:
            getattr(search.estimator, attribute)
        return True

    return check


class BatchSearchCV(ForgetsFailedFits, MetaEstimatorMixin, BaseEstimator):
    """Exhaustive search over the settings of an estimator, by cross-validation in one batch.

    Shaped like scikit-learn's GridSearchCV, with the same scores. The estimator describes its folds once and says what
    can be shared: on `KernelSVC` all links of all folds and values are solved in one call, with squared distances
    computed once, kernel rows once per sigma, and each fold started from the solution on all of its rows; the final
    fit takes the same distances. Where nothing can be shared, folds are fitted one after the other.

    Over `TunedThresholds` scores are not GridSearchCV's, which would tune thresholds anew in every fold: here scores of
    a fold are cut so that as many labels are predicted as its training rows have. Settings are compared that way;
    thresholds are tuned in the final fit.

    Parameters
    ----------
    estimator : KernelSVC, or a multi-label estimator of this package
    param_grid : dict or list of dicts
        Values to try, by the names of the base classifier's parameters: "sigma" (or "gamma") and "C" for `KernelSVC`,
        any parameter for other bases.
    scoring : str, callable, list, dict or None, default=None
        As in GridSearchCV: a scorer's name, a callable ``scorer(estimator, X, y)`` (a number, or several in a dict),
        several of them, or None for the estimator's own score. Names are scikit-learn's, and those of `bncc.metrics`
        beside them. Scorers see `predict` and `decision_function`.
    cv : int, splitter, iterable or None, default=None
        As in GridSearchCV (None is 5 folds).
    refit : bool, str or callable, default=True
        Fit the estimator with the best values on all rows. With several scorers: the name of the one that decides. A
        callable gets `cv_results_` and returns the number of the best candidate.
    n_jobs : int or None, default=None
        Threads for the batch; None leaves them to the estimator, for which None and -1 mean all cores.
    engine : "auto", "cpu", "cuda" or None, default=None
        What solves the batch (see `choose_engine`); None leaves it to the estimator.
    screen : bool, default=False
        Try all settings roughly first, and drop those that are far behind. The others are tried as ever; those dropped
        have NaN as scores. `KernelSVC` and methods over it are tried on half of the folds, with problems solved to a
        tolerance of 0.1 (not below 500 rows): labels settle long before the last digits of decisions. Settings are
        dropped that trail by more than a tenth of the range of scores and more than three standard errors of the
        difference. Where a scorer
        looks at decisions, and for all else, they are tried on a third of the rows (three folds of them; not below 900
        rows), and dropped beyond a quarter of the range. How often another setting is chosen, and how much sooner:
        `benchmarks/bench_selection.py --choices`.

    Attributes
    ----------
    cv_results_ : dict
        ``params``, ``param_*``, ``split*_test_score``, ``mean_test_score``, ``std_test_score``, ``rank_test_score``
        (or ``*_test_NAME`` with several scorers); with `screen` also ``mean_screening_score``. Seconds per candidate do
        not exist in a batch: see `search_time_`.
    best_index_, best_params_, best_score_
        No score where a callable `refit` chose.
    best_estimator_ : estimator
        If `refit`.
    search_time_, refit_time_ : float
        Seconds.
    n_splits_ : int
    engine_ : EngineChoice or None
        The engine that the folds were solved with, and why; None for bases without one.
    scorer_

    Notes
    -----
    `KernelSearchCV` is an older name of it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bncc.svm import KernelSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> search = BatchSearchCV(KernelSVC(), {"sigma": [0.1, 1.0, 10.0], "C": [1.0, 10.0]}).fit(X, y)
    >>> search.best_params_, round(search.best_score_, 3)
    ({'C': 1.0, 'sigma': 1.0}, 0.98)
    """

    def __init__(
        self,
        estimator: Classifier,
        param_grid: Any,
        *,
        scoring: Any = None,
        cv: Any = None,
        refit: bool | str | Callable[[dict[str, Any]], int] = True,
        n_jobs: int | None = None,
        engine: EngineName | None = None,
        screen: bool = False,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.engine = engine
        self.screen = screen

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"engine": None, "screen": False, **state})  # what was saved before there was a choice

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags

    def fit(
        self, X: Features, y: Labels, *, sample_weight: Weights | None = None, groups: Weights | None = None
    ) -> BatchSearchCV:
        """Score every combination by cross-validation, then fit the best on all rows.

        Rows of one value of `groups` are never divided, where the splitter of `cv` takes groups. Weights count in the
        fits, and in the scores of scorers that take them. Unknown labels (NaN in y) count nowhere, for the estimator's
        own score and metrics of `bncc.metrics`; scikit-learn's scorers do not take them.
        """
        if not isinstance(self.estimator, Searchable):
            raise TypeError(
                f"{type(self).__name__} needs KernelSVC or a multi-label estimator of bncc; got "
                f"{type(self.estimator).__name__}. Use GridSearchCV for others."
            )
        names = self.estimator.search_names()
        candidates = _candidates(self.param_grid, names)
        asked = [{_of_base(name, names): value for name, value in each.items()} for each in candidates]
        y = rows_of_labels(y)
        X, y = indexable(X, y)
        named = read_label_forms(y)
        truth = y if named is None else named.matrix()
        known = split_unknown(truth)[0]  # folds are dealt as if labels that nobody knows were absent
        splitter = check_cv(self.cv, known, classifier=True)
        folds = read_folds(splitter.split(X, known, groups), _num_samples(X))
        self.n_splits_ = len(folds)
        options = BatchOptions(n_jobs=self.n_jobs, engine=self.engine)
        begin = time.perf_counter()
        estimator = clone(self.estimator)
        if self.n_jobs is not None and "n_jobs" in estimator.get_params(deep=False):
            estimator.set_params(n_jobs=self.n_jobs)
        given = SearchedRows(X, y, truth, folds, sample_weight, groups)
        rows = given.with_copies()
        scorers = self._scorers(self.estimator)
        task = rows.task_of(estimator)
        screened, kept = self._screen(estimator, rows, asked, task, scorers, options)
        scores = {}
        for name, table in self._scores(rows, [asked[number] for number in kept], task, scorers, options).items():
            scores[name] = np.full((len(asked), len(folds)), np.nan)
            scores[name][kept] = table
        self.search_time_ = time.perf_counter() - begin
        self.cv_results_ = _results(candidates, scores, screened)
        self._choose(candidates)
        if self.refit:
            begin = time.perf_counter()
            last = task if rows is given else given.task_of(clone(estimator))
            self.best_estimator_ = last.refit(asked[self.best_index_], options)
            self.refit_time_ = time.perf_counter() - begin
        return self

    def _screen(
        self,
        estimator: Classifier,
        rows: SearchedRows,
        candidates: Sequence[Candidate],
        task: SearchTask,
        scorers: Mapping[str, Scorer],
        options: BatchOptions,
    ) -> tuple[dict[str, Floats], Integers]:
        """Scores of a rough search by scorer, none where there was none, and the candidates that are to be tried."""
        everything: tuple[dict[str, Floats], Integers] = {}, np.arange(len(candidates))
        if not self.screen or len(candidates) == 1:
            return everything
        half = None if task.rough_tol is None else half_of(rows.folds, len(rows))
        if half is not None and rows.see_labels_alone(scorers.values()):
            some, roughly = replace(rows, folds=half), replace(options, tol=task.rough_tol)
            with suppress(_DecisionsAsked):
                scores = self._scores(some, candidates, some.task_of(clone(estimator)), scorers, roughly)
                return scores, np.flatnonzero(worth_trying(scores.values(), ROUGHLY))
        sample = draw_sample(rows.folds, len(rows))
        if sample is None:
            return everything
        some = rows.take(sample)
        try:
            scores = self._scores(some, candidates, some.task_of(clone(estimator)), scorers, options)
        except ValueError:  # too few rows of some class: what is wrong with all rows will be said of these
            return everything
        return scores, np.flatnonzero(worth_trying(scores.values(), SOME_ROWS))

    def _scores(
        self,
        rows: SearchedRows,
        candidates: Sequence[Candidate],
        task: SearchTask,
        scorers: Mapping[str, Scorer],
        options: BatchOptions,
    ) -> dict[str, Floats]:
        """Test scores by name, shape (n_candidates, n_folds)."""
        scores: dict[str, Floats] = {}
        self.engine_: EngineUsed | None = None
        at_hand = -1  # the fold whose rows are at hand: answers come fold by fold, and one fold's rows are enough
        for solved in task.solve(candidates, options):
            self.engine_ = solved.engine
            for answer in solved.answers:
                if answer.fold != at_hand:
                    at_hand, test = answer.fold, rows.folds[answer.fold][1]
                    shown, truth = take_rows(rows.X, test), take_rows(rows.truth, test)
                    weights = rows.weights_of(test)
                for name, scorer in scorers.items():
                    values = values_of(name, scorer, answer.decided, shown, truth, weights)
                    if not scores and not isinstance(self.scorer_, dict):  # a callable says now what it gives
                        self.multimetric_ = list(values) != [name]
                        check_refit(self.refit, list(values) if self.multimetric_ else None)
                    for key, value in values.items():
                        table = scores.setdefault(key, np.full((len(candidates), len(rows.folds)), np.nan))
                        table[answer.candidate, answer.fold] = value
                if options.tol is not None and answer.decided.was_asked_for_decisions:
                    raise _DecisionsAsked
        return scores

    def _scorers(self, estimator: Classifier) -> dict[str, Scorer]:
        self.scorer_ = read_scorers(self.scoring, estimator)
        self.multimetric_ = isinstance(self.scorer_, dict)
        if isinstance(self.scorer_, dict):
            check_refit(self.refit, list(self.scorer_))
            return self.scorer_
        if not callable(self.scoring):
            check_refit(self.refit, None)
        return {"score": self.scorer_}

    def _choose(self, candidates: Sequence[Candidate]) -> None:
        if self.multimetric_ and not self.refit:
            return
        if callable(self.refit):
            self.best_index_ = chosen_by(self.refit, self.cv_results_)
        else:
            deciding = str(self.refit) if self.multimetric_ else "score"
            self.best_index_ = int(np.argmin(self.cv_results_[f"rank_test_{deciding}"]))
            self.best_score_ = float(self.cv_results_[f"mean_test_{deciding}"][self.best_index_])
        self.best_params_ = candidates[self.best_index_]

    @property
    def classes_(self) -> Array:
        """Classes of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """Number of features of the best estimator."""
        try:
            check_is_fitted(self, "best_estimator_")
        except ValueError as error:
            raise AttributeError(f"{type(self).__name__} has no n_features_in_ before fit.") from error
        return int(self.best_estimator_.n_features_in_)

    @available_if(_refitted("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Features) -> Array:
        """Predictions of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    @available_if(_refitted("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Features) -> Floats:
        """Probabilities of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_proba(X)

    @available_if(_refitted("predict_top"))  # type: ignore[untyped-decorator]
    def predict_top(self, X: Features, k: int = 5) -> tuple[Array, Floats]:
        """Labels with the highest scores of the best estimator, and these."""
        check_is_fitted(self, "best_estimator_")
        top: tuple[Array, Floats] = self.best_estimator_.predict_top(X, k)
        return top

    @available_if(_refitted("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Features) -> Floats:
        """Decisions of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(X)

    @available_if(_refitted("explain"))  # type: ignore[untyped-decorator]
    def explain(self, X: Features, **options: object) -> object:
        """Reasons of the best estimator (see `bncc.explain`)."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.explain(X, **options)

    def score(self, X: Features, y: Labels) -> float:
        """Score of the best estimator, by the scorer that chose it."""
        check_is_fitted(self, "best_estimator_")
        if self.multimetric_ and callable(self.refit):
            raise ValueError("With several scorers and a callable `refit` none of them chose; score `best_estimator_`.")
        scorer = self.scorer_[str(self.refit)] if isinstance(self.scorer_, dict) else self.scorer_
        value = scorer(self.best_estimator_, X, y)
        return float(value[self.refit] if self.multimetric_ and not isinstance(self.scorer_, dict) else value)


def _candidates(param_grid: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    candidates = list(ParameterGrid(param_grid))
    unknown = sorted({name for each in candidates for name in each if _of_base(name, names) not in names})
    if unknown:
        raise ValueError(f"`param_grid` may hold {', '.join(names)}; got {unknown}. Use GridSearchCV for others.")
    if not candidates:
        raise ValueError("`param_grid` must hold at least one value.")
    return candidates


def _of_base(name: str, names: tuple[str, ...]) -> str:
    """A name as the estimator offers it: as in GridSearchCV, it may say that it belongs to the base."""
    while name not in names and name.startswith("estimator__"):
        name = name.removeprefix("estimator__")
    return name


def _ranks(means: Floats) -> NDArray[np.int32]:
    """1 is the best; equal means share a rank, and what is not a number comes last."""
    filled = np.where(np.isnan(means), -np.inf, means)
    return rankdata(-filled.round(12), method="min").astype(np.int32)


def _results(candidates: Sequence[Candidate], scores: dict[str, Floats], screened: dict[str, Floats]) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for name in sorted({name for candidate in candidates for name in candidate}):
        values = np.ma.MaskedArray(np.empty(len(candidates), object), mask=True)
        for number, candidate in enumerate(candidates):
            if name in candidate:
                values[number] = candidate[name]
        results[f"param_{name}"] = values
    results["params"] = candidates
    for name, table in scores.items():
        for fold in range(table.shape[1]):
            results[f"split{fold}_test_{name}"] = table[:, fold]
        results[f"mean_test_{name}"] = table.mean(axis=1)
        results[f"std_test_{name}"] = table.std(axis=1)
        results[f"rank_test_{name}"] = _ranks(table.mean(axis=1))
    for name, table in screened.items():
        results[f"mean_screening_{name}"] = table.mean(axis=1)
    return results
