import numpy as np
import pytest

from bncc._missing import is_missing


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), np.datetime64("NaT", "s")])
def test_missing(value):
    assert is_missing(value)


def test_missing_values_of_pandas():
    pandas = pytest.importorskip("pandas")
    assert is_missing(pandas.NA)
    assert is_missing(pandas.NaT)


@pytest.mark.parametrize("value", [0, "", False, "nan", [], np.zeros(3)])
def test_not_missing(value):
    assert not is_missing(value)
