"""Families and communities of labels written straight from their definitions, with plain loops."""

from itertools import combinations
from math import log2

import numpy as np


def shared_bits(Y, one, other):
    """Mutual information of two label columns, from the four cells of their table."""
    total = 0.0
    for a in (0, 1):
        for b in (0, 1):
            joint = np.mean((Y[:, one] == a) & (Y[:, other] == b))
            if joint > 0:
                total += joint * log2(joint / (np.mean(Y[:, one] == a) * np.mean(Y[:, other] == b)))
    return max(total, 0.0)


def companions(Y, edges, label):
    """The other labels: parents and children first, then by mutual information, then by number."""
    near = {a for edge in edges for a in edge if label in edge} - {label}
    others = [other for other in range(Y.shape[1]) if other != label]
    return sorted(others, key=lambda other: (other not in near, -round(shared_bits(Y, label, other), 10), other))


def families(Y, edges, size):
    """The family of each label."""
    return [tuple(sorted([label, *companions(Y, edges, label)[: size - 1]])) for label in range(Y.shape[1])]


def modularity(groups, weights):
    """Of a partition, for edges with weights: the share of the weight within, less what chance would put there."""
    total = sum(weights.values())
    out = 0.0
    for group in groups:
        within = sum(weight for (a, b), weight in weights.items() if a in group and b in group)
        touching = sum(weight * ((a in group) + (b in group)) for (a, b), weight in weights.items())
        out += within / total - (touching / (2 * total)) ** 2
    return out


def communities(n_labels, weights, max_size):
    """Join the two groups whose union raises modularity most, until none does; as a set of groups."""
    groups = [(label,) for label in range(n_labels)]
    while sum(weights.values()) > 0:
        now, best = modularity(groups, weights), None
        for one, other in combinations(sorted(groups), 2):
            if len(one) + len(other) > max_size:
                continue
            joined = [group for group in groups if group not in (one, other)] + [tuple(sorted(one + other))]
            gain = round(modularity(joined, weights) - now, 10)
            if gain > 0 and (best is None or gain > best[0]):
                best = gain, joined
        if best is None:
            break
        groups = best[1]
    return set(groups)
