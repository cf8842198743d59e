"""Links: every method is a list of binary problems, and walks through them at prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bncc._typing import Longs, Rows, Signs
from bncc.multilabel.targets import Targets

__all__ = [
    "LabelColumn",
    "Link",
    "Links",
    "Predecessors",
    "grounded",
    "label_columns",
    "label_links",
    "links_of_chains",
]


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """A label as the target of links, spread over all rows only while someone looks: links by the thousand hold it."""

    targets: Targets
    label: int

    def spread(self) -> Signs:
        """0, 1 (or the number of the class) for each row; -1 where it is unknown."""
        return self.targets.column(self.label)


@dataclass(frozen=True, eq=False)
class Predecessors:
    """The first labels of an order as the context of a link; all links of a chain share the order."""

    order: Longs
    length: int

    def spread(self) -> tuple[int, ...]:
        """The labels."""
        return tuple(self.order[: self.length].tolist())


class _Target:
    """The field `target` of a link: a column that is held in short form reads as the array that it stands for."""

    def __set__(self, link: object, value: Signs | LabelColumn) -> None:
        vars(link)["_target"] = value

    def __get__(self, link: object, owner: type | None = None) -> Signs:
        if link is None:
            raise AttributeError("a link without a target")  # so that the field has no default
        held: Signs | LabelColumn = vars(link)["_target"]
        return held.spread() if isinstance(held, LabelColumn) else held


class _Context:
    """The field `context` of a link: one that is held in short form reads as the tuple that it stands for."""

    def __set__(self, link: object, value: tuple[int, ...] | Predecessors) -> None:
        vars(link)["_context"] = value

    def __get__(self, link: object, owner: type | None = None) -> tuple[int, ...]:
        if link is None:
            return ()  # the default
        held: tuple[int, ...] | Predecessors = vars(link)["_context"]
        return held.spread() if isinstance(held, Predecessors) else held


@dataclass(frozen=True, eq=False)
class Link:
    """One binary problem.

    Attributes
    ----------
    name : str
        What the link decides, for progress and errors.
    target : array of shape (n_rows,), int8
        0 or 1; -1 where unknown: the link does not learn from these rows. Given as an array or a `LabelColumn`, which
        is spread whenever it is read.
    context : tuple of int
        Label columns appended to the features, in this order. Given as a tuple or as `Predecessors`.
    rows : array of row numbers, ascending, or None
        The rows it learns from; None for all.
    writes : int
        The label that its decision settles for the links after it in a walk; -1 for none.
    label : int
        The label whose column the target is, at least on the rows it learns from; -1 for none. Links described on
        folds of the same rows then share that column.
    features : array of column numbers, or None
        The features it sees; None for all. Such links share no distances, so the kernel engine does not take them.
    """

    name: str
    target: _Target = _Target()
    context: _Context = _Context()
    rows: Longs | None = None
    writes: int = -1
    label: int = -1
    features: Longs | None = None

    @property
    def source(self) -> Signs | LabelColumn:
        """Its target as it is held: links with the same one hold the same object."""
        held: Signs | LabelColumn = self.__dict__["_target"]
        return held

    @property
    def context_source(self) -> tuple[int, ...] | Predecessors:
        """Its context as it is held."""
        held: tuple[int, ...] | Predecessors = self.__dict__["_context"]
        return held

    def context_labels(self) -> Longs:
        """Its context as an array."""
        held = self.context_source
        return held.order[: held.length] if isinstance(held, Predecessors) else np.asarray(held, np.int64)

    def learns_from_all(self) -> bool:
        """Whether it is known at first sight that every row teaches it: no need to spread its target."""
        source = self.source
        return self.rows is None and isinstance(source, LabelColumn) and source.targets.all_known

    def training_rows(self) -> Longs:
        """The rows it learns from: those it may use and whose target is known."""
        target = self.target
        rows = np.arange(target.size) if self.rows is None else self.rows
        return rows[target[rows] >= 0]


@dataclass(frozen=True, eq=False)
class Links:
    """The links of a method, and its walks: sequences of links that are decided one after the other.

    Attributes
    ----------
    links : tuple of Link
    walks : tuple of tuples of int
        Places in `links`; all walks have the same length. Within a walk, what a link writes is context to later ones.
        Walks may share links.
    """

    links: tuple[Link, ...]
    walks: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.links)

    def within(self, rows: Rows) -> Links:
        """The same links on some of the rows, which ascend; they learn from those of their own that are among these."""
        number = np.full(self.links[0].target.size, -1, np.int64)
        number[rows] = np.arange(len(rows))
        parts: dict[int, Targets] = {}

        def cut(link: Link) -> Link:
            kept = None if link.rows is None else number[link.rows]
            return replace(
                link,
                target=_column_within(link.source, rows, parts),
                context=link.context_source,
                rows=None if kept is None else kept[kept >= 0],
            )

        return Links(tuple(cut(link) for link in self.links), self.walks)


def _column_within(column: Signs | LabelColumn, rows: Rows, parts: dict[int, Targets]) -> Signs | LabelColumn:
    """A target on some of the rows; `parts` has what was cut before, by the identity of the whole."""
    if not isinstance(column, LabelColumn):
        return column[rows]
    whole = column.targets
    if id(whole) not in parts:
        parts[id(whole)] = whole.take(rows)
    return LabelColumn(parts[id(whole)], column.label)


def grounded(link: Link, row: int) -> Link:
    """The link, or if nothing is known of its target one that answers no, learned from the given row as an example."""
    if link.learns_from_all() or link.training_rows().size:
        return link
    target = np.zeros_like(link.target)
    return replace(link, target=target, context=link.context_source, rows=np.array([row]), label=-1)


def label_columns(targets: Targets) -> tuple[LabelColumn, ...]:
    """Every label as a target."""
    return tuple(LabelColumn(targets, label) for label in range(targets.n_labels))


def label_links(columns: Sequence[Signs | LabelColumn], names: Sequence[str]) -> Links:
    """One link per label, without context (binary relevance)."""
    pairs = zip(names, columns, strict=True)
    links = tuple(Link(name, column, label=label) for label, (name, column) in enumerate(pairs))
    return Links(links, (tuple(range(len(links))),))


def links_of_chains(
    columns: Sequence[Signs | LabelColumn],
    names: Sequence[str],
    orders: Sequence[Sequence[int]],
    *,
    parents: Sequence[Sequence[int]] | None = None,
    rows: Sequence[Longs | None] | None = None,
    features: Sequence[Longs | None] | None = None,
) -> Links:
    """The links of one or several chains: each label sees those before it in its order, or only its parents.

    `rows` and `features` limit each chain to some of them.

    >>> import numpy as np
    >>> columns = [np.array([0, 1], np.int8)] * 3
    >>> [link.context for link in links_of_chains(columns, "abc", [(2, 0, 1)]).links]
    [(), (2,), (2, 0)]
    """
    links: list[Link] = []
    walks: list[tuple[int, ...]] = []
    for number, order in enumerate(orders):
        start = len(links)
        shared = np.asarray(order, np.int64)
        for position, label in enumerate(order):
            before = Predecessors(shared, position) if parents is None else tuple(parents[label])
            subset = None if rows is None else rows[number]
            seen = None if features is None else features[number]
            links.append(Link(names[label], columns[label], before, subset, label, label, seen))
        walks.append(tuple(range(start, len(links))))
    return Links(tuple(links), tuple(walks))
