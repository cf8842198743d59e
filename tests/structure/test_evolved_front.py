import sys

import numpy as np
import pytest

from bncc import learn_network
from bncc.graph import find_cycle
from bncc.labels import count_labels
from bncc.structure import network_front
from bncc.structure.evolved_front import _Decoder
from bncc.structure.explained import dependence_scorer
from bncc.structure.front_points import cost_by_parents


def labels():
    random = np.random.default_rng(5)
    Y = random.integers(0, 2, (120, 5))
    Y[:, 1] = np.where(random.random(120) < 0.9, Y[:, 0], Y[:, 1])
    Y[:, 3] = Y[:, 1] & Y[:, 2]
    return Y


def test_any_string_draws_a_lawful_network():
    counts = count_labels(labels())
    decoder = _Decoder(dependence_scorer(counts, 2), counts, cost_by_parents("edges", 2))
    random = np.random.default_rng(0)
    for density in (0.0, 0.2, 0.6, 1.0):
        point = decoder.point(random.random(decoder.n_bits) < density)
        assert find_cycle(point.parents) is None
        assert max(map(len, point.parents)) <= 2
        assert point.cost == sum(map(len, point.parents))


def test_it_finds_most_of_the_exact_front_and_never_more():
    pytest.importorskip("pymoo")
    Y = labels()
    evolved = network_front(Y, method="nsga2", n_generations=40, population_size=40, random_state=1)
    exact = network_front(Y, method="exact")
    assert evolved.method == "nsga2"
    ends = exact.explained[0], exact.cost[-1]
    assert 0.9 * exact.hypervolume(*ends) <= evolved.hypervolume(*ends) <= exact.hypervolume(*ends) + 1e-6
    again = network_front(Y, method="nsga2", n_generations=40, population_size=40, random_state=1)
    assert again.parents == evolved.parents
    assert learn_network(Y, search=evolved.parents[-1]).parents == evolved[-1].parents


def test_without_pymoo_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymoo", None)
    monkeypatch.setitem(sys.modules, "pymoo.algorithms.moo.nsga2", None)
    with pytest.raises(ImportError, match=r"pip install 'bncc\[front\]'"):
        network_front(labels(), method="nsga2")
