import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from bncc.datasets import load, make_scenes
from bncc.multilabel import EnsembleBNCC
from bncc.structure import learn_network
from bncc.svm import KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles import multilabel as oracle


def test_averages_chains_in_the_orders_of_its_networks():
    X, Y = draw(80, 4)
    base = LogisticRegression()
    fitted = EnsembleBNCC(base, n_chains=4, random_state=0).fit(X, Y)
    assert fitted.orders_ == tuple(network.order for network in fitted.networks_)
    chains = [oracle.full_chain(base, X, Y, X, order) for order in fitted.orders_]
    expected = np.mean([np.tanh(chain / 2) for chain in chains], axis=0)
    np.testing.assert_allclose(fitted.decision_function(X), expected, atol=1e-12)


def test_votes_of_the_engine_equal_those_of_svc(data_folder):
    data = load(data_folder / "emotions")
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = EnsembleBNCC(KernelSVC(C=10, gamma=0.02, tol=1e-5), n_chains=3, aggregate="votes", random_state=0)
    ours.fit(X[:400], Y[:400])
    svc = SVC(C=10, gamma=0.02, tol=1e-5)
    chains = [oracle.full_chain(svc, X[:400], Y[:400], X[400:], order) for order in ours.orders_]
    np.testing.assert_array_equal(ours.predict(X[400:]), np.mean(np.sign(chains), axis=0) > 0)


def test_orders_are_legal_and_differ():
    data = make_scenes(200)
    fitted = EnsembleBNCC(KernelSVC(), n_chains=8, random_state=0).fit(data.X, data.Y)
    for network in fitted.networks_:
        place = {label: position for position, label in enumerate(network.order)}
        assert all(place[p] < place[child] for child, group in enumerate(network.parents) for p in group)
        assert network.label_names == fitted.label_names_
    assert len(set(fitted.orders_)) > 1
    assert len({network.parents for network in fitted.networks_}) > 1


def test_bootstraps_are_of_the_label_rows():
    X, Y = draw(50, 3)
    fitted = EnsembleBNCC(KernelSVC(), n_chains=2, random_state=7).fit(X, Y)
    rows = np.random.RandomState(7).randint(50, size=50)
    assert fitted.networks_[0].parents == learn_network(Y[rows]).parents


def test_orders_of_a_network_that_is_handed_over():
    X, Y = draw(60, 6)
    net = learn_network(Y, search=[(), (), (0,), (), (2,), ()])
    fitted = EnsembleBNCC(LogisticRegression(), n_chains=6, network_search=net, random_state=0).fit(X, Y)
    assert {network.parents for network in fitted.networks_} == {net.parents}
    assert all(order.index(0) < order.index(2) < order.index(4) for order in fitted.orders_)
    assert len(set(fitted.orders_)) > 1


def test_bad_number_of_chains():
    with pytest.raises(ValueError, match="`n_chains` must be a whole number of at least 1; got 0"):
        EnsembleBNCC(n_chains=0).fit(*draw())


@pytest.mark.parametrize("base", [None, LogisticRegression(C=0.1)])
def test_behaviour(base):
    assert_sensible(EnsembleBNCC(base, n_chains=2, random_state=0))
    assert_passes_checks(EnsembleBNCC(base, n_chains=2, random_state=0), weights_are_exact=False)


def test_folds_agree():
    assert_folds_agree(EnsembleBNCC(KernelSVC(sigma=1.0, tol=1e-6), n_chains=3, random_state=0))
