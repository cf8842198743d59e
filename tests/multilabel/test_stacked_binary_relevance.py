import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import bncc.linear
from bncc import BatchSearchCV, KernelSVC, learn_network
from bncc.multilabel import StackedBinaryRelevance
from bncc.multilabel.crossval import deal_folds
from bncc.multilabel.stacked_binary_relevance import stacked_contexts
from bncc.multilabel.targets import read_targets
from multilabel_behaviour import assert_passes_checks, assert_sensible, draw

X, Y = draw(80, 5)
NEW = draw(40, 5, seed=1)[0]
LOGISTIC = LogisticRegression(C=100.0)


def by_definition(base, contexts, method, groups=None):
    """Scores of the second layer, fitted by hand label by label."""

    def answer(model, rows):
        return model.predict(rows) if method == "predict" else model.predict_proba(rows)[:, 1]

    held_out = np.zeros(Y.shape)
    for train, test in deal_folds(read_targets(Y), 5, groups):
        for label in range(Y.shape[1]):
            held_out[test, label] = answer(clone(base).fit(X[train], Y[train, label]), X[test])
    first = np.column_stack([answer(clone(base).fit(X, Y[:, label]), NEW) for label in range(Y.shape[1])])
    out = []
    for label, context in enumerate(contexts):
        seen = list(context)
        model = clone(base).fit(np.hstack([X, held_out[:, seen]]), Y[:, label])
        out.append(model.decision_function(np.hstack([NEW, first[:, seen]])))
    return np.column_stack(out)


@pytest.mark.parametrize("context", ["network", "parents", "all"])
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_equals_the_definition(context, method):
    stack = StackedBinaryRelevance(LOGISTIC, context=context, stack_method=method).fit(X, Y)
    expected = by_definition(LOGISTIC, stack.contexts_, method)
    np.testing.assert_allclose(stack.decision_function(NEW), expected, atol=1e-6)
    np.testing.assert_array_equal(stack.predict(NEW), expected > 0)


def test_contexts_are_those_of_the_network():
    net = learn_network(Y)
    assert StackedBinaryRelevance(LOGISTIC).fit(X, Y).contexts_ == stacked_contexts(net.parents, 5)
    alone = StackedBinaryRelevance(LOGISTIC, context="parents").fit(X, Y)
    assert alone.contexts_ == tuple(tuple(sorted({label, *group})) for label, group in enumerate(net.parents))
    without = StackedBinaryRelevance(LOGISTIC, context="all").fit(X, Y)
    assert without.network_ is None
    assert without.contexts_ == (tuple(range(5)),) * 5


def test_a_network_can_be_handed_over():
    given = learn_network(Y, search=[(), (0,), (0,), (), (3,)])
    stack = StackedBinaryRelevance(LOGISTIC, network_search=given).fit(X, Y)
    assert stack.network_.edges == given.edges
    assert stack.contexts_ == ((0, 1, 2), (0, 1), (0, 2), (3, 4), (3, 4))


@pytest.mark.parametrize("base", [KernelSVC(C=10.0, sigma=2.0), bncc.linear.LogisticRegression(C=1.0, tol=1e-6)])
def test_batches_equal_the_definition(base):
    batch = StackedBinaryRelevance(base, context="all").fit(X, Y)
    expected = by_definition(base, batch.contexts_, "predict")
    np.testing.assert_allclose(batch.decision_function(NEW), expected, atol=0.02)
    assert (batch.predict(NEW) == (expected > 0)).mean() > 0.99
    np.testing.assert_array_equal(batch.predict_proba(NEW) > 0.5, batch.predict(NEW) == 1)


def test_groups_are_held_out_together():
    groups = np.repeat(np.arange(16), 5)
    expected = by_definition(LOGISTIC, (tuple(range(5)),) * 5, "predict", groups)
    stack = StackedBinaryRelevance(LOGISTIC, context="all").fit(X, Y, groups=groups)
    np.testing.assert_allclose(stack.decision_function(NEW), expected, atol=1e-6)
    assert not np.allclose(stack.decision_function(NEW), clone(stack).fit(X, Y).decision_function(NEW))


def test_weights_reach_both_layers():
    weight = np.where(np.arange(80) < 60, 1.0, 0.0)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    weighted = StackedBinaryRelevance(tree, cv=2).fit(X, Y, sample_weight=weight)
    assert not np.array_equal(weighted.predict(NEW), clone(weighted).fit(X, Y).predict(NEW))
    with pytest.raises(ValueError, match="one value per row"):
        clone(weighted).fit(X, Y, sample_weight=weight[:5])


def test_a_search_fits_folds_one_by_one():
    search = BatchSearchCV(StackedBinaryRelevance(KernelSVC()), {"C": [1.0, 10.0]}, cv=2).fit(X, Y)
    assert search.best_params_["C"] in (1.0, 10.0)
    assert search.predict(NEW).shape == (40, 5)


def test_sparse_labels_from_a_batch_of_linear_links():
    base = bncc.linear.LinearSVC()
    dense = StackedBinaryRelevance(base).fit(X, Y).predict(NEW)
    found = StackedBinaryRelevance(base).fit(X, sparse.csr_array(Y)).predict(NEW)
    np.testing.assert_array_equal(found.toarray(), dense)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"context": "children"}, "'network', 'parents' or 'all'"),
        ({"cv": 1}, "at least 2"),
        ({"stack_method": "score"}, "must be one of"),
    ],
)
def test_parameters_are_checked(params, message):
    with pytest.raises(ValueError, match=message):
        StackedBinaryRelevance(LOGISTIC, **params).fit(X, Y)


def test_one_group_cannot_be_held_out():
    with pytest.raises(ValueError, match="at least 2 values"):
        StackedBinaryRelevance(LOGISTIC).fit(X, Y, groups=np.zeros(80))


@pytest.mark.parametrize(
    "estimator",
    [
        StackedBinaryRelevance(cv=2),
        StackedBinaryRelevance(DecisionTreeClassifier(random_state=0), cv=2, stack_method="predict_proba"),
    ],
)
def test_sensible(estimator):
    assert_sensible(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_checks():
    assert_passes_checks(StackedBinaryRelevance(LogisticRegression(), cv=2), weights_are_exact=False)
