import numpy as np
import pytest

from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.methods_beside import method_strengths

RNG = np.random.default_rng(0)
Y = RNG.random((300, 5)) < 0.3


def noisy(rate):
    return np.where(RNG.random(Y.shape) < rate, ~Y, Y)


def test_cells_right_alone_are_counted_by_hand():
    said = {"a": noisy(0.2), "b": noisy(0.2), "c": noisy(0.3)}
    found = method_strengths({name: read_predictions(Y, Y_pred=each) for name, each in said.items()})
    right = {name: each == Y for name, each in said.items()}
    for strength in found:
        others = [right[name] for name in said if name != strength.method]
        assert strength.right == right[strength.method].sum()
        assert strength.right_alone == (right[strength.method] & ~others[0] & ~others[1]).sum()
        for duel in strength.duels:
            one, other = right[strength.method][:, duel.label], right[duel.other][:, duel.label]
            assert (duel.right, duel.wrong) == ((one & ~other).sum(), (other & ~one).sum())
            assert duel.right > duel.wrong
            assert duel.low <= duel.right / (duel.right + duel.wrong) <= duel.high


def test_a_method_that_knows_one_label_is_seen():
    base = noisy(0.2)
    knows = base.copy()
    knows[:, 2] = Y[:, 2]
    both = {"plain": read_predictions(Y, Y_pred=base), "knows": read_predictions(Y, Y_pred=knows)}
    plain, better = method_strengths(both)
    assert [(duel.label, duel.other) for duel in better.duels] == [(2, "plain")]
    assert better.duels[0].p_value < 1e-6
    assert plain.duels == ()
    assert plain.right_alone == 0


def test_equal_methods_differ_by_chance_alone():
    sure = 0
    for _ in range(30):
        both = {name: read_predictions(Y, Y_pred=noisy(0.25)) for name in "ab"}
        sure += any(duel.p_value < 0.05 for each in method_strengths(both) for duel in each.duels)
    assert sure <= 5


@pytest.mark.parametrize("n", [0, 1])
def test_one_method_has_nobody_beside_it(n):
    assert method_strengths({str(i): read_predictions(Y, Y_pred=Y) for i in range(n)}) == ()
