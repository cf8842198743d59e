import numpy as np

from bncc.multilabel.linear_tables import RowSets, TargetColumns
from bncc.multilabel.links import LabelColumn, Link, label_columns
from bncc.multilabel.targets import read_targets

Y = np.array([[1, 0], [0, np.nan], [1, 1], [0, 1]])
TARGETS = read_targets(Y)


def test_labels_are_columns_of_one_matrix_and_arrays_have_their_own():
    columns = TargetColumns()
    own = Link("c", np.array([0, 2, 2, 1]))
    places = [columns.of_class(Link("", column), 1, None) for column in label_columns(TARGETS)]
    assert [*places, *(columns.of_class(own, number, None) for number in (2, 1, 2))] == [0, 1, 2, 3, 2]
    assert columns.matrix(4).toarray().T.tolist() == [[1, 0, 1, 0], [0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 1]]


def test_columns_that_were_described_on_some_rows_are_lifted_to_all():
    rows = np.array([2, 3])
    part = TARGETS.take(rows)
    columns = TargetColumns()
    assert columns.of_class(Link("", LabelColumn(part, 1)), 1, rows) == 1
    assert columns.of_class(Link("", np.array([0, 1], np.int8)), 1, rows) == 2
    assert columns.matrix(4).toarray().T.tolist() == [[0, 0, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]


def test_rows_are_all_or_those_of_the_link_whose_target_is_known():
    sets, (first, second) = RowSets(), label_columns(TARGETS)
    some = np.array([1, 2])
    assert sets.of_link(Link("", first), None) == -1
    assert [sets.of_link(Link("", column, rows=some), None) for column in (first, second, first)] == [0, 1, 0]
    assert sets.of_link(Link("", second), None) == 2
    assert sets.of_link(Link("", np.array([1, -1, 0, 0], np.int8)), None) == 3
    assert [each.tolist() for each in sets.sets] == [[1, 2], [2], [0, 2, 3], [0, 2, 3]]


def test_links_of_a_fold_share_its_rows():
    train = np.array([0, 1, 3])
    part = TARGETS.take(train)
    sets = RowSets()
    links = [Link("", column) for column in label_columns(part)] + [Link("", np.zeros(3, np.int8))]
    assert [sets.of_link(link, train) for link in links] == [0, 1, 0]
    assert [each.tolist() for each in sets.sets] == [[0, 1, 3], [0, 3]]
