import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.multilabel.network_factors import pair_terms, parent_tables, table_factors
from bncc.multilabel.targets import read_targets
from bncc.structure import FactorGraph

random = np.random.default_rng(0)
Y = (random.random((60, 4)) < 0.4).astype(int)
Y[:, 1] |= Y[:, 0]


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=30, deadline=None)
def test_terms_are_those_of_smoothed_counts(seed, weighs):
    draw = np.random.default_rng(seed)
    labels = (draw.random((25, 2)) < 0.5).astype(float)
    labels[draw.random((25, 2)) < 0.2] = np.nan
    weight = draw.random(25) + 0.1 if weighs else None
    (found,) = pair_terms(read_targets(labels), [(1, 0)], weight)
    mass = np.ones(25) if weight is None else weight * weight.sum() / (weight**2).sum()
    known = ~np.isnan(labels).any(axis=1)
    n = mass[known].sum() + 1
    share = [[mass[known & (labels[:, label] == value)].sum() + 0.5 for value in (0, 1)] for label in (0, 1)]
    for one, other in ((0, 0), (0, 1), (1, 0), (1, 1)):
        apart = share[1][one] / n * share[0][other] / n
        together = (mass[known & (labels[:, 1] == one) & (labels[:, 0] == other)].sum() + apart) / n
        assert found[one, other] == pytest.approx(np.log(together / apart))


def test_constant_and_unknown_labels_say_nothing():
    constant = np.column_stack([np.zeros(50), Y[:50, 0], np.full(50, np.nan)])
    terms = pair_terms(read_targets(constant), [(0, 1), (2, 1)])
    assert np.abs(terms[0, 0]).max() < 0.05
    np.testing.assert_allclose(terms[1], 0, atol=1e-12)
    assert np.isfinite(terms).all()


def test_tables_are_counted_where_all_is_known():
    lost = Y.astype(float)
    lost[:10, 0], lost[5:15, 2] = np.nan, np.nan
    prior = np.array([0.3, 0.6, 0.4, 0.4])
    tables = parent_tables(read_targets(lost), ((), (0, 2), (), ()), prior, 0.5)
    assert [table.size for table in tables] == [1, 4, 1, 1]
    known = Y[15:]
    for state in range(4):
        rows = known[(known[:, 0] == (state & 1)) & (known[:, 2] == (state >> 1))]
        assert tables[1][state] == pytest.approx((rows[:, 1].sum() + 0.6) / (len(rows) + 1.0))


def test_factors_multiply_to_the_probability_of_a_set():
    parents = ((), (0,), (0, 1), (2,))
    prior = (Y.sum(axis=0) + 1) / 62
    tables = parent_tables(read_targets(Y), parents, prior, 1.0)
    graph = FactorGraph(4, table_factors(parents, tables))
    sets = np.array([[int(bit) for bit in f"{number:04b}"] for number in range(16)])
    expected = np.ones(16)
    for child, group in enumerate(parents):
        state = sets[:, list(group)] @ (1 << np.arange(len(group)))
        rate = tables[child][state]
        expected *= np.where(sets[:, child] == 1, rate, 1 - rate)
    found = np.exp(graph.log_weights(np.zeros((16, 4)), sets == 1))
    np.testing.assert_allclose(found, expected)
    assert found.sum() == pytest.approx(1)


def test_too_many_parents_are_refused():
    wide = read_targets(np.tile(np.eye(2, 21, dtype=int), (3, 1)))
    with pytest.raises(ValueError, match="Set `max_parents`"):
        parent_tables(wide, (*((),) * 20, tuple(range(20))), np.full(21, 0.5), 1.0)
