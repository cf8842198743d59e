import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from bncc.datasets import make_scenes
from bncc.multilabel import BNCC, ClassifierChain
from bncc.structure import learn_network, permute_network

DATA = make_scenes(250, random_state=2)
X, Y = DATA.X, DATA.Y


def test_is_a_chain_in_the_networks_order():
    model = BNCC(LogisticRegression(), max_children=1).fit(X, Y)
    net = learn_network(Y, max_children=1)
    assert model.order_ == model.network_.order == net.order
    same = ClassifierChain(LogisticRegression(), order=net.order).fit(X, Y)
    assert np.array_equal(model.decision_function(X), same.decision_function(X))


def test_parents_as_context():
    model = BNCC(LogisticRegression(), context="parents").fit(X, Y)
    for label, link in zip(model.order_, model._solved.estimators, strict=True):
        assert link.n_features_in_ == X.shape[1] + len(model.network_.parents[label])


def test_structure_comes_from_the_training_rows_alone():
    rows = np.arange(100)
    assert BNCC(LogisticRegression()).fit(X[rows], Y[rows]).order_ == learn_network(Y[rows]).order


def test_network_options_and_names():
    model = BNCC(LogisticRegression(), network_score="k2", network_search="k2", max_parents=2).fit(X, Y)
    expected = learn_network(Y, score="k2", search="k2", max_parents=2, max_children=2)
    assert model.network_.parents == expected.parents
    assert model.network_.label_names == model.label_names_
    with pytest.raises(ValueError, match="'predecessors' or 'parents'"):
        BNCC(LogisticRegression(), context="all").fit(X, Y)


@pytest.mark.parametrize("context", ["predecessors", "parents"])
def test_a_network_that_is_handed_over(context):
    net = permute_network(learn_network(Y), list(reversed(range(Y.shape[1]))))
    model = BNCC(LogisticRegression(), network_search=net, context=context).fit(X[:100], Y[:100])
    assert model.network_ is net
    assert model.order_ == net.order
    of_parents = BNCC(LogisticRegression(), network_search=net.parents, context=context).fit(X[:100], Y[:100])
    assert of_parents.network_.parents == net.parents
    assert clone(model).fit(X[:100], Y[:100]).order_ == net.order


def test_a_notebook_shows_order_and_network():
    names = ["<b>bold</b>", *"abcdefghi"]
    frame = pytest.importorskip("pandas").DataFrame(Y, columns=names)
    model = BNCC(LogisticRegression())
    assert "Chain order" not in model._repr_mimebundle_()["text/html"]
    shown = model.fit(X, frame)._repr_mimebundle_()["text/html"]
    assert "Chain order" in shown
    assert "<svg" in shown
    assert "<b>bold" not in shown
    chain = ClassifierChain(LogisticRegression(), order=None).fit(X, frame)
    assert "&lt;b&gt;bold" in chain._repr_mimebundle_()["text/html"]
