"""Label matrices to deal out, and what each fold got of them."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays


def power_law(n_rows, n_labels, cardinality=3.0, seed=0):
    rng = np.random.default_rng(seed)
    odds = 1 / np.arange(1, n_labels + 1)
    return (rng.random((n_rows, n_labels)) < np.minimum(odds * cardinality / odds.sum(), 0.6)).astype(np.uint8)


def counts_of(folds, Y, n_folds):
    return np.array([np.asarray(Y)[folds == fold].sum(axis=0) for fold in range(n_folds)])


small_label_matrices = st.tuples(st.integers(4, 24), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.sampled_from([0, 0, 1]))
)
