import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.calibration_bins import calibration_curves
from quality_examples import made_scores


@pytest.mark.parametrize("unknown", [0.0, 0.3])
def test_bins_are_those_of_scikit_learn(unknown):
    Y, S = made_scores(unknown=unknown)
    overall, each = calibration_curves(read_predictions(Y, S))
    known = ~np.isnan(Y)
    share, probability = calibration_curve(Y[known], S[known], n_bins=10)
    assert overall.share == pytest.approx(share)
    assert overall.probability == pytest.approx(probability)
    assert sum(overall.cells) == known.sum()
    for j, curve in enumerate(each):
        share, _ = calibration_curve(Y[known[:, j], j], S[known[:, j], j], n_bins=10)
        assert curve.share == pytest.approx(share)
        assert all(low <= value <= high for low, value, high in zip(curve.low, curve.share, curve.high, strict=True))


def test_true_probabilities_are_within_their_intervals():
    rng = np.random.default_rng(0)
    P = rng.random((4000, 3))
    overall, _ = calibration_curves(read_predictions(rng.random(P.shape) < P, P))
    assert overall.error < 0.03
    ends = zip(overall.low, overall.probability, overall.high, strict=True)
    assert all(low <= probability <= high for low, probability, high in ends)
    too_sure, _ = calibration_curves(read_predictions(rng.random(P.shape) < P, np.where(P > 0.5, 0.99, 0.01)))
    assert too_sure.error > 0.15


def test_the_ends_of_the_scale_belong_to_bins_and_decisions_have_none():
    Y = np.array([[1], [0]])
    overall, _ = calibration_curves(read_predictions(Y, [[1.0], [0.0]]))
    assert overall.cells == (1, 1)
    assert calibration_curves(read_predictions(Y, [[2.0], [-1.0]])) is None
