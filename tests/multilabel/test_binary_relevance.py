import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load, make_scenes
from bncc.multilabel import BinaryRelevance, ClassifierChain, TunedThresholds
from bncc.selection import BatchSearchCV
from bncc.svm import KernelSVC
from multilabel_behaviour import draw


@pytest.mark.parametrize("name", ["emotions", "yeast", "scene"])
def test_equals_scikit_learns_multi_output(data_folder, name):
    data = load(name)
    half = data.n_rows // 2
    for base in (DecisionTreeClassifier(max_depth=4, random_state=0), LogisticRegression(C=0.01, max_iter=500)):
        ours = BinaryRelevance(base).fit(data.X[:half], data.Y[:half])
        theirs = MultiOutputClassifier(base).fit(data.X[:half], data.Y[:half])
        assert np.array_equal(ours.predict(data.X[half:]), theirs.predict(data.X[half:]))


def test_the_engine_equals_one_svc_per_label():
    data = make_scenes(150)
    for weight in (None, "balanced"):
        ours = BinaryRelevance(KernelSVC(C=5.0, sigma=2.0, tol=1e-5, class_weight=weight)).fit(data.X, data.Y)
        theirs = MultiOutputClassifier(SVC(C=5.0, gamma=0.125, tol=1e-5, class_weight=weight)).fit(data.X, data.Y)
        assert np.array_equal(ours.predict(data.X), theirs.predict(data.X))


X, LABELS = draw()
CLASSES = np.column_stack([np.arange(60) % 3, 5 + LABELS[:, 0], 10 * (X[:, 0] > 0) + 10 * (X[:, 1] > 0)])


@pytest.mark.parametrize("base", [LogisticRegression(), DecisionTreeClassifier(random_state=0), KernelSVC()])
def test_columns_with_more_than_two_classes(base):
    ours, theirs = (kind(base).fit(X, CLASSES) for kind in (BinaryRelevance, MultiOutputClassifier))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    for part, expected in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        np.testing.assert_allclose(part, expected, atol=1e-9)
    for part, expected in zip(ours.classes_, theirs.classes_, strict=True):
        np.testing.assert_array_equal(part, expected)
    assert ours.score(X, CLASSES) == theirs.score(X, CLASSES)
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)[2]), ours.predict_proba(X)[2])
    with pytest.raises(ValueError, match="A column with more than two classes has no single score"):
        ours.decision_function(X)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        ClassifierChain(base).fit(X, CLASSES)


def test_unknown_and_missing_classes():
    y = CLASSES.astype(float)
    y[:10, 0] = np.nan
    y[:, 1] = 4.0
    model = BinaryRelevance(LogisticRegression()).fit(X, y, sample_weight=(CLASSES[:, 0] < 2).astype(float))
    assert set(model.predict(X)[:, 0]) <= {0.0, 1.0}
    assert (model.predict(X)[:, 1] == 4.0).all()
    shares = model.predict_proba(X)
    assert shares[0].shape == (60, 3)
    assert (shares[0][:, 2] < 0.2).all()
    assert shares[1].tolist() == [[1.0]] * 60


def test_one_column_and_a_second_fit():
    model = BinaryRelevance(KernelSVC()).fit(X, CLASSES[:, :1])
    assert model.predict(X).shape == (60, 1)
    assert model.predict_proba(X)[0].shape == (60, 3)
    assert model.fit(X, LABELS).decision_function(X).shape == LABELS.shape
    assert model.engine_ is not None
    assert model.multilabel_
    assert not model.fit(X, LABELS[:, 0]).multilabel_


SPECIES, OF_SPECIES = load_iris(return_X_y=True)
NAMED = np.array(["setosa", "versicolor", "virginica"])[OF_SPECIES]


@pytest.mark.parametrize("base", [LogisticRegression(), DecisionTreeClassifier(max_depth=2, random_state=0), SVC()])
@pytest.mark.parametrize("y", [OF_SPECIES, NAMED, 0.5 * OF_SPECIES - 1, NAMED.astype(object), NAMED.tolist()])
def test_one_dimension_of_many_values_is_one_against_the_rest(base, y):
    if isinstance(y, np.ndarray) and y.dtype.kind == "f":
        y = y.round()  # fractions are no classes
    ours, theirs = (kind(base).fit(SPECIES, y) for kind in (BinaryRelevance, OneVsRestClassifier))
    np.testing.assert_array_equal(ours.predict(SPECIES), theirs.predict(SPECIES))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert (ours.n_classes_, ours.multilabel_) == (theirs.n_classes_, theirs.multilabel_)
    assert ours.score(SPECIES, y) == theirs.score(SPECIES, y)
    for method in ("decision_function", "predict_proba"):
        assert hasattr(ours, method) or not hasattr(theirs, method)
        if hasattr(theirs, method):
            np.testing.assert_allclose(getattr(ours, method)(SPECIES), getattr(theirs, method)(SPECIES), atol=1e-9)


def test_classes_against_the_rest_on_the_kernel_engine():
    ours = BinaryRelevance(KernelSVC(C=10.0, tol=1e-6)).fit(SPECIES, NAMED)
    theirs = OneVsRestClassifier(SVC(C=10.0, tol=1e-6)).fit(SPECIES, NAMED)
    np.testing.assert_array_equal(ours.predict(SPECIES), theirs.predict(SPECIES))
    np.testing.assert_allclose(ours.decision_function(SPECIES), theirs.decision_function(SPECIES), atol=1e-2)
    np.testing.assert_allclose(ours.predict_proba(SPECIES).sum(axis=1), 1.0)
    assert (ours.classes_[ours.predict_proba(SPECIES).argmax(axis=1)] == ours.predict(SPECIES)).all()
    assert ours.label_names_ == ("setosa", "versicolor", "virginica")
    assert ours.fit(SPECIES, NAMED == "setosa").predict(SPECIES).dtype == bool


@pytest.mark.parametrize("base", [KernelSVC(sigma=1.0, tol=1e-6), LogisticRegression(max_iter=1000)])
def test_classes_against_the_rest_are_searched(base):
    ours = BatchSearchCV(BinaryRelevance(base), {"C": [0.1, 10.0]}, cv=3).fit(SPECIES, NAMED)
    theirs = GridSearchCV(BinaryRelevance(base), {"estimator__C": [0.1, 10.0]}, cv=3).fit(SPECIES, NAMED)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert ours.score(SPECIES, NAMED) > 0.9
    assert set(ours.predict(SPECIES)) == set(NAMED)


@pytest.mark.parametrize("base", [KernelSVC(), LogisticRegression()])
def test_thresholds_refuse_classes_of_one_dimension(base):
    tuned = TunedThresholds(BinaryRelevance(base), cv=2)
    for model in (tuned, BatchSearchCV(tuned, {"C": [1.0]}, cv=2)):
        with pytest.raises(ValueError, match=r"Only binary classification is supported.*with 3 classes"):
            model.fit(SPECIES, NAMED)


def test_what_is_about_labels_refuses_classes():
    for model in (
        TunedThresholds(BinaryRelevance(KernelSVC()), cv=2),
        TunedThresholds(BinaryRelevance(LogisticRegression()), cv=2),
        BatchSearchCV(BinaryRelevance(LogisticRegression()), {"C": [1.0]}, cv=2),
    ):
        with pytest.raises(ValueError, match=r"Only binary classification|more than two classes"):
            model.fit(X, CLASSES)
