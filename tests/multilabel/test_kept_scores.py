import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bncc.multilabel import kept_scores
from bncc.multilabel.kept_scores import ScoreKeeper


def expected(scores, known, wanted, wanted_of_labels):
    """By sorting everything: above 0, or not below the last that is wanted (minus infinity never is)."""
    keep = scores > 0

    def at_least(cells, count):
        finite = np.sort(cells[np.isfinite(cells)])[::-1]
        return -np.inf if finite.size < count else finite[count - 1]

    keep |= scores >= at_least(scores[known], wanted)
    if wanted_of_labels is not None:
        for label, count in enumerate(wanted_of_labels):
            keep[:, label] |= scores[:, label] >= at_least(scores[known[:, label], label], count)
    return keep & known & (scores > -np.inf)


@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.sampled_from([1, 5, 10**6]))
def test_what_is_kept_is_what_sorting_everything_keeps(seed, per_label, is_rounded, slack):
    random = np.random.default_rng(seed)
    scores = random.normal(-1, 1, (30, 6))
    if is_rounded:  # ties
        scores = scores.round(1)
    scores[random.random(scores.shape) < 0.05] = np.inf
    scores[random.random(scores.shape) < 0.05] = -np.inf
    known = random.random(scores.shape) < 0.9
    wanted = int(random.integers(1, 200))
    of_labels = random.integers(1, 40, 6) if per_label else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_scores, "_SLACK", slack)
        keeper = ScoreKeeper(wanted, of_labels)
        order = random.permutation(30)
        for rows in np.array_split(order, 7):
            keeper.add(rows, scores[rows], known[rows])
        cells = keeper.cells()
    there = np.zeros(scores.shape, bool)
    there[cells.rows, cells.labels] = True
    assert there.sum() == len(cells)
    np.testing.assert_array_equal(there, expected(scores, known, wanted, of_labels))
    np.testing.assert_array_equal(cells.scores, scores[cells.rows, cells.labels])
    assert (np.diff(cells.labels * 1000 + cells.rows) > 0).all()


def test_little_is_held_at_a_time(monkeypatch):
    monkeypatch.setattr(kept_scores, "_SLACK", 1000)
    random = np.random.default_rng(0)
    keeper = ScoreKeeper(200, np.full(50, 10))
    held = []
    for start in range(0, 5000, 50):
        keeper.add(np.arange(start, start + 50), random.normal(-5, 1, (50, 50)))
        held.append(keeper._size)
    assert len(keeper.cells()) <= 200 + 50 * 10
    assert max(held) < 6000  # of 250,000


def test_nothing_comes():
    assert len(ScoreKeeper(3).cells()) == 0
