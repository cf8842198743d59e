import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load, make_scenes
from bncc.linear import LinearSVC
from bncc.multilabel import BinaryRelevance, CalibratedLabelRanking
from bncc.multilabel.kernel_problems import problems_of_folds
from bncc.multilabel.label_contests import edge_pairs, random_pairs
from bncc.structure import learn_network, permute_network
from bncc.svm import KernelSearchCV, KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles.multilabel import calibrated_label_ranking, ranking_among_neighbours


@pytest.mark.parametrize("base", [LogisticRegression(), DecisionTreeClassifier(random_state=0), GaussianNB()])
@pytest.mark.parametrize("n_labels", [1, 2, 5])
def test_equals_the_definition(base, n_labels):
    X, Y = draw(80, n_labels)
    Y[:, -1] |= Y[:, 0]
    test = draw(30, n_labels, seed=1)[0]
    fitted = CalibratedLabelRanking(base).fit(X, Y)
    np.testing.assert_array_equal(fitted.decision_function(test), calibrated_label_ranking(base, X, Y, test))
    np.testing.assert_array_equal(fitted.predict(test), calibrated_label_ranking(base, X, Y, test) > 0)


def test_engine_equals_svc_on_real_data(data_folder):
    data = load(data_folder / "emotions")
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = CalibratedLabelRanking(KernelSVC(C=10, gamma=0.02, tol=1e-5)).fit(X[:400], Y[:400])
    theirs = calibrated_label_ranking(SVC(C=10, gamma=0.02, tol=1e-5), X[:400], Y[:400], X[400:])
    np.testing.assert_array_equal(ours.decision_function(X[400:]), theirs)


def test_engine_weights_are_those_of_svc():
    X, Y = draw(80, 3)
    weight = np.random.default_rng(0).random(80) + 0.2
    ours = CalibratedLabelRanking(KernelSVC(gamma=0.5, tol=1e-6)).fit(X, Y, sample_weight=weight)
    theirs = CalibratedLabelRanking(SVC(gamma=0.5, tol=1e-6)).fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))
    balanced = {"gamma": 0.5, "tol": 1e-6, "class_weight": "balanced"}
    ours = CalibratedLabelRanking(KernelSVC(**balanced)).fit(X, Y, sample_weight=weight)
    theirs = CalibratedLabelRanking(SVC(**balanced)).fit(X, Y, sample_weight=weight)
    np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))


def test_a_pair_that_no_row_tells_apart():
    X, Y = draw(40, 3)
    Y[:, 2] = Y[:, 0]
    fitted = CalibratedLabelRanking(LogisticRegression()).fit(X, Y)
    assert fitted.pairs_.tolist() == [[0, 1], [1, 2]]
    scores = fitted.decision_function(X)
    np.testing.assert_array_equal(scores[:, 0], scores[:, 2])
    np.testing.assert_array_equal(scores, calibrated_label_ranking(LogisticRegression(), X, Y, X))


@pytest.mark.parametrize("base", [LogisticRegression(), KernelSVC(gamma=0.5, tol=1e-6)])
def test_pairs_of_one_class_vote_or_abstain(base):
    X, Y = draw(60, 4)  # label 1 holds wherever label 0 does, so that it always wins against that one
    test, scores = draw(30, 4, seed=1)[0], {}
    for choice in ("vote", "abstain"):
        fitted = CalibratedLabelRanking(base, one_class_pairs=choice).fit(X, Y)
        scores[choice] = fitted.decision_function(test)
        theirs = SVC(gamma=0.5, tol=1e-6) if isinstance(base, KernelSVC) else base
        expected = calibrated_label_ranking(theirs, X, Y, test, one_class_pairs=choice)
        np.testing.assert_array_equal(scores[choice], expected)
    assert (scores["vote"] != scores["abstain"]).any()


