"""Multi-label estimators: each a list of links."""

from bncc.multilabel.augmented_naive_bayes import AugmentedNaiveBayes
from bncc.multilabel.backend import FitOptions, LinkBackend, SolvedLinks, TrainingRows
from bncc.multilabel.backends import backend_of, register_backend
from bncc.multilabel.bayesian_chain import BayesianChain
from bncc.multilabel.binary_relevance import BinaryRelevance
from bncc.multilabel.blending.blend import Blend
from bncc.multilabel.blending.families import FAMILIES
from bncc.multilabel.blending.leaderboard import BlendPlan, Leaderboard
from bncc.multilabel.block_powerset import BlockPowerset
from bncc.multilabel.bncc import BNCC
from bncc.multilabel.calibrated_label_ranking import CalibratedLabelRanking
from bncc.multilabel.classifier_chain import ClassifierChain
from bncc.multilabel.ensemble import EnsembleClassifierChain
from bncc.multilabel.ensemble_bncc import EnsembleBNCC
from bncc.multilabel.feature_rows import append_context
from bncc.multilabel.group_sensitive_chain import GroupSensitiveChain
from bncc.multilabel.kernel_recommendation import recommended_kernels
from bncc.multilabel.kmeans_chain import KMeansChain
from bncc.multilabel.label_powerset import LabelPowerset
from bncc.multilabel.links import Link, Links
from bncc.multilabel.mlknn import MLkNN
from bncc.multilabel.model_files import load_model, open_model, save_model
from bncc.multilabel.montecarlo_chain import MonteCarloChain
from bncc.multilabel.network_decoder import NetworkDecoder
from bncc.multilabel.network_mlknn import NetworkMLkNN
from bncc.multilabel.random_k_labelsets import RandomKLabelsets
from bncc.multilabel.reasons import Explanation, LabelReasons, Reason, RowReasons, explain
from bncc.multilabel.recommendation import recommended
from bncc.multilabel.scaling import RangeScaler
from bncc.multilabel.stacked_binary_relevance import StackedBinaryRelevance
from bncc.multilabel.tuned_thresholds import TunedThresholds

__all__ = [
    "BNCC",
    "FAMILIES",
    "AugmentedNaiveBayes",
    "BayesianChain",
    "BinaryRelevance",
    "Blend",
    "BlendPlan",
    "BlockPowerset",
    "CalibratedLabelRanking",
    "ClassifierChain",
    "EnsembleBNCC",
    "EnsembleClassifierChain",
    "Explanation",
    "FitOptions",
    "GroupSensitiveChain",
    "KMeansChain",
    "LabelPowerset",
    "LabelReasons",
    "Leaderboard",
    "Link",
    "LinkBackend",
    "Links",
    "MLkNN",
    "MonteCarloChain",
    "NetworkDecoder",
    "NetworkMLkNN",
    "RandomKLabelsets",
    "RangeScaler",
    "Reason",
    "RowReasons",
    "SolvedLinks",
    "StackedBinaryRelevance",
    "TrainingRows",
    "TunedThresholds",
    "append_context",
    "backend_of",
    "explain",
    "load_model",
    "open_model",
    "recommended",
    "recommended_kernels",
    "register_backend",
    "save_model",
]
