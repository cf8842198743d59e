"""Multi-label learning: how labels depend on each other, and classifier chains ordered by it."""

from bncc.datasets import load
from bncc.multilabel import (
    BNCC,
    AugmentedNaiveBayes,
    BayesianChain,
    BinaryRelevance,
    CalibratedLabelRanking,
    ClassifierChain,
    EnsembleBNCC,
    EnsembleClassifierChain,
    GroupSensitiveChain,
    KMeansChain,
    LabelPowerset,
    MLkNN,
    MonteCarloChain,
    RandomKLabelsets,
    TunedThresholds,
    load_model,
    open_model,
    recommended,
    save_model,
)
from bncc.structure import LabelNetwork, learn_network
from bncc.svm import KernelSearchCV, KernelSVC

__version__ = "0.1.0"

__all__ = [
    "BNCC",
    "AugmentedNaiveBayes",
    "BayesianChain",
    "BinaryRelevance",
    "CalibratedLabelRanking",
    "ClassifierChain",
    "EnsembleBNCC",
    "EnsembleClassifierChain",
    "GroupSensitiveChain",
    "KMeansChain",
    "KernelSVC",
    "KernelSearchCV",
    "LabelNetwork",
    "LabelPowerset",
    "MLkNN",
    "MonteCarloChain",
    "RandomKLabelsets",
    "TunedThresholds",
    "__version__",
    "learn_network",
    "load",
    "load_model",
    "open_model",
    "recommended",
    "save_model",
]
