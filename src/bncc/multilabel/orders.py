"""Chain orders by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from bncc._typing import Random
from bncc.graph import check_order
from bncc.multilabel.targets import Targets
from bncc.structure import entropy_order, learn_network
from bncc.structure.learn import fill_labels

__all__ = ["Order", "resolve_order"]

Order = str | Sequence[int] | Callable[[Any], Sequence[int]] | None


def resolve_order(order: Order, targets: Targets, random_state: Random) -> tuple[int, ...]:
    """The order that a name stands for, learned from the training labels; unknown labels are drawn for it.

    None: as the columns stand. "random". "entropy": by decreasing entropy. "network": of the label network. "tree": of
    the maximum spanning tree on mutual information. A permutation, or a function of the label matrix (sparse) to one.
    """
    n_labels = targets.n_labels
    if order is None:
        return tuple(range(n_labels))
    if callable(order):
        return check_order(order(targets.positives), n_labels)
    if not isinstance(order, str):
        return check_order(np.asarray(order).tolist(), n_labels)
    if order == "random":
        return tuple(check_random_state(random_state).permutation(n_labels).tolist())
    if order == "entropy":
        return entropy_order(fill_labels(targets.positives, targets.unknown))
    if order == "network":
        return learn_network(fill_labels(targets.positives, targets.unknown)).order
    if order == "tree":
        return learn_network(fill_labels(targets.positives, targets.unknown), search="tree").order
    raise ValueError(
        f"`order` must be 'random', 'network', 'entropy', 'tree', a permutation, a function or None; got {order!r}."
    )
