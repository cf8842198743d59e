import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import bncc.linear
from bncc import (
    BNCC,
    BayesianChain,
    BinaryRelevance,
    Blend,
    ClassifierChain,
    EnsembleClassifierChain,
    GroupSensitiveChain,
    MonteCarloChain,
)
from bncc.datasets import make_scenes
from bncc.multilabel.given_labels import planes_of_answers

DATA = make_scenes(150)
TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
HANDING_ON = {
    "kernel": BNCC(),
    "linear": BNCC(bncc.linear.LogisticRegression()),
    "clones": ClassifierChain(TREE, random_state=0),
    "probabilities": ClassifierChain(LogisticRegression(max_iter=500), chain_method="predict_proba", random_state=0),
    "log": ClassifierChain(LogisticRegression(max_iter=500), chain_method="predict_log_proba", random_state=0),
    "ensemble": EnsembleClassifierChain(n_chains=3, random_state=0),
    "trees": BayesianChain(n_roots=3, random_state=0),
    "groups": GroupSensitiveChain(TREE, n_groups=2, random_state=0),
    "blend": Blend(families=["kernel chains", "linear"], random_state=0),
}


@pytest.mark.parametrize("model", HANDING_ON.values(), ids=HANDING_ON)
def test_given_the_labels_that_a_model_predicts_scores_are_its_own(model):
    model.fit(DATA.X, DATA.Y)
    labels = np.array([7, 2])
    planes = model._label_planes(DATA.X)
    assert planes
    assert all(plane.shape == DATA.Y.shape for plane in planes)
    given = model._scores_given(DATA.X, planes, labels)
    np.testing.assert_allclose(given, model.decision_function(DATA.X)[:, labels], rtol=1e-9, atol=1e-12)


def test_other_labels_give_other_scores():
    """With planes turned round a link answers as if the labels before it had been others."""
    chain = ClassifierChain(LogisticRegression(max_iter=500), order=None).fit(DATA.X, DATA.Y)
    (plane,) = chain._label_planes(DATA.X)
    last = len(chain.order_) - 1
    given = chain._scores_given(DATA.X, [1 - plane], np.array([last]))[:, 0]
    expected = chain.estimators_[last].decision_function(np.hstack([DATA.X, 1 - plane[:, :last]]))
    np.testing.assert_allclose(given, expected, rtol=1e-9)
    assert np.abs(given - chain.decision_function(DATA.X)[:, last]).max() > 0.1


@pytest.mark.parametrize(
    "model",
    [BinaryRelevance(TREE), ClassifierChain(LogisticRegression(max_iter=500), inference="beam", random_state=0),
     MonteCarloChain(LogisticRegression(max_iter=500), n_swaps=1, random_state=0)],
)  # fmt: skip
def test_where_nothing_is_handed_on_scores_are_of_the_whole(model):
    model.fit(DATA.X, DATA.Y)
    assert model._label_planes(DATA.X[:5]) == ()
    given = model._scores_given(DATA.X[:5], (), np.array([1]))
    np.testing.assert_array_equal(given[:, 0], model.decision_function(DATA.X[:5])[:, 1])


def test_planes_are_in_the_columns_of_the_labels():
    answers = np.array([[[1.0, -1.0, 2.0]], [[-1.0, 3.0, 0.0]]])
    first, second = planes_of_answers([2, 0, 1, 1, 2, 0], 3, [(0, 1, 2), (3, 4, 5)], answers)
    assert first.tolist() == [[0, 1, 1]]
    assert second.tolist() == [[0, 0, 1]]
