"""Multi-label estimators: each a list of links."""

from bncc.multilabel.binary_relevance import BinaryRelevance
from bncc.multilabel.bncc import BNCC
from bncc.multilabel.calibrated_label_ranking import CalibratedLabelRanking
from bncc.multilabel.classifier_chain import ClassifierChain
from bncc.multilabel.ensemble import EnsembleClassifierChain
from bncc.multilabel.ensemble_bncc import EnsembleBNCC
from bncc.multilabel.group_sensitive_chain import GroupSensitiveChain
from bncc.multilabel.label_powerset import LabelPowerset
from bncc.multilabel.random_k_labelsets import RandomKLabelsets

__all__ = [
    "BNCC",
    "BinaryRelevance",
    "CalibratedLabelRanking",
    "ClassifierChain",
    "EnsembleBNCC",
    "EnsembleClassifierChain",
    "GroupSensitiveChain",
    "LabelPowerset",
    "RandomKLabelsets",
]
