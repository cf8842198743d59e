"""`bncc demo`: labelled rows from a known label network, and the network learned back from them."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from bncc.cli.output import console, plain_table
from bncc.datasets import SCENES, make_scenes
from bncc.labels import count_labels
from bncc.structure import LabelNetwork, learn_network

__all__ = ["demo"]


def demo(
    rows: Annotated[int, typer.Option(min=10, help="How many rows to draw.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the generator.")] = 0,
) -> None:
    """Draw labelled rows from a known label network, and learn the network back from them."""
    data = make_scenes(rows, random_state=seed)
    console.print(data)
    net = learn_network(data.Y, max_children=None, label_names=data.label_names)
    console.print(_dependence_table(net))
    console.print(_network_table(net))
    console.print(_order_line(net))


def _dependence_table(net: LabelNetwork) -> Table:
    """Dependence degrees; the sign tells whether the parent makes the child more or less likely."""
    counts = count_labels(net.counts)
    together = counts.pairs.toarray() / counts.n_rows
    shares = counts.positives / counts.n_rows
    table = plain_table("Dependence degree I(parent → child)", "bold: an edge of the network, −: less likely together")
    table.add_column("child", no_wrap=True)
    for parent in range(net.n_labels):
        table.add_column(str(parent + 1), justify="right", no_wrap=True)
    for child, name in enumerate(net.label_names):
        cells = []
        for parent in range(net.n_labels):
            sign = "−" if together[child, parent] < shares[child] * shares[parent] else ""
            style = "dim" if child == parent else "bold" if parent in net.parents[child] else ""
            weight = f"{net.dependence[child, parent]:.2f}".removeprefix("0")
            cells.append(Text(sign + weight, style=style))
        table.add_row(f"{child + 1} {name}", *cells)
    return table


def _network_table(net: LabelNetwork) -> Table:
    """True parents beside learned ones; an edge found in the other direction is marked."""
    table = plain_table("Label network: parents of each label", "= true, ↔ true in the other direction, + not true")
    for heading in ("label", "true", "learned"):
        table.add_column(heading)
    true = {(parent, child) for child, group in enumerate(SCENES.parents) for parent in group}
    for child in net.order:
        learned = Text()
        for parent in net.parents[child]:
            mark, style = ("=", "green") if (parent, child) in true else ("+", "yellow")
            if (child, parent) in true:
                mark, style = "↔", "cyan"
            learned.append(f"{mark} {net.label_names[parent]}  ", style=style)
        known = ", ".join(net.label_names[parent] for parent in SCENES.parents[child])
        table.add_row(net.label_names[child], known or "-", learned or Text("-"))
    return table


def _order_line(net: LabelNetwork) -> Text:
    return Text("Chain order: ") + Text(" → ".join(net.label_names[label] for label in net.order), style="bold")
