from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load
from bncc.multilabel import BinaryRelevance, LabelPowerset, RandomKLabelsets
from bncc.multilabel.random_k_labelsets import draw_labelsets
from bncc.structure import from_json, label_communities, learn_network, permute_network, to_json
from bncc.svm import KernelSearchCV, KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles import label_groups as groups
from oracles import multilabel as oracle


@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 1000), st.integers(0, 10))
@settings(max_examples=80)
def test_labelsets_are_distinct_and_cover_all_labels(n_labels, k, seed, more):
    k = min(k, n_labels)
    needed = -(-n_labels // k)
    sets = draw_labelsets(n_labels, k, needed + more, np.random.RandomState(seed))
    assert len(sets) == len(set(sets)) == min(needed + more, comb(n_labels, k))
    assert set(sets) <= set(combinations(range(n_labels), k))
    assert set().union(*sets) == set(range(n_labels))
    parts = draw_labelsets(n_labels, k, None, np.random.RandomState(seed))
    assert sorted(label for own in parts for label in own) == list(range(n_labels))
    assert len(parts) == needed


@pytest.mark.parametrize("base", [LogisticRegression(), DecisionTreeClassifier(max_depth=4, random_state=0)])
@pytest.mark.parametrize("overlapping", [True, False])
@pytest.mark.parametrize("threshold", [0.5, 0.3])
def test_equals_the_definition(base, overlapping, threshold):
    X, Y = draw(80, 5)
    test = draw(40, 5, seed=1)[0]
    fitted = RandomKLabelsets(base, k=2, overlapping=overlapping, threshold=threshold, random_state=0).fit(X, Y)
    share = oracle.random_k_labelsets(base, X, Y, test, fitted.labelsets_)
    np.testing.assert_array_equal(fitted.predict(test), share > threshold)
    times = np.array([sum(label in own for own in fitted.labelsets_) for label in range(5)])
    np.testing.assert_allclose(fitted.predict_proba(test), (share * times + 1) / (times + 2), atol=1e-12)
    np.testing.assert_allclose(fitted.decision_function(test), share - threshold, atol=1e-12)


def test_mean_of_probabilities():
    X, Y = draw(80, 4)
    base = LogisticRegression()
    fitted = RandomKLabelsets(base, k=2, n_sets=4, aggregate="mean", random_state=0).fit(X, Y)
    total, times = np.zeros(Y.shape), np.zeros(4)
    for labels in fitted.labelsets_:
        total[:, labels] += oracle.label_powerset_marginals(base, X, Y[:, labels], X)
        times[list(labels)] += 1
    np.testing.assert_allclose(fitted.predict_proba(X), total / times, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(X), total / times > 0.5)


@pytest.mark.parametrize("base", [KernelSVC(), RidgeClassifier()])
def test_mean_of_decisions_where_there_are_no_probabilities(base):
    X, Y = draw(80, 4)
    fitted = RandomKLabelsets(base, aggregate="mean", random_state=0).fit(X, Y)
    scores = fitted.decision_function(X)
    assert ((scores > -0.5) & (scores < 0.5)).all()
    assert (fitted.predict(X) == Y).mean() > 0.7


def test_engine_equals_svc_on_real_data(data_folder):
    data = load(data_folder / "emotions")
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = RandomKLabelsets(KernelSVC(C=10, gamma=0.02, tol=1e-5), random_state=0).fit(X[:400], Y[:400])
    svc = SVC(C=10, gamma=0.02, tol=1e-5, break_ties=True)
    share = oracle.random_k_labelsets(svc, X[:400], Y[:400], X[400:], ours.labelsets_)
    np.testing.assert_array_equal(ours.predict(X[400:]), share > 0.5)


def test_extremes():
    X, Y = draw(80, 4)
    for base in (KernelSVC(), LogisticRegression()):
        alone = RandomKLabelsets(base, k=1, overlapping=False, random_state=0).fit(X, Y)
        np.testing.assert_array_equal(alone.predict(X), BinaryRelevance(base).fit(X, Y).predict(X))
        whole = RandomKLabelsets(base, k=9, random_state=0).fit(X, Y)
        assert whole.labelsets_ == ((0, 1, 2, 3),)
        np.testing.assert_array_equal(whole.predict(X), LabelPowerset(base).fit(X, Y).predict(X))


def test_searched_with_all_folds_at_once():
    X, Y = draw(60, 3)
    search = KernelSearchCV(RandomKLabelsets(KernelSVC(), k=2, random_state=0), {"sigma": [0.5, 2.0]}, cv=3).fit(X, Y)
    assert search.predict(X).shape == Y.shape


@pytest.mark.parametrize("base", [LogisticRegression(), DecisionTreeClassifier(max_depth=4, random_state=0)])
@pytest.mark.parametrize("overlapping", [True, False])
def test_families_of_the_network_vote(base, overlapping):
    X, Y = draw(80, 6)
    test = draw(40, 6, seed=1)[0]
    fitted = RandomKLabelsets(base, k=3, labelsets="network", overlapping=overlapping).fit(X, Y)
    net = learn_network(Y)
    assert fitted.network_.parents == net.parents
    families = list(dict.fromkeys(groups.families(Y, net.edges, 3)))
    if overlapping:
        assert list(fitted.labelsets_[: len(families)]) == families
        assert len(fitted.labelsets_) == 12  # as many as random ones
    else:
        assert fitted.labelsets_ == label_communities(net, 3)
    share = oracle.random_k_labelsets(base, X, Y, test, fitted.labelsets_)
    np.testing.assert_array_equal(fitted.predict(test), share > 0.5)


def test_families_come_from_the_network_that_is_given():
    X, Y = draw(80, 6)
    permutation = [5, 3, 1, 0, 2, 4]
    net = learn_network(Y)
    moved = permute_network(net, permutation)
    own = RandomKLabelsets(LogisticRegression(), labelsets="network", network_search=net, n_sets=6).fit(X, Y)
    twin = clone(own).set_params(network_search=moved).fit(X, Y)
    assert {tuple(sorted(permutation[label] for label in each)) for each in own.labelsets_} == set(twin.labelsets_)
    from_file = clone(own).set_params(network_search=from_json(to_json(net))).fit(X, Y)
    assert from_file.labelsets_ == own.labelsets_
    assert clone(own).set_params(labelsets="random").fit(X, Y).network_ is None


def test_settings_of_the_network_count():
    X, Y = draw(80, 6)
    settings = {"max_children": None, "max_parents": 1, "network_score": "bic", "network_search": "k2"}
    fitted = RandomKLabelsets(LogisticRegression(), labelsets="network", **settings).fit(X, Y)
    expected = learn_network(Y, max_children=None, max_parents=1, score="bic", search="k2")
    assert fitted.network_.parents == expected.parents


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labelsets": "all"}, "`labelsets` must be 'random' or 'network'; got 'all'"),
        ({"labelsets": "network", "n_sets": 0}, "`n_sets` must be a whole number of at least 1; got 0"),
        ({"labelsets": "network", "n_sets": 1}, "Families of 3 labels need at least 3 sets to have all labels; got 1"),
        ({"k": 0}, "`k` must be a whole number of at least 1; got 0"),
        ({"n_sets": 1}, "`n_sets` must be a whole number of at least 2 to cover all labels; got 1"),
        ({"threshold": 1.0}, "`threshold` must lie in"),
        ({"aggregate": "sum"}, "`aggregate` must be 'votes' or 'mean'; got 'sum'"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        RandomKLabelsets(LogisticRegression(), **options).fit(*draw())


def test_behaviour_on_the_network():
    assert_sensible(RandomKLabelsets(labelsets="network"))
    assert_sensible(RandomKLabelsets(LogisticRegression(C=0.1, max_iter=1000), labelsets="network", overlapping=False))


def test_behaviour():
    assert_sensible(RandomKLabelsets(random_state=0))
    assert_sensible(RandomKLabelsets(LogisticRegression(C=0.1, max_iter=1000), random_state=0))
    assert_passes_checks(RandomKLabelsets(random_state=0), weights_are_exact=False)
    assert_passes_checks(RandomKLabelsets(LogisticRegression(C=0.1, max_iter=1000), aggregate="mean", random_state=0))
    assert_passes_checks(RandomKLabelsets(LogisticRegression(C=0.1, max_iter=1000), random_state=0))


@pytest.mark.parametrize("aggregate", ["votes", "mean"])
def test_folds_agree(aggregate):
    base = KernelSVC(sigma=1.0, tol=1e-6)
    assert_folds_agree(RandomKLabelsets(base, k=2, aggregate=aggregate, random_state=0))
    assert_folds_agree(RandomKLabelsets(base, k=2, aggregate=aggregate, labelsets="network"))
