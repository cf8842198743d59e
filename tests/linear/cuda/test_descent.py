import numpy as np
import pytest

from bncc.linear import make_batch
from bncc.linear.block_engine import signed_costs
from bncc.linear.cuda.arithmetic import device_arithmetic
from bncc.linear.cuda.descent import _Block, descend_block
from linear_problems import objective, text_like

TEXT, LABELS = text_like(120, 60, 6)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.usefixtures("emulated")
def test_primal_and_dual_meet(loss):
    batch = make_batch(TEXT, LABELS, loss=loss, C=0.5, class_weights=(1.0, 2.0))
    arithmetic = device_arithmetic(batch)
    solved = descend_block(arithmetic, signed_costs(batch, np, np.arange(6)), batch.context, 1e-4, 2000)
    assert solved.converged.all()
    for problem in range(6):
        assert objective(batch, problem, solved.weights[:, problem]) == pytest.approx(solved.objective[problem])
    gap = solved.objective - solved.dual_objective
    assert (gap >= -1e-9).all()
    assert (gap <= 1e-4 * solved.objective).all()


@pytest.mark.usefixtures("emulated")
def test_it_stops_at_the_limit_and_when_told_to():
    batch = make_batch(TEXT, LABELS, C=100.0)
    arithmetic, costs = device_arithmetic(batch), signed_costs(batch, np, np.arange(6))
    solved = descend_block(arithmetic, costs, batch.context, 1e-12, 3)
    assert not solved.converged.any()
    assert (solved.iterations == 3).all()

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        descend_block(arithmetic, costs, batch.context, 1e-12, 300, stop)


@pytest.mark.parametrize("lack", [0.0, 0.3])
@pytest.mark.usefixtures("emulated")
def test_a_working_set_has_rows_that_lack_enough_or_have_a_multiplier(lack):
    batch = make_batch(TEXT, LABELS, C=0.5)
    costs = signed_costs(batch, np, np.arange(6))
    block = _Block(device_arithmetic(batch), costs, batch.context)
    block.descend(0, 1)
    lacks = 1 - np.sign(costs) * block.scores
    expected = (lacks > lack) | (block.multipliers > 0)
    sets = block._working_sets(lack)
    found = np.zeros_like(expected)
    found[sets.rows, sets.problems] = True
    np.testing.assert_array_equal(found, expected)
    assert expected.any()
    assert not expected.all()


@pytest.mark.usefixtures("emulated")
def test_rows_that_lack_little_come_in_at_the_second_look(monkeypatch):
    asked = []
    listed = _Block._working_sets
    monkeypatch.setattr(_Block, "_working_sets", lambda self, lack: asked.append(lack) or listed(self, lack))
    batch = make_batch(TEXT, LABELS, C=0.5)
    costs = signed_costs(batch, np, np.arange(6))
    assert descend_block(device_arithmetic(batch), costs, batch.context, 1e-6, 2000).converged.all()
    assert asked[1] > 0
    assert len(asked) > 2
    assert not any(asked[2:])
