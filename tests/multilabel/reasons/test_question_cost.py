import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bncc.linear
from bncc import (
    BinaryRelevance,
    BlockPowerset,
    ClassifierChain,
    EnsembleClassifierChain,
    MonteCarloChain,
    NetworkDecoder,
    NetworkMLkNN,
    explain,
)
from bncc.datasets import make_scenes
from bncc.multilabel.reasons import question_cost
from bncc.multilabel.reasons.question_cost import numbers_per_call, numbers_per_row
from bncc.structure import FactorGraph, learn_network

DATA = make_scenes(80)
X, Y = DATA.X[:, :5], DATA.Y[:, :4]


def chain(**settings):
    return ClassifierChain(GaussianNB(), random_state=0, **settings).fit(X, Y)


@pytest.mark.parametrize(
    ("settings", "numbers"),
    [
        ({}, 0),
        ({"inference": "monte_carlo", "n_samples": 99}, 100 * 4 * 20),
        ({"inference": "beam", "beam_width": 3}, 6 * 4 * 20),
        ({"inference": "beam", "beam_width": 300}, 16 * 4 * 20),
        ({"inference": "exhaustive"}, 16 * 4**3 // 32),
        ({"inference": "exhaustive", "optimise": "f1"}, 16 * 4**3 // 32),
    ],
)
def test_chains_go_through_the_label_sets_that_they_follow(settings, numbers):
    assert numbers_per_row(chain(**settings)) == numbers


def test_parts_count_as_often_as_they_are_there():
    one = ClassifierChain(GaussianNB(), inference="monte_carlo", random_state=0).fit(X, Y[:, 0])
    alone = numbers_per_row(one)
    many = MultiOutputClassifier(one).fit(X, Y)
    assert numbers_per_row(many) == alone + 4 * alone  # the one that was cloned, and its clones
    many.estimators_ = [one] * 1000
    assert numbers_per_row(many) == 1001 * alone
    assert numbers_per_row(make_pipeline(StandardScaler(), many)) == 1001 * alone
    assert numbers_per_row(MonteCarloChain(LogisticRegression(), n_swaps=0).fit(X, Y)) == 101 * 4 * 20


def test_a_part_within_itself_is_no_other_part():
    one = chain(inference="monte_carlo")
    alone = numbers_per_row(one)
    one.estimator = one
    assert numbers_per_row(one) == alone


def test_networks_go_through_their_tables_or_send_messages(monkeypatch):
    network = learn_network(Y, search=[(), (0,), (1,), (2,)])
    decoder = NetworkDecoder(BinaryRelevance(GaussianNB()), strength=0.5, network_search=network).fit(X, Y)
    counts = NetworkMLkNN(k=3, network_search=network).fit(X, Y)
    assert numbers_per_row(decoder) == numbers_per_row(counts) == 8 * decoder._graph(0.5).plan.n_cells
    monkeypatch.setattr(FactorGraph, "exact", False)
    assert numbers_per_row(decoder) == 100 * 3 * 2 * 4
    assert numbers_per_row(counts) > numbers_per_row(decoder)


def test_other_models_cost_next_to_nothing():
    assert numbers_per_row(BinaryRelevance(GaussianNB()).fit(X, Y)) == 0
    assert numbers_per_row(LogisticRegression().fit(X, np.asarray(Y)[:, 0])) == 0


def test_links_and_chains_are_asked_one_by_one():
    part = 1 << 17
    links = BinaryRelevance(GaussianNB()).fit(X, Y)
    assert numbers_per_call(links) == (1 + 1 + 1 + 4) * part  # itself, its walk, its base, its links
    links._solved.__dict__["estimators"] = links._solved.estimators * 500
    assert numbers_per_call(links) == 2003 * part
    forests = BinaryRelevance(RandomForestClassifier(7, random_state=0)).fit(X, Y)
    assert numbers_per_call(forests) == (1 + 1 + 1 + 4) * part
    one, many = (
        EnsembleClassifierChain(bncc.linear.LogisticRegression(), n_chains=n, random_state=0).fit(X, Y) for n in (1, 9)
    )
    assert numbers_per_call(many) == numbers_per_call(one) + 8 * part


@pytest.mark.parametrize("effect", ["direct", "total"])
def test_a_model_of_many_parts_is_asked_less(effect, monkeypatch):
    model = EnsembleClassifierChain(bncc.linear.LogisticRegression(), n_chains=3, random_state=0).fit(X, Y)
    options = {"background": X, "labels": [0], "effect": effect}
    asked = explain(model, X[:1], **options)[0].n_asked
    monkeypatch.setattr(question_cost, "_PER_PART", 1 << 32)
    fewer = explain(model, X[:1], **options)[0]
    assert 0 < fewer.n_asked < asked / 20
    told = fewer.labels[0]
    assert np.isclose(told.base + told.from_features + told.from_labels, told.score)


def test_blocks_of_a_chain_are_asked_one_by_one():
    base = bncc.linear.LogisticRegression()
    along, apart = (BlockPowerset(base, max_size=1, chain=chain).fit(X, Y) for chain in (True, False))
    assert len(along.blocks_) == len(apart.blocks_) == 4
    assert numbers_per_call(along) - numbers_per_call(apart) == 3 * 4 * question_cost._PER_PART
