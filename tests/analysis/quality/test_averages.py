import numpy as np
import pytest
from sklearn import metrics

from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.averages import overall_figures
from quality_examples import made_predictions, made_scores

SCORES = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
}


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("figure", SCORES)
def test_values_are_those_of_scikit_learn(figure, average):
    found = made_predictions()
    interval = getattr(overall_figures(found), f"{average}_{figure}")
    expected = SCORES[figure](found.truth, found.predicted, average=average, zero_division=0)
    assert interval.value == pytest.approx(expected)
    assert 0 <= interval.low < interval.value < interval.high <= 1


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_intervals_are_as_wide_as_those_of_a_bootstrap(average):
    found = made_predictions(n_rows=600)
    interval = getattr(overall_figures(found), f"{average}_f1")
    rng = np.random.default_rng(0)
    values = []
    for _ in range(400):
        rows = rng.integers(0, 600, 600)
        values.append(metrics.f1_score(found.truth[rows], found.predicted[rows], average=average, zero_division=0))
    low, high = np.quantile(values, [0.025, 0.975])
    assert interval.high - interval.low == pytest.approx(high - low, rel=0.2)


def test_nothing_true_and_nothing_said():
    empty = np.zeros((5, 2))
    averages = overall_figures(read_predictions(empty, Y_pred=empty))
    assert (averages.micro_f1.value, averages.micro_f1.high) == (0, 1)
    assert averages.macro_f1.value == 0


def test_a_perfect_answer_is_as_sure_as_its_rows():
    Y, _ = made_scores(100)
    interval = overall_figures(read_predictions(Y, Y_pred=Y)).micro_f1
    assert interval.value == interval.high == 1
    assert 0.95 < interval.low < 1
