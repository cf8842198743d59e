import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bncc.linear import LogisticRegression as OurLogisticRegression
from bncc.multilabel.backend import FitOptions, TrainingRows
from bncc.multilabel.backends import backend_of
from bncc.multilabel.block_chains import BlockChain, contexts_of_blocks
from bncc.multilabel.clones import CloneBackend
from bncc.multilabel.links import Link, Links
from bncc.multilabel.powersets import links_of_set_pairs, read_sets
from bncc.multilabel.targets import read_targets
from multilabel_behaviour import draw

BLOCKS = [(1, 3), (0,), (2, 4)]


def solved_chain(base, X, Y, *, has_classes):
    targets = read_targets(Y)
    links, groups = [], []
    for block, context in zip(BLOCKS, contexts_of_blocks(BLOCKS), strict=True):
        sets, codes = read_sets(targets, block)
        groups.append(sets)
        if has_classes:
            links.append(Link("block", codes, context))
        else:
            links += links_of_set_pairs(sets, codes, list("abcde"), context)
    rows = TrainingRows(X, targets)
    solved = backend_of(base).fit(Links(tuple(links), (tuple(range(len(links))),)), rows, FitOptions())
    return BlockChain(solved, tuple(groups), has_classes)


def test_contexts_are_the_labels_of_earlier_blocks():
    assert [context.spread() for context in contexts_of_blocks(BLOCKS)] == [(), (1, 3), (1, 3, 0)]


@pytest.mark.parametrize("base", [LogisticRegression(), OurLogisticRegression()])
@pytest.mark.parametrize("has_classes", [True, False])
def test_a_block_sees_what_the_blocks_before_have_settled(base, has_classes):
    X, Y = draw(80, 5)
    chain = solved_chain(base, X, Y, has_classes=has_classes)
    answers = chain.answer(X, with_rates=True)
    predicted = (answers.scores > 0).astype(np.int8)
    assert ((answers.rates > 0.5) == (predicted == 1)).all()
    again = chain.answer(X, with_rates=False, plane=predicted)
    np.testing.assert_allclose(again.scores, answers.scores)
    assert again.rates is None
    other = chain.answer(X, with_rates=False, plane=1 - predicted)
    np.testing.assert_allclose(other.scores[:, [1, 3]], answers.scores[:, [1, 3]])
    assert (other.scores[:, [0, 2, 4]] != answers.scores[:, [0, 2, 4]]).any()


def test_pairs_and_classes_of_two_sets_say_the_same():
    X, Y = draw(80, 5)
    Y[:, 3], Y[:, 4] = Y[:, 1], Y[:, 2]  # each block has two sets
    one, other = (solved_chain(LogisticRegression(), X, Y, has_classes=each) for each in (True, False))
    assert isinstance(backend_of(LogisticRegression()), CloneBackend)
    first, second = (chain.answer(X, with_rates=True) for chain in (one, other))
    np.testing.assert_allclose(first.scores, second.scores)
    np.testing.assert_allclose(first.rates, second.rates)
