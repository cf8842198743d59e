import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import bncc.linear
from bncc.datasets import load, make_scenes
from bncc.multilabel import BinaryRelevance, BlockPowerset, ClassifierChain, LabelPowerset
from bncc.structure import label_communities, learn_network, permute_network
from bncc.svm import KernelSearchCV, KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles import multilabel as oracle


@pytest.mark.parametrize(
    "base", [LogisticRegression(), DecisionTreeClassifier(max_depth=4, random_state=0), GaussianNB()]
)
@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("blocks", ["network", "random"])
def test_equals_the_definition(base, chain, blocks):
    X, Y = draw(90, 6)
    test = draw(40, 6, seed=1)[0]
    fitted = BlockPowerset(base, blocks=blocks, max_size=3, chain=chain, random_state=0).fit(X, Y)
    assert len(fitted.blocks_) > 1
    expected = oracle.block_powerset(base, X, Y, test, fitted.blocks_, chain=chain)
    np.testing.assert_array_equal(fitted.predict(test), expected)
    rates = fitted.predict_proba(test)
    assert ((rates > 0.5) == (expected == 1)).all()
    np.testing.assert_allclose(fitted.decision_function(test), rates - 0.5)


def test_marginals_of_the_first_block():
    X, Y = draw(90, 5)
    base = LogisticRegression()
    fitted = BlockPowerset(base, blocks=[(1, 3), (0, 2, 4)], chain=True).fit(X, Y)
    marginals = oracle.label_powerset_marginals(base, X, Y[:, [1, 3]], X)
    agrees = (marginals > 0.5) == (fitted.predict(X)[:, [1, 3]] == 1)
    np.testing.assert_allclose(fitted.predict_proba(X)[:, [1, 3]][agrees], marginals[agrees])
    assert agrees.mean() > 0.8


@pytest.mark.parametrize("chain", [False, True])
def test_engine_equals_svc_on_real_data(data_folder, chain):
    data = load(data_folder / "emotions")
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = BlockPowerset(KernelSVC(C=10, gamma=0.02, tol=1e-5), max_size=3, chain=chain).fit(X[:400], Y[:400])
    svc = SVC(C=10, gamma=0.02, tol=1e-5, break_ties=True)
    expected = oracle.block_powerset(svc, X[:400], Y[:400], X[400:], ours.blocks_, chain=chain)
    np.testing.assert_array_equal(ours.predict(X[400:]), expected)


def test_blocks_are_communities_of_the_network():
    data = make_scenes(200)
    settings = {"max_children": 3, "max_parents": 2, "network_score": "bic", "network_search": "k2"}
    fitted = BlockPowerset(GaussianNB(), max_size=3, **settings).fit(data.X, data.Y)
    net = learn_network(data.Y, max_children=3, max_parents=2, score="bic", search="k2")
    assert fitted.network_.parents == net.parents
    assert fitted.blocks_ == label_communities(net, 3)


def test_a_network_that_is_given_and_the_twins():
    data = make_scenes(200)
    net = learn_network(data.Y)
    permutation = np.random.default_rng(0).permutation(10).tolist()
    own = BlockPowerset(GaussianNB(), network_search=net, random_state=0).fit(data.X, data.Y)
    assert own.network_ is net
    moved = clone(own).set_params(network_search=permute_network(net, permutation)).fit(data.X, data.Y)
    dealt = clone(own).set_params(blocks="random").fit(data.X, data.Y)
    assert [tuple(sorted(permutation[label] for label in block)) for block in own.blocks_] == list(moved.blocks_)
    assert list(map(len, dealt.blocks_)) == list(map(len, own.blocks_))
    assert dealt.blocks_ != own.blocks_


def test_extremes():
    X, Y = draw(80, 4)
    for base in (KernelSVC(), LogisticRegression()):
        alone, test = [(2,), (0,), (3,), (1,)], draw(40, 4, seed=1)[0]
        relevance = BinaryRelevance(base).fit(X, Y).predict(test)
        np.testing.assert_array_equal(BlockPowerset(base, blocks=alone, chain=False).fit(X, Y).predict(test), relevance)
        in_order = ClassifierChain(base, order=(2, 0, 3, 1)).fit(X, Y).predict(test)
        np.testing.assert_array_equal(BlockPowerset(base, blocks=alone, chain=True).fit(X, Y).predict(test), in_order)
        whole = LabelPowerset(base).fit(X, Y)
        for chain in (False, True):
            fitted = BlockPowerset(base, blocks=[range(4)], chain=chain).fit(X, Y)
            np.testing.assert_array_equal(fitted.predict(test), whole.predict(test))
            np.testing.assert_allclose(fitted.decision_function(test), whole.decision_function(test))


