"""Shapley values by their definition: all orders, one by one."""

from itertools import permutations
from math import factorial

import numpy as np


def shapley_by_orders(value, n_players):
    """Contributions of players to `value(frozenset of players)`."""
    out = np.zeros(n_players)
    for order in permutations(range(n_players)):
        joined = frozenset()
        for player in order:
            out[player] += value(joined | {player}) - value(joined)
            joined |= {player}
    return out / factorial(n_players)
