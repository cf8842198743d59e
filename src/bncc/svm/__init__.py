"""Kernel SVMs: squared distances once, then batches of binary problems on all cores."""

from bncc.svm.classifier import KernelSVC, resolve_gamma
from bncc.svm.contexts import context_mask, pack_labels
from bncc.svm.crossval import cross_val_decisions, fold_engine
from bncc.svm.distances import Distances, cross_distances, squared_distances
from bncc.svm.engines import EngineChoice, choose_engine, solve, work_of
from bncc.svm.links import Links, chain_links, pair_links, plain_links
from bncc.svm.models import Model, keep_support
from bncc.svm.points import Points, prepare_points
from bncc.svm.problems import Batch, Solution, Solutions, Status, make_batch
from bncc.svm.search import KernelSearchCV
from bncc.svm.tasks import Decided, KernelEstimator, KernelTask
from bncc.svm.walks import walk, walk_known

__all__ = [
    "Batch",
    "Decided",
    "Distances",
    "EngineChoice",
    "KernelEstimator",
    "KernelSVC",
    "KernelSearchCV",
    "KernelTask",
    "Links",
    "Model",
    "Points",
    "Solution",
    "Solutions",
    "Status",
    "chain_links",
    "choose_engine",
    "context_mask",
    "cross_distances",
    "cross_val_decisions",
    "fold_engine",
    "keep_support",
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
