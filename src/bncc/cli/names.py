"""Names that help and completion show: importing the rooms that own them takes longer than a shell should wait.

Tests hold each list against its owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

__all__ = [
    "BASES",
    "BUNDLED",
    "DATASETS",
    "ENGINES",
    "FETCHABLE",
    "METHODS",
    "METRICS",
    "MOST_KERNEL_ROWS",
    "PROTOCOLS",
    "SCORES",
    "SEARCHES",
    "complete_files",
    "complete_methods",
    "starting_with",
]

BASES = ("auto", "kernel", "linear")
"""Of `--base`; owned by `bncc.evaluation.pipelines`."""

MOST_KERNEL_ROWS = 20_000
"""Owned by `bncc.evaluation.pipelines`."""

METHODS = (
    *("recommended", "br", "cc", "bncc", "ecc", "ebncc", "clr", "gcc", "lp", "rakel", "blocks"),
    *("kmcc", "bcc", "m2cc", "2br", "mlknn", "nmlknn"),
)
"""Owned by `bncc.evaluation.METHODS`."""

ENGINES = ("auto", "cpu", "cuda")
"""Owned by `bncc.svm.choose_engine`."""

SCORES = ("dependence", "bic", "aic", "mdl", "k2", "bdeu")
"""Owned by `bncc.structure.SCORES`."""

SEARCHES = ("ges", "hill_climbing", "paper", "k2", "tree")
"""Of `--search`; owned by `bncc._typing.SearchName`."""

PROTOCOLS = (
    "quick",
    "paper",
    "paper-readings",
    "paper-sigma-each",
    "paper-sigma-mean",
    "paper-sigma-all-rows",
    "paper-mediamill",
    "ours",
    "beyond",
    "mediamill",
    "sensitivity",
)
"""Owned by the folder `protocols` of `bncc.experiment`."""

BUNDLED = ("flags", "genes", "songs", "tickets")
"""Owned by `bncc.datasets.bundled`."""

DATASETS = (
    *("bibtex", "chd49", "delicious", "education", "emotions", "enron", "eukaryotego", "flags", "genbase"),
    *("gnegativego", "gpositivego", "humango", "humanpseaac", "mediamill", "medical", "plantgo", "scene", "virusgo"),
    *("waterquality", "yeast"),
)
"""Owned by `bncc.datasets.catalogue`."""

FETCHABLE = ("birds", "emotions", "enron", "genbase", "image", "langlog", "reuters", "scene", "slashdot", "yeast")
"""Owned by `bncc.datasets.fetchable`."""

METRICS = (
    "hamming_loss",
    *("example_f1", "macro_f1", "micro_f1", "weighted_f1"),
    "example_f1_of_means",
    "subset_accuracy",
    *("example_jaccard", "macro_jaccard", "micro_jaccard", "weighted_jaccard"),
    *("example_precision", "macro_precision", "micro_precision", "weighted_precision"),
    *("example_recall", "macro_recall", "micro_recall", "weighted_recall"),
    *("ranking_loss", "coverage_error", "one_error", "label_ranking_average_precision"),
    *("macro_auc", "micro_auc", "macro_average_precision", "micro_average_precision"),
    *("log_loss", "brier_score"),
    *("precision_at_1", "precision_at_3", "precision_at_5"),
    *("recall_at_1", "recall_at_3", "recall_at_5"),
    *("ndcg_at_1", "ndcg_at_3", "ndcg_at_5"),
    *("ps_precision_at_1", "ps_precision_at_3", "ps_precision_at_5"),
    *("ps_recall_at_1", "ps_recall_at_3", "ps_recall_at_5"),
    *("ps_ndcg_at_1", "ps_ndcg_at_3", "ps_ndcg_at_5"),
)
"""Owned by `bncc.metrics.METRICS`."""


def starting_with(names: Iterable[str]) -> Callable[[str], list[str]]:
    """What completes a word that someone has begun to type.

    >>> starting_with(ENGINES)("c")
    ['cpu', 'cuda']
    """
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def complete_methods(incomplete: str) -> list[str]:
    """Method names for the shell, also after a comma.

    >>> complete_methods("br,bn")
    ['br,bncc']
    """
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


def complete_files(names: Iterable[str]) -> Callable[[str], list[str]]:
    """What completes a word that may be one of these names or the path of a file."""

    def complete(incomplete: str) -> list[str]:
        start = Path(incomplete or ".")
        folder = start if incomplete.endswith("/") or not incomplete else start.parent
        paths = sorted(folder.iterdir()) if folder.is_dir() else []
        shown = [f"{path}/" if path.is_dir() else str(path) for path in paths if not path.name.startswith(".")]
        return starting_with(names)(incomplete) + [path for path in shown if path.startswith(incomplete)]

    return complete
