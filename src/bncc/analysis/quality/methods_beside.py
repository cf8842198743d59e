"""What each method gets right that others do not, on the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from bncc._typing import Bools, Longs
from bncc.analysis.quality.predictions import Predictions
from bncc.analysis.significance import holm

__all__ = ["LabelDuel", "MethodStrength", "method_strengths"]


@dataclass(frozen=True)
class LabelDuel:
    """Two methods on one label, where they differ.

    Attributes
    ----------
    label : int
    other : str
        The method compared with.
    right, wrong : int
        Rows in which this method alone is right, and in which the other alone is.
    low, high : float
        Ends of the exact interval of the share of rows, among those in which the two differ, where this one is right.
    p_value : float
        Exact test that both are equally often right alone (McNemar), corrected by Holm for all labels and pairs.
    """

    label: int
    other: str
    right: int
    wrong: int
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class MethodStrength:
    """A method beside the others.

    Attributes
    ----------
    method : str
    right : int
        Cells that it gets right.
    right_alone : int
        Cells that it gets right and all others wrong.
    duels : tuple of LabelDuel
        Labels on which it is ahead of another method, surest first; those that may be chance have a p-value above.
    """

    method: str
    right: int
    right_alone: int
    duels: tuple[LabelDuel, ...]


def method_strengths(
    predictions: Mapping[str, Predictions], alpha: float = 0.05, most: int = 10
) -> tuple[MethodStrength, ...]:
    """Compare methods on the same rows; none for a single method.

    >>> from bncc.analysis.quality.predictions import read_predictions
    >>> Y = [[1], [1], [0]]
    >>> both = {name: read_predictions(Y, Y_pred=said) for name, said in {"a": Y, "b": [[0], [1], [0]]}.items()}
    >>> [(each.method, each.right_alone) for each in method_strengths(both)]
    [('a', 1), ('b', 0)]
    """
    if len(predictions) < 2:
        return ()
    right = {name: (found.truth == found.predicted) & found.known for name, found in predictions.items()}
    how_many = np.sum(list(right.values()), axis=0)
    duels = _all_duels(right, alpha)
    return tuple(
        MethodStrength(
            name,
            int(cells.sum()),
            int((cells & (how_many == 1)).sum()),
            tuple(sorted(duels[name], key=lambda duel: (duel.p_value, duel.wrong - duel.right, duel.label))[:most]),
        )
        for name, cells in right.items()
    )


def _all_duels(right: Mapping[str, Bools], alpha: float) -> dict[str, list[LabelDuel]]:
    """By method, the labels on which it is right alone more often than another; one test per label and pair."""
    names = list(right)
    ahead: dict[str, list[tuple[str, int, int, int, float]]] = {name: [] for name in names}
    n_tests = 0
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            first: Longs = (right[one] & ~right[other]).sum(axis=0)
            second: Longs = (right[other] & ~right[one]).sum(axis=0)
            n_tests += first.size
            for label in np.flatnonzero(first != second).tolist():
                a, b = int(first[label]), int(second[label])
                chance = float(binomtest(a, a + b).pvalue)
                winner, loser, won, lost = (one, other, a, b) if a > b else (other, one, b, a)
                ahead[winner].append((loser, label, won, lost, chance))
    return _corrected(ahead, n_tests, alpha)


def _corrected(
    ahead: Mapping[str, list[tuple[str, int, int, int, float]]], n_tests: int, alpha: float
) -> dict[str, list[LabelDuel]]:
    """With Holm's correction; labels on which two methods are equally often right count as tests without a find."""
    chances = [entry[-1] for entries in ahead.values() for entry in entries]
    adjusted = iter(holm([*chances, *[1.0] * (n_tests - len(chances))])[: len(chances)]) if chances else iter(())
    out: dict[str, list[LabelDuel]] = {}
    for name, entries in ahead.items():
        out[name] = []
        for other, label, won, lost, _ in entries:
            ends = binomtest(won, won + lost).proportion_ci(1 - alpha)
            out[name].append(LabelDuel(label, other, won, lost, ends.low, ends.high, float(next(adjusted))))
    return out
