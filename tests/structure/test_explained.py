import numpy as np
import pytest
from hypothesis import given, settings

from bncc import learn_network
from bncc.labels import count_labels, set_conditional_entropy
from bncc.structure.explained import HeldOutScorer, dependence_scorer
from strategies import label_matrices


@given(label_matrices(min_labels=3, max_labels=4))
@settings(max_examples=30, deadline=None)
def test_dependence_is_the_papers_score_without_its_penalty(Y):
    scorer = dependence_scorer(count_labels(Y), 2)
    for parents in ([], [1], [2, 1]):
        expected = len(Y) * (1 - set_conditional_entropy(Y, 0, parents))
        assert scorer.one(0, parents) == pytest.approx(expected, abs=1e-6)


def test_held_out_bits_are_those_of_networks_learned_on_the_other_rows():
    random = np.random.default_rng(3)
    Y = (random.random((60, 4)) < [0.5, 0.3, 0.6, 0.1]).astype(int)
    Y[:, 1] |= Y[:, 0]
    parents = ((), (0,), (0, 1), (1, 2))
    scorer = HeldOutScorer(count_labels(Y), n_folds=4, random_state=7)
    expected = 0.0
    for fold in range(4):
        tested = scorer.fold_of_row == fold
        expected += learn_network(Y[~tested], search=parents).log_likelihood(Y[tested]).sum()
    found = sum(scorer.one(child, list(group)) for child, group in enumerate(parents))
    assert found == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("made", [lambda counts: dependence_scorer(counts, 3), lambda c: HeldOutScorer(c, n_folds=3)])
@given(Y=label_matrices(min_labels=4, max_labels=5))
@settings(max_examples=20, deadline=None)
def test_all_candidates_at_once_are_as_one_by_one(made, Y):
    scorer = made(count_labels(np.vstack([Y, Y, Y])))
    candidates = np.arange(2, Y.shape[1])
    many = scorer.many(0, [1], candidates)
    assert many == pytest.approx([scorer.one(0, [1, int(label)]) for label in candidates], abs=1e-8)
    assert (many <= scorer.bound(2) + 1e-8).all()


def test_rows_never_seen_with_a_configuration_get_a_finite_price():
    Y = np.array([[1, 1], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]])
    assert np.isfinite(HeldOutScorer(count_labels(Y), n_folds=6).one(0, [1]))
