"""Choosing settings by cross-validation: a search that asks the estimator what folds and settings can share."""

from bncc.selection.search import BatchSearchCV
from bncc.selection.tasks import BatchOptions, Decided, EngineUsed, FoldAnswer, Searchable, SearchTask, SolvedFolds

__all__ = [
    "BatchOptions",
    "BatchSearchCV",
    "Decided",
    "EngineUsed",
    "FoldAnswer",
    "SearchTask",
    "Searchable",
    "SolvedFolds",
]
