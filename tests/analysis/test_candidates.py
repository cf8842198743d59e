import numpy as np
import pytest

from bncc.analysis import sensitivity
from bncc.analysis.candidates import candidates_by_cell
from bncc.experiment import Candidate
from made_records import make_candidates


def test_grid_is_sorted_and_folds_are_averaged():
    tried = [Candidate("d", "m", 0, fold, s, 1.0, {"hamming_loss": s + fold}) for s in (4.0, 2.0) for fold in (0, 1)]
    grid = sensitivity(tried, "HammingLoss", "d", "m")
    assert (grid.sigmas, grid.Cs) == ((2.0, 4.0), (1.0,))
    assert grid.values.tolist() == [[2.5], [4.5]]
    assert grid.best == (0, 0)


def test_pairs_that_were_not_tried_are_nan():
    tried = [
        Candidate("d", "m", 0, 0, 1.0, 1.0, {"micro_f1": 0.5}),
        Candidate("d", "m", 0, 0, 2.0, 4.0, {"micro_f1": 0.6}),
    ]
    grid = sensitivity(tried, "MicF", "d", "m")
    assert np.isnan(grid.values).tolist() == [[False, True], [True, False]]
    assert grid.best == (1, 1)


def test_best_of_the_papers_grid():
    grid = sensitivity(make_candidates(), "MicF", "emotions", "BNCC")
    assert grid.values.shape == (13, 14)
    assert grid.values[grid.best] == grid.values.max()


def test_nothing_tried_is_said():
    with pytest.raises(ValueError, match="No candidate of 'CC' on 'emotions'"):
        sensitivity(make_candidates(), "MicF", "emotions", "CC")


def test_candidates_are_grouped_by_data_set_and_method():
    candidates = make_candidates(("one", "two"), ("BNCC", "CC"))
    groups = candidates_by_cell(candidates)
    assert list(groups) == [("one", "BNCC"), ("one", "CC"), ("two", "BNCC"), ("two", "CC")]
    assert sum(map(len, groups.values())) == len(candidates)
    assert all((c.dataset, c.method) == key for key, group in groups.items() for c in group)
