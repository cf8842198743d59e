import pytest

from bncc.graph import check_parents, edges_of, parents_of
from bncc.graph.parents import children_of


def test_round_trip():
    parents = ((2,), (), (1,), (0, 2))
    assert parents_of(edges_of(parents), 4) == parents


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ([(), ()], "one entry per node"),
        ([(5,), (), ()], r"0\.\.2; got \[5\]"),
        ([(0,), (), ()], "leave out the node"),
        ([(1, 1), (), ()], "distinct"),
    ],
)
def test_bad_parents(parents, message):
    with pytest.raises(ValueError, match=message):
        check_parents(parents, 3)


def test_children_are_the_edges_read_backwards():
    parents = ((2,), (), (1,), (0, 2))
    edges = [(parent, child) for parent, group in enumerate(children_of(parents)) for child in group]
    assert sorted(edges) == sorted(map(tuple, edges_of(parents).tolist()))
