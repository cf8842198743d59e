import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB

from bncc.multilabel import BinaryRelevance
from bncc.multilabel.batches import classes_of_columns, read_batch
from bncc.multilabel.clones import Constant
from bncc.svm import KernelSVC
from multilabel_behaviour import draw

X, Y = draw()
PARTS = [slice(0, 20), slice(20, 45), slice(45, 60)]
SGD = SGDClassifier(random_state=0)


def learned(model, y, **first):
    for part in PARTS:
        model.partial_fit(X[part], y[part], **first)
        first = {}
    return model


def test_batches_of_labels_are_scikit_learns():
    ours = learned(BinaryRelevance(SGD), Y)
    theirs = learned(MultiOutputClassifier(SGD), Y, classes=[[0, 1]] * Y.shape[1])
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    columns = [part.decision_function(X) for part in theirs.estimators_]
    np.testing.assert_allclose(ours.decision_function(X), np.column_stack(columns))
    again = learned(BinaryRelevance(SGD), Y, classes=np.arange(Y.shape[1]))
    np.testing.assert_array_equal(again.predict(X), ours.predict(X))


@pytest.mark.parametrize("form", [sparse.csr_array, pd.DataFrame, np.ndarray.tolist])
def test_batches_of_all_forms(form):
    expected = learned(BinaryRelevance(SGD), Y).predict(X)
    model = BinaryRelevance(SGD)
    for part in PARTS:
        model.partial_fit(X[part], form(Y[part]))
    predicted = model.predict(X)
    assert sparse.issparse(predicted) == (form is sparse.csr_array)
    np.testing.assert_array_equal(predicted.toarray() if sparse.issparse(predicted) else predicted, expected)


def test_batches_of_classes_are_scikit_learns():
    features, species = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[species]
    batches = [np.arange(0, 150, 2), np.arange(1, 60), np.arange(61, 150, 2)]
    ours, theirs = BinaryRelevance(MultinomialNB()), OneVsRestClassifier(MultinomialNB())
    for model in (ours, theirs):
        for batch in batches:
            model.partial_fit(features[batch], names[batch], classes=np.unique(names))
    np.testing.assert_array_equal(ours.predict(features), theirs.predict(features))
    np.testing.assert_allclose(ours.predict_proba(features), theirs.predict_proba(features))
    with pytest.raises(ValueError, match=r"Mini-batch contains \['tulip'\] while classes must be subset of \['setosa'"):
        ours.partial_fit(features[:1], ["tulip"])


def test_columns_of_classes_that_a_batch_does_not_have():
    y = np.column_stack([np.repeat([3, 1, 2], 20), np.where(Y[:, 0] == 1, 7, 5)])
    model = learned(BinaryRelevance(GaussianNB()), y, classes=[[1, 2, 3], [5, 7]])
    np.testing.assert_array_equal(
        model.predict(X), learned(MultiOutputClassifier(GaussianNB()), y, classes=[[1, 2, 3], [5, 7]]).predict(X)
    )
    assert [part.shape for part in model.predict_proba(X)] == [(60, 3), (60, 2)]


def test_fit_goes_on_and_weights_count():
    model = BinaryRelevance(SGD).fit(X[:30], Y[:30])
    before = model.decision_function(X)
    model.partial_fit(X[30:], Y[30:], sample_weight=np.linspace(0, 1, 30))
    assert not np.allclose(model.decision_function(X), before)
    unweighted = BinaryRelevance(SGD).fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    assert not np.allclose(model.decision_function(X), unweighted.decision_function(X))


def test_unknown_labels_are_left_out():
    lost = Y.astype(float)
    lost[:20, 0] = np.nan  # a first batch that says nothing of a label
    model = BinaryRelevance(GaussianNB())
    for part in PARTS[1:]:
        model.partial_fit(X[part], lost[part])
    alone = GaussianNB().fit(X[20:], Y[20:, 0])
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], alone.predict_proba(X)[:, 1])
    model.partial_fit(X[:20], lost[:20])
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], alone.predict_proba(X)[:, 1])


def test_only_bases_that_go_on_have_it():
    assert not hasattr(BinaryRelevance(KernelSVC()), "partial_fit")
    assert not hasattr(BinaryRelevance(OneVsRestClassifier(KernelSVC())), "partial_fit")
    assert learned(BinaryRelevance(SGDRegressor(random_state=0)), Y).predict(X).shape == Y.shape


@pytest.mark.parametrize(
    ("y", "classes", "message"),
    [
        (np.arange(60) % 3, None, "classes must be passed on the first call to partial_fit"),
        (np.column_stack([np.arange(60) % 3, Y[:, 0]]), None, "classes must be passed on the first call"),
        (Y, [[0, 1]], r"one entry per column of y"),
    ],
)
def test_what_a_first_batch_must_say(y, classes, message):
    with pytest.raises(ValueError, match=message):
        BinaryRelevance(SGD).partial_fit(X, y, classes=classes)


def test_later_batches_must_be_like_the_first():
    model = BinaryRelevance(SGD).partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"must have .* label\(s\), as on the first call"):
        model.partial_fit(X, Y[:, :2])
    with pytest.raises(ValueError, match="a matrix of 0 and 1, as on the first call"):
        model.partial_fit(X, Y + 1)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], Y)
    named = BinaryRelevance(SGD).partial_fit(X, Y[:, :2] + 3, classes=[[3, 4], [3, 4]])
    with pytest.raises(ValueError, match=r"must have 2 column\(s\), as on the first call; got 3"):
        named.partial_fit(X, Y[:, :3] + 3)


def test_classes_and_batches_are_read():
    assert classes_of_columns(["a", "b"], ["b", "a", "a"])[0].tolist() == ["a", "b"]
    assert classes_of_columns(Y, None) is None
    one = read_batch(np.array([[4], [4]]), (np.array([4]),))
    assert one.n_labels == 1
    model = BinaryRelevance(SGD).partial_fit(X, np.full((60, 2), 4), classes=[[4], [4, 5]])
    assert isinstance(model.estimators_[0], Constant)
    assert (model.predict(X) == 4).all()
