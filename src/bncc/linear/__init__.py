"""Linear classifiers: batches of binary problems, sixteen side by side on one pass over the rows."""

from bncc.linear.dask_blocks import cluster
from bncc.linear.decisions import decide, walk
from bncc.linear.engines import solve
from bncc.linear.features import Features, prepare_features
from bncc.linear.linear_svc import LinearSVC
from bncc.linear.logistic import LogisticRegression
from bncc.linear.plans import Plan, plan_blocks
from bncc.linear.problems import Batch, chain_context, make_batch
from bncc.linear.solutions import BlockCosts, Solution, Solutions, Status

__all__ = [
    "Batch",
    "BlockCosts",
    "Features",
    "LinearSVC",
    "LogisticRegression",
    "Plan",
    "Solution",
    "Solutions",
    "Status",
    "chain_context",
    "cluster",
    "decide",
    "make_batch",
    "plan_blocks",
    "prepare_features",
    "solve",
    "walk",
]
