"""What a study shows: significance, effect sizes, tables, figures, and the paper's own figures to hold against them.

Figures are in `bncc.analysis.figures` and need matplotlib (the extra `plot`); everything else needs nothing more.
"""

from bncc.analysis import paper
from bncc.analysis.beside_paper import Agreement, ComparedCell, agreement, compare_with_paper, comparison_table
from bncc.analysis.candidates import Sensitivity, sensitivity
from bncc.analysis.claims import Claim, check_claims, claims_table
from bncc.analysis.collected_scores import (
    Scores,
    collect_scores,
    collect_seconds,
    metrics_in,
    on_common_folds,
    paired_scores,
)
from bncc.analysis.diagram import RankDiagram, rank_diagram, rank_groups
from bncc.analysis.effects import WinTieLoss, cliffs_delta, rank_biserial, win_tie_loss
from bncc.analysis.importance import Importance, ImportanceSummary, column_importance
from bncc.analysis.leads import Lead, lead_over_folds, lead_over_rows
from bncc.analysis.readings import Reading, check_readings, readings_table, variants_of
from bncc.analysis.rendered_table import Cell, Section, Table
from bncc.analysis.report import results_csv, study_tables, write_report
from bncc.analysis.reproduction import reproduction_page, write_reproduction
from bncc.analysis.residuals import ResidualDependence, ResidualPair, residual_dependence
from bncc.analysis.result_tables import against_table, p_value_table, rank_table, score_table, seconds_table
from bncc.analysis.significance import (
    FriedmanTest,
    NemenyiTest,
    PairedTests,
    ResampledTest,
    WilcoxonTest,
    average_ranks,
    friedman,
    holm,
    nemenyi,
    pairwise_wilcoxon,
    resampled_t,
    wilcoxon,
)
from bncc.analysis.study_claims import HeldClaim, held_claims_table
from bncc.analysis.study_evidence import StudyEvidence
from bncc.analysis.training_time import read_training_times

__all__ = [
    "Agreement",
    "Cell",
    "Claim",
    "ComparedCell",
    "FriedmanTest",
    "HeldClaim",
    "Importance",
    "ImportanceSummary",
    "Lead",
    "NemenyiTest",
    "PairedTests",
    "RankDiagram",
    "Reading",
    "ResampledTest",
    "ResidualDependence",
    "ResidualPair",
    "Scores",
    "Section",
    "Sensitivity",
    "StudyEvidence",
    "Table",
    "WilcoxonTest",
    "WinTieLoss",
    "against_table",
    "agreement",
    "average_ranks",
    "check_claims",
    "check_readings",
    "claims_table",
    "cliffs_delta",
    "collect_scores",
    "collect_seconds",
    "column_importance",
    "compare_with_paper",
    "comparison_table",
    "friedman",
    "held_claims_table",
    "holm",
    "lead_over_folds",
    "lead_over_rows",
    "metrics_in",
    "nemenyi",
    "on_common_folds",
    "p_value_table",
    "paired_scores",
    "pairwise_wilcoxon",
    "paper",
    "rank_biserial",
    "rank_diagram",
    "rank_groups",
    "rank_table",
    "read_training_times",
    "readings_table",
    "reproduction_page",
    "resampled_t",
    "residual_dependence",
    "results_csv",
    "score_table",
    "seconds_table",
    "sensitivity",
    "study_tables",
    "variants_of",
    "wilcoxon",
    "win_tie_loss",
    "write_report",
    "write_reproduction",
]