@pytest.mark.parametrize("base", [LogisticRegression(), DecisionTreeClassifier(random_state=0), GaussianNB()])
@pytest.mark.parametrize("pairs", ["network", "random"])
@pytest.mark.parametrize("choice", ["vote", "abstain"])
def test_few_pairs_equal_the_definition(base, pairs, choice):
    X, Y = draw(80, 6)  # label 1 holds wherever label 0 does
    Y[:, 5] = Y[:, 4]  # a pair that no row tells apart
    test = draw(30, 6, seed=1)[0]
    settings = {"pairs": pairs, "one_class_pairs": choice, "max_children": None, "random_state": 0}
    fitted = CalibratedLabelRanking(base, **settings).fit(X, Y)
    net = learn_network(Y, max_children=None)
    chosen = edge_pairs(net) if pairs == "network" else random_pairs(6, len(net.edges), 0)
    assert set(map(tuple, fitted.pairs_.tolist())) == set(chosen) - {(4, 5)}
    expected = ranking_among_neighbours(base, X, Y, test, chosen, one_class_pairs=choice)
    np.testing.assert_allclose(fitted.decision_function(test), expected, atol=1e-12)
    np.testing.assert_array_equal(fitted.predict(test), expected > 0)
    assert fitted.network_.parents == net.parents
    assert len(set(map(tuple, chosen))) == len(net.edges)


