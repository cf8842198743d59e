"""Features and costs of extreme sizes: the problem of a scaled X is that of X at another C, or it is refused."""

import numpy as np
import pytest
from scipy import sparse

from bncc.linear import LinearSVC, LogisticRegression, Status, make_batch, native, solve
from linear_problems import objective, weights_of

needs_extension = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 4))
Y = (X[:, 0] + 0.3 * RANDOM.normal(size=60) > 0).astype(int)
CLASSIFIERS = [LinearSVC, LogisticRegression]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("scale", [1e-149, 1e-60, 1e-9, 1e9, 1e60, 1e149])
def test_the_scale_of_features_is_that_of_the_cost(classifier, scale):
    expected = classifier(C=1.0, fit_intercept=False, tol=1e-6).fit(X, Y).decision_function(X)
    scaled = classifier(C=1.0 / scale / scale, fit_intercept=False, tol=1e-6).fit(X * scale, Y)
    np.testing.assert_allclose(scaled.decision_function(X * scale), expected, atol=1e-2)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize(("size", "cost"), [(-140, 290), (-100, 250), (0, 30), (0, 250), (50, 150), (130, 10)])
def test_a_large_cost_finds_what_a_cost_that_is_large_enough_finds(classifier, size, cost):
    expected = classifier(C=1e6, fit_intercept=False, tol=1e-6, max_iter=5000).fit(X, Y).decision_function(X)
    model = classifier(C=10.0**cost, fit_intercept=False, max_iter=5000).fit(X * 10.0**size, Y)
    decisions = model.decision_function(X * 10.0**size)
    clear = np.abs(expected) > 0.05
    assert (np.sign(decisions) == np.sign(expected))[clear].all()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_columns_far_from_zero_are_not_rounded_away(classifier, form):
    far = form(X + 1e7)  # whole numbers, in single precision
    expected = classifier(tol=1e-9).fit(far, Y).decision_function(far)
    decisions = classifier().fit(far, Y).decision_function(far)
    clear = np.abs(expected) > 0.1
    assert (np.sign(decisions) == np.sign(expected))[clear].all()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize(
    ("settings", "scale", "message"),
    [
        ({}, 1e200, r"largest value of X must lie in 1e-150..1e.150"),
        ({"fit_intercept": False}, 1e-200, r"largest value of X must lie in 1e-150..1e.150"),
        ({"C": 1e200}, 1e100, "C times a weight times the largest squared value"),
        ({"C": 1e305}, 1.0, "`C` must lie in"),
        ({"C": 10**400}, 1.0, "`C` must be a positive number"),
        ({"C": "much"}, 1.0, "`C` must be a positive number"),
        ({"max_iter": 2**70}, 1.0, "`max_iter` must be at most 4611686018427387904"),
        ({"max_iter": 1.5}, 1.0, "`max_iter` must be a whole number"),
        ({"n_jobs": 2**40}, 1.0, "`n_jobs` must be None, -1"),
        ({"tol": "small"}, 1.0, "`tol` must be a positive number"),
        ({"intercept_scaling": 1e200}, 1.0, "`intercept_scaling` must lie in"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_limits(classifier, settings, scale, message):
    with pytest.raises(ValueError, match=message):
        classifier(**settings).fit(X * scale, Y)


def far_columns():
    random = np.random.default_rng(1)
    X = random.normal(size=(100, 20))
    return X + 1e5, X @ random.normal(size=20) > 0, np.ones(100)


def heavy_rows():
    random = np.random.default_rng(50)
    X = random.normal(size=(100, 20))
    return X, X @ random.normal(size=20) > 0, 10.0 ** random.uniform(0, 8, 100)


def heavy_class(weight):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 6))
    y = random.random(60) < 0.5
    return X, y, np.where(y, 1.0, weight)


@pytest.mark.parametrize("engine", ["numpy", pytest.param("native", marks=needs_extension)])
@pytest.mark.parametrize(
    ("data", "C", "minimum"),  # found in extended precision
    [
        (far_columns(), 1e4, 7.469685063534),
        (far_columns(), 1e6, 7.470118175694),
        (heavy_rows(), 1e4, 46.12080263071),
        (heavy_class(1e12), 1.0, 100.4999999999),
        (heavy_class(1e15), 1.0, 100.5),
        (heavy_class(1e16), 1.0, 100.5),
        (heavy_class(1e20), 1.0, 100.5),
        (heavy_class(1e50), 1.0, 100.5),
    ],
    ids=[
        "far columns",
        "far columns, large C",
        "heavy rows",
        *(f"a class of weight 1e{k}" for k in (12, 15, 16, 20, 50)),
    ],
)
def test_no_failure_is_silent(engine, data, C, minimum):
    """Where a cost times the square of a row is large, a gradient is rounding, and a small step proves nothing."""
    X, y, weights = data
    batch = make_batch(X, y, C=C, weights=weights)
    solutions = solve(batch, engine=engine)
    value = float(objective(batch, 0, weights_of(batch, solutions, 0).astype(np.longdouble)))
    assert solutions.dual_objective[0] <= minimum * (1 + 1e-5)
    if solutions.status[0] == Status.CONVERGED:
        assert value <= minimum * (1 + 1.01e-3)
        assert solutions.objective[0] - solutions.dual_objective[0] <= 1e-3 * value
    else:
        assert engine == "numpy"
        assert weights.max() >= 1e20  # all else is solved
