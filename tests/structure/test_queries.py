import numpy as np
import pytest

from bncc import learn_network
from bncc.structure import inference

NAMES = ("rain", "umbrella", "sun", "warm")
random = np.random.default_rng(0)
RAIN = random.random(400) < 0.4
SUN = np.where(RAIN, random.random(400) < 0.1, random.random(400) < 0.7)
UMBRELLA = np.where(RAIN, random.random(400) < 0.8, random.random(400) < 0.05)
WARM = np.where(SUN, random.random(400) < 0.9, random.random(400) < 0.3)
Y = np.column_stack([RAIN, UMBRELLA, SUN, WARM]).astype(int)
NET = learn_network(Y, search=[(), (0,), (0,), (2,)], label_names=NAMES)


def test_independence_by_the_graph():
    assert not NET.independent("umbrella", "warm")
    assert NET.independent("umbrella", "warm", given=["rain"])
    assert NET.independent(1, 3, given=[2])


def test_probabilities_given_some():
    found = NET.probabilities({"rain": 1})
    assert found.exact
    assert found["rain"] == 1
    assert found["umbrella"] > NET.probabilities()["umbrella"] > NET.probabilities({"rain": False})["umbrella"]
    assert NET.probabilities({0: 1}, smoothing=0)["umbrella"] == pytest.approx(UMBRELLA[RAIN].mean())
    assert not found.standard_errors.any()


def test_probability_of_several_together():
    one = NET.probability({"umbrella": 1, "sun": 0}, given={"rain": 1}, smoothing=0)
    assert one.value == pytest.approx(UMBRELLA[RAIN].mean() * (1 - SUN[RAIN].mean()))
    assert NET.probability({"rain": 0}, given={"rain": 1}).value == 0
    assert NET.probability({"rain": 1}, given={"rain": 1}).value == 1
    total = sum(NET.probability({"sun": a, "warm": b}, given={"umbrella": 1}).value for a in (0, 1) for b in (0, 1))
    assert total == pytest.approx(1)


def test_wide_networks_are_sampled_with_an_error(monkeypatch):
    truth = NET.probabilities({"warm": 1})
    together = NET.probability({"rain": 1, "sun": 0}, given={"warm": 1})
    monkeypatch.setattr(inference, "MOST_WIDTH", -1)
    found = NET.probabilities({"warm": 1})
    assert not found.exact
    assert found["warm"] == 1
    assert (np.abs(found.probabilities - truth.probabilities) <= 4 * found.standard_errors + 1e-12).all()
    assert (found.standard_errors[:3] > 0).all()
    sampled = NET.probability({"rain": 1, "sun": 0}, given={"warm": 1})
    assert abs(sampled.value - together.value) <= 4 * sampled.standard_error
    assert NET.probabilities({"warm": 1}, random_state=1)["rain"] != found["rain"]


def test_a_truly_wide_network_is_answered():
    random = np.random.default_rng(1)
    n = 60
    parents = [tuple(sorted(random.permutation(child)[:9].tolist())) for child in range(n)]
    net = learn_network(random.integers(0, 2, (200, n)), search=parents)
    found = net.probabilities({0: 1}, n_samples=2000)
    assert not found.exact
    assert (found.probabilities >= 0).all()
    assert (found.probabilities <= 1).all()


def test_mistakes():
    for ask, shown in [
        (lambda: NET.probabilities({"snow": 1}), "unknown label 'snow'"),
        (lambda: NET.probabilities({"rain": 2}), "0 or 1; got 2"),
        (lambda: NET.probabilities("rain"), "map labels to 0 or 1"),
        (lambda: NET.probabilities({"rain": 1, 0: 0}), "twice"),
        (lambda: NET.probability({}), "at least one label"),
        (lambda: NET.independent("rain", "rain"), "different"),
    ]:
        with pytest.raises(ValueError, match=shown):
            ask()


def test_what_cannot_be_is_refused():
    net = learn_network([[1, 1], [1, 1], [0, 0], [0, 0]])
    with pytest.raises(ValueError, match="rules out"):
        net.probabilities({0: 1, 1: 0}, smoothing=0)
    assert net.probabilities({0: 1, 1: 0}).probabilities.tolist() == [1, 0]


def test_a_network_without_rows_answers():
    assert NET.without_rows().probabilities({"rain": 1})["warm"] == NET.probabilities({"rain": 1})["warm"]
