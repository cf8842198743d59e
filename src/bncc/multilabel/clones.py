"""Links as clones of any scikit-learn classifier, fitted one by one on all cores."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from bncc._threads import n_threads
from bncc._typing import CSC, Array, Classifier, FitParams, Floats, Longs, Matrix, Random
from bncc.multilabel.backend import FitOptions, LinkBackend, Rates, Response, SolvedLinks, TrainingRows, params_of_rows
from bncc.multilabel.feature_rows import append_context
from bncc.multilabel.links import Link, Links
from bncc.multilabel.progress import Progress
from bncc.multilabel.row_widths import numbers_laid_out

__all__ = ["CloneBackend", "Constant", "FittedLinks", "link_seeds", "seeded", "unfitted"]


def unfitted(base: Classifier) -> Classifier:
    """A copy of a base classifier, by `clone` unless its parameters are plain values: `clone` takes longer."""
    if base is None or isinstance(base, type):
        return base
    plain = all(isinstance(value, int | float | str | None) for value in vars(base).values())
    return copy(base) if plain else clone(base)


class Constant(BaseEstimator):
    """What stands in for a link whose rows all have the same target (or that has no rows: then 0)."""

    def __init__(self, value: int) -> None:
        self.value = value

    @property
    def classes_(self) -> Longs:
        """The one class that it knows."""
        return np.array([self.value])

    def predict(self, X: Matrix) -> Longs:
        """Its value, for every row."""
        return np.full(X.shape[0], self.value)

    def predict_proba(self, X: Matrix) -> Floats:
        """Certainty, in one column."""
        return np.ones((X.shape[0], 1))


@dataclass(frozen=True, eq=False)
class FittedLinks(SolvedLinks):
    """Solved links over clones of a scikit-learn classifier.

    Attributes
    ----------
    estimators : tuple
        A fitted classifier or a `Constant` per link.
    contexts : tuple of tuples of int
    writes : tuple of int
    features : tuple of arrays of column numbers, or None for all
    n_labels : int
    """

    estimators: tuple[Any, ...]
    contexts: tuple[tuple[int, ...], ...]
    writes: tuple[int, ...]
    features: tuple[Longs | None, ...]
    n_labels: int

    def answer(self, link: int, X: Matrix, known: Array, response: Response = "decision") -> Floats:
        """One link's decision (positive: the label holds) or probability, given the labels known so far."""
        estimator = self.estimators[link]
        if isinstance(estimator, Constant):
            return np.full(X.shape[0], _constant_answer(estimator.value, response))
        seen = self.features[link]
        features = X if seen is None else X[:, seen]
        return _respond(estimator, append_context(features, known[:, list(self.contexts[link])]), response)

    def numbers_of(self, link: int) -> int:
        """Numbers that the classifier of a link lays out for a row."""
        return numbers_laid_out(self.estimators[link])


class CloneBackend(LinkBackend):
    """Fits a clone of the base to every link; contexts are there beforehand, so all links can be fitted at once.

    With `random_state`, clones whose own is None get seeds derived from it.
    """

    takes_weights = True
    takes_classes = True
    takes_feature_subsets = True
    takes_real_contexts = True
    takes_fit_params = True

    def __init__(self, base: Classifier) -> None:
        super().__init__(base)
        self.rates: Rates = "links" if hasattr(base, "predict_proba") else "none"

    def fit(self, links: Links, rows: TrainingRows, options: FitOptions, prepared: Any = None) -> FittedLinks:
        """Learn all links, as many at a time as there are jobs."""
        if not any(hasattr(self.base, name) for name in ("predict", "predict_proba", "decision_function")):
            raise TypeError(
                f"{type(self.base).__name__} cannot predict, and no backend is registered for it here "
                "(see `register_backend`; subclasses of a registered class are not served by its backend)."
            )
        n_threads(options.n_jobs)  # refuses what is no number of jobs
        if rows.weight is not None and not has_fit_parameter(self.base, "sample_weight"):
            raise ValueError(f"`sample_weight` was given, but {type(self.base).__name__} does not take it.")
        known = sparse.csc_array(rows.targets.positives) if rows.contexts is None else rows.contexts
        seeds = link_seeds(options.random_state, len(links))
        tasks = (
            delayed(_fit_link)(seeded(clone(self.base), seed), link, rows.X, known, rows.weight, rows.fit_params)
            for link, seed in zip(links.links, seeds, strict=True)
        )
        fitted = []
        with Progress("links", len(links), options.verbose) as progress:
            for done, result in enumerate(Parallel(n_jobs=options.n_jobs, return_as="generator")(tasks), 1):
                fitted.append(result)
                progress(done)
                if options.pulse is not None:
                    options.pulse(done)
        return FittedLinks(
            tuple(fitted),
            tuple(link.context for link in links.links),
            tuple(link.writes for link in links.links),
            tuple(link.features for link in links.links),
            rows.targets.n_labels,
        )


