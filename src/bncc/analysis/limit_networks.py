"""The networks of one fold under several limits of children: the counterpart of the paper's Fig. 5."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bncc.experiment import Record
from bncc.structure import LabelNetwork

__all__ = ["limit_networks"]

_LIMITS = {
    "BNCC n=1": "at most 1 child",
    "BNCC": "at most 2 children",
    "BNCC n=3": "at most 3 children",
    "BNCC n=5": "at most 5 children",
    "BNCC no limit": "no limit",
}
_LEAST_LABELS = 10  # the paper draws a problem of ten labels


def limit_networks(
    records: Iterable[Record], label_names: Mapping[str, Sequence[str]]
) -> tuple[str, dict[str, LabelNetwork]]:
    """A data set, and its networks in the first fold by limit of children; no networks where fewer than two are known.

    The data set is that with the fewest labels of those that have at least ten; else that with the most.
    """
    by_dataset: dict[str, dict[str, LabelNetwork]] = {}
    for record in records:
        if (record.repeat, record.fold) == (0, 0) and record.method in _LIMITS and record.parents is not None:
            net = _network(record, label_names.get(record.dataset))
            by_dataset.setdefault(record.dataset, {})[record.method] = net
    known = {name: networks for name, networks in by_dataset.items() if len(networks) > 1}
    if not known:
        return "", {}
    sizes = {name: next(iter(networks.values())).n_labels for name, networks in known.items()}
    chosen = min(sizes, key=lambda name: (sizes[name] < _LEAST_LABELS, abs(sizes[name] - _LEAST_LABELS), name))
    return chosen, {title: known[chosen][method] for method, title in _LIMITS.items() if method in known[chosen]}


def _network(record: Record, names: Sequence[str] | None) -> LabelNetwork:
    """The network that a record remembers: parents and order, and nothing of the rows."""
    parents = tuple(tuple(group) for group in record.parents or ())
    order = tuple(range(len(parents))) if record.order is None else tuple(record.order)
    return LabelNetwork(
        label_names=tuple(names or (f"label{label}" for label in range(len(parents)))),
        order=order,
        initial_order=order,
        parents=parents,
        cyclic_parents=parents,
        scores=(),
        traces=(),
        counts=None,
    )
