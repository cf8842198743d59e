import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bncc.svm import SolverSettings, context_mask, make_batch, pack_labels, solve, squared_distances, walk
from bncc.svm.cuda import device, distances
from bncc.svm.cuda import solve as module
from bncc.svm.cuda import walk as walks
from bncc.svm.walk_plan import plan_walks
from emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="the emulated device needs g++")
rng = np.random.default_rng(0)
X = rng.normal(size=(260, 4))
Y = (X @ rng.normal(size=(4, 36)) + rng.normal(size=(260, 36)) > 0.3).astype(int)


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    chosen = EmulatedDevice()
    monkeypatch.setattr(device, "_device", chosen)
    return chosen


def batch_of(X, sizes, **given):
    """Problems with context on the first rows of X, of several sizes."""
    n = len(sizes)
    return make_batch(
        squared_distances(X),
        np.where(Y.T > 0, 1, -1),
        target=np.arange(n) + 34 - n,
        gamma=np.linspace(0.05, 0.6, n),
        C=np.linspace(0.5, 8.0, n),
        rows=[np.arange(size) for size in sizes],
        row_set=np.arange(n),
        words=pack_labels(Y),
        context=np.stack([context_mask(range(34 - k), 36) for k in range(n)]),
        **given,
    )


def agree(batch):
    found, expected = solve(batch, engine="cuda", tol=1e-4), solve(batch, engine="numpy", tol=1e-4)
    np.testing.assert_allclose(found.objective, expected.objective, rtol=1e-5)
    np.testing.assert_allclose(found.bias, expected.bias, atol=2e-3)
    np.testing.assert_array_equal(found.status, expected.status)
    d2 = batch.distances.block(np.arange(batch.n_rows))
    problems = np.arange(len(batch))[:, None]
    options = {"words": batch.words}
    left = walk(batch, found, d2, problems, engine="cuda", **options)
    right = walk(batch, expected, d2, problems, engine="numpy", **options)
    np.testing.assert_allclose(left, right, atol=5e-3)


@pytest.mark.parametrize("source", ["held", "on demand"])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_problems_of_all_sizes_in_one_batch(kind, source, monkeypatch):
    """Packed into blocks (up to 32 rows), in registers (up to 192) and by parts (above), distances held or not."""
    features = X if kind == "dense" else X * (np.abs(X) > 1.6)
    if source == "on demand":
        monkeypatch.setattr(distances, "_SHARE", 0.0)
    batch = batch_of(features, [4, 31, 33, 120, 192, 193, 260])
    assert (batch.distances.points.by_row is None) == (kind == "dense")
    agree(batch)


def test_problems_by_parts_with_weights():
    agree(batch_of(X, [200, 260], weights=rng.choice([0.0, 0.5, 2.0], 260)))


@pytest.mark.parametrize("rows", [60, 250])
def test_rounding_of_large_coefficients_is_undone(rows):
    """A wide kernel and a large C: f gathers rounding, which must not end in a wrong optimum."""
    y = np.where(Y[:, 0] > 0, 1, -1)
    batch = make_batch(squared_distances(X), y, gamma=1e-3, C=1e3, rows=[np.arange(rows)])
    found, expected = solve(batch, engine="cuda"), solve(batch, engine="numpy")
    assert found.objective[0] == pytest.approx(expected.objective[0], rel=1e-4)
    assert found.bias[0] == pytest.approx(expected.bias[0], abs=5e-3)


def test_rounding_does_not_grow_with_iterations():
    """A tolerance out of reach: what is left at the limit is as little as for one within reach."""
    own = np.random.default_rng(0)
    points = own.normal(size=(150, 4))
    y = np.where(points[:, 0] + own.normal(size=150) > 0, 1, -1)
    batch = make_batch(squared_distances(points), y, gamma=0.1, C=10.0)
    d2 = distances.source_of_rows(device.current_device(), batch.distances.points).fields["d2"]
    found = [solve(batch, engine="cuda", tol=tol, max_iter=30_000) for tol in (1e-8, 1e-30)]
    assert [int(one.iterations[0]) == 30_000 for one in found] == [False, True]
    gaps = []
    for solutions in found:
        coef = np.zeros(150)
        coef[solutions.support] = solutions.coef
        decisions = walk(batch, solutions, d2, [[0]], engine="cuda")[0][:, 0]  # with the kernel values of the solver
        f, alpha = y - decisions + solutions.bias[0], coef * y
        up, down = np.where(y > 0, alpha < 10, alpha > 0), np.where(y > 0, alpha > 0, alpha < 10)
        gaps.append(f[up].max() - f[down].min())
        assert solutions.bias[0] == pytest.approx(f[(alpha > 0) & (alpha < 10)].mean(), abs=5e-8)
    assert gaps[1] < 2 * gaps[0]


