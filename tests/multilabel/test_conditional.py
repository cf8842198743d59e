"""Held-out decisions under the true context, against scikit-learn's SVC link by link and fold by fold."""

import pickle
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from bncc.datasets import make_scenes
from bncc.multilabel.backend import FitOptions, TrainingRows
from bncc.multilabel.calibration import fit_slopes
from bncc.multilabel.conditional import slopes_of_links
from bncc.multilabel.crossval import Calibration, deal_folds
from bncc.multilabel.kernel import KernelBackend
from bncc.multilabel.links import links_of_chains
from bncc.multilabel.targets import read_targets
from bncc.svm import KernelSVC

DATA = make_scenes(120, random_state=6)
X, Y = DATA.X, np.asarray(DATA.Y.toarray() if sparse.issparse(DATA.Y) else DATA.Y)[:, :4]
ORDER = (2, 0, 3, 1)


def chain_of(labels):
    targets = read_targets(labels)
    columns = [targets.column(label) for label in range(4)]
    return links_of_chains(columns, list("abcd"), [ORDER]), targets


def conditional_decisions(links, X, targets, svc, folds):
    return KernelBackend(svc).decide_given_truth(links, TrainingRows(X, targets), folds, FitOptions())


def calibration_of(links, X, targets, svc):
    rows = TrainingRows(X, targets)
    return Calibration(partial(slopes_of_links, KernelBackend(svc), links, rows, FitOptions()), rows, None)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("unknown", [False, True])
def test_decisions_are_those_of_svc_on_features_and_true_labels(unknown, class_weight):
    labels = Y.astype(float)
    if unknown:
        labels[::5, 3] = np.nan
    links, targets = chain_of(labels)
    folds = deal_folds(targets, 3)
    svc = KernelSVC(C=2.0, gamma=0.05, tol=1e-6, class_weight=class_weight)
    found = conditional_decisions(links, X, targets, svc, folds)
    filled = np.nan_to_num(labels)
    for place, link in enumerate(links.links):
        Z = np.hstack([X, filled[:, list(link.context)]])
        known = link.target >= 0
        weight = None
        if class_weight:
            share = link.target[known].mean()
            weight = {0: 0.5 / (1 - share), 1: 0.5 / share}  # of all rows the link may use
        for train, test in folds:
            rows = train[known[train]]
            theirs = SVC(C=2.0, gamma=0.05, tol=1e-6, class_weight=weight).fit(Z[rows], link.target[rows])
            np.testing.assert_allclose(found[test, place], theirs.decision_function(Z[test]), atol=2e-3)


def test_rows_that_no_fold_tests_have_no_decision():
    links, targets = chain_of(Y)
    found = conditional_decisions(links, X, targets, KernelSVC(), deal_folds(targets, 3)[:1])
    tested = deal_folds(targets, 3)[0][1]
    assert np.isfinite(found[tested]).all()
    assert np.isnan(np.delete(found, tested, axis=0)).all()


def test_slopes_are_fitted_to_them_and_travel_without_the_rows():
    links, targets = chain_of(Y)
    svc = KernelSVC(C=2.0)
    calibration = calibration_of(links, X, targets, svc)
    decisions = conditional_decisions(links, X, targets, svc, deal_folds(targets))
    for place, label in enumerate(ORDER):
        np.testing.assert_allclose(calibration.slopes[place], fit_slopes(decisions[:, place], Y[:, label] == 1))
    fresh = calibration_of(links, X, targets, svc)
    sent = pickle.dumps(fresh)
    np.testing.assert_array_equal(pickle.loads(sent).slopes, calibration.slopes)
    assert len(sent) < 1000


def test_one_row_is_not_calibrated():
    links, targets = chain_of(Y[:1])
    np.testing.assert_array_equal(calibration_of(links, X[:1], targets, KernelSVC()).slopes, 1.0)
