import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from bncc.svm import (
    Status,
    choose_engine,
    context_mask,
    make_batch,
    native,
    pack_labels,
    solve,
    squared_distances,
    walk,
)
from oracles.kernels import gram, violation

needs_extension = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")


def toy(seed=0, n=60, d=3, n_labels=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = (X @ rng.normal(size=(d, n_labels)) + rng.normal(size=(n, n_labels)) > 0.3).astype(int)
    Y[0], Y[1] = 0, 1
    return X, Y


def chain_batch(X, Y, **given):
    M = Y.shape[1]
    return make_batch(
        squared_distances(X, cache_size=given.pop("cache_size", 2000.0)),
        np.where(Y.T > 0, 1, -1),
        words=pack_labels(Y),
        context=np.stack([context_mask(range(j), M) for j in range(M)]),
        **given,
    )


def dense_alpha(batch, solution, problem):
    alpha = np.zeros(batch.n_rows)
    alpha[solution.support] = solution.coef * batch.targets[batch.target[problem], solution.support]
    return alpha


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), gamma=st.sampled_from([1e-5, 0.1, 1.0, 20.0]), C=st.sampled_from([0.5, 100.0]))
def test_solutions_satisfy_the_optimality_conditions(engine, seed, gamma, C):
    X, Y = toy(seed, n=30, n_labels=3)
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], 30)
    weights[:2] = 1.0
    batch = chain_batch(X, Y, gamma=gamma, C=C, weights=weights)
    for problem, solution in enumerate(solve(batch, engine=engine, tol=1e-3)):
        assert solution.status is Status.CONVERGED
        y = batch.targets[problem].astype(float)
        alpha, bound = dense_alpha(batch, solution, problem), batch.bounds(problem)
        assert (alpha >= 0).all()
        assert (alpha <= bound).all()
        assert abs(alpha @ y) < 1e-6 * C
        K = gram(X, Y, range(problem), gamma)
        assert violation(K, y, alpha, bound) < 1.1e-3 + 2e-6 * alpha.sum()
        f = y - K @ (alpha * y)
        assert solution.objective == pytest.approx(-0.5 * (alpha * (1 + y * f)).sum(), rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_solutions_agree_with_libsvm_on_features_with_context(engine, kernel):
    X, Y = toy()
    batch = chain_batch(X, Y, gamma=0.3, C=2.0, kernel=kernel)
    solutions = solve(batch, engine=engine, tol=1e-5)
    d2 = batch.distances.matrix
    for problem, solution in enumerate(solutions):
        wide = np.hstack([X, Y[:, :problem]])
        reference = SVC(C=2.0, kernel=kernel, gamma=0.3, tol=1e-5).fit(wide, Y[:, problem])
        # Support may differ by rows whose coefficient is next to nothing.
        both = np.zeros((2, len(X)))
        both[0, solution.support], both[1, reference.support_] = solution.coef, reference.dual_coef_[0]
        if kernel == "rbf":
            np.testing.assert_allclose(both[0], both[1], atol=2e-3)
        decision = walk(batch, solutions, d2, [[problem]], words=batch.words, engine=engine)[0][:, 0]
        np.testing.assert_allclose(decision, reference.decision_function(wide), atol=1e-3)


@needs_extension
def test_both_engines_give_the_same_solutions():
    X, Y = toy(3, n=150, n_labels=40)
    batch = chain_batch(X, Y, gamma=0.2, C=10.0)
    fast, plain = solve(batch, tol=1e-4), solve(batch, tol=1e-4, engine="numpy")
    np.testing.assert_allclose(fast.objective, plain.objective, rtol=1e-5)
    np.testing.assert_allclose(fast.bias, plain.bias, atol=2e-3)
    assert (fast.status == plain.status).all()


@needs_extension
@pytest.mark.parametrize("simd", ["baseline", "avx2", "avx512"])
def test_every_instruction_set_gives_the_same_solutions(simd, monkeypatch):
    if native.extension().simd(simd) is None:
        pytest.skip(f"this machine has no {simd}")
    X, Y = toy(4, n=300, n_labels=70)
    reference = solve(chain_batch(X, Y, gamma=0.2, C=10.0), tol=1e-4)
    monkeypatch.setenv("BNCC_SIMD", simd)
    again = solve(chain_batch(X, Y, gamma=0.2, C=10.0), tol=1e-4)
    np.testing.assert_allclose(again.objective, reference.objective, rtol=1e-5)
    np.testing.assert_allclose(again.bias, reference.bias, atol=2e-3)


@needs_extension
def test_an_unknown_instruction_set_is_refused(monkeypatch):
    monkeypatch.setenv("BNCC_SIMD", "mmx")
    with pytest.raises(ValueError, match="instruction set"):
        solve(make_batch(squared_distances([[0.0], [1.0]]), [1, -1], gamma=1.0, C=1.0))


def same(a, b):
    for name in ("support_ptr", "support", "coef", "bias", "objective", "iterations", "status"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_threads_do_not_change_the_solutions():
    X, Y = toy(5, n=200, n_labels=12)
    batch = chain_batch(X, Y, gamma=0.5, C=100.0)
    same(solve(batch, n_jobs=1), solve(batch, n_jobs=4))


@pytest.mark.parametrize("cache_size", [0.0, 0.01, 0.3])
def test_the_memory_budget_does_not_change_the_solutions(cache_size):
    X, Y = toy(6, n=200, n_labels=4)
    held = solve(chain_batch(X, Y, gamma=0.5, C=100.0))
    lean = chain_batch(X, Y, gamma=0.5, C=100.0, cache_size=cache_size)
    same(held, solve(lean, cache_size=cache_size, n_jobs=2))


def test_a_problem_alone_is_solved_as_in_the_batch():
    X, Y = toy(7, n=120, n_labels=3)
    batch = chain_batch(X, Y, gamma=0.5, C=10.0)
    together = solve(batch)
    alone = make_batch(
        batch.distances, batch.targets[2], gamma=0.5, C=10.0, words=batch.words, context=batch.context[2]
    )
    np.testing.assert_array_equal(solve(alone)[0].coef, together[2].coef)


def test_rows_outside_a_problem_do_not_matter(engine):
    X, Y = toy(8, n=80)
    y = np.where(Y[:, 0] > 0, 1, -1)
    rows = np.arange(0, 80, 2)
    part = solve(make_batch(squared_distances(X), y, gamma=0.5, C=10.0, rows=[rows]), engine=engine, tol=1e-5)[0]
    alone = solve(make_batch(squared_distances(X[rows]), y[rows], gamma=0.5, C=10.0), engine=engine, tol=1e-5)[0]
    assert set(part.support) <= set(rows)
    assert part.objective == pytest.approx(alone.objective, rel=1e-6)
    assert part.bias == pytest.approx(alone.bias, abs=1e-4)


def test_weights_are_as_good_as_repeated_rows(engine):
    X, Y = toy(9, n=50)
    y = np.where(Y[:, 0] > 0, 1, -1)
    weights = np.random.default_rng(0).integers(0, 4, 50)
    weighted = solve(make_batch(squared_distances(X), y, gamma=0.5, C=1.0, weights=weights), engine=engine, tol=1e-5)
    repeated = make_batch(squared_distances(np.repeat(X, weights, axis=0)), np.repeat(y, weights), gamma=0.5, C=1.0)
    assert weighted[0].objective == pytest.approx(solve(repeated, engine=engine, tol=1e-5)[0].objective, rel=1e-5)


@pytest.mark.parametrize(
    ("y", "weights", "side"), [([1, 1], None, 1.0), ([-1, -1], None, -1.0), ([1, -1], [1, 0], 1.0)]
)
def test_one_class_only_is_said_and_decided(engine, y, weights, side):
    batch = make_batch(squared_distances([[0.0], [1.0]]), y, gamma=1.0, C=1.0, weights=weights)
    solution = solve(batch, engine=engine)[0]
    assert solution.status is Status.ONE_CLASS
    assert (solution.bias, solution.support.size) == (side, 0)


def test_contradicting_duplicates_are_solved(engine):
    batch = make_batch(squared_distances(np.zeros((6, 2))), [1, -1, 1, -1, 1, -1], gamma=1.0, C=5.0)
    solution = solve(batch, engine=engine)[0]
    assert solution.status is Status.CONVERGED
    assert solution.objective == pytest.approx(-30.0)


def test_the_iteration_limit_is_said(engine):
    X, Y = toy(10)
    solution = solve(chain_batch(X, Y, gamma=0.5, C=10.0), engine=engine, max_iter=3)[0]
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.iterations == 3


def random_labels(n=150, d=3):
    """Labels that do not depend on the rows, which takes many iterations and leaves many rows free."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.choice([-1, 1], n)


@pytest.mark.parametrize("tol", [1e-7, 1e-9, 5e-324])
@pytest.mark.parametrize(("gamma", "C"), [(0.1, 10.0), (1.0, 100.0), (0.01, 100.0)])
def test_a_tolerance_out_of_reach_does_no_harm(engine, gamma, C, tol):
    """Single precision drifts where it goes on for long without reaching the tolerance."""
    X, y = random_labels()
    batch = make_batch(squared_distances(X), y, gamma=gamma, C=C)
    solutions = solve(batch, engine=engine, tol=tol, max_iter=-1 if engine == "native" else 8000)
    decision = walk(batch, solutions, batch.distances.matrix, [[0]], engine=engine)[0][:, 0]
    reference = SVC(C=C, gamma=gamma, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(decision, reference.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("n", [100, 300])  # the emulated device holds 192 rows in registers
def test_a_tolerance_below_single_precision_is_reached(engine, n):
    """As by the engine in double precision; also from the solution of another problem."""
    X, y = random_labels(n)
    rows = [np.arange(n), np.flatnonzero(np.arange(n) % 5), np.arange(n)]
    given = {"target": 0, "gamma": 0.1, "C": [10.0, 10.0, 30.0], "rows": rows, "row_set": [0, 1, 2]}
    batch = make_batch(squared_distances(X), y, group=0, start=[-1, 0, 0], **given)
    found, expected = solve(batch, tol=1e-9, engine=engine), solve(batch, tol=1e-9, engine="numpy")
    assert (found.status == Status.CONVERGED).all()
    assert (found.iterations < expected.iterations + 20_000).all()
    # Kernel values in single precision are what is left of the difference.
    np.testing.assert_allclose(found.bias, expected.bias, atol=1e-4)
    np.testing.assert_allclose(found.objective, expected.objective, rtol=1e-6)


def test_a_tolerance_that_rounding_alone_reaches_is_given_up_soon_and_said(engine):
    """Contradicting duplicates and a huge C: sums in double precision are off by more than the tolerance."""
    X, y = random_labels(100, 2)
    batch = make_batch(squared_distances(np.rint(X)), y, gamma=10.0, C=1e9)
    solution = solve(batch, tol=1e-12, engine=engine)[0]
    assert solution.iterations < 1_000_000
    if solution.status is Status.CONVERGED:  # a card rounds in its own way, and may get there
        assert engine == "cuda"
        assert solution.objective == pytest.approx(solve(batch, engine="numpy")[0].objective, rel=1e-9)
    else:
        assert solution.status is Status.ITERATION_LIMIT


@pytest.mark.parametrize("max_iter", [0, 100, 5000, 20_000])
def test_bias_and_objective_at_the_iteration_limit_are_those_of_the_coefficients(engine, max_iter):
    """Small whole numbers around 0, whose kernel values single precision holds exactly."""
    X, y = random_labels(80)
    X[40:] = -X[:40]
    X = np.rint(3 * X)
    batch = make_batch(squared_distances(X), y, gamma=1.0, C=100.0, kernel="linear")
    solution = solve(batch, engine=engine, tol=1e-7, max_iter=max_iter)[0]
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.iterations == max_iter
    alpha = dense_alpha(batch, solution, 0)
    f = y + 0.5 * ((X[:, None] - X) ** 2).sum(axis=2) @ (alpha * y)
    free = (alpha > 0) & (alpha < 100)
    assert solution.bias == pytest.approx(f[free].mean() if max_iter else 0.0, rel=3e-7)
    assert solution.objective == pytest.approx(-0.5 * (alpha * (1 + y * f)).sum(), abs=1e-7 * (alpha @ (1 + abs(f))))


@needs_extension
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), tol=st.sampled_from([1e-3, 1e-4]))
def test_bias_and_objective_after_a_warm_start_are_those_of_the_coefficients(seed, tol):
    """Other rows and another C than the problem that it starts from; kernel values as the engine has them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 120))
    X, y = random_labels(n, int(rng.integers(1, 5)))
    X, C = np.rint(3 * X), 10 ** rng.uniform(0, 2) * 10 ** rng.uniform(-1, 1, 3)
    rows = [np.sort(rng.choice(n, n * 4 // 5, replace=False)) for _ in range(3)]
    given_ones = {"target": 0, "gamma": 1.0, "C": C, "rows": rows, "row_set": [0, 1, 2], "kernel": "linear"}
    batch = make_batch(squared_distances(X), y, group=0, start=[-1, 0, 0], **given_ones)
    solutions = solve(batch, tol=tol, engine="native", max_iter=30_000)
    for problem in range(3):
        solution = solutions[problem]
        alpha = dense_alpha(batch, solution, problem)
        f = y + 0.5 * batch.distances.matrix.astype(float) @ (alpha * y)
        free = (alpha > 0) & (alpha < C[problem])
        if free.any():
            assert solution.bias == pytest.approx(f[free].mean(), abs=tol + 3e-7 * abs(f).max())
        slack = tol * alpha.sum() + 3e-7 * (alpha @ (1 + abs(f)))
        assert solution.objective == pytest.approx(-0.5 * (alpha * (1 + y * f)).sum(), abs=slack)


@needs_extension
@pytest.mark.parametrize("scale", [1.0, 4.0])
def test_warm_starts_reach_the_same_optimum(scale):
    """Folds that start from the solution on all rows, and another C from the first."""
    X, Y = toy(11, n=160)
    y = np.where(Y[:, 1] > 0, 1, -1)
    folds = [np.flatnonzero(np.arange(160) % 5 != k) for k in range(5)]
    rows = [np.arange(160), *folds]
    warm = make_batch(
        squared_distances(X),
        y,
        target=0,
        gamma=0.7,
        C=[3.0] * 6 + [3.0 * scale],
        rows=rows,
        row_set=[*range(6), 0],
        group=0,
        start=[-1, 0, 0, 0, 0, 0, 0],
    )
    cold = make_batch(squared_distances(X), y, target=0, gamma=0.7, C=warm.C, rows=rows, row_set=warm.row_set)
    a, b = solve(warm, tol=1e-4), solve(cold, tol=1e-4)
    np.testing.assert_allclose(a.objective, b.objective, rtol=1e-5)
    np.testing.assert_allclose(a.bias, b.bias, atol=1e-3)
    assert a.iterations[1:6].sum() < b.iterations[1:6].sum()
    for p in range(7):
        assert set(a[p].support) <= set(warm.rows(p))


@needs_extension
def test_a_warm_start_that_leaves_no_row_behind_falls_back_to_zero():
    batch = make_batch(
        squared_distances(np.arange(4.0).reshape(-1, 1)),
        [1, -1, 1, -1],
        target=0,
        gamma=1.0,
        C=1.0,
        rows=[[0, 1], [2, 3]],
        row_set=[0, 1],
        group=0,
        start=[-1, 0],
    )
    solutions = solve(batch)
    assert set(solutions[1].support) == {2, 3}
    assert solutions[1].objective == pytest.approx(solutions[0].objective, rel=1e-6)


@needs_extension
def test_more_warm_starts_reach_the_optimum_from_a_problem_with_one_class():
    batch = make_batch(
        squared_distances(np.arange(4.0).reshape(-1, 1)),
        [1, 1, -1, -1],
        target=0,
        gamma=1.0,
        C=1.0,
        rows=[[0, 1], [0, 1, 2, 3]],
        row_set=[0, 1],
        group=0,
        start=[-1, 0],
    )
    solutions = solve(batch)
    assert [s.status for s in solutions] == [Status.ONE_CLASS, Status.CONVERGED]
    assert solutions[1].bias == pytest.approx(0.0, abs=1e-3)


def test_progress_counts_problems_and_may_stop_the_call(engine):
    X, Y = toy(12)
    seen = []
    solve(chain_batch(X, Y, gamma=0.5, C=10.0), engine=engine, progress=seen.append)
    assert seen[-1] == Y.shape[1]

    def stop(done):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solve(chain_batch(X, Y, gamma=0.5, C=10.0), engine=engine, progress=stop)


@needs_extension
def test_ctrl_c_stops_within_a_second():
    """Problems that would take long, interrupted after a moment."""
    code = """
        import os, signal, threading, time
        import numpy as np
        from bncc.svm import make_batch, solve, squared_distances
        rng = np.random.default_rng(0)
        X = rng.normal(size=(3000, 3))
        y = rng.choice([-1, 1], 3000)
        batch = make_batch(squared_distances(X), y, target=0, gamma=[1.0] * 400, C=1e5)
        sent = []
        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        try:
            threading.Timer(0.7, interrupt).start()
            solve(batch, tol=1e-6, max_iter=10**12)
        except KeyboardInterrupt:
            print(time.monotonic() - sent[0])
    """

    def seconds_to_stop():
        command = [sys.executable, "-c", textwrap.dedent(code)]
        return float(subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout)

    assert any(seconds_to_stop() < 1.0 for _ in range(3))  # a machine may stand still for a while


@needs_extension
def test_other_threads_run_while_a_batch_is_solved():
    rng = np.random.default_rng(0)
    batch = make_batch(squared_distances(rng.normal(size=(900, 2))), rng.choice([-1, 1], 900), gamma=1.0, C=1e4)
    beats, stop = [], threading.Event()

    def beat():
        while not stop.is_set():
            beats.append(time.monotonic())
            time.sleep(0.005)

    thread = threading.Thread(target=beat)
    thread.start()
    begin = time.monotonic()
    solve(batch, max_iter=60_000)
    end = time.monotonic()
    stop.set()
    thread.join()
    assert sum(begin < t < end for t in beats) >= min(3, (end - begin) / 0.1)


def test_engines_by_name():
    assert choose_engine("auto").name in ("native", "numpy")
    assert choose_engine("cpu").name == choose_engine("auto").name
    assert "little work" in choose_engine("auto", work=1e6).reason
    with pytest.raises(ValueError, match="`engine` must be"):
        choose_engine("gpu")


def test_a_missing_extension_is_said_and_replaced(monkeypatch):
    monkeypatch.setattr("bncc.svm.engines.extension", lambda: None)
    assert choose_engine("cpu").name == choose_engine("auto").name == "numpy"
    assert "not built" in choose_engine("cpu").reason
    with pytest.raises(ImportError, match=r"C\+\+17 compiler"):
        choose_engine("native")


def test_bad_options_are_refused():
    batch = make_batch(squared_distances([[0.0], [1.0]]), [1, -1], gamma=1.0, C=1.0)
    with pytest.raises(ValueError, match="`tol` must be a positive number"):
        solve(batch, tol=0.0)
    with pytest.raises(ValueError, match="`n_jobs`"):
        solve(batch, n_jobs=0)
