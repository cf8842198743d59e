"""Decisions from a joint distribution by looking at every label set, straight from the definitions."""

from itertools import product

import numpy as np


def all_sets(n_labels):
    return np.array(list(product((0, 1), repeat=n_labels)), np.int8)


def joint_probability(answer, order, row):
    """P(y) of every label set of one row: the product of the chain's factors."""
    sets = all_sets(len(order))
    out = np.ones(len(sets))
    for i, labels in enumerate(sets):
        known = np.zeros((1, len(order)), np.int8)
        for place, label in enumerate(order):
            p = answer(place, np.array([row]), known)[0]
            out[i] *= p if labels[label] else 1 - p
            known[0, label] = labels[label]
    return sets, out


def f1(true, predicted, zero_division=1.0):
    total = true.sum() + predicted.sum()
    return 2 * (true & predicted).sum() / total if total else zero_division


def expected_f1(sets, probability, predicted, zero_division=1.0):
    return sum(p * f1(labels, predicted, zero_division) for labels, p in zip(sets, probability, strict=True))
