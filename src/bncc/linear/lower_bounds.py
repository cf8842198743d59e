"""What double precision can say of a smooth problem: how far above the minimum some weights are, at most.

Half the squared gradient says too much where a cost times |x|^2 is large: what is rounded off a margin counts that
often in it. Multipliers that a step of Newton's method leads to say more, and a bound for what is rounded makes it safe
to believe them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bncc.linear.problems import Loss

__all__ = ["Place", "SmoothProblem", "gap_of_step", "losses", "overshoot", "rounding_of_gap"]

Vector = NDArray[np.float64]
_ROUNDING = 4.5e-16  # of a sum, as a share of the sum of the sizes
_NEAR_MARGIN = 4.0  # times what may be rounded off it


@dataclass(frozen=True, eq=False)
class SmoothProblem:
    """Rows times their signs, so that their products with weights are margins; what each costs; the loss of a margin.

    >>> problem = SmoothProblem(np.array([[2.0], [-1.0]]), np.array([1.0, 3.0]), "squared_hinge")
    >>> problem.at(np.array([0.5])).objective
    6.875
    """

    rows: Any
    costs: Vector
    loss: Loss

    @cached_property
    def sizes(self) -> Any:
        """The sizes of all values."""
        return abs(self.rows)

    def at(self, weights: Vector) -> Place:
        """The problem at some weights."""
        margins = self.rows @ weights
        value, slope, curvature = losses(self.loss, margins)
        pull = -self.costs * slope
        objective = float(0.5 * weights @ weights + self.costs @ value)
        return Place(weights, margins, pull, self.costs * curvature, objective, weights - self.rows.T @ pull)


@dataclass(frozen=True, eq=False)
class Place:
    """Weights, margins, minus the slopes of the rows' losses and their curvatures, the objective and its gradient."""

    weights: Vector
    margins: Vector
    pull: Vector
    stiffness: Vector
    objective: float
    gradient: Vector


def losses(loss: Loss, margins: Vector) -> tuple[Vector, Vector, Vector]:
    """Values, slopes and curvatures of a smooth loss at some margins."""
    if loss == "logistic":
        p = expit(-margins)
        return np.logaddexp(0.0, -margins), -p, p * expit(margins)
    lack = np.maximum(1.0 - margins, 0.0)
    return lack**2, -2.0 * lack, np.where(lack > 0, 2.0, 0.0)


def gap_of_step(
    problem: SmoothProblem, place: Place, step: Vector, measure: Callable[[Vector, Vector], float] | None = None
) -> float:
    """How far above the minimum a place is at most: above the dual of the multipliers a = pull - stiffness * t.

    Here t is what a step adds to the margins. The gap is |w - Z'a|^2 / 2 (or what the Hessian makes of it, which
    `measure` tells), and for each row stiffness * t^2 / 2 (squared hinge loss) or at most twice that (logistic loss).
    An exact step makes it what the step promises, one that is not makes it larger.
    """
    along, share = problem.rows @ step, 0.5
    if problem.loss == "logistic":
        along, share = np.clip(along, -1.0, 1.0), 1.0  # multipliers stay what they may be
    else:
        along = np.minimum(along, 1.0 - place.margins)
    multipliers = place.pull - place.stiffness * along
    missing = place.weights - problem.rows.T @ multipliers
    rounding = _ROUNDING * (problem.sizes.T @ np.abs(multipliers))
    moved = share * float(place.stiffness @ along**2)
    gap = 0.5 * float(np.linalg.norm(missing) + np.linalg.norm(rounding)) ** 2 + moved
    if measure is None:
        return gap
    # Other multipliers have nothing missing: no row's changes by more than the root of its stiffness times this length,
    # and if all of them may, that is what it costs.
    length = measure(missing, rounding)
    change = np.sqrt(place.stiffness) * length
    room = np.minimum(multipliers, problem.costs - multipliers) if problem.loss == "logistic" else multipliers
    return min(gap, float(np.sqrt(moved) + length) ** 2) if (room >= change).all() else gap


def rounding_of_gap(problem: SmoothProblem, place: Place) -> float:
    """What a gap may have more than it seems to, since margins are rounded.

    To first order the objective and its lower bounds move alike. What is left is the square of what is rounded off a
    margin, times what the row costs.
    """
    rounding = _rounding_of_margins(problem, place)
    if problem.loss == "logistic":
        return float(np.minimum(0.125 * problem.costs, 0.5 * place.stiffness * np.exp(rounding)) @ rounding**2)
    return float(problem.costs @ np.maximum(rounding + np.minimum(1.0 - place.margins, 0.0), 0.0) ** 2)


def overshoot(problem: SmoothProblem, place: Place, most: float) -> float:
    """By what share the weights must grow so that rows on their margins are surely beyond them (squared hinge loss).

    0 where there are none, or it is more than `most`. What such a row lacks by rounding alone may cost more than all
    the rest.
    """
    if problem.loss == "logistic":
        return 0.0
    rounding = _rounding_of_margins(problem, place)
    lack = 1.0 - place.margins + rounding
    near = (lack > 0) & (lack <= _NEAR_MARGIN * rounding)
    share = float((lack[near] / (1.0 - lack[near])).max(initial=0.0))
    return share if share <= most else 0.0


def _rounding_of_margins(problem: SmoothProblem, place: Place) -> Vector:
    rounding: Vector = _ROUNDING * (problem.sizes @ np.abs(place.weights))
    return rounding
