from hypothesis import given
from hypothesis import strategies as st

from bncc.structure.front_points import FrontPoint, cost_by_parents, non_dominated, total_cost
from oracles.fronts import exhaustive_front


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=1))
def test_a_front_is_what_comparing_all_pairs_leaves(pairs):
    front = non_dominated(FrontPoint(((),), bits / 4, cost) for cost, bits in pairs)
    assert [(point.cost, point.explained) for point in front] == exhaustive_front(
        [(cost, bits / 4) for cost, bits in pairs]
    )


def test_costs_of_a_network():
    parents = ((), (0,), (0, 1))
    assert total_cost(parents, cost_by_parents("edges", 2)) == 3
    assert total_cost(parents, cost_by_parents("parameters", 2)) == 1 + 2 + 4
