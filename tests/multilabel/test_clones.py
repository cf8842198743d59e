import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from bncc.multilabel.backend import FitOptions, TrainingRows
from bncc.multilabel.clones import CloneBackend, Constant, seeded, unfitted
from bncc.multilabel.links import Link, Links, links_of_chains
from bncc.multilabel.targets import read_targets

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
Y = (X @ rng.normal(size=(3, 3)) + rng.normal(size=(60, 3)) > 0).astype(int)
ROWS = TrainingRows(X, read_targets(Y))
COLUMNS = [ROWS.targets.column(label) for label in range(3)]


def test_links_are_clones_on_features_and_true_labels():
    solved = CloneBackend(LogisticRegression()).fit(links_of_chains(COLUMNS, "abc", [(2, 0, 1)]), ROWS, FitOptions())
    expected = LogisticRegression().fit(np.column_stack([X, Y[:, 2], Y[:, 0]]), Y[:, 1])
    np.testing.assert_allclose(solved.estimators[2].coef_, expected.coef_)
    seen = np.column_stack([X, Y[:, 2], Y[:, 0]])
    np.testing.assert_allclose(solved.answer(2, X, Y), expected.decision_function(seen))
    np.testing.assert_allclose(solved.answer(2, X, Y, "probability"), expected.predict_proba(seen)[:, 1])


def test_rows_and_features_of_a_link():
    link = Link("a", COLUMNS[0], rows=np.arange(40), features=np.array([0, 2]))
    solved = CloneBackend(LogisticRegression()).fit(Links((link,), ((0,),)), ROWS, FitOptions())
    expected = LogisticRegression().fit(X[:40][:, [0, 2]], Y[:40, 0]).decision_function(X[:, [0, 2]])
    np.testing.assert_allclose(solved.answer(0, X, Y), expected)


@pytest.mark.parametrize(("target", "value"), [(np.ones(60, np.int8), 1), (np.full(60, -1, np.int8), 0)])
def test_one_class_and_no_rows_are_constants(target, value):
    solved = CloneBackend(LogisticRegression()).fit(Links((Link("a", target),), ((0,),)), ROWS, FitOptions())
    assert isinstance(solved.estimators[0], Constant)
    assert solved.answer(0, X, Y).tolist() == [2.0 * value - 1.0] * 60
    assert solved.answer(0, X, Y, "probability").tolist() == [float(value)] * 60


def test_weights_that_a_base_does_not_take_are_said():
    rows = TrainingRows(X, ROWS.targets, np.ones(60))
    with pytest.raises(ValueError, match="KNeighborsClassifier does not take it"):
        CloneBackend(KNeighborsClassifier()).fit(Links((Link("a", COLUMNS[0]),), ((0,),)), rows, FitOptions())


@pytest.mark.parametrize("n_jobs", [0, "2"])
def test_what_is_no_number_of_jobs_is_refused(n_jobs):
    links = Links((Link("a", COLUMNS[0]),), ((0,),))
    with pytest.raises(ValueError, match=f"`n_jobs` must be None, .* got {n_jobs!r}"):
        CloneBackend(LogisticRegression()).fit(links, ROWS, FitOptions(n_jobs=n_jobs))


def test_a_failing_link_is_named():
    class Failing(LogisticRegression):
        def fit(self, X, y):
            raise ValueError("no")

    with pytest.raises(ValueError, match="The link for label 'a' failed: no"):
        CloneBackend(Failing()).fit(Links((Link("a", COLUMNS[0]),), ((0,),)), ROWS, FitOptions())


@pytest.mark.parametrize("weight", [None, np.repeat([0.0, 1.0], 30)])
def test_boosted_trees_learn_beside_columns_that_are_empty(weight):
    """Some releases of scikit-learn fail where they look for the bins of a column of gaps."""
    gaps = np.full((60, 1), np.nan)
    if weight is not None:
        gaps[:30] = 1.0
    links = Links((Link("a", COLUMNS[0]),), ((0,),))
    base = HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3)
    solved = CloneBackend(base).fit(links, TrainingRows(np.hstack([gaps, X]), ROWS.targets, weight), FitOptions())
    expected = base.fit(np.hstack([np.zeros((60, 1)), X]), Y[:, 0], weight).decision_function(np.hstack([gaps, X]))
    np.testing.assert_allclose(solved.answer(0, np.hstack([gaps, X]), Y), expected)
    np.testing.assert_allclose(solved.answer(0, np.hstack([gaps + 5, X]), Y), expected)


def test_what_links_can_say():
    assert CloneBackend(LogisticRegression()).rates == "links"
    assert CloneBackend(Perceptron()).rates == "none"


def test_pulse_and_seeds():
    told = []
    options = FitOptions(random_state=0, pulse=told.append)
    links = links_of_chains(COLUMNS, "abc", [(0, 1, 2)])
    first = CloneBackend(DecisionTreeClassifier()).fit(links, ROWS, options)
    again = CloneBackend(DecisionTreeClassifier()).fit(links, ROWS, FitOptions(random_state=0))
    assert told == [1, 2, 3]
    states = [[tree.random_state for tree in solved.estimators] for solved in (first, again)]
    assert states[0] == states[1]
    assert len(set(states[0])) == 3
    assert seeded(DecisionTreeClassifier(random_state=7), 1).random_state == 7


@pytest.mark.parametrize("weights", [None, {0: 1.0, 1: 2.0}])
def test_a_copy_of_a_base_has_its_settings_and_goes_its_own_way(weights):
    base = LogisticRegression(C=3.0, class_weight=weights)
    held = unfitted(base)
    base.set_params(C=1.0)
    assert (type(held), held.C, held.class_weight) == (LogisticRegression, 3.0, weights)
    assert not hasattr(unfitted(base.fit([[0.0], [1.0]], [0, 1])), "coef_")
    assert unfitted(None) is None
