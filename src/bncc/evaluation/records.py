"""What testing leaves behind: frozen records, one per fold tested and one per candidate tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["WHOLE", "Candidate", "Record"]

# The `repeat` and `fold` of what belongs to a whole data set, and the `fold` of what belongs to a whole repeat.
WHOLE = -1


@dataclass(frozen=True)
class Record:
    """One fold of one repeat of one method on one data set, tested once.

    Attributes
    ----------
    dataset, method : str
        Names in the protocol.
    repeat, fold : int
        Fold `WHOLE` holds the scores of all test rows of the repeat pooled, beside those of each fold.
    scores : mapping of metric name to value
    sigma, C : float or None
        Of the kernel, after selection; None for methods without one.
    order : tuple of int or None
        Chain order learned or drawn for this fold (position -> label); None for methods without a single chain.
    parents : tuple of tuples of int or None
        Of the label network learned for this fold; None for methods without one.
    select_seconds, train_seconds, test_seconds : float
        Wall time. Folds are solved together, so that each gets its equal share of the call.
    seed : int
        `random_state` of the method. Folds follow from the seed of the protocol, data set and repeat alone, so that
        methods share them.
    engine : str
        What solved the links: "native", "cuda", "numpy", or "sklearn" for base classifiers of others.
    versions : mapping of package name to version
    """

    dataset: str
    method: str
    repeat: int
    fold: int
    scores: Mapping[str, float]
    sigma: float | None = None
    C: float | None = None
    order: tuple[int, ...] | None = None
    parents: tuple[tuple[int, ...], ...] | None = None
    select_seconds: float = 0.0
    train_seconds: float = 0.0
    test_seconds: float = 0.0
    seed: int = 0
    engine: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Candidate:
    """Mean cross-validated scores of one (sigma, C) that selection tried, for a fold or for the whole set (`WHOLE`).

    For tuned thresholds they are those of a quick cut by label counts, as in `KernelSearchCV`.
    """

    dataset: str
    method: str
    repeat: int
    fold: int
    sigma: float
    C: float
    scores: Mapping[str, float]
