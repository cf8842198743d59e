"""Directed graphs as plain tuples of parents: cycles, orders, spanning trees, d-separation, equivalence."""

from bncc.graph.cycles import HasACycle, break_cycles, complete_order, find_cycle
from bncc.graph.equivalence import EquivalenceClass, equivalence_class, structural_hamming_distance
from bncc.graph.parents import Parents, check_parents, edges_of, parents_of
from bncc.graph.separation import d_separated
from bncc.graph.topology import check_order, topological_order
from bncc.graph.tree import maximum_spanning_tree

__all__ = [
    "EquivalenceClass",
    "HasACycle",
    "Parents",
    "break_cycles",
    "check_order",
    "check_parents",
    "complete_order",
    "d_separated",
    "edges_of",
    "equivalence_class",
    "find_cycle",
    "maximum_spanning_tree",
    "parents_of",
    "structural_hamming_distance",
    "topological_order",
]
