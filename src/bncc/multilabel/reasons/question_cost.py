"""What a question costs a model beside the features of the row: the more, the fewer can be asked in a time.

It follows from the numbers of the model alone, so that reasons are the same on every machine.
"""

from __future__ import annotations

from sklearn.tree import BaseDecisionTree

from bncc._typing import Classifier
from bncc.multilabel.block_powerset import BlockPowerset
from bncc.multilabel.chain_inference import InferringClassifier
from bncc.multilabel.network_decoder import NetworkDecoder
from bncc.multilabel.network_factors import table_factors
from bncc.multilabel.network_mlknn import NetworkMLkNN
from bncc.multilabel.row_widths import sum_over_parts
from bncc.structure import FactorGraph

__all__ = ["numbers_per_call", "numbers_per_row"]

_PER_LABEL = 16  # numbers for each label of a label set that is followed, beside its labels
_QUICK = 32
_PER_CELL = 8  # numbers for each cell of a network's tables, which are gone through there and back
_ROUNDS = 100  # of messages, at most
_PER_PART = 1 << 17  # numbers that could be gone through while Python asks a part, or goes along a chain
_PER_BLOCK = 3  # times that a block of labels is asked: for scores, rates and classes
_ASKED = ("predict", "transform")


def numbers_per_row(model: Classifier) -> int:
    """Numbers that a fitted model goes through for a row: of label sets that its chains follow, and of its networks.

    Parts count as often as they are there; what costs next to nothing beside the features is left out.
    """
    return sum_over_parts(model, _of_itself)


def numbers_per_call(model: Classifier) -> int:
    """What it takes to ask a fitted model anything, in numbers that could be gone through in that time.

    Every part of a model, and every chain of an ensemble, is asked by itself, for as many rows as there are.
    """
    return sum_over_parts(model, _of_asking)


def _of_asking(part: object) -> int:
    if isinstance(part, BaseDecisionTree):  # those of a forest are asked without ado
        return 0
    walks = vars(part).get("_walks", ())
    blocks = _PER_BLOCK * len(part._sets) if isinstance(part, BlockPowerset) and part.chain else 0
    return _PER_PART * (len(walks) + blocks + any(hasattr(type(part), name) for name in _ASKED))


def _of_itself(part: object) -> int:
    if not hasattr(part, "n_labels_"):
        return 0
    if isinstance(part, InferringClassifier):
        return _of_chain(part)
    if isinstance(part, NetworkDecoder):
        return _of_graph(part._graph(part.strength_))
    if isinstance(part, NetworkMLkNN):
        return _of_graph(FactorGraph(part.n_labels_, table_factors(part.network_.parents, part.tables_)))
    return 0


def _of_chain(chain: InferringClassifier) -> int:
    """Every label set that is followed is copied at every label; of all label sets, most are there at the end alone.

    What is best for F1 looks at each label beside each number of labels, which tells where label sets are many.
    """
    if chain.inference == "greedy":
        return 0
    n_sets, n_labels = chain._n_sets(), chain.n_labels_
    if chain.inference == "exhaustive":
        return n_sets * n_labels**3 // _QUICK
    return n_sets * n_labels * (n_labels + _PER_LABEL)


def _of_graph(graph: FactorGraph) -> int:
    if graph.exact:
        return _PER_CELL * graph.plan.n_cells
    return _ROUNDS * sum(len(factor.labels) * factor.log_table.size for factor in graph.factors)
