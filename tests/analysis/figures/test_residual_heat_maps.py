import numpy as np

from bncc.analysis import residual_dependence
from bncc.analysis.figures import residual_figure, save_figure


def test_two_maps_on_one_scale(tmp_path):
    random = np.random.default_rng(0)
    first = random.integers(0, 2, 200)
    Y = np.column_stack([first, first, random.integers(0, 2, 200)])
    found = residual_dependence(Y, np.full(Y.shape, 0.5), label_names=["sun", "warm", "wind"])
    figure = residual_figure(found)
    left, right = figure.axes[:2]
    assert left.images[0].get_clim() == right.images[0].get_clim()
    assert [text.get_text() for text in left.get_xticklabels()] == ["sun", "warm", "wind"]
    opacity = right.images[0].get_alpha()
    assert opacity[0, 1] == 1
    assert opacity[0, 2] < 1
    assert save_figure(figure, tmp_path / "both.png").stat().st_size > 1000
