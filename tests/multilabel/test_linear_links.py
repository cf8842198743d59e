import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import make_scenes
from bncc.linear import LinearSVC, LogisticRegression
from bncc.multilabel import BNCC, BinaryRelevance, ClassifierChain, EnsembleClassifierChain
from bncc.multilabel.clones import Constant

DATA = make_scenes(200, noise=2.0, random_state=4)
X, Y = DATA.X, DATA.Y.copy()
Y[:, 1] = 1


@pytest.fixture(scope="module")
def chain():
    return ClassifierChain(LogisticRegression(), order="entropy").fit(X, Y)


def test_links_are_classifiers_that_see_their_context_in_its_order(chain):
    known = np.random.default_rng(0).integers(0, 2, Y.shape)
    for position, (label, link) in enumerate(zip(chain.order_, chain.estimators_, strict=True)):
        if label == 1:
            assert isinstance(link, Constant)
            continue
        seen = np.hstack([X, known[:, chain.order_[:position]]])
        answer = chain._solved.answer(position, X, known)
        np.testing.assert_allclose(link.decision_function(seen), answer, atol=1e-12)
        rate = chain._solved.answer(position, X, known, "probability")
        np.testing.assert_allclose(link.predict_proba(seen)[:, 1], rate, atol=1e-12)


def test_all_ways_of_asking_agree(chain):
    solved, known = chain._solved, np.zeros(Y.shape, np.int8)
    walked = solved.walk(X, chain._walks)[0]
    slow = super(type(solved), solved).walk(X, chain._walks)[0]
    np.testing.assert_allclose(walked, slow, atol=1e-9)
    ask = solved.conditionals(X)
    rows = np.array([5, 3, 5])
    for link, column in enumerate(solved.answer_all(X, known, "probability")):
        np.testing.assert_allclose(ask(link, rows, known[rows]), column[rows], atol=1e-12)
        np.testing.assert_allclose(solved.answer(link, X, known, "probability"), column, atol=1e-12)
    known[::2] = 1
    for link, some in zip([7, 2], solved.answer_some([7, 2], X, known), strict=True):
        np.testing.assert_allclose(some, solved.answer(link, X, known), atol=1e-12)
    assert solved.answer_some([], X, known) == []


def test_svms_have_no_probabilities_of_their_own():
    model = BinaryRelevance(LinearSVC()).fit(X, Y)
    with pytest.raises(ValueError, match="give decisions"):
        model._solved.walk(X, model._walks, "probability")
    with pytest.raises(ValueError, match="give decisions"):
        model._solved.conditionals(X)


def test_contexts_beyond_a_number_are_not_kept(chain):
    bare = replace(chain._solved, contexts=None)
    assert bare.walk(X, chain._walks).shape == (1, 200, Y.shape[1])
    with pytest.raises(AttributeError, match="too many to keep"):
        bare.estimators[0]


def test_copies_answer_the_same(chain):
    again = pickle.loads(pickle.dumps(chain))
    np.testing.assert_array_equal(again.decision_function(X), chain.decision_function(X))


@pytest.mark.parametrize(
    "base", [LinearSVC(drop_below=0.01), LogisticRegression(drop_below=0.01)], ids=["svc", "logistic"]
)
@pytest.mark.parametrize(
    "method",
    [
        BinaryRelevance,
        lambda base: ClassifierChain(base, random_state=0),
        BNCC,
        lambda base: EnsembleClassifierChain(base, n_chains=2, random_state=0),
    ],
    ids=["relevance", "chain", "network", "ensemble"],
)
def test_sparse_predictions_are_those_of_the_scores(method, base):
    """Also where no compiled walk answers for the estimator: an ensemble has several."""
    rows = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    model = method(base).fit(rows, sparse.csr_array(Y))
    scores = model.decision_function(rows)
    predicted = model.predict(rows)
    assert sparse.issparse(predicted)
    assert predicted.dtype == Y.dtype
    np.testing.assert_array_equal(predicted.toarray(), scores > 0)
    labels, highest = model.predict_top(rows, 3)
    np.testing.assert_array_equal(labels, np.argsort(-scores, axis=1, kind="stable")[:, :3])
    np.testing.assert_array_equal(highest, np.take_along_axis(scores, labels, axis=1))
