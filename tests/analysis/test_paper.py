import numpy as np
import pytest

from bncc.analysis import paper
from bncc.datasets import catalogue
from bncc.metrics import PAPER_METRICS


def test_every_printed_set_is_in_the_catalogue():
    """Figures agree with the catalogue's but for three slips of the print (cardinality, an identifier, rows)."""
    for name, row in paper.datasets().items():
        figures = catalogue()[name].figures
        rows = row.n_train + (row.n_test or 0)
        assert row.n_labels == figures.n_labels
        assert row.n_features - figures.n_features == (1 if name == "genbase" else 0)
        assert row.cardinality == pytest.approx(figures.cardinality, abs=0.0015 if name != "humanpseaac" else 0.05)
        assert rows == figures.n_rows or name == "humanpseaac"


@pytest.mark.parametrize("metric", PAPER_METRICS)
def test_results_have_all_cells(metric):
    printed_scores = paper.results(metric)
    assert printed_scores.mean.shape == printed_scores.std.shape == (18, 6)
    assert np.isfinite(printed_scores.mean).all()
    assert printed_scores.greater_is_better == (metric != "HammingLoss")
    assert paper.results(PAPER_METRICS[metric]).mean.tolist() == printed_scores.mean.tolist()
    assert len(paper.p_values(metric)) == 15
    assert "education" in printed_scores.datasets
    assert "eukaryotego" not in printed_scores.datasets


def test_cells_as_printed():
    assert paper.results("HammingLoss").cell("emotions", "BNCC") == (0.1904, 0.0153)
    assert paper.results("MicF").cell("waterquality", "CC") == (0.4326, 0.0260)
    assert paper.seconds("train").cell("mediamill", "ECC")[0] == 26366.9
    assert paper.seconds("test").mean.shape == (18, 6)
    assert paper.p_values("HammingLoss")["ECC", "BNCC"] == 0.8563


def test_claimed_wins_of_bncc_over_cc_are_the_printed_arrows():
    wins = 0
    for metric in PAPER_METRICS:
        printed = paper.results(metric)
        gain = printed.select(methods=["BNCC"]).mean - printed.select(methods=["CC"]).mean
        wins += int((gain > 0).sum() if printed.greater_is_better else (gain < 0).sum())
    assert wins == 55


def test_printed_figures_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        paper.results("MacF").mean[0, 0] = 1.0
    with pytest.raises(TypeError):
        paper.datasets()["yeast"] = None


def test_bad_names_are_refused():
    with pytest.raises(ValueError, match="reports HammingLoss, Fscore, MacF, MicF; got 'macro_auc'"):
        paper.results("macro_auc")
    with pytest.raises(ValueError, match="'train' or 'test'; got 'select'"):
        paper.seconds("select")
