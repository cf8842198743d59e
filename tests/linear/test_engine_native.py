import numpy as np
import pytest

from bncc.linear import make_batch, native, plan_blocks, solve
from bncc.linear.engine_native import NativeSettings, solve_plan
from linear_problems import text_like

pytestmark = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")
TEXT, LABELS = text_like(150, 80, 40)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_plan_decides_who_is_side_by_side_and_the_features_the_precision(dtype):
    batch = make_batch(TEXT.astype(dtype), LABELS)
    done = []
    solutions = solve_plan(batch, plan_blocks(batch), NativeSettings(1e-6, 1000, None, ""), 1, done.append)
    assert solutions.weights.dtype == dtype
    assert done[-1] == len(batch)
    assert solutions.costs.seconds.size == 3
    exact = solve(make_batch(TEXT, LABELS), tol=1e-9, engine="numpy")
    assert solutions.objective == pytest.approx(exact.objective, rel=1e-5)


def test_the_environment_names_the_instruction_set(monkeypatch):
    monkeypatch.setenv("BNCC_SIMD", "baseline")
    assert NativeSettings.here(1e-3, 10, None).instructions == "baseline"
    monkeypatch.delenv("BNCC_SIMD")
    assert NativeSettings.here(1e-3, 10, None).instructions == ""


def test_threads_and_blocks_in_flight_change_nothing():
    batch = make_batch(TEXT, LABELS)
    settings = NativeSettings.here(1e-3, 1000, 0.01)
    one, two = (solve_plan(batch, plan_blocks(batch), settings, threads) for threads in (1, 2))
    assert (one.weights != two.weights).nnz == 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ((np.nan, 10, None), "`tol` must be finite and positive"),
        ((0.0, 10, None), "`tol` must be finite and positive"),
        ((1e-3, -5, None), "`max_iter` must not be negative"),
        ((1e-3, 10, np.nan), "`drop` must be finite and not negative"),
    ],
)
def test_what_would_never_end_is_refused(settings, said):
    batch = make_batch(TEXT, LABELS)
    with pytest.raises(ValueError, match=said):
        solve_plan(batch, plan_blocks(batch), NativeSettings(*settings, ""), 1)


def tall(n_rows=2000, n_columns=10, n_labels=20):
    """Dense rows of few features, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    scores = X @ rng.normal(size=(n_columns, n_labels))
    return X, scores + rng.normal(size=scores.shape) * np.sqrt(n_columns) > 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_rows_of_few_features_are_solved_by_some_newton_steps(dtype):
    X, Y = tall()
    for C in (1.0, 100.0):
        batch = make_batch(X.astype(dtype), Y, C=C)
        few = solve(batch)
        assert few.iterations.max() <= 15  # descent takes some dozen passes
        exact = solve(batch, tol=1e-9, engine="numpy")
        assert (few.objective <= exact.objective * (1 + 1e-3)).all()
        one, two = (solve(batch, n_jobs=n_jobs) for n_jobs in (1, 2))
        np.testing.assert_array_equal(one.weights, two.weights)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_paths_from_small_to_large_costs_end_where_each_would_by_itself(loss):
    X, Y = tall(n_labels=5)
    costs = np.geomspace(1e-4, 10.0, 6)  # descent at first, Newton's method later
    number = np.arange(30).reshape(6, 5)
    start = np.concatenate([np.full(5, -1), number[:-1].ravel()])
    target, cost = np.tile(np.arange(5), 6), np.repeat(costs, 5)
    path = solve(make_batch(X, Y, loss=loss, C=cost, target=target, start=start), max_iter=100_000)
    alone = solve(make_batch(X, Y, loss=loss, C=cost, target=target), max_iter=100_000)
    exact = solve(make_batch(X, Y, loss=loss, C=cost, target=target), tol=1e-8, max_iter=10**6)
    for each in (path, alone):
        assert (each.objective <= exact.objective * (1 + 1.1e-3)).all()
