"""Multi-label learning: how labels depend on each other, and classifier chains ordered by it."""

from bncc.datasets import load
from bncc.multilabel import BNCC, BinaryRelevance, ClassifierChain, EnsembleClassifierChain
from bncc.structure import LabelNetwork, learn_network
from bncc.svm import KernelSearchCV, KernelSVC

__version__ = "0.1.0"

__all__ = [
    "BNCC",
    "BinaryRelevance",
    "ClassifierChain",
    "EnsembleClassifierChain",
    "KernelSVC",
    "KernelSearchCV",
    "LabelNetwork",
    "__version__",
    "learn_network",
    "load",
]
