import numpy as np
import pytest

from bncc.multilabel.score_ranks import top_scores


@pytest.mark.parametrize("k", [1, 3, 7])
@pytest.mark.parametrize("levels", [3, 1000])
def test_the_highest_scores_as_a_stable_sort_finds_them(k, levels):
    scores = np.random.default_rng(0).integers(0, levels, (60, 7)).astype(float)
    labels, highest = top_scores(scores, k)
    expected = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(labels, expected)
    np.testing.assert_array_equal(highest, np.take_along_axis(scores, expected, axis=1))


def test_no_rows():
    labels, highest = top_scores(np.zeros((0, 4)), 2)
    assert labels.shape == highest.shape == (0, 2)
