"""The width of the kernel is what sigma, gamma or the data say, for values of any size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from bncc.svm import resolve_gamma

VALUES = np.random.default_rng(0).normal(size=(40, 5))


def test_auto_is_the_scale_of_scikit_learn():
    assert resolve_gamma(VALUES) == pytest.approx(1 / (5 * VALUES.var()))
    assert resolve_gamma(sparse.csr_array(VALUES)) == pytest.approx(1 / (5 * VALUES.var()))


@pytest.mark.parametrize("same", [0.0, 1.0, 1e-200])
def test_values_that_do_not_differ_give_one(same):
    assert resolve_gamma(np.full((3, 2), same)) == 1.0


@settings(max_examples=60, deadline=None)
@given(st.integers(-138, 139))
def test_gamma_follows_the_scale_of_the_values(exponent):
    scale = 10.0**exponent
    got = resolve_gamma(VALUES * scale)
    assert got * scale * scale == pytest.approx(resolve_gamma(VALUES), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_values_beyond_the_doubles_are_refused(scale):
    with pytest.raises(ValueError, match="standard deviation from 1e-140 to 1e140"):
        resolve_gamma(VALUES * scale)
