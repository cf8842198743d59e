import numpy as np
import pytest

from bncc.svm import chain_links, plain_links


def test_a_chain_may_see_parents_only():
    links = chain_links([1, 0, 2], 3, parents=[[1], [], [0]])
    assert links.context.ravel().tolist() == [0, 2, 1]
    assert links.writes.tolist() == [1, 0, 2]


def test_plain_links_write_nothing():
    links = plain_links(40)
    assert len(links) == 40
    assert not links.context.any()
    assert (links.writes == -1).all()


@pytest.mark.parametrize("order", [[0, 0, 1], [0, 1], [1, 2, 3]])
def test_an_order_must_be_a_permutation(order):
    with pytest.raises(ValueError, match=r"permutation of 0\.\.2"):
        chain_links(np.array(order), 3)
