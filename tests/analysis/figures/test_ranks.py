import numpy as np
import pytest

from bncc.analysis import nemenyi, paper, rank_diagram
from bncc.analysis.figures import rank_figure


@pytest.mark.parametrize(("n_methods", "n_datasets"), [(2, 20), (3, 2), (6, 18), (18, 20)])
def test_every_method_is_named_with_its_rank(n_methods, n_datasets):
    random = np.random.default_rng(0)
    names = [f"method {j}" for j in range(n_methods)]
    diagram = rank_diagram(nemenyi(random.random((n_datasets, n_methods)), names))
    texts = [text.get_text().strip() for text in rank_figure(diagram).axes[0].texts]
    for name, rank in zip(diagram.methods, diagram.ranks, strict=True):
        assert f"{name}  {rank:.2f}" in texts or f"{rank:.2f}  {name}" in texts


def test_a_bar_per_group():
    printed = paper.results("MicF")
    diagram = rank_diagram(nemenyi(printed.mean, printed.methods))
    bars = [line for line in rank_figure(diagram).axes[0].lines if line.get_linewidth() == 3.5]
    assert len(bars) == len(diagram.groups) == 2
    for bar, (first, last) in zip(bars, diagram.groups, strict=True):
        left, right = bar.get_xdata()
        assert left < diagram.ranks[first] <= diagram.ranks[last] < right


def test_a_critical_difference_wider_than_the_axis_is_said():
    diagram = rank_diagram(nemenyi(paper.results("MicF").mean[:2], paper.METHODS))
    assert any("wider than the axis" in text.get_text() for text in rank_figure(diagram).axes[0].texts)
