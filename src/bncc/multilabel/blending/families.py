"""The families that a blend tries, by name, in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bncc._names import closest_names
from bncc.multilabel.blending.family import Family
from bncc.multilabel.blending.kernel_ridge_family import KernelRidgeFamily
from bncc.multilabel.blending.label_set_family import LabelSetFamily
from bncc.multilabel.blending.linked_family import linked_families
from bncc.multilabel.blending.stacking import STACKED
from bncc.multilabel.blending.tree_family import tree_families

__all__ = ["FAMILIES", "named_families"]


def _all() -> list[Family]:
    extra_trees, random_forest, wide_trees = tree_families()
    kernel_chains, linear, linear_svm, linear_chains, boosted = linked_families()
    first = [extra_trees, linear_svm, linear, kernel_chains, KernelRidgeFamily(), LabelSetFamily()]
    return [*first, linear_chains, wide_trees, random_forest, boosted]


#: Families by name; quick ones come first, so that there is an answer early.
FAMILIES: Mapping[str, Family] = MappingProxyType({family.name: family for family in _all()})


def named_families(names: Sequence[str] | None) -> tuple[Family, ...]:
    """The families of these names, all for None; stacked trees, which learn from these, are named and not among them.

    >>> [family.name for family in named_families(["linear", "extra trees"])]
    ['linear', 'extra trees']
    """
    if names is None:
        return tuple(FAMILIES.values())
    if isinstance(names, str) or not len(names):
        raise ValueError(f"`families` must be a list of names of {list(FAMILIES)}, or None; got {names!r}.")
    known = (*FAMILIES, STACKED)
    for name in names:
        if name not in known:
            close = closest_names(str(name), known, 2)
            remedy = f"Did you mean {' or '.join(map(repr, close))}?" if close else f"There are {', '.join(known)}."
            raise ValueError(f"`families` has no family {name!r}. {remedy}")
    found = tuple(FAMILIES[name] for name in names if name != STACKED)
    if not found:
        raise ValueError(f"`families` must have others beside {STACKED!r}, which learn from what they answer.")
    return found
