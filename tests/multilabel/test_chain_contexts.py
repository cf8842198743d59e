"""What links hand on, against scikit-learn's chain."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, StratifiedKFold
from sklearn.multioutput import ClassifierChain as ScikitChain
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from bncc import BatchSearchCV, ClassifierChain, KernelSVC, TunedThresholds
from bncc.multilabel.chain_contexts import resolve_chain_method
from centroid_backend import Centroids
from multilabel_behaviour import assert_sensible, draw

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")
X, Y = draw(120, 4, seed=3)
TRAIN, TEST = slice(0, 80), slice(80, 120)


def assert_same(ours, theirs, *, X=X, Y=Y, atol=1e-9):
    ours.fit(X[TRAIN], Y[TRAIN])
    theirs.fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_array_equal(ours.predict(X[TEST]), theirs.predict(X[TEST]))
    np.testing.assert_allclose(ours.decision_function(X[TEST]), theirs.decision_function(X[TEST]), atol=atol)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 1000),
    order=st.permutations(range(4)),
    cv=st.sampled_from([None, 2, 3, KFold(4), StratifiedKFold(3, shuffle=True, random_state=0)]),
    chain_method=st.sampled_from(METHODS),
)
def test_equals_scikit_learns_chain(seed, order, cv, chain_method):
    features, labels = draw(120, 4, seed=seed)
    options = {"order": order, "cv": cv, "chain_method": chain_method}
    ours, theirs = (kind(LogisticRegression(), **options) for kind in (ClassifierChain, ScikitChain))
    assert_same(ours, theirs, X=features, Y=labels)
    rates = ours.predict_proba(features[TEST])
    np.testing.assert_allclose(rates, theirs.predict_proba(features[TEST]), atol=1e-9)
    np.testing.assert_allclose(ours.predict_log_proba(features[TEST]), np.log(rates))
    assert ours.chain_method_ == theirs.chain_method_ == chain_method


@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("chain_method", ["predict", "decision_function"])
def test_support_vector_machines_agree_too(cv, chain_method):
    """The engine takes contexts of 0 and 1, also those that were predicted; numbers go to clones."""
    options = {"order": [2, 0, 3, 1], "cv": cv, "chain_method": chain_method}
    base = KernelSVC(C=5.0, gamma=0.25, tol=1e-6)
    chain = ClassifierChain(base, **options)
    assert_same(chain, ScikitChain(SVC(C=5.0, gamma=0.25, tol=1e-6), **options), atol=1e-4)
    assert (chain.engine_ is not None) == (chain_method == "predict")
    assert hasattr(chain, "estimators_") == (chain_method != "predict")


@pytest.mark.parametrize("chain_method", ["predict", "predict_proba"])
def test_trees_and_sparse_features_agree(chain_method):
    options = {"order": None, "cv": 3, "chain_method": chain_method}
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    ours, theirs = (kind(tree, **options).fit(X[TRAIN], Y[TRAIN]) for kind in (ClassifierChain, ScikitChain))
    np.testing.assert_array_equal(ours.predict(X[TEST]), theirs.predict(X[TEST]))
    thin = sparse.csr_array(np.where(np.abs(X) > 0.7, X, 0.0))
    assert_same(*(kind(LogisticRegression(), **options) for kind in (ClassifierChain, ScikitChain)), X=thin, atol=1e-6)


def test_cross_validated_contexts_change_what_is_learned():
    plain, crossed = (ClassifierChain(KernelSVC(), order=None, cv=cv).fit(X, Y) for cv in (None, 3))
    first, *others = (plain.decision_function(X) - crossed.decision_function(X)).T
    # The same link, of a model that holds other rows: terms may be added up in another order, in single precision.
    assert np.abs(first).max() < 1e-5
    assert all(np.abs(other).max() > 1e-3 for other in others)


def test_weights_count_in_the_folds_too():
    folds = [(np.arange(60, 120), np.arange(60)), (np.arange(60), np.arange(60, 120))]
    weight = np.random.default_rng(0).random(120)
    handed = np.zeros((120, 1))
    for train, test in folds:
        fold = LogisticRegression().fit(X[train], Y[train, 0], sample_weight=weight[train])
        handed[test, 0] = fold.predict_proba(X[test])[:, 1]
    expected = LogisticRegression().fit(np.hstack([X, handed]), Y[:, 1], sample_weight=weight)
    chain = ClassifierChain(LogisticRegression(), order=None, cv=folds, chain_method="predict_proba")
    chain.fit(X, Y[:, :2], sample_weight=weight)
    np.testing.assert_allclose(chain.estimators_[1].coef_, expected.coef_)


def test_folds_given_as_rows_serve_every_link():
    folds = [(np.arange(60, 120), np.arange(60)), (np.arange(60), np.arange(60, 120))]
    listed = ClassifierChain(LogisticRegression(), order=None, cv=folds).fit(X, Y)
    drawn = ClassifierChain(LogisticRegression(), order=None, cv=iter(folds)).fit(X, Y)
    np.testing.assert_array_equal(listed.decision_function(X), drawn.decision_function(X))
    kernel = ClassifierChain(KernelSVC(), order=None, cv=(fold for fold in folds)).fit(X, Y)
    rates = kernel.predict_proba(X)  # calibrated on fewer rows, to which the folds do not belong
    np.testing.assert_array_equal(rates > 0.5, kernel.predict(X) == 1)


def test_any_backend_takes_predicted_labels():
    chain = ClassifierChain(Centroids(), order=None, cv=3).fit(X, Y)
    assert type(chain._solved).__name__ == "CentroidLinks"
    plain = ClassifierChain(Centroids(), order=None).fit(X, Y)
    assert not np.allclose(chain.decision_function(X)[:, 1:], plain.decision_function(X)[:, 1:])


@pytest.mark.filterwarnings("ignore:The least populated class in y has only:UserWarning")
@pytest.mark.parametrize("base", [KernelSVC(), GaussianNB()])
@pytest.mark.parametrize("options", [{"cv": 3}, {"chain_method": "predict_proba"}])
def test_hard_labels_names_and_unknown_labels(base, options):
    assert_sensible(ClassifierChain(base, order=None, **options))


@pytest.mark.parametrize("chain_method", METHODS)
@pytest.mark.parametrize("cv", [None, 2])
def test_constant_labels_are_handed_on_as_finite_numbers(chain_method, cv):
    labels = Y.copy()
    labels[:, 0], labels[:, 1] = 0, 1
    chain = ClassifierChain(LogisticRegression(), order=None, cv=cv, chain_method=chain_method).fit(X, labels)
    assert (chain.predict(X)[:, :2] == [0, 1]).all()
    assert (chain.predict(X)[:, 2:] == labels[:, 2:]).mean() > 0.75


@pytest.mark.parametrize("options", [{"cv": 3}, {"chain_method": "decision_function"}])
def test_searches_and_thresholds_see_the_same_contexts(options):
    model = ClassifierChain(KernelSVC(gamma=0.2), order=None, **options)
    fast = BatchSearchCV(model, {"C": [0.5, 5.0]}, cv=2).fit(X, Y)
    slow = GridSearchCV(model, {"estimator__C": [0.5, 5.0]}, cv=2).fit(X, Y)
    for fold in range(2):
        name = f"split{fold}_test_score"
        np.testing.assert_allclose(fast.cv_results_[name], slow.cv_results_[name], atol=0.02)
    tuned = TunedThresholds(clone(model), cv=2).fit(X, Y)
    np.testing.assert_array_equal(tuned.estimator_.decision_function(X), clone(model).fit(X, Y).decision_function(X))


def test_the_first_method_that_the_base_has():
    assert resolve_chain_method("predict", None) == "predict"
    assert resolve_chain_method(("predict_proba", "decision_function"), LinearSVC()) == "decision_function"
    chain = ClassifierChain(LinearSVC(), order=None, chain_method=["predict_proba", "decision_function", "predict"])
    assert chain.fit(X, Y).chain_method_ == "decision_function"
    with pytest.raises(AttributeError, match="LinearSVC has none of the following attributes: predict_proba"):
        ClassifierChain(LinearSVC(), chain_method="predict_proba").fit(X, Y)
    for wrong in ("transform", [], ["predict", "score"]):
        with pytest.raises(ValueError, match="`chain_method` must be one of predict, predict_proba"):
            ClassifierChain(LogisticRegression(), chain_method=wrong).fit(X, Y)


def test_what_does_not_go_together_says_so():
    with pytest.raises(ValueError, match="inference='beam' follows labels, and `chain_method` hands on numbers"):
        ClassifierChain(LogisticRegression(), inference="beam", chain_method="predict_proba").fit(X, Y)
    with pytest.raises(ValueError, match="`cv` must be a partition: every one of the 120 rows is tested once; got 30"):
        ClassifierChain(LogisticRegression(), cv=ShuffleSplit(1, test_size=30, random_state=0)).fit(X, Y)
    beam = ClassifierChain(LogisticRegression(), order=None, inference="beam", cv=3).fit(X, Y)
    assert beam.predict_proba(X).shape == Y.shape
