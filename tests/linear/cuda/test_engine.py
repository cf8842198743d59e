import numpy as np
import pytest

import bncc
from bncc.linear import engines, make_batch, solve
from bncc.linear.cuda.engine import block_width, solve_batch
from bncc.linear.solutions import Status
from linear_problems import text_like

TEXT, LABELS = text_like(120, 60, 6)


def test_blocks_fit_the_memory():
    batch = make_batch(TEXT, LABELS)
    assert block_width(batch, 1 << 40) == 6
    assert block_width(batch, 0) == 1
    assert 1 < block_width(batch, 60_000) < 6


def test_without_a_device_the_error_says_what_is_missing():
    if not engines.missing():
        pytest.skip("there is a device")
    with pytest.raises(ImportError, match=r"CUDA engine cannot run here: .*engine='cpu'"):
        solve(make_batch(TEXT, LABELS), engine="cuda")


def test_auto_never_takes_numpy_where_there_is_a_device(monkeypatch):
    monkeypatch.setattr(engines, "extension", lambda: None)
    monkeypatch.setattr(engines, "missing", lambda: "")
    assert engines.engine_and_reason("auto") == ("cuda", "the compiled extension is not built here")
    assert engines.engine_and_reason("cpu")[0] == "numpy"
    monkeypatch.setattr(engines, "missing", lambda: "nothing there")
    assert engines.engine_and_reason("auto")[0] == "numpy"


@pytest.mark.usefixtures("emulated")
def test_estimators_take_it():
    Y = LABELS[:, :3]
    on_device = bncc.ClassifierChain(bncc.LinearSVC(engine="cuda", tol=1e-6), order=None).fit(TEXT, Y)
    on_host = bncc.ClassifierChain(bncc.LinearSVC(tol=1e-6), order=None).fit(TEXT, Y)
    assert on_device.engine_.name == "cuda"
    np.testing.assert_allclose(on_device.decision_function(TEXT), on_host.decision_function(TEXT), atol=2e-2)


@pytest.mark.usefixtures("emulated")
def test_a_problem_that_takes_too_long_does_not_stop_the_others():
    """Descent of the second takes all the steps that there are; Newton's method is left for the first."""
    batch = make_batch(TEXT, LABELS[:, :2], C=np.array([0.1, 1e6]))
    found = solve_batch(batch, tol=1e-6, max_iter=40, drop=None, progress=None)
    assert found.iterations[1] == 40
    assert found.status.tolist() == [Status.CONVERGED, Status.ITERATION_LIMIT]