@pytest.mark.parametrize(
    "base",
    [bncc.linear.LinearSVC(), bncc.linear.LogisticRegression(), KernelSVC(approximation="nystroem"), RidgeClassifier()],
)
def test_every_kind_of_base(base):
    data = make_scenes(200)
    X, Y = sparse.csr_array(np.where(np.abs(data.X) > 0.5, data.X, 0.0)), sparse.csr_array(data.Y)
    for chain in (False, True):
        fitted = BlockPowerset(base, chain=chain).fit(X, Y)
        predicted = fitted.predict(X).toarray()
        assert (predicted == data.Y).mean() > 0.75
        np.testing.assert_array_equal(fitted.decision_function(X) > 0, predicted == 1)


def test_rows_with_an_unknown_label_leave_its_block():
    X, Y = draw(60, 4)
    lost = Y.astype(float)
    lost[:15, 1] = np.nan
    blocks = [(0, 1), (2, 3)]
    for base in (LogisticRegression(), KernelSVC(sigma=1.0)):
        with_unknown = BlockPowerset(base, blocks=blocks, chain=False).fit(X, lost).predict(X)
        np.testing.assert_array_equal(with_unknown[:, :2], LabelPowerset(base).fit(X[15:], Y[15:, :2]).predict(X))
        np.testing.assert_array_equal(with_unknown[:, 2:], LabelPowerset(base).fit(X, Y[:, 2:]).predict(X))


def test_labels_before_are_reasons_of_their_own():
    data = make_scenes(150)
    fitted = BlockPowerset(LogisticRegression(max_iter=1000), chain=True).fit(data.X, data.Y_frame)
    last = fitted.blocks_[-1][0]
    told = fitted.explain(data.X[:2], labels=[last], budget=600)
    scores = fitted.decision_function(data.X[:2])
    for row in range(2):
        reasons = told[row].labels[0]
        assert reasons.score == pytest.approx(scores[row, last])
        assert reasons.base + reasons.from_features + reasons.from_labels == pytest.approx(reasons.score)
        known = {data.label_names[label] for block in fitted.blocks_[:-1] for label in block}
        assert {reason.name for reason in reasons.reasons if reason.kind == "label"} <= known
    planes = fitted._label_planes(data.X[:5])
    np.testing.assert_array_equal(planes[0], fitted.predict(data.X[:5]))
    given = fitted._scores_given(data.X[:5], planes, np.arange(10))
    np.testing.assert_allclose(given, fitted.decision_function(data.X[:5]))
    other = fitted._scores_given(data.X[:5], (1 - planes[0],), np.arange(10))
    first = list(fitted.blocks_[0])
    np.testing.assert_allclose(other[:, first], given[:, first])
    assert (other[:, last] != given[:, last]).any()
    assert BlockPowerset(GaussianNB(), chain=False).fit(data.X, data.Y)._label_planes(data.X) == ()


def test_searched_over_folds():
    X, Y = draw(60, 4)
    for chain in (False, True):
        search = KernelSearchCV(BlockPowerset(KernelSVC(), chain=chain), {"sigma": [0.5, 2.0]}, cv=3).fit(X, Y)
        assert search.predict(X).shape == Y.shape


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"blocks": "all"}, "`blocks` must be 'network', 'random' or the labels of each block; got 'all'"),
        ({"blocks": [(0, 1), (1, 2, 3, 4)]}, "`blocks` must have each of the labels 0..4 in one block"),
        ({"blocks": [(0, 1), (), (2, 3, 4)]}, "`blocks` must have each of the labels 0..4 in one block"),
        ({"max_size": 0}, "`max_size` must be at least 1; got 0"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        BlockPowerset(LogisticRegression(), **options).fit(*draw())


@pytest.mark.parametrize("base", [None, LogisticRegression(C=0.1, max_iter=1000)])
@pytest.mark.parametrize("chain", [False, True])
def test_behaviour(base, chain):
    assert_sensible(BlockPowerset(base, chain=chain))
    if chain:
        assert_passes_checks(BlockPowerset(base, chain=chain), weights_are_exact=base is not None)


@pytest.mark.parametrize("chain", [False, True])
def test_folds_agree(chain):
    assert_folds_agree(BlockPowerset(KernelSVC(sigma=1.0, tol=1e-6), max_size=2, chain=chain))
