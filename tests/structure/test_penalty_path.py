import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.graph import find_cycle
from bncc.labels import count_labels
from bncc.structure.exact_front import exact_front
from bncc.structure.explained import HeldOutScorer, dependence_scorer
from bncc.structure.front_points import cost_by_parents, non_dominated, total_cost
from bncc.structure.penalty_path import penalty_path
from strategies import label_matrices


def scorer_of(Y, held_out):
    counts = count_labels(Y)
    return HeldOutScorer(counts, n_folds=2) if held_out else dependence_scorer(counts, 3)


@given(Y=label_matrices(max_labels=5), simplicity=st.sampled_from(["edges", "parameters"]), held_out=st.booleans())
@settings(max_examples=40, deadline=None)
def test_every_network_on_the_way_is_lawful_and_none_is_above_the_front(Y, simplicity, held_out):
    Y = np.vstack([Y, Y])
    scorer, costs = scorer_of(Y, held_out), cost_by_parents(simplicity, min(3, Y.shape[1] - 1))
    points = penalty_path(scorer, Y.shape[1], costs)
    best = exact_front(scorer, Y.shape[1], costs)
    assert points[0].parents == ((),) * Y.shape[1]
    for point in points:
        assert find_cycle(point.parents) is None
        assert total_cost(point.parents, costs) == point.cost
        own = sum(scorer.one(child, list(group)) for child, group in enumerate(point.parents))
        assert own == pytest.approx(point.explained, abs=1e-6)
        assert own <= max(other.explained for other in best if other.cost <= point.cost) + 1e-5


@pytest.mark.parametrize("held_out", [False, True])
def test_a_sweep_is_near_the_front_on_labels_with_structure(held_out):
    random = np.random.default_rng(0)
    Y = np.zeros((400, 8), int)
    Y[:, 0] = random.random(400) < 0.5
    for label in range(1, 8):
        copied = random.random(400) < 0.8
        Y[:, label] = np.where(copied, Y[:, random.integers(label)], random.random(400) < 0.3)
    scorer, costs = scorer_of(Y, held_out), cost_by_parents("edges", 3)
    best, found = exact_front(scorer, 8, costs), non_dominated(penalty_path(scorer, 8, costs))
    most, least = best[-1].explained, best[0].explained
    for point in best:
        reached = max(other.explained for other in found if other.cost <= point.cost)
        assert reached >= point.explained - 0.02 * (most - least)
