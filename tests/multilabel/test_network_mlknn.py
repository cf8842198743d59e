from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from bncc import learn_network
from bncc.datasets import load
from bncc.multilabel import MLkNN, NetworkMLkNN
from multilabel_behaviour import assert_passes_checks, assert_sensible, draw

X, Y = draw(80, 5)
NEW = draw(30, 5, seed=1)[0]


def by_definition(model, rows):
    """Marginals from the weights of all label sets."""
    around = np.argsort(((rows[:, None] - X) ** 2).sum(axis=2), axis=1, kind="stable")[:, : model.k]
    count = Y[around].sum(axis=1)
    sets = np.array(list(product((0, 1), repeat=Y.shape[1])))
    weights = np.ones((len(rows), len(sets)))
    for label, group in enumerate(model.network_.parents):
        state = sets[:, list(group)] @ (1 << np.arange(len(group))) if group else np.zeros(len(sets), int)
        rate = model.tables_[label][state]
        weights *= np.where(sets[:, label] == 1, rate, 1 - rate)
        weights *= model.conditional_[:, label][:, count[:, label]][sets[:, label]].T
    return weights @ sets / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("search", ["paper", "tree", [(), (0,), (0, 1), (2,), (1, 3)]])
def test_equals_the_sum_over_all_sets(search):
    model = NetworkMLkNN(k=5, network_search=search).fit(X, Y)
    expected = by_definition(model, NEW)
    np.testing.assert_allclose(model.predict_proba(NEW), expected, atol=1e-10)
    np.testing.assert_allclose(expit(model.decision_function(NEW)), expected, atol=1e-10)
    np.testing.assert_array_equal(model.predict(NEW), expected > 0.5)


def test_without_edges_it_is_mlknn():
    alone = NetworkMLkNN(k=5, network_search=[()] * 5).fit(X, Y)
    np.testing.assert_allclose(
        alone.decision_function(NEW), MLkNN(k=5).fit(X, Y).decision_function(NEW), rtol=1e-9, atol=1e-12
    )


def test_a_network_can_be_handed_over():
    given = learn_network(Y, search=[(), (0,), (), (), ()])
    assert NetworkMLkNN(network_search=given).fit(X, Y).network_.edges == ((0, 1),)


def test_labels_that_exclude_each_other_are_kept_apart():
    random = np.random.default_rng(0)
    rows = random.normal(size=(600, 4))
    labels = np.eye(3, dtype=int)[(rows[:, :3] + random.normal(size=(600, 3))).argmax(axis=1)]

    def share_of_one(model):
        return (model.fit(rows[:400], labels[:400]).predict(rows[400:]).sum(axis=1) == 1).mean()

    assert share_of_one(NetworkMLkNN()) > share_of_one(MLkNN()) + 0.1


def test_real_data(data_folder):
    data = load(data_folder / "emotions")
    rows = np.asarray(data.X)
    rows = rows / np.abs(rows).max(axis=0)
    model = NetworkMLkNN().fit(rows[:400], data.Y[:400])
    assert model.predict_proba(rows[400:]).shape == (len(rows) - 400, 6)
    assert model.score(rows[400:], data.Y[400:]) > 0.15


def test_sensible():
    assert_sensible(NetworkMLkNN(k=3))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_checks():
    assert_passes_checks(NetworkMLkNN(k=3))
