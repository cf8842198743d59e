"""Links: every method is a list of binary problems, and walks through them at prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bncc._typing import Longs, Rows, Signs

__all__ = ["Link", "Links", "grounded", "label_links", "links_of_chains"]


@dataclass(frozen=True, eq=False)
class Link:
    """One binary problem.

    Attributes
    ----------
    name : str
        What the link decides, for progress and errors.
    target : array of shape (n_rows,), int8
        0 or 1; -1 where unknown: the link does not learn from these rows.
    context : tuple of int
        Label columns appended to the features, in this order.
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
    target: Signs
    context: tuple[int, ...] = ()
    rows: Longs | None = None
    writes: int = -1
    label: int = -1
    features: Longs | None = None

    def training_rows(self) -> Longs:
        """The rows it learns from: those it may use and whose target is known."""
        rows = np.arange(self.target.size) if self.rows is None else self.rows
        return rows[self.target[rows] >= 0]


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

        def cut(link: Link) -> Link:
            kept = None if link.rows is None else number[link.rows]
            return replace(link, target=link.target[rows], rows=None if kept is None else kept[kept >= 0])

        return Links(tuple(cut(link) for link in self.links), self.walks)


def grounded(link: Link, row: int) -> Link:
    """The link, or if nothing is known of its target one that answers no, learned from the given row as an example."""
    if link.training_rows().size:
        return link
    return replace(link, target=np.zeros_like(link.target), rows=np.array([row]), label=-1)


def label_links(columns: Sequence[Signs], names: Sequence[str]) -> Links:
    """One link per label, without context (binary relevance)."""
    pairs = zip(names, columns, strict=True)
    links = tuple(Link(name, column, label=label) for label, (name, column) in enumerate(pairs))
    return Links(links, (tuple(range(len(links))),))


def links_of_chains(
    columns: Sequence[Signs],
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
        for position, label in enumerate(order):
            before = tuple(order[:position]) if parents is None else tuple(parents[label])
            subset = None if rows is None else rows[number]
            seen = None if features is None else features[number]
            links.append(Link(names[label], columns[label], before, subset, label, label, seen))
        walks.append(tuple(range(start, len(links))))
    return Links(tuple(links), tuple(walks))
