import time

import numpy as np
import pytest
from scipy import sparse

from bncc import learn_network
from bncc.datasets import make_power_law_labels
from bncc.labels import count_labels
from bncc.structure import LocalScorer
from bncc.structure.bootstrap import bootstrap_shares, resample
from bncc.structure.evidence import NOISE_SHARE


def test_resampled_rows_are_counted_as_they_are():
    Y = np.random.default_rng(0).integers(0, 2, (30, 4))
    drawn = np.random.default_rng(1).integers(30, size=30)
    counts, known = resample(sparse.csr_array(count_labels(Y).matrix), drawn), count_labels(Y[np.sort(drawn)])
    assert (counts.matrix != known.matrix).nnz == 0
    assert counts.positives.tolist() == known.positives.tolist()


def test_true_edges_come_back_whichever_way_and_noise_does_not():
    random = np.random.default_rng(2)
    first = random.integers(0, 2, 500)
    noisy = np.where(random.random(500) < 0.9, first, 1 - first)
    Y = np.column_stack([first, noisy, random.integers(0, 2, (500, 6))])
    net = learn_network(Y, search="hill_climbing", max_children=None)
    shares = bootstrap_shares(net.counts, net.recipe, [(0, 1), (1, 0), (2, 3)], n_resamples=40)
    assert shares[0] == shares[1] == 1.0
    assert shares[2] < NOISE_SHARE


def test_the_same_seed_gives_the_same_shares():
    Y = np.random.default_rng(3).integers(0, 2, (100, 6))
    net = learn_network(Y)
    one, same, other = (net.edge_table(n_resamples=20, random_state=seed) for seed in (0, 0, 1))
    assert one == same
    assert one != other
    assert {edge.share for edge in net.edge_table(n_resamples=0)} == {None}


def test_what_cannot_be_learned_again_has_no_share():
    Y = np.random.default_rng(4).integers(0, 2, (50, 3))
    given = learn_network(Y, search=[(), (0,), (1,)])
    own = learn_network(Y, score=type("Own", (), {"local_score": LocalScorer.of(Y, "bic").local_score})())
    assert all(edge.share is None for net in (given, own) for edge in net.edge_table())
    assert not given.recipe.repeatable


def test_the_settings_of_the_network_hold_for_its_resamples():
    Y = np.random.default_rng(5).integers(0, 2, (300, 8))
    net = learn_network(Y, required=[(0, 1)], max_children=1)
    assert next(edge.share for edge in net.edge_table(n_resamples=10) if (edge.parent, edge.child) == (0, 1)) == 1.0


@pytest.mark.slow
def test_a_hundred_resamples_of_400_labels_take_seconds():
    Y = make_power_law_labels(5000, 400, random_state=0)
    for search in ("paper", "hill_climbing"):
        net = learn_network(Y, max_children=None, search=search)
        start = time.perf_counter()
        table = net.edge_table()
        assert time.perf_counter() - start < 60  # 3 and 5 seconds alone on two cores
        assert any(edge.sure for edge in table)
