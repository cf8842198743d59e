"""Solving links: any scikit-learn classifier link by link, or the kernel engine for all of them in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from bncc.multilabel.decode import Answer
from bncc.multilabel.links import Link, Links
from bncc.multilabel.progress import Progress
from bncc.multilabel.targets import Targets

__all__ = ["Constant", "FittedLinks", "Response", "append_context", "fit_links", "narrow", "seeded"]

Response = Literal["decision", "probability"]


class Constant(BaseEstimator):
    """What stands in for a link whose rows all have the same target (or that has no rows: then 0)."""

    def __init__(self, value: int) -> None:
        self.value = value


@dataclass(frozen=True, eq=False)
class FittedLinks:
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
    features: tuple[NDArray[np.int64] | None, ...]
    n_labels: int

    def walk(self, X: Any, walks: Sequence[Sequence[int]], response: Response = "decision") -> NDArray[np.float64]:
        """Answers along walks, with each link's own label as context to the later ones: (n_walks, n_rows, length)."""
        out = np.zeros((len(walks), X.shape[0], max((len(walk) for walk in walks), default=0)))
        for place, walk in enumerate(walks):
            known = np.zeros((X.shape[0], self.n_labels), np.int8)
            for position, link in enumerate(walk):
                answer = self.answer(link, X, known, response)
                out[place, :, position] = answer
                if self.writes[link] >= 0:
                    known[:, self.writes[link]] = answer > (0.0 if response == "decision" else 0.5)
        return out

    def answer(self, link: int, X: Any, known: NDArray[np.int8], response: Response) -> NDArray[np.float64]:
        """One link's decision (positive: the label holds) or probability, given the labels known so far."""
        estimator = self.estimators[link]
        if isinstance(estimator, Constant):
            return np.full(X.shape[0], _constant_answer(estimator.value, response))
        seen = self.features[link]
        features = X if seen is None else X[:, seen]
        return _respond(estimator, append_context(features, known[:, list(self.contexts[link])]), response)

    def conditionals(self, X: Any) -> Answer:
        """Probabilities of links for rows of X in any states (see `decode`)."""
        step = max(1, (1 << 23) // max(1, X.shape[1]))

        def answer(link: int, rows: NDArray[np.int64], known: NDArray[np.int8]) -> NDArray[np.float64]:
            parts = [slice(start, start + step) for start in range(0, rows.size, step)]
            return np.concatenate([self.answer(link, X[rows[part]], known[part], "probability") for part in parts])

        return answer


def fit_links(
    links: Links,
    X: Any,
    targets: Targets,
    estimator: Any,
    *,
    sample_weight: NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int | bool = 0,
) -> FittedLinks:
    """Fit a clone of the estimator to every link; contexts are true labels, so all links can be fitted at once.

    Unknown context counts as 0. With `random_state`, clones whose own is None get seeds derived from it.
    """
    seeds = _seeds(random_state, len(links))
    known = sparse.csc_array(targets.positives)
    tasks = (
        delayed(_fit_link)(seeded(clone(estimator), seed), link, X, known, sample_weight)
        for link, seed in zip(links.links, seeds, strict=True)
    )
    fitted = []
    with Progress("links", len(links), verbose) as progress:
        for done, result in enumerate(Parallel(n_jobs=n_jobs, return_as="generator")(tasks), 1):
            fitted.append(result)
            progress(done)
    return FittedLinks(
        tuple(fitted),
        tuple(link.context for link in links.links),
        tuple(link.writes for link in links.links),
        tuple(link.features for link in links.links),
        targets.n_labels,
    )


def _fit_link(estimator: Any, link: Link, X: Any, known: Any, sample_weight: Any) -> Any:
    rows = link.training_rows()
    target = link.target[rows]
    weight = None if sample_weight is None else sample_weight[rows]
    present = np.unique(target if weight is None else target[weight > 0])
    if present.size < 2:
        return Constant(int(present[0]) if present.size else 0)
    context = known[:, list(link.context)]
    if link.features is not None:
        X = X[:, link.features]
    if rows.size < X.shape[0]:
        X, context = X[rows], context[rows]
    options = {} if weight is None else {"sample_weight": weight}
    try:
        return estimator.fit(append_context(X, context), target, **options)
    except Exception as error:
        raise _named(error, link) from error


def _named(error: Exception, link: Link) -> Exception:
    """The same kind of error, with the label in its message."""
    kind = next((kind for kind in (ValueError, TypeError) if isinstance(error, kind)), RuntimeError)
    return kind(f"The link for label {link.name!r} failed: {error}")


def append_context(X: Any, context: Any) -> Any:
    """Features with label columns after them; sparse stays sparse."""
    if context.shape[1] == 0:
        return X
    if sparse.issparse(X):
        return narrow(sparse.hstack([X, sparse.csr_array(context)], format="csr", dtype=X.dtype))
    dense = context.toarray() if sparse.issparse(context) else context
    return np.hstack([X, dense.astype(X.dtype if X.dtype.kind == "f" else np.float64)])


def narrow(X: Any) -> Any:
    """X; a sparse one with indices of 32 bits where they suffice, since many scikit-learn estimators want these."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def seeded(estimator: Any, seed: int | None) -> Any:
    """The estimator with every `random_state` that is None set to the seed."""
    if seed is None:
        return estimator
    params = estimator.get_params(deep=True)
    unset = [name for name, value in params.items() if name.split("__")[-1] == "random_state" and value is None]
    return estimator.set_params(**dict.fromkeys(unset, seed))


def _seeds(random_state: Any, n: int) -> list[int | None]:
    if random_state is None:
        return [None] * n
    seeds: list[int | None] = check_random_state(random_state).randint(np.iinfo(np.int32).max, size=n).tolist()
    return seeds


def _respond(estimator: Any, X: Any, response: Response) -> NDArray[np.float64]:
    if response == "probability":
        return np.asarray(estimator.predict_proba(X)[:, 1], np.float64)
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), np.float64).ravel()
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X)[:, 1] - 0.5, np.float64)
    return np.asarray(estimator.predict(X), np.float64) - 0.5


def _constant_answer(value: int, response: Response) -> float:
    return float(value) if response == "probability" else 2.0 * value - 1.0


def check_weight_support(estimator: Any, sample_weight: Any) -> None:
    """Say so when the base classifier cannot take weights."""
    if sample_weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"`sample_weight` was given, but {type(estimator).__name__} does not take it.")
