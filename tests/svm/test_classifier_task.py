import numpy as np
import pytest
from sklearn.datasets import load_iris

from bncc.selection import BatchOptions
from bncc.svm import KernelSVC
from bncc.svm.classifier_task import ClassRows

X, Y = load_iris(return_X_y=True)
ROWS = np.random.default_rng(0).permutation(len(X))[:90]
FOLDS = [(ROWS[30:], ROWS[:30]), (ROWS[:60], ROWS[60:])]
CANDIDATES = [{"C": 0.1}, {"sigma": 0.5, "C": 10.0}]


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 1.0, 1: 3.0, 2: 0.5}])
def test_answers_are_those_of_fits(class_weight):
    svc = KernelSVC(gamma=0.3, tol=1e-7, class_weight=class_weight)
    weight = np.linspace(0.5, 2.0, len(X))
    task = svc.search_task(X, Y, [(np.sort(train), np.sort(test)) for train, test in FOLDS], weight)
    answers = [answer for part in task.solve(CANDIDATES, BatchOptions()) for answer in part.answers]
    assert {(answer.candidate, answer.fold) for answer in answers} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    for answer in answers:
        train, test = (np.sort(part) for part in FOLDS[answer.fold])
        fitted = KernelSVC(gamma=0.3, tol=1e-7, class_weight=class_weight)
        fitted.set_params(**fitted.changes_for(CANDIDATES[answer.candidate])).fit(X[train], Y[train], weight[train])
        np.testing.assert_allclose(answer.decided.decisions, fitted.decision_function(X[test]), atol=1e-4)
        np.testing.assert_array_equal(answer.decided.predictions, fitted.predict(X[test]))


def test_a_refit_takes_what_the_options_name():
    task = KernelSVC(gamma=0.3).search_task(X, Y, FOLDS)
    best = task.refit({"sigma": 2.0}, BatchOptions(n_jobs=1, engine="numpy"))
    assert (best.sigma, best.gamma, best.n_jobs, best.engine_.name) == (2.0, None, 1, "numpy")
    assert task.svc.gamma == 0.3
    np.testing.assert_array_equal(best.predict(X), KernelSVC(sigma=2.0).fit(X, Y).predict(X))


def test_some_rows():
    rows = ClassRows(X, Y, Y, None).take(np.array([3, 1]))
    assert rows.weight is None
    np.testing.assert_array_equal(rows.X, X[[3, 1]])
    assert ClassRows(X, Y, Y, np.arange(150.0)).take(np.array([3, 1])).weight.tolist() == [3.0, 1.0]
