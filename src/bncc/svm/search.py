"""KernelSearchCV: choose sigma and C by cross-validation, all folds and values in one batch on shared distances."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, indexable

from bncc.svm.classifier import KernelSVC, resolve_gamma
from bncc.svm.crossval import cross_val_decisions, fold_engine
from bncc.svm.distances import squared_distances
from bncc.svm.row_sets import Fold
from bncc.svm.tasks import KernelEstimator

__all__ = ["KernelSearchCV"]

_SEARCHED = ("sigma", "gamma", "C")


def _refitted(attribute: str) -> Callable[[Any], bool]:
    def check(search: Any) -> bool:
        if hasattr(search, "best_estimator_"):
            getattr(search.best_estimator_, attribute)
        else:
            getattr(search.estimator, attribute)
        return True

    return check


class KernelSearchCV(MetaEstimatorMixin, BaseEstimator):
    """Exhaustive search over sigma (or gamma) and C of an estimator on the kernel engine, by cross-validation.

    Shaped like scikit-learn's GridSearchCV, with the same scores. All links of all folds and values are solved in one
    call: squared distances are computed once, kernel rows once per sigma, and each fold starts from the solution on
    all of its rows.

    Parameters
    ----------
    estimator : KernelSVC, or a multi-label estimator on one
    param_grid : dict or list of dicts
        Values of "sigma" (or "gamma") and "C" to try.
    scoring : str, callable, list, dict or None, default=None
        As in GridSearchCV: a scorer's name, a callable ``scorer(estimator, X, y)``, several of them, or None for the
        estimator's own score. Scorers see `predict` and `decision_function`.
    cv : int, splitter, iterable or None, default=None
        As in GridSearchCV (None is 5 folds).
    refit : bool or str, default=True
        Fit the estimator with the best values on all rows. With several scorers: the name of the one that decides.
    n_jobs : int or None, default=None
        Threads for the batch; None and -1 mean all cores.

    Attributes
    ----------
    cv_results_ : dict
        ``params``, ``param_*``, ``split*_test_score``, ``mean_test_score``, ``std_test_score``, ``rank_test_score``
        (or ``*_test_NAME`` with several scorers). Seconds per candidate do not exist in a batch: see `search_time_`.
    best_index_, best_params_, best_score_
    best_estimator_ : estimator
        If `refit`.
    search_time_, refit_time_ : float
        Seconds.
    n_splits_ : int
    engine_ : EngineChoice
        The engine that the folds were solved with, and why.
    scorer_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> search = KernelSearchCV(KernelSVC(), {"sigma": [0.1, 1.0, 10.0], "C": [1.0, 10.0]}).fit(X, y)
    >>> search.best_params_, round(search.best_score_, 3)
    ({'C': 1.0, 'sigma': 1.0}, 0.98)
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        cv: Any = None,
        refit: bool | str = True,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = self.estimator.__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = inner.estimator_type, inner.classifier_tags
        tags.input_tags, tags.target_tags = inner.input_tags, inner.target_tags
        return tags

    def fit(self, X: Any, y: Any, *, sample_weight: ArrayLike | None = None) -> KernelSearchCV:
        """Score every combination by cross-validation, then fit the best on all rows."""
        if not isinstance(self.estimator, KernelEstimator):
            raise TypeError(
                f"KernelSearchCV needs KernelSVC or an estimator on it; got {type(self.estimator).__name__}. "
                "Use GridSearchCV for others."
            )
        candidates = _candidates(self.param_grid)
        X, y = indexable(X, y)
        splitter = check_cv(self.cv, y, classifier=True)
        folds: list[Fold] = list(splitter.split(X, y))
        self.n_splits_ = len(folds)
        begin = time.perf_counter()
        scores = self._scores(X, y, folds, candidates, sample_weight)
        self.search_time_ = time.perf_counter() - begin
        self.cv_results_ = _results(candidates, scores)
        self._choose(scores, candidates)
        if self.refit:
            self._refit(X, y, sample_weight)
        return self

    def _scores(
        self, X: Any, y: Any, folds: Sequence[Fold], candidates: list[dict[str, Any]], sample_weight: ArrayLike | None
    ) -> dict[str, NDArray[np.float64]]:
        """Test scores by scorer, shape (n_candidates, n_folds)."""
        estimator = clone(self.estimator)
        base = estimator.kernel_base()
        task = estimator.kernel_task(X, y, folds, sample_weight)
        pairs = [_kernel_values(base, candidate, task.X) for candidate in candidates]
        gammas, costs = (np.unique([pair[k] for pair in pairs]) for k in (0, 1))
        self.engine_ = fold_engine(base.engine, task.links, folds, gammas.size * costs.size)
        decisions = cross_val_decisions(
            squared_distances(task.X, cache_size=base.cache_size, n_jobs=self.n_jobs),
            task.targets,
            task.links,
            folds,
            gamma=gammas,
            C=costs,
            words=task.words,
            weights=task.weights,
            kernel=base.kernel,
            tol=base.tol,
            max_iter=base.max_iter,
            cache_size=base.cache_size,
            n_jobs=self.n_jobs,
            engine=self.engine_.name,
        )
        scorers = self._scorers(estimator)
        scores = {name: np.zeros((len(candidates), len(folds))) for name in scorers}
        for fold, (_, test) in enumerate(folds):
            shown, truth = _take(X, test), _take(y, test)
            for place, (gamma, cost) in enumerate(pairs):
                found = decisions[np.searchsorted(gammas, gamma), np.searchsorted(costs, cost), test]
                decided = task.decide(fold, found)
                for name, scorer in scorers.items():
                    scores[name][place, fold] = scorer(decided, shown, truth)
        return scores

    def _scorers(self, estimator: Any) -> dict[str, Any]:
        self.multimetric_ = isinstance(self.scoring, list | tuple | set | Mapping)
        if not self.multimetric_:
            self.scorer_ = check_scoring(estimator, scoring=self.scoring)
            return {"score": self.scorer_}
        named = self.scoring if isinstance(self.scoring, Mapping) else {name: name for name in self.scoring}
        self.scorer_ = {name: check_scoring(estimator, scoring=scorer) for name, scorer in named.items()}
        if self.refit is not False and self.refit not in self.scorer_:
            raise ValueError(
                f"With several scorers `refit` must be False or name one of {sorted(self.scorer_)}; got {self.refit!r}."
            )
        return self.scorer_

    def _choose(self, scores: dict[str, NDArray[np.float64]], candidates: list[dict[str, Any]]) -> None:
        if self.multimetric_ and not self.refit:
            return
        chosen = str(self.refit) if self.multimetric_ else "score"
        self.best_index_ = int(np.argmin(_ranks(scores[chosen].mean(axis=1))))
        self.best_params_ = candidates[self.best_index_]
        self.best_score_ = float(scores[chosen][self.best_index_].mean())

    def _refit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        best = clone(self.estimator)
        best.kernel_base().set_params(**self.best_params_)
        begin = time.perf_counter()
        self.best_estimator_ = best.fit(X, y) if sample_weight is None else best.fit(X, y, sample_weight=sample_weight)
        self.refit_time_ = time.perf_counter() - begin

    @property
    def classes_(self) -> Any:
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
    def predict(self, X: Any) -> Any:
        """Predictions of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict(X)

    @available_if(_refitted("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.predict_proba(X)

    @available_if(_refitted("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        """Decisions of the best estimator."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.decision_function(X)

    def score(self, X: Any, y: Any) -> float:
        """Score of the best estimator, by the scorer that chose it."""
        check_is_fitted(self, "best_estimator_")
        scorer = self.scorer_[self.refit] if self.multimetric_ else self.scorer_
        return float(scorer(self.best_estimator_, X, y))


