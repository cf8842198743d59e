"""What a study shows: significance, effect sizes, tables, figures, and the paper's own figures to hold against them."""

from bncc.analysis import paper
from bncc.analysis.diagram import RankDiagram, rank_diagram, rank_groups
from bncc.analysis.effects import WinTieLoss, cliffs_delta, rank_biserial, win_tie_loss
from bncc.analysis.scores import Scores, collect_scores, collect_seconds, metrics_in
from bncc.analysis.significance import (
    FriedmanTest,
    NemenyiTest,
    PairedTests,
    WilcoxonTest,
    average_ranks,
    friedman,
    holm,
    nemenyi,
    pairwise_wilcoxon,
    wilcoxon,
)

__all__ = [
    "FriedmanTest",
    "NemenyiTest",
    "PairedTests",
    "RankDiagram",
    "Scores",
    "WilcoxonTest",
    "WinTieLoss",
    "average_ranks",
    "cliffs_delta",
    "collect_scores",
    "collect_seconds",
    "friedman",
    "holm",
    "metrics_in",
    "nemenyi",
    "pairwise_wilcoxon",
    "paper",
    "rank_biserial",
    "rank_diagram",
    "rank_groups",
    "wilcoxon",
    "win_tie_loss",
]
