"""The label network: scores, parent search, and the chain order that follows."""

from bncc.structure.communities import label_communities
from bncc.structure.draw import network_svg
from bncc.structure.evidence import EdgeEvidence, EdgeTable
from bncc.structure.export import from_json, from_networkx, to_bif, to_dot, to_graphml, to_json, to_networkx
from bncc.structure.factor_graph import FactorGraph, GraphAnswer, LabelFactor
from bncc.structure.families import edge_information, label_families
from bncc.structure.front import NetworkFront, network_front
from bncc.structure.inference import LabelProbabilities, Probability
from bncc.structure.learn import count_known_labels, describing_search, entropy_order, learn_network
from bncc.structure.local_scores import SCORES, CountScore, LocalScore, LocalScorer, bdeu
from bncc.structure.network import LabelNetwork, Trace
from bncc.structure.permutation import permute_network
from bncc.structure.recipe import Recipe
from bncc.structure.tables import ConditionalTable

__all__ = [
    "SCORES",
    "ConditionalTable",
    "CountScore",
    "EdgeEvidence",
    "EdgeTable",
    "FactorGraph",
    "GraphAnswer",
    "LabelFactor",
    "LabelNetwork",
    "LabelProbabilities",
    "LocalScore",
    "LocalScorer",
    "NetworkFront",
    "Probability",
    "Recipe",
    "Trace",
    "bdeu",
    "count_known_labels",
    "describing_search",
    "edge_information",
    "entropy_order",
    "from_json",
    "from_networkx",
    "label_communities",
    "label_families",
    "learn_network",
    "network_front",
    "network_svg",
    "permute_network",
    "to_bif",
    "to_dot",
    "to_graphml",
    "to_json",
    "to_networkx",
]
