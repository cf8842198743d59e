import numpy as np
import pytest
from sklearn import metrics

from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.label_figures import FIGURES, label_figures
from quality_examples import made_predictions, made_scores

ORACLES = {
    "precision": lambda Y, P, S: metrics.precision_score(Y, P),
    "recall": lambda Y, P, S: metrics.recall_score(Y, P),
    "f1": lambda Y, P, S: metrics.f1_score(Y, P),
    "auc": lambda Y, P, S: metrics.roc_auc_score(Y, S),
    "average_precision": lambda Y, P, S: metrics.average_precision_score(Y, S),
    "brier": lambda Y, P, S: metrics.brier_score_loss(Y, S),
}


def named(found):
    return label_figures(found, [f"label {i}" for i in range(found.n_labels)])


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("figure", FIGURES)
def test_figures_are_those_of_scikit_learn(figure, unknown):
    Y, S = made_scores(unknown=unknown)
    for j, label in enumerate(named(read_predictions(Y, S))):
        known = ~np.isnan(Y[:, j])
        true, scores = Y[known, j].astype(int), S[known, j]
        found = getattr(label, figure)
        assert found.value == pytest.approx(ORACLES[figure](true, scores > 0.5, scores), abs=1e-12)
        assert found.lowest <= found.low <= found.value <= found.high <= found.highest
        assert (label.known, label.support, label.predicted) == (known.sum(), true.sum(), (scores > 0.5).sum())


def test_what_is_not_defined_is_none():
    Y = np.array([[0, 1, 1], [0, 1, 0], [0, 1, 1]])
    never, always, usual = named(read_predictions(Y, [[0.1, 0.9, 0.1]] * 3))
    assert never.f1.value is never.recall.value is never.precision.value is never.auc.value is None
    assert never.f1.highest is None
    assert never.brier.value == pytest.approx(0.01)
    assert always.auc.value is None
    assert always.recall.value == always.average_precision.value == 1
    assert usual.precision.value is None
    assert usual.f1.value == 0


def test_without_scores_there_are_no_ranks():
    Y, S = made_scores()
    label = named(read_predictions(Y, Y_pred=S > 0.5))[0]
    assert label.auc.value is label.average_precision.value is label.brier.value is None
    assert label.f1.value is not None
    assert named(read_predictions(Y, S - 0.5))[0].brier.value is None


def test_more_labels_mean_wider_intervals_for_all_at_once():
    few, many = (named(made_predictions(n_labels=n))[0] for n in (2, 60))
    width = [label.f1.highest - label.f1.lowest for label in (few, many)]
    assert width[1] > width[0]
    assert few.f1.high - few.f1.low < width[0]
