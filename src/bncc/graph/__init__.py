"""Directed graphs as plain tuples of parents: breaking cycles, topological orders, spanning trees."""

from bncc.graph.cycles import HasACycle, break_cycles, complete_order, find_cycle
from bncc.graph.parents import Parents, check_parents, edges_of, parents_of
from bncc.graph.topology import check_order, topological_order
from bncc.graph.tree import maximum_spanning_tree

__all__ = [
    "HasACycle",
    "Parents",
    "break_cycles",
    "check_order",
    "check_parents",
    "complete_order",
    "edges_of",
    "find_cycle",
    "maximum_spanning_tree",
    "parents_of",
    "topological_order",
]
