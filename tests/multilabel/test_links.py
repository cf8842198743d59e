from dataclasses import replace

import numpy as np
import pytest

from bncc.multilabel.links import LabelColumn, Link, Predecessors, grounded, label_columns, label_links, links_of_chains
from bncc.multilabel.targets import read_targets

COLUMNS = [np.array([0, 1, -1, 1], np.int8), np.array([1, 1, 0, 0], np.int8), np.array([0, 0, 0, 1], np.int8)]


def test_unknown_rows_are_left_out():
    assert Link("a", COLUMNS[0]).training_rows().tolist() == [0, 1, 3]
    assert Link("a", COLUMNS[0], rows=np.array([1, 2])).training_rows().tolist() == [1]


def test_table_1_of_the_paper():
    """The order 2, 4, 1, 6, 5, 3 (counted from 1) and what each link sees."""
    row = [1, 0, 1, 0, 0, 1]
    columns = [np.array([value], np.int8) for value in row]
    links = links_of_chains(columns, "123456", [(1, 3, 0, 5, 4, 2)]).links
    seen = [[row[label] for label in link.context] for link in links]
    assert seen == [[], [0], [0, 0], [0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 1, 0]]
    assert [int(link.target[0]) for link in links] == [0, 0, 1, 1, 0, 1]


def test_parents_rows_and_several_chains():
    rows = [None, np.array([0, 1])]
    links = links_of_chains(COLUMNS, "abc", [(0, 1, 2), (2, 1, 0)], parents=[(), (0,), (0,)], rows=rows)
    assert links.walks == ((0, 1, 2), (3, 4, 5))
    assert [link.context for link in links.links] == [(), (0,), (0,), (0,), (0,), ()]
    assert [link.name for link in links.links] == list("abccba")
    assert links.links[4].training_rows().tolist() == [0, 1]


def test_label_links_have_no_context():
    links = label_links(COLUMNS, "abc")
    assert len(links) == 3
    assert links.walks == ((0, 1, 2),)
    assert all(link.context == () for link in links.links)


def test_columns_and_orders_are_held_in_short_form_and_read_as_arrays_and_tuples():
    targets = read_targets(np.array([[1.0, np.nan], [0.0, 1.0], [1.0, 0.0]]))
    columns = label_columns(targets)
    first, second = links_of_chains(columns, "ab", [(1, 0)]).links
    assert first.source is columns[1]
    assert first.target.tolist() == [-1, 1, 0]
    assert first.training_rows().tolist() == [1, 2]
    assert isinstance(second.context_source, Predecessors)
    assert second.context == (1,)
    assert second.context_labels().tolist() == [1]
    assert replace(second, name="c").context == (1,)
    assert grounded(second, 0) is second


def test_links_within_some_rows_stay_short():
    targets = read_targets(np.array([[1, 0], [0, 1], [1, 0]]))
    array = Link("c", np.array([0, -1, 1], np.int8), rows=np.array([0, 2]))
    links = links_of_chains(label_columns(targets), "ab", [(0, 1)])
    whole = replace(links, links=(*links.links, array)).within(np.array([1, 2]))
    first, second, third = whole.links
    assert isinstance(first.source, LabelColumn)
    assert first.source.targets is second.source.targets
    assert first.target.tolist() == [0, 1]
    assert second.target.tolist() == [1, 0]
    assert second.context == (0,)
    assert third.target.tolist() == [-1, 1]
    assert third.rows.tolist() == [1]


def test_a_link_needs_a_target():
    with pytest.raises(TypeError, match="target"):
        Link("a")
    assert Link("a", COLUMNS[0]).context == ()
