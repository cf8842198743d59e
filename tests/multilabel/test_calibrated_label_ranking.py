import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load
from bncc.multilabel import CalibratedLabelRanking
from bncc.multilabel.kernel_problems import problems_of_folds
from bncc.svm import KernelSearchCV, KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles.multilabel import calibrated_label_ranking


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
def test_probabilities_follow_predictions(aggregate, base):
    X, Y = draw(150, 4)
    fitted = CalibratedLabelRanking(base, aggregate=aggregate).fit(X, Y)
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
    assert_passes_checks(CalibratedLabelRanking(base), weights_are_exact=base is not None)


@pytest.mark.parametrize("aggregate", ["votes", "decisions"])
def test_folds_agree(aggregate):
    assert_folds_agree(CalibratedLabelRanking(KernelSVC(sigma=1.0, tol=1e-6), aggregate=aggregate))
