"""Every acyclic network over few labels, and the front of them by comparing each with each."""

from __future__ import annotations

from itertools import combinations, product

from bncc.graph import find_cycle


def all_networks(n_labels, max_parents):
    groups = [
        [
            group
            for size in range(max_parents + 1)
            for group in combinations([label for label in range(n_labels) if label != child], size)
        ]
        for child in range(n_labels)
    ]
    return [parents for parents in product(*groups) if find_cycle(parents) is None]


def exhaustive_front(points):
    """The (cost, bits) of a list that no other one beats, bits in 6 decimals."""
    pairs = {(cost, round(bits, 6)) for cost, bits in points}
    beaten = {one for one in pairs for other in pairs if other != one and other[0] <= one[0] and other[1] >= one[1]}
    return sorted(pairs - beaten)