def test_chunks_do_not_change_the_solutions(emulated, monkeypatch):
    batch = batch_of(X, [40, 30, 100, 20])
    whole = solve(batch, engine="cuda")
    monkeypatch.setattr(emulated, "free_memory", lambda: 150 * module.ROW_BYTES)
    monkeypatch.setattr(distances, "_SHARE", 1e9)
    parts = solve(batch, engine="cuda")
    for name in ("support_ptr", "support", "coef", "bias", "objective", "iterations", "status"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_chunks_fill_the_memory_and_no_more():
    parts = module.chunks(np.array([30, 30, 30, 200, 10]), 100 / module._SHARE)
    assert parts == [slice(0, 3), slice(3, 4), slice(4, 5)]
    assert module.chunks(np.array([]), 100) == []


def test_an_empty_batch_has_no_solutions():
    batch = batch_of(X, [40])
    nothing = {name: getattr(batch, name)[:0] for name in ("target", "row_set", "weight", "gamma", "C", "context")}
    assert len(solve(replace(batch, **nothing, group=batch.group[:0], start=batch.start[:0]), engine="cuda")) == 0


def test_progress_that_raises_stops_the_kernels(emulated):
    batch = batch_of(X, [40, 30])
    stops = []
    mapped = emulated.mapped

    def watched(size, dtype):
        array, address = mapped(size, dtype)
        if dtype == np.int32:
            stops.append(array)
        return array, address

    emulated.mapped = watched

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(batch, engine="cuda", progress=stop)
    assert stops[0][0] == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_error_between_launches_stops_those_that_run(emulated, error):
    """What was launched is told to stop and waited for, before the error goes on."""
    events, stops = [], []
    launch, mapped = emulated.launch, emulated.mapped

    def watched(size, dtype):
        array, address = mapped(size, dtype)
        if dtype == np.int32:
            stops.append(array)
        return array, address

    def failing(*given):
        if "launch" in events:
            raise error
        events.append("launch")
        launch(*given)

    def wait(poll):
        events.append(("wait", int(stops[0][0])))
        if len(events) == 2:
            raise KeyboardInterrupt  # someone who is in a hurry
        poll()

    emulated.mapped, emulated.launch, emulated.wait = watched, failing, wait
    with pytest.raises(error):
        solve(batch_of(X, [20, 40]), engine="cuda")
    assert events == ["launch", ("wait", 1), ("wait", 1)]


def test_a_walk_that_is_interrupted_waits_for_its_kernel(emulated):
    batch = batch_of(X, [20])
    solutions = solve(batch, engine="numpy")
    waits = []

    def wait(poll):
        waits.append(poll)
        if len(waits) == 1:
            raise KeyboardInterrupt

    emulated.wait = wait
    with pytest.raises(KeyboardInterrupt):
        walk(batch, solutions, batch.distances.block(np.arange(4)), [[0]], engine="cuda")
    assert len(waits) == 2


def test_a_walk_that_is_asked_to_stop_decides_no_more_rows(emulated):
    batch = batch_of(X, [20])
    fields = walks.load_solutions(emulated, batch, solve(batch, engine="numpy"))
    source = distances.source_of_rows(emulated, batch.distances.points)
    mapped, empty = emulated.mapped, SimpleNamespace(empty=lambda shape, dtype: np.full(shape, 7.5, dtype))
    nine = plan_walks(batch, [[0]], 20, rows=[np.arange(9)])
    emulated.xp = empty
    found = walks.walk_rows(emulated, batch, fields, source, nine)
    assert (found != 7.5).all()

    def stopped(size, dtype):
        array, address = mapped(size, dtype)
        array[:] = 1
        return array, address

    emulated.mapped = stopped
    assert (walks.walk_rows(emulated, batch, fields, source, nine) == 7.5).all()


def test_what_watches_a_walk_can_end_it(emulated):
    batch = batch_of(X, [20])
    fields = walks.load_solutions(emulated, batch, solve(batch, engine="numpy"))
    source = distances.source_of_rows(emulated, batch.distances.points)

    def watch():
        raise TimeoutError

    nine = plan_walks(batch, [[0]], 20, rows=[np.arange(9)])
    with pytest.raises(TimeoutError):
        walks.walk_rows(emulated, batch, fields, source, nine, poll=watch)


def test_a_kernel_that_is_asked_to_stop_says_that_it_was_interrupted(emulated):
    y = np.where(Y[:, 0] > 0, 1, -1)
    batch = make_batch(squared_distances(X), y, target=0, gamma=1e-3, C=1e9, rows=[np.arange(100)])
    mapped = emulated.mapped

    def stopped(size, dtype):
        array, address = mapped(size, dtype)
        array[:] = 1
        return array, address

    emulated.mapped = stopped
    solution = solve_raw(batch)
    assert solution[1].tolist() == [3]
    assert int(solution[0].fields["iterations"][0]) < 1000


def solve_raw(batch):
    chosen = device.current_device()
    fields = module.load_batch(chosen, batch)
    source = distances.source_of_rows(chosen, batch.distances.points)
    return module.solve_some(
        chosen, batch, fields, source, np.array([0]), SolverSettings(tol=1e-12, max_iter=10**9), lambda done: None
    )