def _fit_link(
    estimator: Classifier,
    link: Link,
    X: Matrix,
    known: CSC | Floats,
    sample_weight: Floats | None,
    fit_params: FitParams,
) -> Classifier:
    rows = link.training_rows()
    target = link.target[rows]
    weight = None if sample_weight is None else sample_weight[rows]
    present = np.unique(target if weight is None else target[weight > 0])
    if present.size < 2:
        return Constant(int(present[0]) if present.size else 0)
    context = known[:, list(link.context)]
    if link.features is not None:
        X = X[:, link.features]
    options: dict[str, Any] = dict(fit_params)
    if rows.size < X.shape[0]:
        options = dict(params_of_rows(fit_params, rows, X.shape[0]))
        X, context = X[rows], context[rows]
    if weight is not None:
        options["sample_weight"] = weight
    features = append_context(X, context)
    if isinstance(estimator, HistGradientBoostingClassifier):
        features = _without_empty_columns(features, weight)
    try:
        return estimator.fit(features, target, **options)
    except Exception as error:
        raise _named(error, link) from error


def _without_empty_columns(X: Matrix, weight: Floats | None) -> Matrix:
    """X with 0 in the columns that no row of some weight has a value in, with which scikit-learn's bins may fail.

    No tree splits them, and so new rows may have any value there.
    """
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f":
        return X
    counted = X if weight is None else X[weight > 0]
    empty = np.flatnonzero(np.isnan(counted[0]))
    empty = empty[np.isnan(counted[:, empty]).all(axis=0)]
    if not empty.size:
        return X
    filled = X.copy()
    filled[:, empty] = 0.0
    return filled


def _named(error: Exception, link: Link) -> Exception:
    """The same kind of error, with the label in its message."""
    kind = next((kind for kind in (ValueError, TypeError) if isinstance(error, kind)), RuntimeError)
    return kind(f"The link for label {link.name!r} failed: {error}")


def seeded(estimator: Classifier, seed: int | None) -> Classifier:
    """The estimator with every `random_state` that is None set to the seed."""
    if seed is None:
        return estimator
    params = estimator.get_params(deep=True)
    unset = [name for name, value in params.items() if name.split("__")[-1] == "random_state" and value is None]
    return estimator.set_params(**dict.fromkeys(unset, seed))


def link_seeds(random_state: Random, n: int) -> list[int | None]:
    """A seed for each of n links, or None for each where there is no random state."""
    if random_state is None:
        return [None] * n
    seeds: list[int | None] = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=n).tolist()
    return seeds


def _respond(estimator: Classifier, X: Matrix, response: Response) -> Floats:
    if response == "probability":
        return np.asarray(estimator.predict_proba(X)[:, 1], np.float64)
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), np.float64).ravel()
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X)[:, 1] - 0.5, np.float64)
    return np.asarray(estimator.predict(X), np.float64) - 0.5


def _constant_answer(value: int, response: Response) -> float:
    return float(value) if response == "probability" else 2.0 * value - 1.0
