"""Links as tables that the kernel engine takes: targets stored once, contexts as bits, folds lifted to all rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bncc._typing import Floats, Fold, Longs, Rows, Signs, Words
from bncc.multilabel.backend import FoldedLinks
from bncc.multilabel.class_weights import factors_of_classes
from bncc.multilabel.links import Link, Links, grounded
from bncc.multilabel.targets import Targets
from bncc.svm import Distances, FoldProblems, KernelSVC, LinkTable, fold_problems, pack_labels

__all__ = ["lift_links", "link_weights", "problems_of_folds", "table_of_links"]


def table_of_links(all_links: Sequence[Links], n_labels: int) -> tuple[list[LinkTable], Signs]:
    """Links as the engine takes them, and the targets that all of them choose from (+1/-1, equal ones stored once)."""
    # Links share arrays of targets and contexts by the thousand, and keep them alive: each is looked at once.
    sources = {id(link.source): link for links in all_links for link in links.links}
    targets = {number: link.target for number, link in sources.items()}
    contexts = {id(link.context_source): link for links in all_links for link in links.links}
    lines, signs = _distinct(list(targets.values()))
    line_of_array = dict(zip(targets, lines, strict=True))
    line_of_context = {context: line for line, context in enumerate(contexts)}
    known = {number: bool(target.min(initial=0) >= 0) for number, target in targets.items()}
    masks = _masks([link.context_labels() for link in contexts.values()], n_labels)
    tables = [
        LinkTable(
            target=np.array([line_of_array[id(link.source)] for link in links.links], np.int32),
            context=masks[[line_of_context[id(link.context_source)] for link in links.links]],
            chains=np.asarray(links.walks, np.int32),
            writes=np.array([link.writes for link in links.links], np.int32),
            rows=_rows_of(links, known),
        )
        for links in all_links
    ]
    return tables, signs


def _distinct(targets: Sequence[Signs]) -> tuple[list[int], Signs]:
    """The line of each target among the distinct ones, and these as +1/-1."""
    signs = np.where(np.stack(targets) > 0, np.int8(1), np.int8(-1))
    line_of_bytes: dict[bytes, int] = {}
    lines = [line_of_bytes.setdefault(line.tobytes(), len(line_of_bytes)) for line in signs]
    first = {line: number for number, line in reversed(list(enumerate(lines)))}
    return lines, signs if len(first) == len(lines) else signs[[first[line] for line in range(len(first))]]


def _masks(contexts: Sequence[Longs], n_labels: int) -> Words:
    """The packed labels of each context, shape (n_contexts, n_words)."""
    seen = np.zeros((len(contexts), n_labels), bool)
    sizes = np.array([context.size for context in contexts], np.int64)
    seen[np.repeat(np.arange(len(contexts)), sizes), np.concatenate([np.zeros(0, np.int64), *contexts])] = True
    return np.ascontiguousarray(pack_labels(seen).T)


def _rows_of(links: Links, known: Mapping[int, bool]) -> tuple[Rows, ...] | None:
    """The rows that each link learns from; None where all learn from all."""
    if all(link.rows is None and known[id(link.source)] for link in links.links):
        return None
    rows = tuple(link.training_rows() for link in links.links)
    n_rows = links.links[0].target.size
    whole = all(part.size == n_rows for part in rows)
    return None if whole else rows


def link_weights(
    links: Links, class_weight: Mapping[Any, float] | str | None, sample_weight: Floats | None
) -> Floats | None:
    """Factors of C: one row per link, a single one where all links have the same, None where there are none."""
    if class_weight is None:
        return None if sample_weight is None else sample_weight[None, :]
    out = np.ones((len(links), links.links[0].target.size))
    for row, link in zip(out, links.links, strict=True):
        rows = link.training_rows()
        target = link.target[rows]
        present = np.unique(target)
        if present.size:
            factors = factors_of_classes(class_weight, present, target)
            row[rows] = factors[np.searchsorted(present, target)]
        if sample_weight is not None:
            row *= sample_weight
    return out


def problems_of_folds(folded: FoldedLinks, distances: Distances, svc: KernelSVC) -> FoldProblems:
    """The links of all folds over the same rows, as the engine takes them."""
    targets = folded.rows.targets
    parts = zip(folded.links, folded.folds, strict=True)
    lifted = [lift_links(links, np.asarray(train), targets) for links, (train, _) in parts]
    links = _pad(lifted, folded.folds, targets.n_rows)
    tables, signs = table_of_links(links, targets.n_labels)
    tables, weights = _weigh(links, tables, svc.class_weight, folded.rows.weight)
    words = pack_labels(targets.positives)
    return fold_problems(distances, signs, tables, folded.folds, words=words, weights=weights, kernel=svc.kernel)


def _weigh(
    links: Sequence[Links],
    tables: list[LinkTable],
    class_weight: Mapping[Any, float] | str | None,
    sample_weight: Floats | None,
) -> tuple[list[LinkTable], Floats | None]:
    """Factors of C; with class weights, a line of their own for each link of each fold."""
    if class_weight is None:
        return tables, sample_weight
    lines = [weights for each in links if (weights := link_weights(each, class_weight, sample_weight)) is not None]
    starts = np.cumsum([0, *map(len, lines)])
    weighed = [
        replace(table, weight=np.arange(start, start + len(table), dtype=np.int32))
        for table, start in zip(tables, starts, strict=False)
    ]
    return weighed, np.concatenate(lines)


def lift_links(links: Links, rows: Rows, targets: Targets) -> Links:
    """Links that were described on some rows, as links on all rows that learn from those.

    A link whose target is a label keeps the whole column, so that the folds of a label share their kernel rows; other
    targets are lifted once for all links that share them. A link is repeated for every walk that it is part of,
    because its decisions depend on the walk.
    """
    lifted: dict[int, Signs] = {}
    columns: dict[int, Signs] = {}

    def target_of(link: Link) -> Signs:
        if link.label >= 0:
            if link.label not in columns:
                columns[link.label] = np.maximum(targets.column(link.label), 0)
            return columns[link.label]
        if id(link.source) not in lifted:
            lifted[id(link.source)] = _spread(link.target, rows, targets.n_rows)
        return lifted[id(link.source)]

    def lift(link: Link) -> Link:
        learned_from = np.asarray(rows[link.training_rows()], np.int64)
        # Not by `replace`, which takes longer than all the rest: there may be 10^5 links.
        lifted = Link(
            name=link.name,
            target=target_of(link),
            context=link.context_source,
            rows=learned_from,
            writes=link.writes,
            label=link.label,
            features=link.features,
        )
        return lifted if learned_from.size else grounded(lifted, int(rows[0]))

    each = tuple(lift(links.links[number]) for walk in links.walks for number in walk)
    length = len(links.walks[0])
    return Links(each, tuple(tuple(range(start, start + length)) for start in range(0, len(each), length)))


def _spread(target: Signs, rows: Rows, n_rows: int) -> Signs:
    out = np.zeros(n_rows, np.int8)
    out[rows] = np.maximum(target, 0)
    return out


def _pad(all_links: Sequence[Links], folds: Sequence[Fold], n_rows: int) -> list[Links]:
    """Links of folds brought to one length, as the engine wants it, by links that nothing walks through."""
    longest = max(len(links) for links in all_links)
    nothing = Link("", np.zeros(n_rows, np.int8), rows=np.zeros(0, np.int64))
    return [
        Links(links.links + (grounded(nothing, int(train[0])),) * (longest - len(links)), links.walks)
        for links, (train, _) in zip(all_links, folds, strict=True)
    ]
