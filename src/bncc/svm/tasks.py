"""How an estimator offers its links to a search: the protocol of `KernelSearchCV`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from bncc.svm.links import Links
from bncc.svm.row_sets import Fold

__all__ = ["Decided", "KernelEstimator", "KernelTask"]


@dataclass(frozen=True, eq=False)
class KernelTask:
    """What a search needs to know of an estimator on some data: its links, and how decisions become predictions.

    Attributes
    ----------
    X : array or sparse matrix of shape (n_rows, n_features)
        Checked features.
    targets, links, words, weights
        As `cross_val_decisions` takes them.
    decide : callable
        ``decide(fold, decisions)`` with decisions of shape (rows tested, n_links) gives a fitted estimator for those
        rows (a `Decided`).
    models : sequence of estimators
        For each fold what was learned before any link was solved (orders, networks, groups).
    exact : bool
        Whether `decide` answers as the estimator would after `fit`, and not by something that is quicker.
    """

    X: Any
    targets: NDArray[np.int8]
    links: Links | Sequence[Links]
    words: NDArray[np.uint32] | None
    weights: NDArray[np.float64] | None
    decide: Callable[[int, NDArray[np.float64]], Any]
    models: Sequence[Any] = ()
    exact: bool = True


@runtime_checkable
class KernelEstimator(Protocol):
    """An estimator whose links can be solved by the kernel engine in one batch."""

    def kernel_base(self) -> Any:
        """The KernelSVC whose sigma and C are searched; setting its parameters sets those of the estimator."""

    def kernel_task(self, X: Any, y: Any, folds: Sequence[Fold], sample_weight: ArrayLike | None) -> KernelTask:
        """Describe the links on these data."""


class Decided(ClassifierMixin, BaseEstimator):
    """An estimator that has already decided: it answers for the rows it was made for, whatever X it is shown."""

    def __init__(self, classes: Any = None, decisions: Any = None, predictions: Any = None) -> None:
        self.classes = classes
        self.decisions = decisions
        self.predictions = predictions

    @property
    def classes_(self) -> Any:
        """The classes."""
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def decision_function(self, X: Any) -> Any:
        """The decisions at hand."""
        return self.decisions

    def predict(self, X: Any) -> Any:
        """The predictions at hand."""
        return self.predictions
