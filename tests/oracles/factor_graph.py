"""Factor graphs by brute force: every label set and its weight."""

from itertools import product

import numpy as np


def weights_of_sets(graph, log_odds):
    """All label sets (n_sets, n_labels), and their probabilities for one row of log odds."""
    sets = np.array(list(product((0, 1), repeat=graph.n_labels)))
    logs = sets @ log_odds
    for factor in graph.factors:
        logs = logs + np.array([factor.log_table[tuple(row[list(factor.labels)])] for row in sets])
    weights = np.exp(logs - logs.max())
    return sets, weights / weights.sum()
