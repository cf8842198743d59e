import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from bncc import learn_network
from bncc.metrics import subset_accuracy
from bncc.multilabel import (
    BNCC,
    BinaryRelevance,
    EnsembleClassifierChain,
    MLkNN,
    NetworkDecoder,
    RandomKLabelsets,
    TunedThresholds,
)
from bncc.multilabel.label_rates import label_rates
from bncc.multilabel.network_decoder import STRENGTHS
from bncc.structure import FactorGraph, LabelFactor
from multilabel_behaviour import assert_sensible, draw
from oracles.factor_graph import weights_of_sets

X, Y = draw(120, 5)
NEW = draw(30, 5, seed=1)[0]
LOGISTIC = BinaryRelevance(LogisticRegression())


def graph_of(decoder):
    edges = zip(decoder.network_.edges, decoder.pair_terms_, strict=True)
    return FactorGraph(5, tuple(LabelFactor(edge, decoder.strength_ * terms) for edge, terms in edges))


@pytest.mark.parametrize("strength", [0.5, 1.0])
def test_equals_brute_force(strength):
    decoder = NetworkDecoder(LOGISTIC, strength=strength).fit(X, Y)
    rates = label_rates(clone(LOGISTIC).fit(X, Y), NEW, 5)
    answer = decoder.infer(NEW)
    assert answer.exact
    for row, own in enumerate(rates):
        sets, chance = weights_of_sets(graph_of(decoder), np.log(own) - np.log1p(-own))
        np.testing.assert_allclose(answer.marginals[row], chance @ sets, atol=1e-8)
        np.testing.assert_array_equal(decoder.predict(NEW[row : row + 1])[0], sets[chance.argmax()])
    np.testing.assert_array_equal(decoder.predict_proba(NEW), answer.marginals)


def test_strength_zero_is_the_estimator_alone():
    decoder = NetworkDecoder(LOGISTIC, strength=0).fit(X, Y)
    alone = clone(LOGISTIC).fit(X, Y)
    np.testing.assert_array_equal(decoder.predict(NEW), alone.predict(NEW))
    np.testing.assert_allclose(decoder.predict_proba(NEW), alone.predict_proba(NEW), atol=1e-9)
    assert decoder.held_out_ == ()


def test_at_strength_one_a_tree_without_evidence_is_the_labels_themselves():
    # Probabilities that are those of the labels, whatever the row.
    tree = learn_network(Y, search="tree")
    decoder = NetworkDecoder(MLkNN(k=120), strength=1.0, network_search=tree).fit(np.zeros((120, 1)), Y)
    sets, chance = weights_of_sets(graph_of(decoder), _logit(Y.mean(axis=0)))
    for parent, child in tree.edges:
        both = chance[(sets[:, parent] == 1) & (sets[:, child] == 1)].sum()
        assert both == pytest.approx((Y[:, parent] & Y[:, child]).mean(), abs=0.02)


def _logit(p):
    return np.log(p / (1 - p))


@pytest.mark.parametrize(
    "estimator",
    [
        MultiOutputClassifier(LogisticRegression()),
        RandomForestClassifier(10, random_state=0),
        MLkNN(k=5),
        BNCC(),
        EnsembleClassifierChain(LogisticRegression(), n_chains=2, random_state=0),
        RandomKLabelsets(n_sets=4, random_state=0),
        make_pipeline(LOGISTIC),
    ],
)
def test_any_estimator_with_probabilities(estimator):
    decoder = NetworkDecoder(estimator, cv=2).fit(X, Y)
    assert decoder.strength_ in STRENGTHS
    assert [strength for strength, _ in decoder.held_out_] == list(STRENGTHS)
    assert decoder.predict(NEW).shape == (30, 5)
    assert ((decoder.decision_function(NEW) > 0) == (decoder.predict(NEW) == 1)).all()


def test_the_strength_is_the_best_on_rows_held_out():
    decoder = NetworkDecoder(LOGISTIC, cv=3).fit(X, Y)
    values = dict(decoder.held_out_)
    assert values[decoder.strength_] == max(values.values())
    assert decoder.strength_ == min(each for each, value in values.items() if value == max(values.values()))
    # The value of no network is that of the estimator in cross-validation.
    from bncc.multilabel.crossval import deal_folds
    from bncc.multilabel.targets import read_targets

    held_out = np.zeros_like(Y)
    for train, test in deal_folds(read_targets(Y), 3):
        held_out[test] = clone(LOGISTIC).fit(X[train], Y[train]).predict(X[test])
    assert values[0.0] == pytest.approx(subset_accuracy(Y, held_out))