@pytest.mark.parametrize("aggregate", ["votes", "decisions"])
@pytest.mark.parametrize("base", [LogisticRegression(), KernelSVC(gamma=0.5, tol=1e-6)])
def test_neighbours_of_each_other_are_all_pairs(aggregate, base):
    X, Y = draw(80, 5)
    complete = [range(label) for label in range(5)]
    few = CalibratedLabelRanking(base, aggregate=aggregate, pairs="network", network_search=complete).fit(X, Y)
    every = CalibratedLabelRanking(base, aggregate=aggregate).fit(X, Y)
    assert len(every.pairs_) == 10
    np.testing.assert_array_equal(few.pairs_, every.pairs_)
    np.testing.assert_allclose(5 * few.decision_function(X), every.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(few.predict(X), every.predict(X))
    if base.__class__ is LogisticRegression:
        np.testing.assert_allclose(few.predict_proba(X), every.predict_proba(X))


def test_labels_without_neighbours_are_decided_alone():
    X, Y = draw(60, 4)
    fitted = CalibratedLabelRanking(LogisticRegression(), pairs="network", network_search=[()] * 4).fit(X, Y)
    assert fitted.pairs_.shape == (0, 2)
    alone = BinaryRelevance(LogisticRegression()).fit(X, Y).predict(X)
    np.testing.assert_array_equal(fitted.predict(X), alone)
    np.testing.assert_array_equal(fitted.decision_function(X), 2 * alone - 1)


def test_summed_decisions_of_few_pairs():
    X, Y = draw(60, 4)
    Y = Y[:, [0, 2, 3]]
    settings = {"aggregate": "decisions", "pairs": "network", "network_search": [(), (0,), ()]}
    fitted = CalibratedLabelRanking(LogisticRegression(), **settings).fit(X, Y)
    pair = LogisticRegression().fit(X[Y[:, 0] != Y[:, 1]], Y[Y[:, 0] != Y[:, 1], 0]).decision_function(X)
    own = [np.tanh(LogisticRegression().fit(X, Y[:, label]).decision_function(X) / 2) for label in range(3)]
    both, soft = own[0] + own[1], np.tanh(pair / 2)
    expected = np.column_stack([(own[0] + soft + both) / 2, (own[1] - soft + both) / 2, 2 * own[2]])
    np.testing.assert_allclose(fitted.decision_function(X), expected, atol=1e-12)


def test_a_network_that_is_given_and_the_twins():
    data = make_scenes(150)
    net, permutation = learn_network(data.Y), np.random.default_rng(0).permutation(10).tolist()
    own = CalibratedLabelRanking(GaussianNB(), pairs="network", network_search=net, random_state=0).fit(data.X, data.Y)
    twin = clone(own).set_params(network_search=permute_network(net, permutation)).fit(data.X, data.Y)
    moved = [sorted((permutation[first], permutation[second])) for first, second in edge_pairs(net)]
    assert twin.pairs_.tolist() == sorted(moved)
    dealt = clone(own).set_params(pairs="random").fit(data.X, data.Y)
    assert len(dealt.pairs_) == len(own.pairs_) == len(net.edges)
    assert dealt.pairs_.tolist() != own.pairs_.tolist()
    assert clone(own).set_params(pairs="all").fit(data.X, data.Y).network_ is None


def test_bad_pairs():
    with pytest.raises(ValueError, match="`pairs` must be 'all', 'network' or 'random'; got 'some'"):
        CalibratedLabelRanking(pairs="some").fit(*draw())


@pytest.mark.slow
def test_a_thousand_labels_take_seconds():
    """All pairs would be half a million links."""
    random = np.random.default_rng(0)
    topics = random.random((3000, 40)) < 0.05
    Y = (topics @ (random.random((40, 1000)) < 0.05)) & (random.random((3000, 1000)) < 0.6)
    X = sparse.csr_array((topics @ (random.random((40, 5000)) < 0.02)) & (random.random((3000, 5000)) < 0.3))
    fitted = CalibratedLabelRanking(LinearSVC(), pairs="network").fit(X.astype(float), sparse.csr_array(Y.astype(int)))
    assert len(fitted._solved.writes) == 1000 + len(fitted.pairs_)
    assert 500 < len(fitted.pairs_) <= len(fitted.network_.edges) < 3000
    assert (fitted.predict(X.astype(float)).toarray() == Y).mean() > 0.95


def test_bad_one_class_pairs():
    with pytest.raises(ValueError, match="`one_class_pairs` must be 'vote' or 'abstain'; got 'no'"):
        CalibratedLabelRanking(one_class_pairs="no").fit(*draw())


def test_unknown_labels_leave_the_pair():
    X, Y = draw(50, 3)
    lost = Y.astype(float)
    lost[:10, 0] = np.nan
    fitted = CalibratedLabelRanking(LogisticRegression()).fit(X, lost)
    links = fitted._describe(X, _targets(lost)).links
    rows = next(link for link in links if link.name == "label0 or label1").training_rows()
    assert rows.tolist() == [row for row in range(10, 50) if Y[row, 0] != Y[row, 1]]


def _targets(Y):
    from bncc.multilabel.targets import read_targets

    return read_targets(Y)


@pytest.mark.parametrize("aggregate", ["votes", "decisions"])
@pytest.mark.parametrize("base", [LogisticRegression(), KernelSVC()])
@pytest.mark.parametrize("pairs", ["all", "network"])
def test_probabilities_follow_predictions(aggregate, base, pairs):
    X, Y = draw(150, 4)
    fitted = CalibratedLabelRanking(base, aggregate=aggregate, pairs=pairs).fit(X, Y)
    np.testing.assert_array_equal(fitted.predict_proba(X) > 0.5, fitted.predict(X) == 1)


def test_summed_decisions():
    X, Y = draw(60, 3)
    Y = Y[:, [0, 2]]
    fitted = CalibratedLabelRanking(LogisticRegression(), aggregate="decisions").fit(X, Y)
    pair = LogisticRegression().fit(X[Y[:, 0] != Y[:, 1]], Y[Y[:, 0] != Y[:, 1], 0]).decision_function(X)
    own = [LogisticRegression().fit(X, Y[:, label]).decision_function(X) for label in (0, 1)]
    soft = [np.tanh(d / 2) for d in (*own, pair)]
    expected = np.column_stack([soft[0] + soft[2], soft[1] - soft[2]]) + (soft[0] + soft[1])[:, None]
    np.testing.assert_allclose(fitted.decision_function(X), expected, atol=1e-12)


def test_folds_share_targets():
    X, Y = draw(90, 4)
    task = CalibratedLabelRanking().search_task(X, Y, [(np.arange(60), np.arange(60, 90)), (np.arange(30, 90), [0])])
    assert len(problems_of_folds(task.folded, task.prepared, KernelSVC()).targets) == 4


def test_searched_with_all_folds_at_once():
    X, Y = draw(90, 3)
    search = KernelSearchCV(CalibratedLabelRanking(KernelSVC()), {"sigma": [0.5, 2.0]}, cv=3).fit(X, Y)
    assert search.predict(X).shape == Y.shape


def test_bad_aggregate():
    with pytest.raises(ValueError, match="`aggregate` must be 'votes' or 'decisions'; got 'mean'"):
        CalibratedLabelRanking(aggregate="mean").fit(*draw())


@pytest.mark.parametrize("base", [None, LogisticRegression(C=0.1)])
def test_behaviour(base):
    assert_sensible(CalibratedLabelRanking(base))
    assert_sensible(CalibratedLabelRanking(base, aggregate="decisions"))
    assert_sensible(CalibratedLabelRanking(base, pairs="network"))
    assert_passes_checks(CalibratedLabelRanking(base), weights_are_exact=base is not None)


@pytest.mark.parametrize("aggregate", ["votes", "decisions"])
def test_folds_agree(aggregate):
    base = KernelSVC(sigma=1.0, tol=1e-6)
    assert_folds_agree(CalibratedLabelRanking(base, aggregate=aggregate))
    assert_folds_agree(CalibratedLabelRanking(base, aggregate=aggregate, pairs="network"))
