import numpy as np
import pytest

from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.label_figures import label_figures
from bncc.analysis.quality.worst_label import best_label, rank_labels, worst_label
from quality_examples import made_predictions


def named(found):
    return label_figures(found, [str(i) for i in range(found.n_labels)])


def test_the_worst_has_the_lowest_f1_and_an_interval_for_all():
    labels = named(made_predictions())
    worst, best = worst_label(labels), best_label(labels)
    values = [label.f1.value for label in labels]
    assert worst.label == int(np.argmin(values))
    assert best.label == int(np.argmax(values))
    assert worst.n_compared == 7
    assert worst.f1.lowest < worst.f1.low < worst.f1.high < worst.f1.highest
    assert worst.label not in worst.rivals


def test_rivals_are_the_labels_whose_interval_reaches_the_lowest_end():
    labels = named(made_predictions(n_rows=2000, signal=3))
    worst = worst_label(labels)
    ceiling = min(label.f1.highest for label in labels)
    reach = {i for i, label in enumerate(labels) if label.f1.lowest <= ceiling}
    assert {worst.label, *worst.rivals} == reach
    assert len(reach) < 7


def test_labels_that_never_hold_are_not_compared_and_ties_go_to_the_surer():
    Y = np.zeros((40, 4), int)
    Y[:2, 1] = Y[:20, 2] = Y[:10, 3] = 1
    said = np.zeros((40, 4), int)
    said[:3, 0] = said[:10, 3] = 1
    labels = named(read_predictions(Y, Y_pred=said))
    assert rank_labels(labels) == [2, 1, 3]
    assert worst_label(labels).label == 2
    assert best_label(labels).label == 3
    nothing = named(read_predictions(np.zeros((4, 2)), Y_pred=np.zeros((4, 2))))
    assert worst_label(nothing) is best_label(nothing) is None


@pytest.mark.slow
def test_the_interval_of_the_label_that_was_picked_covers_its_true_f1():
    """Forty labels, equally good: whichever comes out worst by chance, its interval for all at once holds."""
    rng = np.random.default_rng(0)
    n_labels, held, alone, among = 40, 0, 0, 0
    true_f1 = 2 * 0.3 * 0.7 / (0.3 + 0.3 * 0.7 + 0.7 * 0.1)
    for _ in range(400):
        Y = rng.random((150, n_labels)) < 0.3
        said = np.where(Y, rng.random(Y.shape) < 0.7, rng.random(Y.shape) < 0.1)
        labels = named(read_predictions(Y, Y_pred=said))
        worst = worst_label(labels)
        held += worst.f1.lowest <= true_f1 <= worst.f1.highest
        alone += worst.f1.low <= true_f1 <= worst.f1.high
        among += 0 in (worst.label, *worst.rivals)  # all are truly worst, so any fixed one must be among them
    assert held >= 0.95 * 400
    assert among >= 0.95 * 400
    assert alone < 0.6 * 400  # why the number of labels must be known
