"""How an estimator offers its folds to a search: what is described once, solved in one call, and fitted at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from sklearn.base import BaseEstimator, ClassifierMixin

from bncc._checks import split_unknown
from bncc._typing import Array, Classifier, EngineName, Features, Floats, Fold, Labels, Pulse, Weights
from bncc.metrics import subset_accuracy

__all__ = [
    "BatchOptions",
    "Candidate",
    "Decided",
    "EngineUsed",
    "FoldAnswer",
    "SearchTask",
    "Searchable",
    "SolvedFolds",
]

#: Values of parameters by name.
Candidate: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class BatchOptions:
    """How a task is to be solved.

    Attributes
    ----------
    n_jobs, engine : None leaves them to the estimator
    tol : problems may be solved as roughly as this; None leaves that to the estimator
    pulse : called now and then with the number of problems done; what it raises stops the work
    """

    n_jobs: int | None = None
    engine: EngineName | None = None
    tol: float | None = None
    pulse: Pulse | None = None


class EngineUsed(Protocol):
    """What solved a batch, and why it was taken."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def reason(self) -> str:
        """Why."""


class Decided(ClassifierMixin, BaseEstimator):
    """An estimator that has already decided: it answers for the rows it was made for, whatever X it is shown.

    It remembers whether it was asked for its decisions.
    """

    was_asked_for_decisions = False

    def __init__(self, classes: Any = None, decisions: Any = None, predictions: Any = None) -> None:
        self.classes = classes
        self.decisions = decisions
        self.predictions = predictions

    @property
    def classes_(self) -> Array | list[Array]:
        """The classes."""
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def decision_function(self, X: object) -> Floats:
        """The decisions at hand."""
        self.was_asked_for_decisions = True
        return self.decisions

    def predict(self, X: object) -> Array:
        """The predictions at hand."""
        return self.predictions

    def score(self, X: object, y: Labels, sample_weight: Weights | None = None) -> float:
        """The share of rows that are predicted as they are, as far as their labels are known."""
        if split_unknown(y)[1] is None:
            return float(super().score(X, y, sample_weight))
        return subset_accuracy(y, self.predictions, sample_weight=sample_weight)


@dataclass(frozen=True, eq=False)
class FoldAnswer:
    """What one candidate decides for the test rows of one fold.

    Attributes
    ----------
    candidate, fold : int
    decided : Decided
    model : estimator
        It has what was learned in this fold before any link was solved (orders, networks, groups).
    """

    candidate: int
    fold: int
    decided: Decided
    model: Classifier


@dataclass(frozen=True, eq=False)
class SolvedFolds:
    """Answers of some candidates that were solved together, the seconds that took, and what solved them."""

    answers: Iterable[FoldAnswer]
    train_seconds: float
    test_seconds: float
    engine: EngineUsed | None


class SearchTask(Protocol):
    """An estimator on some rows and folds: described, and ready to be solved for many settings."""

    @property
    def exact(self) -> bool:
        """Whether answers are those of the estimator after `fit`, and not of something that is quicker."""

    @property
    def rough_tol(self) -> float | None:
        """Where problems are solved to this tolerance, nearly the same labels are had much sooner; None: nowhere."""

    def solve(self, candidates: Sequence[Candidate], options: BatchOptions) -> Iterator[SolvedFolds]:
        """Answers of every candidate for every fold, as many at a time as memory allows."""

    def refit(self, candidate: Candidate, options: BatchOptions) -> Classifier:
        """The estimator with these settings, fitted to all rows on what the task holds already."""


@runtime_checkable
class Searchable(Protocol):
    """An estimator whose settings can be searched by `BatchSearchCV`."""

    def search_names(self) -> tuple[str, ...]:
        """Parameters that a grid may name."""

    def search_task(
        self, X: Features, y: Labels, folds: Sequence[Fold], sample_weight: Weights | None = None
    ) -> SearchTask:
        """Describe the estimator on these rows and folds."""
