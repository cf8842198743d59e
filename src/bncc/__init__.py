"""Multi-label learning: how labels depend on each other, and classifier chains ordered by it.

Names are loaded when they are first used, so that ``import bncc`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # type checkers know the name; loading `typing` for it would take longer than all else here
if TYPE_CHECKING:
    from bncc import analysis as analysis
    from bncc import evaluation as evaluation
    from bncc import experiment as experiment
    from bncc.datasets import load, read_table
    from bncc.linear import LinearSVC, LogisticRegression, cluster
    from bncc.multilabel import (
        BNCC,
        AugmentedNaiveBayes,
        BayesianChain,
        BinaryRelevance,
        Blend,
        BlockPowerset,
        CalibratedLabelRanking,
        ClassifierChain,
        EnsembleBNCC,
        EnsembleClassifierChain,
        GroupSensitiveChain,
        KMeansChain,
        LabelPowerset,
        MLkNN,
        MonteCarloChain,
        NetworkDecoder,
        NetworkMLkNN,
        RandomKLabelsets,
        StackedBinaryRelevance,
        TunedThresholds,
        explain,
        load_model,
        open_model,
        recommended,
        recommended_kernels,
        save_model,
    )
    from bncc.selection import BatchSearchCV
    from bncc.structure import LabelNetwork, learn_network
    from bncc.svm import KernelSearchCV, KernelSVC
    from bncc.tables import TableFeatures, TableWarning

__version__ = "0.2.0.dev0"

__all__ = [
    "BNCC",
    "AugmentedNaiveBayes",
    "BatchSearchCV",
    "BayesianChain",
    "BinaryRelevance",
    "Blend",
    "BlockPowerset",
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
    "LinearSVC",
    "LogisticRegression",
    "MLkNN",
    "MonteCarloChain",
    "NetworkDecoder",
    "NetworkMLkNN",
    "RandomKLabelsets",
    "StackedBinaryRelevance",
    "TableFeatures",
    "TableWarning",
    "TunedThresholds",
    "__version__",
    "cluster",
    "explain",
    "learn_network",
    "load",
    "load_model",
    "open_model",
    "read_table",
    "recommended",
    "recommended_kernels",
    "save_model",
]

_ROOMS = (
    "analysis",
    "datasets",
    "evaluation",
    "experiment",
    "graph",
    "labels",
    "linear",
    "metrics",
    "multilabel",
    "selection",
    "structure",
    "svm",
    "tables",
)
_NOT_OF_MULTILABEL = {
    "BatchSearchCV": "selection",
    "KernelSVC": "svm",
    "KernelSearchCV": "svm",
    "LabelNetwork": "structure",
    "LinearSVC": "linear",
    "LogisticRegression": "linear",
    "TableFeatures": "tables",
    "TableWarning": "tables",
    "cluster": "linear",
    "learn_network": "structure",
    "load": "datasets",
    "read_table": "datasets",
}

if not TYPE_CHECKING:  # or a type checker would take any name for one of ours

    def __getattr__(name: str) -> object:
        if name in _ROOMS:
            return import_module(f"bncc.{name}")
        if name not in __all__:
            raise AttributeError(f"module 'bncc' has no attribute {name!r}")
        room = import_module(f"bncc.{_NOT_OF_MULTILABEL.get(name, 'multilabel')}")
        globals()[name] = getattr(room, name)
        return globals()[name]


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS, *(name for name in globals() if name.startswith("__"))})
