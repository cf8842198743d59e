"""Approximate answers of factor graphs that are too wide to be eliminated: belief propagation, and climbing.

Every factor tells each of its labels what the others would have it be, in log odds; labels tell factors what all other
factors have told them. On a graph without loops that settles at the exact marginals; on others it mostly settles near
them (Murphy, Weiss and Jordan 1999), and half of each old message is kept so that it does. The mode is then climbed
to: labels change one at a time while that improves the weight of the set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Floats, Longs

__all__ = ["MOST_ROUNDS", "Messages", "climb", "pass_messages"]

MOST_ROUNDS = 100
_SETTLED = 1e-6  # the largest change of a message, in log odds
_KEPT = 0.5  # of an old message
_LARGEST = 30.0  # log odds beyond which a message says nothing more
_MOST_SWEEPS = 100
_MOST_TURNS, _LEAST_ROUNDS = 40_000, 10  # of factors that speak one after the other, over all rounds: some seconds
_PLACES_PER_TURN = 4  # labels of factors that are looked at in the time of a turn


@dataclass(frozen=True, eq=False)
class Messages:
    """Log odds of labels (n_labels, n_rows) once messages have settled, or the rounds are over."""

    log_odds: Floats
    n_rounds: int
    n_unsettled: int


def pass_messages(scopes: Sequence[Sequence[int]], tables: Sequence[Floats], log_odds: Floats) -> Messages:
    """Belief propagation over factors (their labels, and logarithms of their tables) with evidence (n_labels, n_rows).

    One factor after the other, in the order given; those without a common label at once, which is the same. A row is
    settled when none of its messages changes by more than 1e-6, or after 100 rounds (fewer, but 10 at least, where more
    than 400 factors speak one after the other); its answer is that of this round, whatever other rows do.
    """
    speakers = _side_by_side(scopes, tables)
    most_rounds = _as_time_allows(MOST_ROUNDS, len(speakers))
    beliefs, out = np.array(log_odds, np.float64), np.array(log_odds, np.float64)
    told = [np.zeros((*each.labels.shape, log_odds.shape[1])) for each in speakers]
    rows = np.arange(log_odds.shape[1])  # those that are still looked at, some of them settled
    waiting = np.ones(rows.size, bool)
    rounds = 0
    while rounds < most_rounds and waiting.any():
        rounds += 1
        moved = _go_round(speakers, beliefs, told, keep=_KEPT if rounds > 1 else 0.0)
        settled = waiting & (moved <= _SETTLED)
        out[:, rows[settled]] = beliefs[:, settled]
        waiting &= ~settled
        if 2 * waiting.sum() < rows.size:
            beliefs, told, rows = beliefs[:, waiting], [each[..., waiting] for each in told], rows[waiting]
            waiting = np.ones(rows.size, bool)
    out[:, rows[waiting]] = beliefs[:, waiting]
    return Messages(out, rounds, int(waiting.sum()))


def _as_time_allows(most: int, turns: int) -> int:
    """As many rounds as there may be, or as can be waited for if each has so many turns."""
    return min(most, max(_LEAST_ROUNDS, _MOST_TURNS // max(turns, 1)))


@dataclass(frozen=True, eq=False)
class _Speakers:
    """Factors of one size without a label in common: labels (size, n_factors), tables (2, ..., 2, n_factors)."""

    labels: Longs
    tables: Floats


def _side_by_side(scopes: Sequence[Sequence[int]], tables: Sequence[Floats]) -> list[_Speakers]:
    """Factors that can speak at once: each comes after all before it that share a label with it, as one by one."""
    turn_of_label: dict[int, int] = {}
    turns: dict[tuple[int, int], list[int]] = {}
    for number, scope in enumerate(scopes):
        turn = max((turn_of_label.get(label, 0) for label in scope), default=0)
        turn_of_label.update(dict.fromkeys(scope, turn + 1))
        turns.setdefault((turn, len(scope)), []).append(number)
    return [
        _Speakers(
            np.array([scopes[number] for number in numbers], np.int64).reshape(len(numbers), size).T,
            np.stack([tables[number] for number in numbers], axis=-1),
        )
        for (_, size), numbers in sorted(turns.items())
    ]


def _go_round(speakers: Sequence[_Speakers], beliefs: Floats, told: list[Floats], keep: float) -> Floats:
    """Every factor speaks once; beliefs and what was told are changed. The largest change that each row's had."""
    moved = np.zeros(beliefs.shape[1])
    for each, old in zip(speakers, told, strict=True):
        if not each.labels.size:
            continue
        heard = np.clip(beliefs[each.labels] - old, -_LARGEST, _LARGEST)
        answer = np.clip(_told(each.tables, heard), -_LARGEST, _LARGEST)
        change = (1.0 - keep) * (answer - old)
        beliefs[each.labels] += change
        np.maximum(moved, np.abs(answer - old).max(axis=(0, 1)), out=moved)
        old += change
    return moved


def _told(tables: Floats, heard: Floats) -> Floats:
    """What factors tell each of their labels (log odds), given what they have heard: (size, n_factors, n_rows)."""
    size = len(heard)
    joint = tables[..., None] + np.zeros(heard.shape[2])
    for axis, odds in enumerate(heard):
        at = [slice(None)] * (size + 2)
        at[axis] = slice(1, 2)
        joint[tuple(at)] += odds
    joint -= joint.max(axis=tuple(range(size)))
    weights = np.exp(joint)
    out = np.empty_like(heard)
    for axis in range(size):
        sums = weights.sum(axis=tuple(other for other in range(size) if other != axis))
        with np.errstate(divide="ignore"):
            out[axis] = np.log(sums[1]) - np.log(sums[0]) - heard[axis]
    return out


def climb(scopes: Sequence[Sequence[int]], tables: Sequence[Floats], log_odds: Floats, start: Bools) -> Bools:
    """From a label set per row (n_labels, n_rows), change labels one by one while that improves its weight.

    Labels in their order, again and again, until a sweep changes nothing or there were 100 (fewer, but 10 at least, of
    more than 1,600 labels of factors); a label that makes no difference stays.
    """
    places: list[list[tuple[int, int]]] = [[] for _ in range(len(log_odds))]
    for number, scope in enumerate(scopes):
        for axis, label in enumerate(scope):
            places[label].append((number, axis))
    out = np.array(start, np.int64)
    for _ in range(_as_time_allows(_MOST_SWEEPS, sum(map(len, places)) // _PLACES_PER_TURN)):
        changed = False
        for label, around in enumerate(places):
            gain = np.array(log_odds[label])
            for number, axis in around:
                states = [out[other] for other in scopes[number]]
                with_label, without = list(states), list(states)
                with_label[axis], without[axis] = np.ones_like(out[label]), np.zeros_like(out[label])
                gain += tables[number][tuple(with_label)] - tables[number][tuple(without)]
            better = np.where(gain == 0, out[label], gain > 0)
            changed |= bool((better != out[label]).any())
            out[label] = better
        if not changed:
            break
    return out.astype(bool)
