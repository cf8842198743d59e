import numpy as np

from bncc.multilabel.links import Link, label_links, links_of_chains

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
