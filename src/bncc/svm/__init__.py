"""Kernel SVMs: squared distances once, then batches of binary problems on all cores."""

from typing import Any

from bncc.selection import BatchSearchCV
from bncc.svm.candidate_decisions import CandidateDecisions, decide_candidates
from bncc.svm.classifier import KernelSVC
from bncc.svm.contexts import context_mask, pack_labels
from bncc.svm.distances import Distances, cross_distances, squared_distances
from bncc.svm.engine_protocol import Engine
from bncc.svm.engines import EngineChoice, check_engine, choose_engine, engine_for, solve, work_of
from bncc.svm.fold_decisions import cross_val_decisions, decide_folds, fold_engine, kernel_grid
from bncc.svm.fold_problems import FoldDecisions, FoldProblems, KernelGrid, fold_problems
from bncc.svm.kernel_width import resolve_gamma
from bncc.svm.link_table import LinkTable, chain_links, pair_links, plain_links
from bncc.svm.models import Model, keep_support
from bncc.svm.points import Points, prepare_points
from bncc.svm.problems import Batch, Solution, Solutions, Status, make_batch
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks
from bncc.svm.walks import walk, walk_known

__all__ = [
    "Batch",
    "CandidateDecisions",
    "Distances",
    "Engine",
    "EngineChoice",
    "FoldDecisions",
    "FoldProblems",
    "KernelGrid",
    "KernelSVC",
    "KernelSearchCV",
    "LinkTable",
    "Model",
    "Points",
    "Solution",
    "Solutions",
    "SolverSettings",
    "Status",
    "Walks",
    "chain_links",
    "check_engine",
    "choose_engine",
    "context_mask",
    "cross_distances",
    "cross_val_decisions",
    "decide_candidates",
    "decide_folds",
    "engine_for",
    "fold_engine",
    "fold_problems",
    "keep_support",
    "kernel_grid",
    "make_batch",
    "pack_labels",
    "pair_links",
    "plain_links",
    "prepare_points",
    "resolve_gamma",
    "solve",
    "squared_distances",
    "walk",
    "walk_known",
    "work_of",
]

#: An older name of `bncc.selection.BatchSearchCV`.
KernelSearchCV = BatchSearchCV


def __getattr__(name: str) -> Any:
    """Names that have changed go on working for a while."""
    if name != "Links":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from warnings import warn

    warn("bncc.svm.Links is called LinkTable now.", DeprecationWarning, stacklevel=2)
    return LinkTable
