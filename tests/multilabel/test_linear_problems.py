import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from bncc.linear import LinearSVC, prepare_features
from bncc.multilabel.linear_problems import Part, PenaltyPath, batch_of_links
from bncc.multilabel.links import Link, Links, label_columns, links_of_chains
from bncc.multilabel.targets import read_targets

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(30, 3))
Y = (RANDOM.random((30, 40)) < 0.3).astype(int)
TARGETS = read_targets(Y)
CHAIN = links_of_chains(label_columns(TARGETS), [""] * 40, [tuple(range(39, -1, -1))])


def described(parts, path=PenaltyPath((1.0,), (None,)), weight=None):  # noqa: B008
    return batch_of_links(parts, prepare_features(X), TARGETS.positives, weight, LinearSVC(), path)


def test_every_link_is_a_problem_that_sees_its_context():
    batch = described([Part(CHAIN)]).batch
    assert len(batch) == 40
    for problem, link in enumerate(CHAIN.links):
        np.testing.assert_array_equal(batch.signs(problem) > 0, link.target == 1)
        assert np.flatnonzero(batch.sees(problem)).tolist() == sorted(link.context)
        np.testing.assert_array_equal(batch.costs(problem), np.ones(30))


def test_without_contexts_there_are_no_columns_of_labels():
    links = Links(CHAIN.links[:1], ((0,),))
    assert described([Part(links)]).batch.n_columns == 3


def test_folds_are_sets_of_rows_and_settings_start_from_the_one_before():
    folds = [np.arange(0, 20), np.arange(10, 30)]
    parts = [Part(CHAIN.within(train), train) for train in folds]
    found = described(parts, PenaltyPath((0.5, 2.0), (None, {0: 1.0, 1: 3.0})))
    batch = found.batch
    assert found.first.tolist() == list(range(81))
    assert len(batch) == 160
    assert batch.start.tolist() == [-1] * 80 + list(range(80))
    truth = np.zeros(30)
    truth[folds[1]] = np.where(Y[folds[1], 39], 6.0, 2.0)
    np.testing.assert_array_equal(batch.costs(80 + 40), truth)
    np.testing.assert_array_equal(batch.signs(80 + 40)[folds[1]] > 0, Y[folds[1], 39] == 1)


def test_balanced_weights_are_those_of_the_rows_of_each_link():
    weight = RANDOM.random(30)
    rows = np.arange(5, 25)
    links = Links((Link("", label_columns(TARGETS)[4], rows=rows), Link("", Y[:, 5].astype(np.int8))), ((0, 1),))
    batch = described([Part(links)], PenaltyPath((2.0,), ("balanced",))).batch
    expected = compute_class_weight("balanced", classes=np.arange(2), y=Y[rows, 4])
    np.testing.assert_allclose(batch.costs(0)[rows], 2.0 * expected[Y[rows, 4]])
    weighed = described([Part(links)], PenaltyPath((2.0,), ("balanced",)), weight).batch
    for problem in range(2):
        costs, positive = weighed.costs(problem), weighed.signs(problem) > 0
        assert costs[positive].sum() == pytest.approx(costs[~positive].sum())


def test_several_classes_are_one_problem_each():
    codes = np.arange(30) % 4
    codes[3] = -1
    links = Links((Link("", codes), Link("", np.where(codes >= 0, 3, -1)), Link("", codes % 2)), ((0, 1, 2),))
    found = described([Part(links)])
    assert found.classes is not None
    assert [classes.tolist() for classes in found.classes] == [[0, 1, 2, 3], [3], [0, 1]]
    assert found.first.tolist() == [0, 4, 5, 6]
    for number in range(4):
        np.testing.assert_array_equal((found.batch.signs(number) > 0) & (codes >= 0), codes == number)
        assert found.batch.costs(number)[3] == 0
    weighed = described([Part(links)], PenaltyPath((1.0,), ("balanced",))).batch
    for number in range(4):
        assert weighed.costs(2)[codes == number].sum() == pytest.approx(29 / 4)