def _candidates(param_grid: Any) -> list[dict[str, Any]]:
    candidates = list(ParameterGrid(param_grid))
    unknown = sorted({name for candidate in candidates for name in candidate} - set(_SEARCHED))
    if unknown:
        raise ValueError(f"`param_grid` may hold {', '.join(_SEARCHED)}; got {unknown}. Use GridSearchCV for others.")
    if not candidates:
        raise ValueError("`param_grid` must hold at least one value.")
    return candidates


def _kernel_values(base: KernelSVC, candidate: dict[str, Any], X: Any) -> tuple[float, float]:
    gamma = candidate.get("gamma", None if "sigma" in candidate else base.gamma)
    C = candidate.get("C", base.C)
    return resolve_gamma(X, sigma=candidate.get("sigma", base.sigma), gamma=gamma), float(C)


def _take(data: Any, rows: NDArray[Any]) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data[rows] if hasattr(data, "shape") else [data[row] for row in rows]


def _ranks(means: NDArray[np.float64]) -> NDArray[np.int32]:
    """1 is the best; equal means share a rank, and what is not a number comes last."""
    filled = np.where(np.isnan(means), -np.inf, means)
    return rankdata(-filled.round(12), method="min").astype(np.int32)


def _results(candidates: list[dict[str, Any]], scores: dict[str, NDArray[np.float64]]) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for name in sorted({name for candidate in candidates for name in candidate}):
        values = np.ma.MaskedArray(np.empty(len(candidates), object), mask=True)
        for place, candidate in enumerate(candidates):
            if name in candidate:
                values[place] = candidate[name]
        results[f"param_{name}"] = values
    results["params"] = candidates
    for name, table in scores.items():
        for fold in range(table.shape[1]):
            results[f"split{fold}_test_{name}"] = table[:, fold]
        results[f"mean_test_{name}"] = table.mean(axis=1)
        results[f"std_test_{name}"] = table.std(axis=1)
        results[f"rank_test_{name}"] = _ranks(table.mean(axis=1))
    return results
