import numpy as np
import pytest
from hypothesis import given, settings

from bncc import learn_network
from bncc.analysis.figures import dependence_figure, save_figure, signed_dependence
from bncc.labels import dependence
from bncc.structure import from_json, to_json
from strategies import label_matrices


def entropy(p):
    return -sum(q * np.log2(q) for q in (p, 1 - p) if q > 0)


@settings(max_examples=40, deadline=None)
@given(label_matrices(min_labels=2))
def test_signed_dependence_is_its_definition(Y):
    net = learn_network(Y)
    degrees, removed = signed_dependence(net, "dependence"), signed_dependence(net)
    n, m = Y.shape
    for j in range(m):
        uncertainty = entropy(Y[:, j].mean())
        for k in range(m):
            rows = [Y[Y[:, k] == v, j] for v in (0, 1)]
            left = sum(len(r) / n * entropy(r.mean()) for r in rows if len(r))
            sign = np.sign(int((Y[:, j] & Y[:, k]).sum()) * n - int(Y[:, j].sum()) * int(Y[:, k].sum()))
            assert degrees[j, k] == pytest.approx(sign * (1 - left), abs=1e-9)
            assert removed[j, k] == pytest.approx(sign * (1 - left / uncertainty) if uncertainty else 0.0, abs=1e-9)


def test_magnitudes_are_the_papers_dependence_degrees():
    net = learn_network([[1, 1, 0], [1, 1, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_allclose(np.abs(signed_dependence(net, "dependence")), dependence(net.counts))


@pytest.mark.parametrize(("n_labels", "named", "printed"), [(6, True, True), (30, True, False), (374, False, False)])
def test_maps_of_all_sizes(n_labels, named, printed, tmp_path):
    Y = np.random.default_rng(0).random((300, n_labels)) < 0.2
    figure = dependence_figure(learn_network(Y.astype(int), max_children=2))
    axes = figure.axes[0]
    assert any(label.get_text() == "label0" for label in axes.get_yticklabels()) == named
    assert bool(axes.texts) == printed
    save_figure(figure, tmp_path / "a.png")


def test_a_network_without_counts_is_refused():
    net = from_json(to_json(learn_network([[1, 0], [0, 1]])))
    with pytest.raises(ValueError, match="read from a file"):
        dependence_figure(net)
    with pytest.raises(ValueError, match="'removed' or 'dependence'; got 'x'"):
        signed_dependence(learn_network([[1, 0], [0, 1]]), "x")
