from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from bncc.metrics import label_propensities, ps_precision_at_k
from bncc.metrics.propensities import read_propensities
from oracles import metrics as oracle


@pytest.mark.parametrize(("A", "B"), [(0.55, 1.5), (0.5, 0.4), (0.6, 2.6)])
def test_equals_the_formula(A, B):
    Y = np.random.default_rng(0).random((200, 12)) < np.linspace(0, 1, 12)
    expected = [oracle.propensity(int(count), 200, A, B) for count in Y.sum(axis=0)]
    assert label_propensities(Y, A=A, B=B) == pytest.approx(expected, rel=1e-12)
    assert label_propensities(sparse.csr_array(Y), A=A, B=B) == pytest.approx(expected, rel=1e-12)


def test_frequent_labels_are_rarely_missed():
    values = label_propensities(np.triu(np.ones((50, 50), int)))
    assert (np.diff(values) > 0).all()
    assert ((values > 0) & (values < 1)).all()


@pytest.mark.parametrize("n_rows", [1, 2])
def test_few_rows_give_ones(n_rows):
    assert label_propensities(np.eye(n_rows, 3, dtype=int)).tolist() == [1, 1, 1]


@pytest.mark.parametrize("constants", [{"A": -1}, {"B": 0}, {"A": np.nan}, {"B": np.inf}])
def test_bad_constants(constants):
    with pytest.raises(ValueError, match="`A` must be a number"):
        label_propensities([[1, 0]], **constants)


@pytest.mark.parametrize(
    ("propensities", "message"),
    [([0.5], "one number per label"), ([0.5, 0.0], "above 0"), ([0.5, 1.5], "not above 1"), ([0.5, np.nan], "above 0")],
)
def test_bad_propensities(propensities, message):
    with pytest.raises(ValueError, match=message):
        ps_precision_at_k([[1, 0]], [[1, 2]], propensities=propensities)


def test_none_takes_those_of_the_rows_at_hand():
    rng = np.random.default_rng(1)
    true, scores = rng.random((30, 6)) < 0.4, rng.random((30, 6))
    given = ps_precision_at_k(true, scores, k=2, propensities=label_propensities(true))
    assert ps_precision_at_k(true, scores, k=2) == given


def test_propensities_of_unknown_labels_are_asked_for():
    partly = [[1, float("nan")], [0, 1]]
    assert read_propensities([0.5, 0.5], partly, 2).tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match=r"`Y_true` has labels that are not known"):
        read_propensities(None, partly, 2)
