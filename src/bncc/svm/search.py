"""The older name of the search, and where model files of earlier releases look for it."""

from bncc.selection import BatchSearchCV

__all__ = ["KernelSearchCV"]

KernelSearchCV = BatchSearchCV