def test_labels_that_exclude_each_other_are_kept_apart():
    random = np.random.default_rng(0)
    features = random.normal(size=(400, 3))
    which = (features @ np.array([1.0, -1.0, 0.5]) + random.normal(size=400) > 0).astype(int)
    labels = np.column_stack([which, 1 - which])
    train, test = slice(300), slice(300, None)
    noisy = np.column_stack([features, random.normal(size=(400, 20))])
    trees = BinaryRelevance(RandomForestClassifier(5), random_state=0)
    decoder = NetworkDecoder(trees).fit(noisy[train], labels[train])
    assert decoder.strength_ > 0
    assert (decoder.predict(noisy[test]).sum(axis=1) == 1).mean() > 0.95
    assert (clone(trees).fit(noisy[train], labels[train]).predict(noisy[test]).sum(axis=1) == 1).mean() < 0.9


def test_groups_weights_and_unknown_labels():
    groups = np.repeat(np.arange(24), 5)
    own, grouped = (NetworkDecoder(LOGISTIC).fit(X, Y, groups=each) for each in (None, groups))
    assert own.held_out_ != grouped.held_out_
    with pytest.raises(ValueError, match="at least 2 values"):
        NetworkDecoder(LOGISTIC).fit(X, Y, groups=np.zeros(120))
    weight = np.where(np.arange(120) < 60, 1.0, 1e-9)
    weighted = NetworkDecoder(LOGISTIC, strength=1.0).fit(X, Y, sample_weight=weight)
    half = NetworkDecoder(LOGISTIC, strength=1.0, network_search=weighted.network_.parents).fit(X[:60], Y[:60])
    np.testing.assert_allclose(weighted.pair_terms_, half.pair_terms_, atol=1e-6)
    lost = Y.astype(float)
    lost[::3, 0] = np.nan
    for estimator in (None, RandomForestClassifier(5, random_state=0)):
        assert set(np.unique(NetworkDecoder(estimator).fit(X, lost).predict(NEW))) <= {0, 1}


def test_a_wide_network_is_answered_by_messages(monkeypatch):
    decoder = NetworkDecoder(LOGISTIC, strength=0.5).fit(X, Y)
    exact = decoder.infer(NEW)
    monkeypatch.setattr("bncc.multilabel.network_decoder.FactorGraph", _wide)
    answer = decoder.infer(NEW)
    assert not answer.exact
    assert answer.n_rounds > 0
    assert np.abs(answer.marginals - exact.marginals).max() < 0.1


def _wide(n_labels, factors):
    return FactorGraph(n_labels, factors, most_cells=0)


def test_it_takes_thresholds_and_text():
    tuned = TunedThresholds(NetworkDecoder(LOGISTIC, optimise="hamming"), cv=2).fit(X, Y)
    assert tuned.predict(NEW).shape == (30, 5)
    texts = np.array([" ".join(f"w{label}" for label in np.flatnonzero(row)) + " x" for row in Y], object)
    decoder = NetworkDecoder(make_pipeline(CountVectorizer(), LOGISTIC), cv=2).fit(texts, Y)
    assert decoder.predict(texts[:4]).shape == (4, 5)


@pytest.mark.parametrize("estimator", [None, LOGISTIC, RandomForestClassifier(5, random_state=0)])
def test_tags_that_few_rows_have(estimator):
    tags = [[f"t{label}" for label in np.flatnonzero(row)] for row in Y]
    tags[0].append("rare")
    decoder = NetworkDecoder(estimator).fit(X, tags)
    assert "rare" in decoder.label_names_
    assert decoder.predict(NEW).shape == (30, 6)
    assert set(decoder.predict_tags(NEW)[0]) <= set(decoder.label_names_)


def test_reasons_of_a_table():
    frame, labels = pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(Y, columns=list("vwxyz"))
    decoder = NetworkDecoder(LOGISTIC, strength=0.5).fit(frame, labels)
    ((found,),) = decoder.explain(frame[:1], labels=["w"])
    assert found.score == pytest.approx(decoder.decision_function(frame[:1])[0, 1])
    assert {reason.name for reason in found.reasons} <= set("abcd")
    assert decoder.forget_rows()._background is None
    assert decoder.estimator_._background is None


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"strength": -1}, "'auto' or a number from 0 to 100"),
        ({"strength": "much"}, "'auto' or a number"),
        ({"cv": 1}, "at least 2"),
        ({"optimise": "f1"}, "'joint' or 'hamming'"),
    ],
)
def test_parameters_are_checked(params, message):
    with pytest.raises(ValueError, match=message):
        NetworkDecoder(LOGISTIC, **params).fit(X, Y)


def test_probabilities_are_needed():
    with pytest.raises(TypeError, match="needs an estimator with `predict_proba`"):
        NetworkDecoder(BinaryRelevance(LinearSVC())).fit(X, Y)


@pytest.mark.parametrize("estimator", [NetworkDecoder(cv=2), NetworkDecoder(LOGISTIC, strength=0.5)])
def test_sensible(estimator):
    assert_sensible(estimator)
