import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from bncc.datasets import make_scenes
from bncc.multilabel import AugmentedNaiveBayes, ClassifierChain
from multilabel_behaviour import assert_passes_checks, assert_sensible, draw
from oracles import multilabel as oracle


@pytest.mark.parametrize(("n_bins", "smoothing", "seed"), [(5, 1.0, 0), (3, 0.5, 1), (2, 2.0, 2)])
def test_equals_the_definition(n_bins, smoothing, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(70, 5))
    X[:, 1] += X[:, 0]
    X[:, 3] = X[:, 2] > 0  # two values: a bin each
    y = (X[:, 0] + X[:, 2] + random.normal(size=70) > 0).astype(int) + (X[:, 4] > 1)
    test = random.normal(size=(20, 5))
    test[:, 3] = test[:, 2] > 0
    fitted = AugmentedNaiveBayes(n_bins=n_bins, smoothing=smoothing).fit(X, y)
    parents, expected = oracle.augmented_naive_bayes(X, y, test, n_bins, smoothing)
    assert fitted.parents_ == parents
    np.testing.assert_allclose(fitted.predict_proba(test), expected, rtol=1e-10)
    np.testing.assert_array_equal(fitted.predict(test), expected.argmax(axis=1))


def test_finds_a_dependence_that_naive_bayes_cannot_use():
    random = np.random.default_rng(0)
    a, y = random.integers(0, 2, (2, 400))
    X = np.column_stack([a, a ^ y]).astype(float)
    assert AugmentedNaiveBayes().fit(X, y).score(X, y) == 1.0
    assert GaussianNB().fit(X, y).score(X, y) < 0.7


def test_weights_count_as_repeated_rows():
    X, y = load_iris(return_X_y=True)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = AugmentedNaiveBayes().fit(X, y, sample_weight=times)
    repeated = AugmentedNaiveBayes().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighted.parents_ == repeated.parents_
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-10)


def test_blocks_of_features_change_nothing(monkeypatch):
    X, Y = draw(80, 1, n_features=7)
    whole = AugmentedNaiveBayes().fit(X, Y[:, 0])
    monkeypatch.setattr("bncc.multilabel.augmented_naive_bayes._BLOCK", 500)
    parts = AugmentedNaiveBayes().fit(X, Y[:, 0])
    assert whole.parents_ == parts.parents_


def test_bins_and_tables():
    X, y = load_iris(return_X_y=True)
    X = np.column_stack([X, np.ones(len(X))])  # a constant feature has one bin
    fitted = AugmentedNaiveBayes(n_bins=4).fit(X, y)
    assert [len(cuts) for cuts in fitted.cuts_] == [3, 3, 3, 3, 0]
    for feature, table in enumerate(fitted.tables_):
        parent = fitted.parents_[feature]
        assert table.shape == (3, len(fitted.cuts_[parent[0]]) + 1 if parent else 1, len(fitted.cuts_[feature]) + 1)
        np.testing.assert_allclose(np.exp(table).sum(axis=2), 1)


def test_as_base_of_chain_links():
    data = make_scenes(300)
    chain = ClassifierChain(AugmentedNaiveBayes(), order="network").fit(data.X, data.Y)
    assert (chain.predict(data.X) == np.asarray(data.Y)).mean() > 0.8
    last = chain._solved.estimators[-1]
    assert last.n_features_in_ == data.X.shape[1] + 9
    X, Y = draw(60, 3)
    np.testing.assert_allclose(
        ClassifierChain(AugmentedNaiveBayes(), order=None).fit(X, Y).decision_function(X),
        oracle.full_chain(AugmentedNaiveBayes(), X, Y, X, (0, 1, 2)),
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_bins": 1}, "`n_bins` must be a whole number of at least 2; got 1"),
        ({"smoothing": 0}, "`smoothing` must be"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        AugmentedNaiveBayes(**options).fit(*load_iris(return_X_y=True))


def test_bad_weights():
    with pytest.raises(ValueError, match="all are zero"):
        AugmentedNaiveBayes().fit([[1.0], [2.0]], [0, 1], sample_weight=[0, 0])
    with pytest.raises(ValueError, match=r"one value per row \(2\); got shape \(3,\)"):
        AugmentedNaiveBayes().fit([[1.0], [2.0]], [0, 1], sample_weight=[1, 1, 1])


def test_behaviour():
    assert_passes_checks(AugmentedNaiveBayes())
    assert_sensible(ClassifierChain(AugmentedNaiveBayes(), order="entropy"))
