import pickle

import numpy as np

from bncc import learn_network
from bncc.structure import SCORES


def test_a_network_knows_how_it_was_learned():
    Y = np.random.default_rng(0).integers(0, 2, (60, 4))
    net = learn_network(Y, search="k2", score=SCORES["bic"], max_children=3, required=[("label0", "label1")])
    recipe = net.recipe
    assert (recipe.search, recipe.score, recipe.max_children, recipe.required) == ("k2", SCORES["bic"], 3, ((0, 1),))
    assert recipe.repeatable
    assert recipe.initial_order is None
    assert pickle.loads(pickle.dumps(net)).recipe == recipe


def test_a_network_without_rows_has_none():
    assert learn_network([[1, 0], [0, 1]]).without_rows().recipe is None
