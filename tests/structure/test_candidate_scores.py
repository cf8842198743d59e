import numpy as np
import pytest

from bncc.labels import count_labels
from bncc.structure import SCORES, LocalScorer
from bncc.structure.candidate_scores import candidate_scorer, fixed_point_tables


@pytest.mark.parametrize("name", sorted(SCORES))
def test_fixed_point_tables_are_the_score_to_the_last_bits(name):
    score = SCORES[name]
    cell, total, scale = fixed_point_tables(score, 50, 3)
    count = np.arange(51.0)
    for level in range(len(cell)):
        np.testing.assert_allclose(cell[level] / scale, score.cell(count, 2.0**level), atol=1e-12)
        np.testing.assert_allclose(total[level] / scale, score.total(count, 2.0**level), atol=1e-12)
    # Four of the largest entries can be added without overflow.
    assert 4 * int(max(np.abs(cell).max(), np.abs(total).max())) < 2**63


@pytest.mark.parametrize("name", sorted(SCORES))
def test_candidates_are_scored_as_the_score_says(name):
    Y = np.random.default_rng(0).integers(0, 2, (40, 4))
    scorer, known = candidate_scorer(count_labels(Y), SCORES[name], 3), LocalScorer.of(Y, name)
    assert scorer.one(0, [1]) == pytest.approx(known.local_score(0, [1]), abs=2e-6)
    found = scorer.many(0, [1], np.array([2, 3]))
    assert found.tolist() == pytest.approx([known.local_score(0, [1, other]) for other in (2, 3)], abs=2e-6)


def test_a_caller_who_answers_nan_is_told():
    class Broken:
        def local_score(self, child, parents):
            return float("nan")

    with pytest.raises(ValueError, match="got NaN for child 0"):
        candidate_scorer(count_labels([[1, 0], [0, 1]]), Broken(), 1).one(0, [])
