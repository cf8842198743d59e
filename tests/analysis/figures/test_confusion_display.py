import numpy as np

from bncc.analysis.figures import ConfusedLabelsDisplay
from quality_examples import made_scores


def test_cells_are_the_rows_of_the_pairs():
    display = ConfusedLabelsDisplay.from_predictions(*made_scores())
    quality = display.summary.methods[0]
    drawn = np.asarray(display.ax_.get_images()[0].get_array().filled(0))
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    for pair in quality.confused:
        assert drawn[names.index(str(pair.first)), names.index(str(pair.second))] == pair.rows
    assert drawn.sum() == sum(pair.rows for pair in quality.confused)


def test_perfect_predictions_have_an_empty_map():
    Y = np.eye(3)
    assert ConfusedLabelsDisplay.from_predictions(Y, Y_pred=Y).ax_.get_yticks().size == 0
