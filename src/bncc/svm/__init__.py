"""Kernel SVMs: squared distances once, then batches of binary problems on all cores."""

from bncc.svm.contexts import context_mask, pack_labels
from bncc.svm.distances import Distances, cross_distances, squared_distances
from bncc.svm.engines import pick_engine, solve
from bncc.svm.points import Points, prepare_points
from bncc.svm.problems import Batch, Solution, Solutions, Status, make_batch
from bncc.svm.walks import walk

__all__ = [
    "Batch",
    "Distances",
    "Points",
    "Solution",
    "Solutions",
    "Status",
    "context_mask",
    "cross_distances",
    "make_batch",
    "pack_labels",
    "pick_engine",
    "prepare_points",
    "solve",
    "squared_distances",
    "walk",
]
