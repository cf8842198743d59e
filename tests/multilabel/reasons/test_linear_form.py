import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import bncc.linear
from bncc import BNCC, BinaryRelevance, ClassifierChain, EnsembleClassifierChain
from bncc.datasets import make_scenes
from bncc.multilabel.reasons.linear_form import linear_form

DATA = make_scenes(150)
LINEAR = [
    bncc.linear.LogisticRegression(),
    bncc.linear.LinearSVC(),
    LogisticRegression(max_iter=500),
    LinearSVC(),
    RidgeClassifier(),
    SGDClassifier(random_state=0),
]


@pytest.mark.parametrize(
    "base", LINEAR, ids=lambda base: f"{type(base).__module__.split('.')[0]}-{type(base).__name__}"
)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("method", [BinaryRelevance, BNCC])
def test_weighted_sums_are_the_decisions(method, base, kind):
    X = DATA.X if kind == "dense" else sparse.csr_array(np.where(DATA.X > 1, DATA.X, 0.0))
    model = method(base).fit(X, DATA.Y)
    planes = model._label_planes(X)
    decisions = model.decision_function(X)
    for label in range(DATA.Y.shape[1]):
        form = linear_form(model, label)
        np.testing.assert_allclose(form(X, planes[0] if planes else None), decisions[:, label], atol=1e-8)


def test_constant_labels_weigh_nothing():
    Y = DATA.Y.copy()
    Y[:, 2] = 1
    for base in (bncc.linear.LogisticRegression(), LogisticRegression(max_iter=500)):
        form = linear_form(ClassifierChain(base, random_state=0).fit(DATA.X, Y), 2)
        assert not form.weights.any()
        assert form.intercept == 1.0


@pytest.mark.parametrize(
    "model", [BNCC(), BNCC(GaussianNB()), EnsembleClassifierChain(LogisticRegression(max_iter=500))]
)
def test_other_scores_are_no_weighted_sums(model):
    assert linear_form(model.fit(DATA.X[:60], DATA.Y[:60]), 0) is None
