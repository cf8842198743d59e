import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from bncc.datasets import load
from bncc.multilabel import MLkNN
from multilabel_behaviour import assert_passes_checks, assert_sensible, draw
from oracles import multilabel as oracle


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("smoothing", [1.0, 0.25])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_equals_the_definition(k, smoothing, form):
    X, Y = draw(60, 4)
    test = draw(30, 4, seed=1)[0]
    fitted = MLkNN(k=k, smoothing=smoothing).fit(form(X), Y)
    expected = oracle.mlknn(X, Y, test, k, smoothing)
    np.testing.assert_allclose(fitted.predict_proba(form(test)), expected, rtol=1e-12)
    np.testing.assert_array_equal(fitted.predict(form(test)), expected > 0.5)
    np.testing.assert_allclose(fitted.decision_function(form(test)), np.log(expected / (1 - expected)), atol=1e-10)


def test_equals_the_definition_on_real_data(data_folder):
    data = load(data_folder / "emotions")
    X, Y = np.asarray(data.X)[:160], np.asarray(data.Y)[:160]
    X = X / np.abs(X).max(axis=0)
    expected = oracle.mlknn(X[:120], Y[:120], X[120:], 10, 1.0)
    fitted = MLkNN().fit(X[:120], Y[:120])
    np.testing.assert_array_equal(fitted.predict(X[120:]), expected > 0.5)
    np.testing.assert_allclose(fitted.predict_proba(X[120:]), expected, rtol=1e-12)


def test_a_row_is_not_its_own_neighbour_even_among_equal_rows():
    X = np.repeat(np.arange(4.0), 3)[:, None]
    Y = (np.arange(12) % 2)[:, None]
    fitted = MLkNN(k=2).fit(X, Y)
    around = NearestNeighbors(n_neighbors=2).fit(X).kneighbors(return_distance=False)
    assert all(row not in own for row, own in enumerate(around))
    total = (fitted.conditional_[1, 0] * (3 + 6) - 1).round(9)
    assert total.tolist() == np.bincount(Y[around[Y[:, 0] == 1]].sum(axis=(1, 2)), minlength=3).tolist()


def test_tables_are_probabilities():
    X, Y = draw(50, 3)
    fitted = MLkNN(k=4).fit(X, Y)
    np.testing.assert_allclose(fitted.conditional_.sum(axis=2), 1)
    np.testing.assert_allclose(fitted.prior_, (Y.sum(axis=0) + 1) / 52)


def test_unknown_labels():
    X, Y = draw(50, 2)
    lost = Y.astype(float)
    lost[:20, 0] = np.nan
    fitted = MLkNN(k=3).fit(X, lost)
    np.testing.assert_allclose(fitted.prior_[0], (Y[20:, 0].sum() + 1) / 32)


def test_few_rows():
    X, Y = draw(3, 2)
    assert MLkNN(k=10).fit(X, Y).conditional_.shape == (2, 2, 3)
    assert MLkNN().fit(X[:1], Y[:1]).predict(X).shape == (3, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"k": 0}, "`k` must be a whole number"), ({"smoothing": 0}, "`smoothing` must be a number above 0; got 0")],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        MLkNN(**options).fit(*draw())


def test_behaviour():
    assert_sensible(MLkNN(k=3))
    assert_passes_checks(MLkNN(k=3))
