from __future__ import annotations

import numpy as np
import pytest

from bncc.metrics import binary

COUNTS = tuple(np.array([value]) for value in (6.0, 2.0, 4.0, 8.0))


def test_values_by_hand():
    assert binary.precision(*COUNTS) == pytest.approx(6 / 8)
    assert binary.recall(*COUNTS) == pytest.approx(6 / 10)
    assert binary.jaccard(*COUNTS) == pytest.approx(6 / 12)
    assert binary.f_beta(*COUNTS) == pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6))
    assert binary.f_beta(*COUNTS, beta=2.0) == pytest.approx(5 * 0.75 * 0.6 / (4 * 0.75 + 0.6))


@pytest.mark.parametrize("name", binary.__all__)
def test_undefined_is_nan(name):
    zero = np.zeros(1)
    with np.errstate(invalid="ignore"):
        assert np.isnan(getattr(binary, name)(zero, zero, zero, np.ones(1))).all()


def test_f_is_zero_where_precision_and_recall_are():
    assert binary.f_beta(*(np.array([value]) for value in (0.0, 1.0, 1.0, 0.0))) == 0.0
