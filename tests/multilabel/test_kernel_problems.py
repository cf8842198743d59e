import numpy as np
import pytest

from bncc import KernelSVC
from bncc.multilabel.backend import FoldedLinks, TrainingRows
from bncc.multilabel.kernel_problems import lift_links, link_weights, problems_of_folds, table_of_links
from bncc.multilabel.links import Link, Links, label_links, links_of_chains
from bncc.multilabel.targets import read_targets
from bncc.svm import squared_distances

rng = np.random.default_rng(1)
X = rng.normal(size=(30, 2))
Y = rng.integers(0, 2, (30, 3))
TARGETS = read_targets(Y)
COLUMNS = [TARGETS.column(label) for label in range(3)]


def test_equal_targets_are_stored_once():
    links = links_of_chains(COLUMNS, "abc", [(0, 1, 2), (2, 1, 0)])
    (table,), signs = table_of_links([links], 3)
    assert signs.shape == (3, 30)
    np.testing.assert_array_equal(signs[table.target[0]], np.where(Y[:, 0] > 0, 1, -1))
    assert table.context.ravel().tolist() == [0, 1, 3, 0, 4, 6]
    assert table.chains.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert table.writes.tolist() == [0, 1, 2, 2, 1, 0]
    assert table.rows is None


def test_links_of_a_fold_learn_from_their_rows_among_all():
    rows = np.array([3, 4, 8, 20])
    part = TARGETS.take(rows)
    described = label_links([part.column(label) for label in range(3)], "abc")
    lifted = lift_links(described, rows, TARGETS)
    for label, link in enumerate(lifted.links):
        assert link.training_rows().tolist() == rows.tolist()
        np.testing.assert_array_equal(link.target, Y[:, label])


def test_links_in_several_walks_are_repeated():
    links = Links(tuple(Link(name, COLUMNS[0]) for name in "ab"), ((0, 1), (1, 0)))
    lifted = lift_links(links, np.arange(30), TARGETS)
    assert [link.name for link in lifted.links] == ["a", "b", "b", "a"]
    assert lifted.walks == ((0, 1), (2, 3))


@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 2.0, 30)])
def test_class_weights_are_those_of_the_rows_a_link_learns_from(weight):
    link = Link("a", COLUMNS[0], rows=np.arange(20))
    lines = link_weights(Links((link,), ((0,),)), "balanced", weight)
    share = Y[:20, 0].mean()
    expected = np.where(Y[:20, 0] == 1, 0.5 / share, 0.5 / (1 - share)) * (1.0 if weight is None else weight[:20])
    np.testing.assert_allclose(lines[0, :20], expected)
    assert link_weights(Links((link,), ((0,),)), None, None) is None


def test_folds_with_fewer_links_are_padded():
    folds = ((np.arange(20), np.arange(20, 30)), (np.arange(10, 30), np.arange(10)))
    one = Links((Link("a", COLUMNS[0][:20]),), ((0,),))
    two = Links(tuple(Link(name, COLUMNS[0][10:]) for name in "ab"), ((0, 1),))
    folded = FoldedLinks(TrainingRows(X, TARGETS), folds, (one, two))
    problems = problems_of_folds(folded, squared_distances(X), KernelSVC())
    assert [len(table) for table in problems.links] == [2, 2]
    assert problems.links[0].chains.tolist() == [[0]]
