import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.graph import find_cycle
from bncc.labels import count_labels
from bncc.structure.exact_front import exact_front
from bncc.structure.explained import HeldOutScorer, dependence_scorer
from bncc.structure.front_points import cost_by_parents, total_cost
from oracles.fronts import all_networks, exhaustive_front
from strategies import label_matrices


def everything(scorer, n_labels, costs):
    return [
        (total_cost(parents, costs), sum(scorer.one(child, list(group)) for child, group in enumerate(parents)))
        for parents in all_networks(n_labels, len(costs) - 1)
    ]


@given(
    Y=label_matrices(max_labels=3, max_rows=16),
    simplicity=st.sampled_from(["edges", "parameters"]),
    held_out=st.booleans(),
    max_parents=st.integers(0, 2),
)
@settings(max_examples=40, deadline=None)
def test_it_is_the_front_of_all_networks(Y, simplicity, held_out, max_parents):
    counts = count_labels(np.vstack([Y, Y]))
    scorer = HeldOutScorer(counts, n_folds=2) if held_out else dependence_scorer(counts, 2)
    costs = cost_by_parents(simplicity, min(max_parents, Y.shape[1] - 1))
    front = exact_front(scorer, Y.shape[1], costs)
    for cost, _ in (networks := everything(scorer, Y.shape[1], costs)):
        best = max(bits for other, bits in networks if other <= cost)
        found = max(point.explained for point in front if point.cost <= cost)
        assert found == pytest.approx(best, abs=1e-5)
    for point in front:
        assert find_cycle(point.parents) is None
        assert total_cost(point.parents, costs) == point.cost
        own = sum(scorer.one(child, list(group)) for child, group in enumerate(point.parents))
        assert own == pytest.approx(point.explained, abs=1e-4)


@pytest.mark.parametrize("simplicity", ["edges", "parameters"])
def test_it_is_the_front_of_all_networks_over_four_labels(simplicity):
    random = np.random.default_rng(1)
    Y = random.integers(0, 2, (50, 4))
    Y[:, 2] = (Y[:, 0] + Y[:, 1] + (random.random(50) < 0.1)) % 2
    scorer, costs = dependence_scorer(count_labels(Y), 3), cost_by_parents(simplicity, 3)
    found = [(point.cost, point.explained) for point in exact_front(scorer, 4, costs)]
    expected = exhaustive_front(everything(scorer, 4, costs))
    assert [cost for cost, _ in found] == [cost for cost, _ in expected]
    assert [bits for _, bits in found] == pytest.approx([bits for _, bits in expected], abs=1e-5)
