import numpy as np
import pytest

from bncc.multilabel import BNCC
from bncc.multilabel.network_settings import given_network, network_for, with_strengths
from bncc.multilabel.targets import read_targets
from bncc.structure import from_json, learn_network, to_json
from multilabel_behaviour import draw

X, Y = draw(80, 4)


def method(**settings):
    made = BNCC(**settings)
    made._remember(read_targets(Y))
    return made


def test_a_network_is_learned_under_the_settings():
    learned = network_for(method(max_children=1, network_score="bic", network_search="k2"), read_targets(Y))
    assert learned.parents == learn_network(Y, max_children=1, score="bic", search="k2").parents
    assert network_for(method(), read_targets(Y)).order == learn_network(Y).order


def test_unknown_labels_count_as_zero():
    lost = Y.astype(float)
    lost[:9, 1] = np.nan
    assert network_for(method(), read_targets(lost)).parents == learn_network(np.nan_to_num(lost)).parents


def test_a_network_that_is_given_stays_as_it_is():
    net = learn_network(Y[:30])
    assert network_for(method(network_search=net), read_targets(Y)) is net


def test_one_without_names_takes_those_of_the_labels():
    net = learn_network(Y).without_rows()
    named = given_network(net, ("a", "b", "c", "d"))
    assert named.label_names == ("a", "b", "c", "d")
    assert named.parents == net.parents
    assert named.dependence is net.dependence
    named = learn_network(Y, label_names=list("abcd"))
    assert given_network(named, ("label0", "label1", "label2", "label3")) is named


def test_networks_of_other_labels_are_refused():
    with pytest.raises(ValueError, match="must be a network of the 4 labels of y; got one of 3"):
        BNCC(network_search=learn_network(Y[:, :3])).fit(X, Y)
    with pytest.raises(ValueError, match="at 1 it has 'b' and y has 'c'"):
        given_network(learn_network(Y, label_names=list("abcd")), ("a", "c", "b", "d"))


def test_strengths_of_a_network_from_a_file_are_those_of_the_labels():
    net = learn_network(Y)
    assert with_strengths(net, read_targets(Y)) is net
    kept = net.without_rows()
    assert with_strengths(kept, read_targets(Y)) is kept
    counted = with_strengths(from_json(to_json(net)), read_targets(Y[:40]))
    np.testing.assert_array_equal(counted.dependence, learn_network(Y[:40]).dependence)
    assert counted.order == net.order
