"""Hypothesis strategies shared by tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def label_matrices(draw, min_labels=1, max_labels=5, max_rows=24):
    """Small 0/1 matrices with repeated, complementary and constant columns among them."""
    n = draw(st.integers(1, max_rows))
    m = draw(st.integers(min_labels, max_labels))
    columns = []
    for j in range(m):
        kind = draw(st.sampled_from(["free", "free", "free", "same", "opposite", "constant"])) if j else "free"
        if kind == "same":
            columns.append(columns[draw(st.integers(0, j - 1))])
        elif kind == "opposite":
            columns.append(1 - columns[draw(st.integers(0, j - 1))])
        elif kind == "constant":
            columns.append(np.full(n, draw(st.integers(0, 1))))
        else:
            columns.append(np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))))
    return np.column_stack(columns).astype(np.int8)


@st.composite
def digraphs(draw, max_nodes=7):
    """(n_nodes, edges, weights) with ties among the weights."""
    n = draw(st.integers(1, max_nodes))
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    weights = draw(st.lists(st.integers(0, 4), min_size=len(edges), max_size=len(edges)))
    return n, edges, [w / 4 for w in weights]
