import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.svm import contexts


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 70), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_hamming_counts_differing_context_labels(n_labels, n_rows, seed):
    rng = np.random.default_rng(seed)
    Y, Z = rng.integers(0, 2, (2, n_rows, n_labels))
    chosen = np.flatnonzero(rng.integers(0, 2, n_labels))
    mask = contexts.context_mask(chosen, n_labels)
    expected = (Y[:, None, chosen] != Z[None, :, chosen]).sum(axis=2)
    got = contexts.hamming(contexts.pack_labels(Y), contexts.pack_labels(Z), mask)
    assert (got == expected).all()
    packed = contexts.pack_labels(Y) ^ np.zeros(1, np.uint32)
    assert (contexts._count(packed) == [[bin(int(v)).count("1") for v in row] for row in packed]).all()


def test_a_label_is_one_bit_of_one_word():
    Y = np.zeros((1, 40), int)
    Y[0, [0, 31, 32, 39]] = 1
    assert contexts.pack_labels(Y).tolist() == [[2**31 + 1], [2**7 + 1]]
    assert contexts.context_mask([], 40).tolist() == [0, 0]


@pytest.mark.parametrize("labels", [[-1], [3]])
def test_context_labels_outside_are_refused(labels):
    with pytest.raises(ValueError, match=r"0\.\.2"):
        contexts.context_mask(labels, 3)
