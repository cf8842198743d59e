"""Numbers of extreme sizes: decisions are those of double precision, or there is an error or a warning that says so."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from bncc import BinaryRelevance, ClassifierChain, KernelSVC
from bncc.svm import make_batch, native, solve, squared_distances
from bncc.svm.precision import MARGIN, longest_multipliers
from extreme_problems import KINDS, Extreme, make_extreme

FOUR = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
CLEAR = 0.05  # signs of smaller decisions are within the tolerances of both sides


def reference_of(problem: Extreme) -> np.ndarray:
    """Decisions of LIBSVM, from kernel values in double precision that nothing has cancelled in."""
    gamma, X = problem.reference_settings["gamma"], problem.reference_X
    kernels = [np.exp(-gamma * cdist(rows, X, "sqeuclidean")) for rows in (X, problem.reference_new)]
    model = SVC(C=problem.reference_settings["C"], kernel="precomputed", max_iter=3_000_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(kernels[0], problem.y, problem.reference_weight).decision_function(kernels[1])


def check(problem: Extreme) -> bool:
    """Whether it was warned of; signs must be right where it was not."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = KernelSVC(**problem.settings).fit(problem.X, problem.y, problem.weight)
        decisions = model.decision_function(problem.new)
    if any(issubclass(each.category, ConvergenceWarning) for each in caught):
        return True
    assert not caught, caught[0].message
    expected = reference_of(problem)
    clear = np.abs(expected) > CLEAR
    wrong = (np.sign(decisions) != np.sign(expected)) & clear
    assert not wrong.any(), (problem.kind, problem.settings, decisions[wrong], expected[wrong])
    return False


@pytest.mark.parametrize("seed", range(3 * len(KINDS)))
def test_signs_are_those_of_double_precision(seed):
    check(make_extreme(seed))


@pytest.mark.slow
@pytest.mark.parametrize("kind", range(len(KINDS)), ids=[kind.__name__ for kind in KINDS])
def test_signs_of_a_thousand_problems_are_those_of_double_precision(kind):
    seeds = range(1000 + kind, 1000 + 143 * len(KINDS), len(KINDS))
    warned = [check(make_extreme(seed)) for seed in seeds]
    assert sum(warned) <= 0.05 * len(warned), "most problems are solved, not warned of"


@pytest.mark.parametrize("C", [1e11, 1e14, 1e100, 1e300])
@pytest.mark.parametrize("engine", ["numpy", "cpu"])
def test_a_large_cost_is_that_of_separable_rows(C, engine):
    X, y = FOUR
    expected = SVC(C=1e9).fit(X, y).decision_function(X)
    np.testing.assert_allclose(KernelSVC(C=C, engine=engine).fit(X, y).decision_function(X), expected, atol=2e-3)
    by_weight = KernelSVC(engine=engine).fit(X, y, sample_weight=np.full(4, C))
    np.testing.assert_allclose(by_weight.decision_function(X), expected, atol=2e-3)


@pytest.mark.parametrize("seed", range(5))
def test_separable_problems_are_separated_at_any_cost(seed):
    X, y = make_classification(40, 4, n_redundant=0, class_sep=3.0, flip_y=0.0, random_state=seed)
    expected = SVC(C=1e9).fit(X, y)
    model = KernelSVC(C=1e12).fit(X, y)
    assert (model.predict(X) == y).all()
    np.testing.assert_allclose(model.decision_function(X), expected.decision_function(X), atol=5e-3)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("scale", [1e-135, 1e-20, 1e-5, 1e20, 1e135])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_scale_of_features_does_not_matter(scale, form, kernel):
    random = np.random.default_rng(3)
    X = random.standard_normal((60, 3)) * (random.random((60, 3)) < 0.7)
    y = (X[:, 0] + 0.3 * random.standard_normal(60) > 0).astype(int)
    C = 1.0 if kernel == "rbf" else 0.5
    expected = KernelSVC(kernel=kernel, C=C).fit(X, y).decision_function(X)
    if kernel == "linear":  # C and features stand for each other; the labels' part of a kernel is not in play
        C = C / scale / scale
    model = KernelSVC(kernel=kernel, C=C).fit(form(X * scale), y)
    np.testing.assert_allclose(model.decision_function(form(X * scale)), expected, atol=5e-3)


def test_labels_as_context_keep_their_place_beside_tiny_features():
    """The kernel sees features of size 1e-20 and labels of size 1: rows of other labels are infinitely far."""
    random = np.random.default_rng(0)
    X = random.standard_normal((50, 2))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, (X[:, 0] > 0) ^ (X[:, 1] > 0)]).astype(int)
    model = ClassifierChain(KernelSVC(C=100.0)).fit(X * 1e-20, Y)
    assert (model.predict(X * 1e-20) == Y).mean() > 0.97
    wide = BinaryRelevance(KernelSVC(C=100.0)).fit(X, Y).decision_function(X)
    np.testing.assert_allclose(
        BinaryRelevance(KernelSVC(C=100.0)).fit(X * 1e-20, Y).decision_function(X * 1e-20), wide, atol=5e-3
    )


