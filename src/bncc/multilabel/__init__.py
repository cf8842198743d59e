"""Multi-label estimators: each a list of links."""

from bncc.multilabel.binary_relevance import BinaryRelevance
from bncc.multilabel.bncc import BNCC
from bncc.multilabel.calibrated_label_ranking import CalibratedLabelRanking
from bncc.multilabel.classifier_chain import ClassifierChain
from bncc.multilabel.ensemble import EnsembleClassifierChain
from bncc.multilabel.group_sensitive_chain import GroupSensitiveChain

__all__ = [
    "BNCC",
    "BinaryRelevance",
    "CalibratedLabelRanking",
    "ClassifierChain",
    "EnsembleClassifierChain",
    "GroupSensitiveChain",
]
