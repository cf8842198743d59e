"""Random classification problems of extreme scales, each with a reference: LIBSVM on the same or a tamer problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Extreme:
    """What is given to the classifier under test, and to the reference; rows to be decided are the same for both."""

    kind: str
    settings: dict[str, Any]
    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    reference_settings: dict[str, Any]
    reference_X: np.ndarray
    reference_new: np.ndarray
    weight: np.ndarray | None = None
    reference_weight: np.ndarray | None = None


def _plain(random: np.random.Generator, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n, d = int(random.integers(8, 40)), int(random.integers(1, 5))
    X = random.standard_normal((n, d))
    scores = X @ random.standard_normal(d) + noise * random.standard_normal(n)
    y = (scores > np.median(scores)).astype(int)
    return X, y, np.vstack([X, random.standard_normal((20, d))])


def scaled_features(random: np.random.Generator) -> Extreme:
    """All features times 10^-138 to 10^138, gamma with them."""
    X, y, new = _plain(random, 0.5)
    scale, gamma, C = 10.0 ** random.uniform(-138, 138), 10.0 ** random.uniform(-2, 1), 10.0 ** random.uniform(-2, 3)
    settings = {"C": C, "gamma": gamma / scale / scale}
    return Extreme("features", settings, X * scale, y, new * scale, {"C": C, "gamma": gamma}, X, new)


def scaled_cost(random: np.random.Generator) -> Extreme:
    """C from 10^-250 to 10^250, with weights that bring it back."""
    X, y, new = _plain(random, 0.5)
    cost, C, gamma = 10.0 ** random.uniform(-2, 3), 10.0 ** random.uniform(-250, 250), 10.0 ** random.uniform(-2, 1)
    share = random.uniform(0.5, 2.0, y.size)
    weight = share * (cost / C)
    settings, tame = {"C": C, "gamma": gamma}, {"C": cost, "gamma": gamma}
    return Extreme("cost", settings, X, y, new, tame, X, new, weight, share)


def hard_margin(random: np.random.Generator) -> Extreme:
    """Separable rows, C from 10^5 to 10^300: the multipliers are those of any C that is large enough."""
    X, y, new = _plain(random, 0.0)
    settings = {"C": 10.0 ** random.uniform(5, 300), "gamma": 10.0 ** random.uniform(-0.5, 1.5)}
    return Extreme("margin", settings, X, y, new, settings | {"C": min(settings["C"], 1e9)}, X, new)


def mixed_weights(random: np.random.Generator) -> Extreme:
    """C times weight from 10^-3 to 10^7 within one problem."""
    X, y, new = _plain(random, 0.3)
    weight = 10.0 ** random.uniform(-3, 7, y.size)
    settings = {"C": 1.0, "gamma": 10.0 ** random.uniform(-1, 1)}
    return Extreme("weights", settings, X, y, new, settings, X, new, weight, weight)


def mixed_scales(random: np.random.Generator) -> Extreme:
    """Features whose scales differ by up to 10^16."""
    X, y, new = _plain(random, 0.3)
    scales = 10.0 ** random.uniform(-8, 8, X.shape[1])
    settings = {"C": 10.0 ** random.uniform(-1, 4), "gamma": 1.0 / float(random.choice(scales)) ** 2}
    return Extreme("scales", settings, X * scales, y, new * scales, settings, X * scales, new * scales)


def any_sigma(random: np.random.Generator) -> Extreme:
    """Kernels from a point to a constant."""
    X, y, new = _plain(random, 0.5)
    sigma = 10.0 ** random.uniform(-140, 140)
    reference = {"C": 1.0, "gamma": float(np.clip(0.5 / sigma**2, 1e-12, 1e12))}
    return Extreme("sigma", {"C": 1.0, "sigma": sigma}, X, y, new, reference, X, new)


def far_clusters(random: np.random.Generator) -> Extreme:
    """Two groups far apart, each with a structure that the distance between them hides from single precision."""
    X, y, new = _plain(random, 0.3)
    far = 10.0 ** random.uniform(2, 8)
    side, new_side = (far * random.choice([-1.0, 1.0], (len(rows), 1)) for rows in (X, new))
    settings = {"C": 10.0 ** random.uniform(-1, 3), "gamma": 10.0 ** random.uniform(-1, 1)}
    return Extreme("clusters", settings, X + side, y, new + new_side, settings, X + side, new + new_side)


KINDS: tuple[Callable[[np.random.Generator], Extreme], ...] = (
    scaled_features, scaled_cost, hard_margin, mixed_weights, mixed_scales, any_sigma, far_clusters,
)  # fmt: skip


def make_extreme(seed: int) -> Extreme:
    """The problem of a seed; kinds take turns."""
    return KINDS[seed % len(KINDS)](np.random.default_rng(seed))
