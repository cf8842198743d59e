"""Hypothesis strategies for small label matrices and scores with many ties and empty rows and labels."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

shapes = st.tuples(st.integers(1, 7), st.integers(1, 5))


@st.composite
def label_pairs(draw):
    """A true and a predicted label matrix of one shape."""
    shape = draw(shapes)
    cells = arrays(np.uint8, shape, elements=st.integers(0, 1))
    return draw(cells), draw(cells)


@st.composite
def scored_labels(draw):
    """A label matrix and scores of its shape; few distinct scores, so that ties are common."""
    shape = draw(shapes)
    true = draw(arrays(np.uint8, shape, elements=st.integers(0, 1)))
    return true, draw(arrays(np.float64, shape, elements=st.sampled_from([-1.0, 0.0, 0.25, 0.5, 2.0])))


@st.composite
def weights(draw, n_rows):
    """Row weights, zeros included, not all zero."""
    values = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n_rows, max_size=n_rows))
    return np.array(values) if any(values) else np.ones(n_rows)
