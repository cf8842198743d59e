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