@pytest.mark.parametrize(
    ("settings", "scale", "message"),
    [
        ({}, 1e300, "must lie in 1e-140..1e.140 in size"),
        ({}, 1e-300, "must lie in 1e-140..1e.140 in size"),
        ({"gamma": 1.0}, 1e300, "must lie in 1e-140..1e.140 in size"),
        ({"gamma": 1.0}, 1e-300, "must lie in 1e-140..1e.140 in size"),
        ({"sigma": 1e200}, 1.0, "`sigma` must lie in 1e-150..1e.150"),
        ({"sigma": 1e-200}, 1.0, "`sigma` must lie in 1e-150..1e.150"),
        ({"gamma": 1e305}, 1.0, "`gamma` must lie in"),
        ({"C": 1e305}, 1.0, "`C` must lie in"),
        ({"C": 10**400}, 1.0, "`C` must be a positive number"),
        ({"C": "much"}, 1.0, "`C` must be a positive number"),
        ({"max_iter": 2**70}, 1.0, "`max_iter` must be at most 4611686018427387904"),
        ({"max_iter": 1.5}, 1.0, "`max_iter` must be a whole number"),
        ({"cache_size": 1e300}, 1.0, "`cache_size` must lie in"),
        ({"cache_size": None}, 1.0, "`cache_size` must be a positive number"),
        ({"n_jobs": 2**40}, 1.0, "`n_jobs` must be None, -1"),
        ({"n_jobs": 1.5}, 1.0, "`n_jobs` must be None, -1"),
        ({"tol": 1e300}, 1.0, "`tol` must lie in"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_limits(settings, scale, message):
    X, y = FOUR
    with pytest.raises(ValueError, match=message):
        KernelSVC(**settings).fit(X * scale, y)
    with pytest.raises(ValueError, match=message):
        BinaryRelevance(KernelSVC(**settings)).fit(X * scale, y[:, None])


def test_cost_times_weight_stays_within_the_doubles():
    X, y = FOUR
    with pytest.raises(ValueError, match=r"`C` times a weight must lie in 1e-300..1e.300"):
        KernelSVC(C=1e200).fit(X, y, sample_weight=np.full(4, 1e200))
    tiny = KernelSVC(C=1e-300).fit(X, y)
    assert np.isfinite(tiny.decision_function(X)).all()


def test_a_problem_out_of_reach_is_warned_of():
    """Duplicates of both classes: multipliers grow to the box, far beyond what double precision bears."""
    random = np.random.default_rng(0)
    X = np.vstack([random.standard_normal((10, 2))] * 2)
    y = np.repeat([0, 1], 10)
    y[:3] = 1
    with pytest.warns(ConvergenceWarning, match="ended short of `tol`"):
        KernelSVC(C=1e200, gamma=1e-3, max_iter=20_000).fit(X + 1e-9 * random.standard_normal(X.shape), y)


@pytest.mark.skipif(native.extension() is None, reason="compares with the compiled solver")
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_the_solver_in_numpy_is_that_in_cpp(kernel, monkeypatch):
    random = np.random.default_rng(4)
    X = random.standard_normal((40, 3)) * 1e-30
    y = np.where(X[:, 0] > 0, 1, -1)
    C = 10.0 if kernel == "rbf" else 1e60
    batch = make_batch(squared_distances(X), y, gamma=1e60, C=C, kernel=kernel)
    compiled = solve(batch, engine="native")
    assert compiled.precise.all()
    monkeypatch.setattr("bncc.svm.precision.extension", lambda: None)
    plain = solve(batch, engine="numpy")
    np.testing.assert_allclose(plain.objective, compiled.objective, rtol=1e-3)
    np.testing.assert_allclose(plain.bias, compiled.bias, atol=2e-3)


def test_single_precision_is_what_ordinary_data_get():
    random = np.random.default_rng(5)
    X = random.standard_normal((300, 20))
    for C in (0.01, 1.0, 100.0):
        model = KernelSVC(C=C).fit(X, (X[:, 0] > 0).astype(int))
        assert model._model.solutions.precise is None
        assert model._model.batch.distances.points.exact is None
    batch = make_batch(squared_distances(X), np.where(X[:, 0] > 0, 1, -1), gamma=0.05, C=1.0)
    assert (longest_multipliers(batch) * 1e-7 < MARGIN).all()
