"""One sigmoid for all of many labels, from how many cells of each score hold."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from bncc._typing import Bools, Floats

__all__ = ["fit_shared_sigmoid"]

_N_BINS = 4096
_STEPS = 100
# Half a cell that holds and half a cell that does not, at the mean score: no slope is infinite.
_PRIOR_CELLS = 0.5
_LEAST_SLOPE = 1e-6


def fit_shared_sigmoid(scores: Floats, truth: Bools, counted: Floats) -> tuple[float, float]:
    """Slope and offset of ``p = expit(slope * score + offset)`` by maximum likelihood; the slope is positive.

    Millions of cells are put into bins by their scores first. Of thousands of labels nearly all scores lie close
    together, far from those of the few cells that hold: that takes scores that are centred, and all of Newton's steps.

    >>> fit_shared_sigmoid(np.array([[0.0], [1.0]] * 50), np.array([[False], [True]] * 50), np.ones((100, 1)))[0] > 1
    True
    """
    centres, holding, cells = _bins(scores, truth, counted)
    mean = float(np.average(centres, weights=cells))
    spread = float(np.sqrt(np.average((centres - mean) ** 2, weights=cells)))
    x = np.append((centres - mean) / max(spread, 1e-12), 0.0)
    slope, offset = _most_likely(x, np.append(holding, _PRIOR_CELLS), np.append(cells, 2.0 * _PRIOR_CELLS))
    slope = max(slope / max(spread, 1e-12), _LEAST_SLOPE)
    return slope, offset - slope * mean


def _bins(scores: Floats, truth: Bools, counted: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean score, weight of the cells that hold, and weight of all cells of each bin that has any."""
    low, high = float(scores.min()), float(scores.max())
    places = ((scores - low) * ((_N_BINS - 1) / max(high - low, 1e-12))).astype(np.int32).ravel()
    sums: list[Floats] = [
        np.bincount(places, values.ravel(), _N_BINS).astype(np.float64)
        for values in (counted, counted * truth, counted * scores)
    ]
    cells, holding, summed = sums
    some = cells > 0
    if not some.any():
        return np.zeros(1), np.zeros(1), np.full(1, 1e-12)
    return summed[some] / cells[some], holding[some], cells[some]


def _most_likely(x: Floats, holding: Floats, cells: Floats) -> tuple[float, float]:
    """Newton's method; steps that make it worse are halved."""
    design = np.column_stack([x, np.ones(x.size)])
    theta = np.array([0.0, np.log(holding.sum() / (cells.sum() - holding.sum()))])

    def loss(at: Floats) -> float:
        return float((cells * np.logaddexp(0.0, design @ at) - holding * (design @ at)).sum())

    value = loss(theta)
    for _ in range(_STEPS):
        rates = expit(design @ theta)
        hessian = (design * (cells * rates * (1.0 - rates))[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.linalg.solve(hessian, design.T @ (cells * rates - holding))
        while (new := loss(theta - step)) > value and np.abs(step).max() > 1e-9:
            step = step / 2.0
        theta, gained, value = theta - step, value - new, new
        if gained <= 1e-10 * abs(value):
            break
    return float(theta[0]), float(theta[1])
