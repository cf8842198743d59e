"""Summary of a label matrix and its network: counts, relations, and why each label has its parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._typing import Labels
from bncc._versions import versions_now
from bncc.analysis.page.setting_texts import as_text
from bncc.analysis.page.summary import DataOverview, Edge, LabelRow, NetworkPart, PairCounts, Summary
from bncc.datasets import Dataset
from bncc.labels import (
    LabelCounts,
    dependence_of,
    entropy,
    imbalance,
    profile_labels,
    strongest_relations,
)
from bncc.structure import LabelNetwork, count_known_labels, describing_search, learn_network
from bncc.structure.evidence import EdgeTable, make_edge_table
from bncc.structure.tables import count_table

__all__ = ["summarise_labels"]

_MOST_PAIRED = 1000
_MOST_PARENTS = 10
_RATE_DIGITS = 6  # a label in one row of a million is still there


def summarise_labels(
    data: Dataset | Labels,
    network: LabelNetwork | None = None,
    *,
    title: str | None = None,
    note: str = "",
    true_parents: Sequence[Sequence[int]] | None = None,
    settings: Mapping[str, object] | None = None,
    label_names: Sequence[str] | None = None,
    n_strongest: int = 10,
    n_resamples: int = 0,
    evidence: EdgeTable | None = None,
) -> Summary:
    """Describe labels and how they depend on each other.

    Parameters
    ----------
    data : Dataset, or label matrix of shape (n_rows, n_labels)
    network : LabelNetwork or None
        By default one is learned in the way that describes labels best (`describing_search`, without a limit on
        children), and edges that chance would explain are left out. A network that is given is shown as it is.
    true_parents : parents of each label, optional
        The network that the data was drawn from, to be shown beside the learned one.
    settings : mapping, optional
        What is needed to make the page again; shown as text.
    n_strongest : int
        How many of the strongest positive and of the strongest negative relations are listed.
    n_resamples : int
        Networks learned from rows drawn anew, to say how often each edge comes back.
    evidence : EdgeTable or None
        What speaks for the edges of `network`, where that is known already; by default it is computed.

    >>> summary = summarise_labels([[1, 1], [1, 1], [0, 0], [0, 1]] * 20, label_names=["sun", "warm"])
    >>> [(e.parent, e.child, e.without_parent, e.with_parent, e.sure) for e in summary.network.edges if e.kept]
    [(0, 1, 0.5, 1.0, True)]
    """
    counts = _counts(data, label_names)
    if network is None:
        network = learn_network(counts, max_children=None, search=describing_search(counts.n_labels)).pruned()
    if network.n_labels != counts.n_labels:
        raise ValueError(f"`network` must be over the {counts.n_labels} labels of `data`; got {network.n_labels}.")
    overview = _overview(data, counts)
    return Summary(
        title=title or (f"Labels of {overview.name}" if overview.name else "Labels"),
        note=note,
        data=overview,
        labels=_label_rows(counts, network.label_names),
        pairs=_pair_counts(counts),
        strongest=strongest_relations(counts, n_strongest),
        network=_network_part(counts, network, true_parents, evidence or _evidence(counts, network, n_resamples)),
        settings=as_text(settings),
        versions=versions_now(),
    )


def _counts(data: Dataset | Labels, label_names: Sequence[str] | None) -> LabelCounts:
    if isinstance(data, Dataset):
        known = data.Y_sparse if data.unknown is None else data.Y
        return count_known_labels(known, label_names=label_names or data.label_names)
    return count_known_labels(data, label_names=label_names)


def _overview(data: Dataset | Labels, counts: LabelCounts) -> DataOverview:
    profile = profile_labels(counts)
    known = data if isinstance(data, Dataset) else None
    per_row = np.bincount(np.diff(sparse.csr_array(counts.matrix).indptr))
    return DataOverview(
        name=known.name if known else "",
        source=known.source if known else "",
        n_rows=profile.n_rows,
        n_features=known.n_features if known else None,
        n_labels=profile.n_labels,
        cardinality=profile.cardinality,
        density=profile.density,
        mean_imbalance=_number(profile.mean_imbalance),
        n_label_sets=profile.n_label_sets,
        labels_per_row=tuple(per_row.tolist()),
    )


def _label_rows(counts: LabelCounts, names: Sequence[str]) -> tuple[LabelRow, ...]:
    columns = zip(names, counts.positives.tolist(), entropy(counts).tolist(), imbalance(counts).tolist(), strict=True)
    return tuple(LabelRow(name, positives, h, _number(ratio)) for name, positives, h, ratio in columns)


def _pair_counts(counts: LabelCounts) -> PairCounts:
    labels = _most_frequent(counts)
    both = _together(counts, labels)
    rows = tuple(tuple(both[a, a + 1 :].tolist()) for a in range(labels.size))
    return PairCounts(tuple(labels.tolist()), rows)


def _network_part(
    counts: LabelCounts, net: LabelNetwork, true_parents: Sequence[Sequence[int]] | None, evidence: EdgeTable
) -> NetworkPart:
    true_edges = None
    if true_parents is not None:
        true_edges = tuple((int(parent), child) for child, group in enumerate(true_parents) for parent in group)
    return NetworkPart(
        label_names=net.label_names,
        order=net.order,
        initial_order=net.initial_order,
        edges=_edges(counts, net, evidence),
        start_scores=tuple(trace.start_score for trace in net.traces),
        scores=net.scores,
        stops=tuple(trace.stop for trace in net.traces),
        true_edges=true_edges,
        left_out=net.left_out,
        parents=net.parents,
        rates=_rates(counts, net),
    )


def _rates(counts: LabelCounts, net: LabelNetwork) -> tuple[tuple[float, ...], ...] | None:
    if max(map(len, net.parents), default=0) > _MOST_PARENTS:
        return None
    tables = (count_table(counts, child, group) for child, group in enumerate(net.parents))
    return tuple(tuple(table.probability().round(_RATE_DIGITS).tolist()) for table in tables)


def _edges(counts: LabelCounts, net: LabelNetwork, evidence: EdgeTable) -> tuple[Edge, ...]:
    pairs = [(child, parent) for child, group in enumerate(net.cyclic_parents) for parent in group]
    if not pairs:
        return ()
    child, parent = np.array(pairs).T
    n_rows, c = counts.n_rows, counts.positives
    both = counts.pair_counts(child, parent)
    present = _shares(both, c[parent])
    absent = _shares(c[child] - both, n_rows - c[parent])
    weights = dependence_of(counts, pairs).tolist()
    kept = set(net.edges)
    scores = dict(_step_scores(net))
    tested = {(e.parent, e.child): (e.p_value, e.corrected_p_value, e.share, e.sure) for e in evidence}
    bare = (None, None, None, None)
    return tuple(
        Edge(k, j, (k, j) in kept, weight, yes, no, *scores.get((j, k), (None, None)), *tested.get((k, j), bare))
        for j, k, weight, yes, no in zip(child.tolist(), parent.tolist(), weights, present, absent, strict=True)
    )


def _evidence(counts: LabelCounts, net: LabelNetwork, n_resamples: int) -> EdgeTable:
    if net.counts is None:
        return make_edge_table(counts, net.parents, net.label_names)
    return net.edge_table(n_resamples=n_resamples)


def _step_scores(net: LabelNetwork) -> Iterable[tuple[tuple[int, int], tuple[float, float]]]:
    """The score at each step of the search, and what the step added."""
    for child, trace in enumerate(net.traces):
        before = trace.start_score
        for step in trace.steps:
            yield (child, step.parent), (step.score, step.score - before)
            before = step.score


def _most_frequent(counts: LabelCounts) -> NDArray[np.int64]:
    """All labels, or the most frequent ones (ties by index), by index."""
    ranked = np.argsort(-counts.positives, kind="stable")
    return np.sort(ranked[:_MOST_PAIRED])


def _together(counts: LabelCounts, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    columns = counts.matrix[:, labels].astype(np.int32)
    return np.asarray((columns.T @ columns).toarray(), np.int64)


def _shares(part: NDArray[np.int64], whole: NDArray[np.int64]) -> list[float | None]:
    return [a / b if b else None for a, b in zip(part.tolist(), whole.tolist(), strict=True)]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
