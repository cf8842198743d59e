"""What a label matrix says by itself: counts, entropies, dependence degrees, cardinality and imbalance."""

from bncc.labels.counts import LabelCounts, count_labels
from bncc.labels.entropy import (
    conditional_entropy,
    dependence,
    dependence_of,
    entropy,
    mutual_information,
    set_conditional_entropy,
    set_dependence,
)
from bncc.labels.independence import IndependenceTest, independence_test
from bncc.labels.profile import LabelProfile, cardinality, density, imbalance, mean_imbalance, profile_labels
from bncc.labels.relations import Relation, strongest_relations

__all__ = [
    "IndependenceTest",
    "LabelCounts",
    "LabelProfile",
    "Relation",
    "cardinality",
    "conditional_entropy",
    "count_labels",
    "density",
    "dependence",
    "dependence_of",
    "entropy",
    "imbalance",
    "independence_test",
    "mean_imbalance",
    "mutual_information",
    "profile_labels",
    "set_conditional_entropy",
    "set_dependence",
    "strongest_relations",
]
