import numpy as np
import pytest

from bncc.analysis import sensitivity
from bncc.experiment import Candidate
from made_records import make_candidates


def test_grid_is_sorted_and_folds_are_averaged():
    tried = [Candidate("d", "m", 0, fold, s, 1.0, {"hamming_loss": s + fold}) for s in (4.0, 2.0) for fold in (0, 1)]
    found = sensitivity(tried, "HammingLoss", "d", "m")
    assert (found.sigmas, found.Cs) == ((2.0, 4.0), (1.0,))
    assert found.values.tolist() == [[2.5], [4.5]]
    assert found.best == (0, 0)


def test_pairs_that_were_not_tried_are_nan():
    tried = [
        Candidate("d", "m", 0, 0, 1.0, 1.0, {"micro_f1": 0.5}),
        Candidate("d", "m", 0, 0, 2.0, 4.0, {"micro_f1": 0.6}),
    ]
    found = sensitivity(tried, "MicF", "d", "m")
    assert np.isnan(found.values).tolist() == [[False, True], [True, False]]
    assert found.best == (1, 1)


def test_best_of_the_papers_grid():
    found = sensitivity(make_candidates(), "MicF", "emotions", "BNCC")
    assert found.values.shape == (13, 14)
    assert found.values[found.best] == found.values.max()


def test_nothing_tried_is_said():
    with pytest.raises(ValueError, match="No candidate of 'CC' on 'emotions'"):
        sensitivity(make_candidates(), "MicF", "emotions", "CC")
