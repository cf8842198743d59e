"""From the probabilities of links to label sets: greedy, beam, exhaustive and sampled inference in a chain.

A chain factorises the joint distribution of the labels, ``P(y | x) = prod_l P(y_l | x, labels before l)``. Everything
here asks for these factors through one function, ``answer(position, rows, known)``: the probability that the label at
this position of the chain holds, for some rows (an index array; a row may come several times) and the labels known so
far (array of shape (len(rows), n_labels), 0 where nothing is known yet).

Inference makes a `Joint`, label sets of each row with their probabilities; a decision rule picks a set from it. Cost
in answers per row: M for greedy, 2^M - 1 for exhaustive, at most M w for a beam of width w, at most M S for S samples;
`ask_once` asks equal states once.

Sources: Dembczynski, Cheng, Huellermeier 2010 (probabilistic chains, what each loss asks for); Kumar et al. 2013
(beam); Read, Martino, Luengo 2014 (sampling); Dembczynski et al. 2011 (maximiser of the expected F-measure).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Array, Bools, Floats, Longs, Signs

__all__ = [
    "EXHAUSTIVE_LIMIT",
    "Answer",
    "Joint",
    "ask_once",
    "beam_joint",
    "best_f1",
    "check_exhaustive",
    "draw_points",
    "exhaustive_joint",
    "mode",
    "sampled_joint",
]

Answer = Callable[[int, Longs, Signs], Floats]

#: Most labels for which all label sets are enumerated (32,768 of them for every row).
EXHAUSTIVE_LIMIT = 15
_SIZES = 256  # of label sets that are looked at beside every label at a time


@dataclass(frozen=True, eq=False)
class Joint:
    """Label sets of each row, and how likely they are.

    Attributes
    ----------
    labels : array of shape (n_rows, n_sets, n_labels), int8
    log_probability : array of shape (n_rows, n_sets)
        Of the set, by the chain.
    weight : array of shape (n_rows, n_sets)
        How much a set counts in expectations; sums to 1 over the sets of a row.
    marginal : array of shape (n_rows, n_labels)
        Probability of each label.
    """

    labels: Signs
    log_probability: Floats
    weight: Floats
    marginal: Floats


def exhaustive_joint(answer: Answer, order: Sequence[int], n_rows: int) -> Joint:
    """All 2^M label sets with their exact probabilities.

    >>> import numpy as np
    >>> both_or_none = lambda position, rows, known: np.where(position == 0, 0.5, 0.1 + 0.8 * known[:, 0])
    >>> joint = exhaustive_joint(both_or_none, (0, 1), n_rows=1)
    >>> joint.labels[0].tolist(), joint.weight[0].round(2).tolist()
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [0.45, 0.05, 0.05, 0.45])
    """
    check_exhaustive(len(order))
    return beam_joint(answer, order, n_rows, 2 ** len(order))


def check_exhaustive(n_labels: int) -> None:
    """Refuse to enumerate the label sets of too many labels."""
    if n_labels > EXHAUSTIVE_LIMIT:
        raise ValueError(
            f"Exhaustive inference is limited to {EXHAUSTIVE_LIMIT} labels (2^{EXHAUSTIVE_LIMIT} label sets per row); "
            f"got {n_labels}. Use 'beam' or 'monte_carlo'."
        )


def beam_joint(answer: Answer, order: Sequence[int], n_rows: int, width: int) -> Joint:
    """The most probable label sets that a beam search finds: at each link only the `width` best partial sets go on.

    Exact when `width` is at least 2^M; weights are normalised over the sets that are left. A marginal is the mean of
    the label's conditional probability over the partial sets that reach its link. Ties go to the set that lacks the
    first label, in chain order, in which they differ, as long as the beam drops nothing.
    """
    labels = np.zeros((n_rows, 1, len(order)), np.int8)
    score = np.zeros((n_rows, 1))
    marginal = np.zeros((n_rows, len(order)))
    for position, label in enumerate(order):
        n_sets = labels.shape[1]
        rate = answer(position, np.repeat(np.arange(n_rows), n_sets), labels.reshape(-1, len(order)))
        rate = rate.reshape(n_rows, n_sets)
        marginal[:, label] = (_shares(score) * rate).sum(axis=1)
        # Absent first: of two equally probable sets the one without the label is kept.
        step = np.stack(_logs(rate), axis=2)
        score = (score[:, :, None] + step).reshape(n_rows, 2 * n_sets)
        labels = np.repeat(labels, 2, axis=1)
        labels[:, 1::2, label] = 1
        if 2 * n_sets > width:
            best = np.argsort(-score, axis=1, kind="stable")[:, :width]
            score = np.take_along_axis(score, best, axis=1)
            labels = np.take_along_axis(labels, best[:, :, None], axis=1)
    return Joint(labels, score, _shares(score), marginal)


def sampled_joint(answer: Answer, order: Sequence[int], n_rows: int, points: Floats) -> Joint:
    """Label sets drawn along the chain, after the greedy one, which counts in the search for the mode only.

    `points` of shape (n_samples, n_labels), uniform in [0, 1), decide the draws (`draw_points`) and are the same for
    every row, so that the answer for a row depends on that row alone. A marginal is the mean of the label's
    conditional probability over the samples, which varies less than the share of samples that have it.
    """
    n_sets = 1 + len(points)
    labels = np.zeros((n_rows, n_sets, len(order)), np.int8)
    score = np.zeros((n_rows, n_sets))
    marginal = np.zeros((n_rows, len(order)))
    rows = np.repeat(np.arange(n_rows), n_sets)
    for position, label in enumerate(order):
        rate = answer(position, rows, labels.reshape(-1, len(order))).reshape(n_rows, n_sets)
        marginal[:, label] = rate[:, 1:].mean(axis=1)
        holds = np.concatenate([[0.5], points[:, position]]) < rate
        absent, present = _logs(rate)
        score += np.where(holds, present, absent)
        labels[:, :, label] = holds
    weight = np.full((n_rows, n_sets), 1.0 / len(points))
    weight[:, 0] = 0.0
    return Joint(labels, score, weight, marginal)


def draw_points(n_samples: int, n_labels: int, random: np.random.RandomState) -> Floats:
    """Uniform points, each coordinate spread evenly over the samples (Latin hypercube).

    >>> sorted((draw_points(4, 1, np.random.RandomState(0))[:, 0] * 4).astype(int).tolist())
    [0, 1, 2, 3]
    """
    strata = np.stack([random.permutation(n_samples) for _ in range(n_labels)], axis=1)
    return (strata + random.random_sample(strata.shape)) / n_samples


def mode(joint: Joint) -> Bools:
    """The most probable label set of each row: what subset accuracy asks for. Ties go to the first set."""
    best = joint.log_probability.argmax(axis=1)
    return joint.labels[np.arange(len(best)), best].astype(bool)


def best_f1(joint: Joint, *, zero_division: float = 1.0) -> Bools:
    """The label set of each row with the largest expected F1, over all 2^M sets.

    For a set of k labels, the expected F1 is a sum over its labels of ``E[2 y_l / (k + |y|)]``, so the best set of
    each size is made of the labels where this is largest (Dembczynski et al. 2011), and the best size is taken.

    Parameters
    ----------
    zero_division : float, default=1.0
        What F1 counts when neither the true nor the predicted set has a label; the default is that of `example_f1`.
        With 0 the empty set never pays. Ties go to the smaller set, then to the lower labels.

    >>> labels = np.array([[[1, 0, 0], [1, 1, 0], [0, 1, 0]]], np.int8)
    >>> weight = np.array([[0.4, 0.25, 0.35]])
    >>> best_f1(Joint(labels, np.log(weight), weight, weight @ labels[0])).astype(int).tolist()
    [[1, 1, 0]]
    """
    n_rows, _, n_labels = joint.labels.shape
    size = joint.labels.sum(axis=2, dtype=np.int64)
    # No label that is in none of the sets can raise the expectation.
    widest = max(1, int(joint.labels.any(axis=1).sum(axis=1).max(initial=0)))
    empty = zero_division * np.where(size == 0, joint.weight, 0.0).sum(axis=1)
    best, out = empty.round(12), np.zeros((n_rows, n_labels), bool)
    for start in range(0, widest, _SIZES):
        sizes = np.arange(start + 1, min(start + _SIZES, widest) + 1)
        ranked, total = _best_of_sizes(joint, size, sizes)
        chosen = total.argmax(axis=1)
        value = total[np.arange(n_rows), chosen]
        better = np.flatnonzero(value > best)
        held = np.zeros((better.size, n_labels), bool)
        in_set = np.arange(n_labels) < sizes[chosen[better], None]
        np.put_along_axis(held, ranked[better, :, chosen[better]], in_set, axis=1)
        best[better], out[better] = value[better], held
    return out


def _best_of_sizes(joint: Joint, size: Longs, sizes: Longs) -> tuple[Longs, Floats]:
    """Labels by what they add to a set of each of some sizes (n_rows, n_labels, n_sizes), and the best sets' values."""
    factor = 2.0 * joint.weight[:, :, None] / (size[:, :, None] + sizes)
    gain = joint.labels.transpose(0, 2, 1).astype(np.float64) @ factor
    ranked = np.argsort(-gain, axis=1, kind="stable")
    total = np.take_along_axis(gain, ranked, axis=1).cumsum(axis=1)[:, sizes - 1, np.arange(sizes.size)]
    # Sums that differ by rounding alone are ties.
    return ranked, total.round(12)


def ask_once(answer: Answer, contexts: Sequence[Sequence[int]]) -> Answer:
    """The same answers, with states that a link cannot tell apart (same row, same context) asked once."""

    def asked(position: int, rows: Longs, known: Signs) -> Floats:
        seen = np.packbits(known[:, list(contexts[position])].astype(bool), axis=1)
        key = np.ascontiguousarray(np.hstack([rows.astype(">i8").view(np.uint8).reshape(-1, 8), seen]))
        flat: Array = key.view(f"V{key.shape[1]}").ravel()
        _, first, back = np.unique(flat, return_index=True, return_inverse=True)
        return answer(position, rows[first], known[first])[back.ravel()]

    return asked


def _logs(rate: Floats) -> tuple[Floats, Floats]:
    """Logarithms of the probability that the label is absent, and present."""
    with np.errstate(divide="ignore"):
        return np.log1p(-rate), np.log(rate)


def _shares(score: Floats) -> Floats:
    """Probabilities that are proportional to exp(score) and sum to 1 in each row."""
    weight: Floats = np.exp(score - score.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)
