import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.analysis import nemenyi, paper, rank_diagram, rank_groups
from oracles import significance as oracle


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(4, 60), min_size=1, max_size=10), st.integers(0, 40))
def test_groups_are_the_largest_runs(quarters, critical):
    ranks = sorted(q / 4 for q in quarters)
    assert rank_groups(ranks, critical / 4) == oracle.rank_groups(ranks, critical / 4)


def test_diagram_of_the_papers_table_4():
    """BNCC is first on MicF and differs from CC, CLR and GCC; nothing else does."""
    printed = paper.results("MicF")
    diagram = rank_diagram(nemenyi(printed.mean, printed.methods))
    assert diagram.methods == ("BNCC", "ECC", "BR", "CC", "CLR", "GCC")
    assert diagram.groups == ((0, 2), (1, 5))
    assert (diagram.lowest, diagram.highest, diagram.n_datasets) == (1, 6, 18)
    assert list(diagram.ranks) == sorted(diagram.ranks)


def test_tied_methods_keep_their_order():
    diagram = rank_diagram(nemenyi(np.ones((4, 3)), ["c", "a", "b"]))
    assert diagram.methods == ("c", "a", "b")
    assert diagram.groups == ((0, 2),)


def test_unsorted_ranks_are_refused():
    with pytest.raises(ValueError, match="rising order"):
        rank_groups([2, 1], 1)
