from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.structure.inference import MOST_WIDTH, eliminate, exact, weighted_rows
from bncc.structure.tables import ConditionalTable


@st.composite
def networks(draw, max_labels=12):
    """Parents and tables of any shape, with certain and impossible rows among them."""
    n = draw(st.integers(1, max_labels))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    groups = [()]
    for child in range(1, n):
        size = int(random.integers(0, min(child, 4) + 1))
        groups.append(tuple(random.permutation(child)[:size].tolist()))
    tables = []
    for group in groups:
        totals = random.integers(1, 9, 2 ** len(group)).astype(float)
        tables.append(
            ConditionalTable(
                group, np.arange(2 ** len(group)), totals, np.floor(random.random(totals.size) * (totals + 1))
            )
        )
    return tuple(groups), tables


def joint(tables, smoothing):
    """Oracle: every row and its probability."""
    rows = np.array(list(product((0, 1), repeat=len(tables))))
    chance = np.ones(len(rows))
    for child, table in enumerate(tables):
        rate = table.probability(
            rows[:, list(table.parents)] @ (1 << np.arange(len(table.parents))), smoothing=smoothing
        )
        chance *= np.where(rows[:, child] == 1, rate, 1 - rate)
    return rows, chance


@given(networks(), st.data(), st.sampled_from([0.0, 1.0]))
@settings(max_examples=60, deadline=None)
def test_elimination_equals_the_sum_over_all_rows(network, data, smoothing):
    groups, tables = network
    known = data.draw(st.dictionaries(st.integers(0, len(groups) - 1), st.integers(0, 1), max_size=4))
    rows, chance = joint(tables, smoothing)
    chance = chance * np.all([rows[:, label] == value for label, value in known.items()] or [True], axis=0)
    plan = eliminate(groups, sorted(known))
    found, log_chance = exact(tables, plan.order, known, smoothing)
    assert plan.width < len(groups)
    assert np.exp2(log_chance) == pytest.approx(chance.sum(), abs=1e-12)
    if chance.sum() > 0:
        np.testing.assert_allclose(found, chance @ rows / chance.sum(), atol=1e-9)


@given(networks(max_labels=6), st.data())
@settings(max_examples=15, deadline=None)
def test_weighted_rows_agree_with_elimination(network, data):
    groups, tables = network
    known = data.draw(st.dictionaries(st.integers(0, len(groups) - 1), st.integers(0, 1), max_size=2))
    truth, _ = exact(tables, eliminate(groups, sorted(known)).order, known, 1.0)
    rows, weights = weighted_rows(tables, range(len(groups)), known, 20_000, 1.0, 0)
    means = weights @ rows / weights.sum()
    errors = np.sqrt((weights**2) @ (rows - means) ** 2) / weights.sum()
    assert (np.abs(means - truth) <= 5 * errors + 1e-3).all()


def test_width_of_chains_and_of_everything_joined():
    assert eliminate(tuple((child - 1,) if child else () for child in range(500))).width == 1
    dense = tuple(tuple(range(child)) for child in range(MOST_WIDTH + 5))
    assert eliminate(dense).width > MOST_WIDTH
    assert eliminate(dense, given=range(10)).width == MOST_WIDTH + 4 - 10


def test_tables_too_large_to_write_out_are_not_narrow():
    many = (*((),) * 30, tuple(range(30)))
    assert eliminate(many, given=range(29)).width == 1
    assert not eliminate(many, given=range(29)).is_narrow


def test_400_labels_in_a_chain_do_not_underflow():
    first = ConditionalTable((), np.arange(1), np.array([10.0]), np.array([1.0]))
    tables = [first]
    tables += [
        ConditionalTable((c - 1,), np.arange(2), np.array([10.0, 10.0]), np.array([1.0, 9.0])) for c in range(1, 400)
    ]
    known = dict.fromkeys(range(0, 400, 2), 1)
    plan = eliminate(tuple(table.parents for table in tables), list(known))
    found, log_chance = exact(tables, plan.order, known, 0.0)
    assert -400 < log_chance < -50
    assert found[1] == pytest.approx(0.9 * 0.9 / (0.9 * 0.9 + 0.1 * 0.1))
