"""What a family of models is to a blend: it says whether it suits, is tried on folds, and is fitted if it helped."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bncc._typing import Array, Bools, Floats, Matrix
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids

__all__ = ["Family", "FittedPart", "Settings", "Tried"]

Settings = Mapping[str, Any]


class FittedPart(ABC):
    """A fitted member of a blend."""

    @abstractmethod
    def rates(self, X: Matrix) -> Floats:
        """Probability of each label for checked features, shape (n_rows, n_labels)."""

    def label_planes(self, X: Matrix) -> tuple[Array, ...]:
        """The labels that its links hand to others, for a part that has such (see `given_labels`)."""
        return ()

    def rates_given(self, X: Matrix, planes: Sequence[Array]) -> Floats:
        """Its probabilities with the labels of the planes in the place of those that X would give."""
        return self.rates(X)

    def set_rates(self, X: Matrix) -> Floats | None:
        """Probability of each of its label sets, for a part that has them."""
        return None


@dataclass(frozen=True, eq=False)
class Tried:
    """What a family answers for rows that it did not learn from.

    Attributes
    ----------
    family : str
    settings : mapping
        What was chosen or done; given back to the same family it does the same again.
    rates : array of shape (n_tested, n_labels)
        Probabilities for the tested rows of the problem.
    part : FittedPart or None
        Where a fit on all rows (or on all that are not held out) came with it.
    sigmoids : RateSigmoids or None
        What turns scores of the family into its probabilities.
    sets, set_rates : arrays of shape (n_sets, n_labels) and (n_tested, n_sets), or None
        Label sets and their probabilities, for families that know them.
    """

    family: str
    settings: Settings
    rates: Floats
    part: FittedPart | None = None
    sigmoids: RateSigmoids | None = None
    sets: Bools | None = None
    set_rates: Floats | None = None


class Family(ABC):
    """A kind of model; one instance serves all problems."""

    name: str

    @abstractmethod
    def suits(self, problem: BlendProblem) -> bool:
        """Whether it can be tried on such data at a cost within reason."""

    def must_lead(self, problem: BlendProblem) -> bool:
        """Whether its answers count only where they are clearly more likely than all before them."""
        return False

    @abstractmethod
    def try_out(self, problem: BlendProblem, clock: Clock, reserve: float, settings: Settings | None = None) -> Tried:
        """Answers for the tested rows; `settings` of an earlier trial are taken as they are, without a search.

        Raises `OutOfTime` where fewer seconds than the reserve are left, unless it has an answer by then.
        """

    @abstractmethod
    def fit(self, problem: BlendProblem, tried: Tried, clock: Clock) -> FittedPart:
        """Fitted to all rows as it was tried, for a trial that has no part."""
