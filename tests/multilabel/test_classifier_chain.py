import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as SklearnChain
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load, make_scenes
from bncc.multilabel import ClassifierChain
from bncc.structure import entropy_order, learn_network
from bncc.svm import KernelSVC

DATA = make_scenes(200, random_state=1)
THREE_BASES = {
    "logistic": LogisticRegression(max_iter=200),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
}


@pytest.mark.parametrize("name", ["emotions", "yeast", "scene"])
@pytest.mark.parametrize("base", THREE_BASES)
def test_identical_to_scikit_learn(data_folder, name, base):
    data = load(name)
    X, Y = MinMaxScaler().fit_transform(data.X), data.Y.astype(int)
    order = np.random.default_rng(0).permutation(Y.shape[1])
    half = len(X) // 2
    theirs = SklearnChain(THREE_BASES[base], order=order).fit(X[:half], Y[:half])
    ours = ClassifierChain(THREE_BASES[base], order=order).fit(X[:half], Y[:half])
    assert np.array_equal(ours.predict(X[half:]), theirs.predict(X[half:]))
    assert np.allclose(ours.predict_proba(X[half:]), theirs.predict_proba(X[half:]))


def test_the_engine_is_link_by_link_fitting():
    """All links in one call on shared distances, and one SVC after the other on [x, predecessors]."""
    X, Y = DATA.X, DATA.Y
    order = (3, 1, 4, 0, 5, 9, 2, 6, 8, 7)
    ours = ClassifierChain(KernelSVC(C=10.0, sigma=3.0, tol=1e-5), order=order).fit(X[:150], Y[:150])
    theirs = SklearnChain(SVC(C=10.0, gamma=1 / 18, tol=1e-5), order=list(order)).fit(X[:150], Y[:150])
    assert np.array_equal(ours.predict(X[150:]), theirs.predict(X[150:]))
    assert ours.decision_function(X[150:]) == pytest.approx(theirs.decision_function(X[150:]), abs=1e-3)


class TestOrders:
    X, Y = DATA.X, DATA.Y

    def order(self, order, **options):
        return ClassifierChain(LogisticRegression(), order=order, **options).fit(self.X, self.Y).order_

    def test_by_name(self):
        assert self.order("entropy") == entropy_order(self.Y)
        assert self.order("network") == learn_network(self.Y).order
        assert self.order("tree") == learn_network(self.Y, search="tree").order
        assert self.order(None) == tuple(range(10))
        assert self.order("random", random_state=3) == self.order("random", random_state=3)
        assert len({self.order("random", random_state=seed) for seed in range(4)}) == 4

    def test_given_or_computed(self):
        backwards = tuple(range(9, -1, -1))
        assert self.order(backwards) == backwards
        assert self.order(np.array(backwards)) == backwards
        assert self.order(lambda Y: np.argsort(Y.sum(axis=0))) == tuple(np.argsort(self.Y.sum(axis=0)))

    def test_columns_come_back_in_the_callers_order(self):
        chain = ClassifierChain(LogisticRegression(), order=tuple(range(9, -1, -1))).fit(self.X, self.Y)
        # The last column is the first link: it saw the features alone.
        alone = LogisticRegression().fit(self.X, self.Y[:, 9])
        assert np.allclose(chain.decision_function(self.X)[:, 9], alone.decision_function(self.X))

    @pytest.mark.parametrize(
        ("order", "message"),
        [([0, 1], r"permutation of 0\.\.9"), ("alphabet", "must be 'random'"), ([0] * 10, "repeated")],
    )
    def test_bad_orders(self, order, message):
        with pytest.raises(ValueError, match=message):
            self.order(order)
