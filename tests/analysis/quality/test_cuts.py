import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.cuts import threshold_curves
from quality_examples import made_predictions, made_scores


@pytest.mark.parametrize("unknown", [0.0, 0.4])
def test_counts_are_those_above_each_threshold(unknown):
    found = made_predictions(unknown=unknown)
    for j, curve in enumerate(threshold_curves(found, 30)):
        known, truth = found.known[:, j], found.truth[:, j]
        assert len(curve.thresholds) <= 30
        assert list(curve.thresholds) == sorted(curve.thresholds, reverse=True)
        for cut, tp, fp in zip(curve.thresholds, curve.tp, curve.fp, strict=True):
            above = (found.scores[:, j] > cut) & known
            assert (tp, fp) == ((above & truth).sum(), (above & ~truth).sum())
        assert curve.thresholds[curve.current] == 0.5
        assert (curve.tp[0], curve.fp[0]) == (0, 0)
        assert (curve.tp[-1], curve.fp[-1]) == (truth.sum(), known.sum() - truth.sum())


def test_the_best_is_the_best_of_all_thresholds():
    Y, S = made_scores(500)
    for j, curve in enumerate(threshold_curves(read_predictions(Y, S), 12)):
        precision, recall, _ = precision_recall_curve(Y[:, j], S[:, j])
        f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
        assert curve.f1()[curve.best] == pytest.approx(f1.max())
        assert np.nanmax(curve.f1()) == curve.f1()[curve.best]


def test_the_whole_curve_is_that_of_scikit_learn():
    Y, S = made_scores(50, 2)
    S = S.round(1)  # with ties
    (curve, _) = threshold_curves(read_predictions(Y, S), 200)
    precision, recall, _ = precision_recall_curve(Y[:, 0], S[:, 0])
    expected = {(round(p, 9), round(r, 9)) for p, r in zip(precision[:-1], recall[:-1], strict=True)}
    found = {(round(p, 9), round(r, 9)) for p, r in zip(curve.precision()[1:], curve.recall()[1:], strict=True)}
    assert found == expected


def test_odd_labels_have_curves_too():
    Y, S = np.array([[0, 1], [0, 1]]), np.array([[0.3, 0.3], [0.3, np.nextafter(0.3, 1)]])
    never, always = threshold_curves(read_predictions(Y, S))
    assert np.isnan(never.recall()).all()
    assert never.support == 0
    assert always.tp[-1] == 2
    assert 1 in always.tp  # scores that are neighbours can be parted
    assert threshold_curves(read_predictions(Y, Y_pred=Y)) == ()
    with pytest.raises(ValueError, match="at least 8"):
        threshold_curves(read_predictions(Y, S), 3)
