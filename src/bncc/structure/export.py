"""Label networks in other people's formats: networkx, DOT, GraphML, JSON and BIF.

Everything is written as text by hand, with names escaped, so that only the conversion to and from networkx needs a
package. JSON is the format to keep: it holds the tables and comes back as a `LabelNetwork`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from bncc._checks import check_names
from bncc._typing import JSONObject
from bncc.graph import Parents, check_order, check_parents, find_cycle, parents_of
from bncc.graph.topology import positions
from bncc.structure.network import LabelNetwork, Trace
from bncc.structure.parent_search import Step
from bncc.structure.tables import ConditionalTable

if TYPE_CHECKING:
    from networkx import DiGraph

__all__ = ["from_json", "from_networkx", "to_bif", "to_dot", "to_graphml", "to_json", "to_networkx"]

_FORMAT = "bncc.LabelNetwork"
_VERSION = 1
_MOST_BIF_PARENTS = 16
_BIF_WORDS = {"network", "variable", "probability", "property", "type", "discrete", "default", "table"}


def to_networkx(net: LabelNetwork) -> DiGraph:
    """A `networkx.DiGraph`: nodes 0..M-1 with `name` and `place` in the order, edges with `dependence` if known."""
    graph = _networkx().DiGraph()
    position_of_label = positions(net.order)
    graph.add_nodes_from(
        (label, {"name": name, "place": position_of_label[label]}) for label, name in enumerate(net.label_names)
    )
    for (parent, child), weight in zip(net.edges, _edge_weights(net), strict=True):
        graph.add_edge(parent, child, **({} if weight is None else {"dependence": weight}))
    return graph


def from_networkx(graph: DiGraph, label_names: Sequence[Hashable] | None = None) -> Parents:
    """The parents of a `networkx.DiGraph`, ready for ``learn_network(Y, search=parents)``.

    Labels are the graph's nodes: 0..M-1 as they are, other nodes by their place in `label_names`.
    """
    if not graph.is_directed():
        raise ValueError("`graph` must be directed; got an undirected graph.")
    nodes: list[Hashable] = list(range(graph.number_of_nodes())) if label_names is None else list(label_names)
    label_of_node = {node: label for label, node in enumerate(nodes)}
    if len(label_of_node) != len(nodes):
        raise ValueError("`label_names` must be distinct; got a name more than once.")
    unknown = [node for node in graph.nodes if node not in label_of_node]
    if unknown:
        raise ValueError(f"`graph` has nodes that are no labels: {unknown[:5]}. Name the labels in `label_names`.")
    edges = {(label_of_node[edge[0]], label_of_node[edge[1]]) for edge in graph.edges}
    return parents_of(sorted(edges), len(nodes))


def to_dot(net: LabelNetwork) -> str:
    """Graphviz text, edges labelled with their dependence degree.

    >>> from bncc import learn_network
    >>> print(to_dot(learn_network([[1, 1], [1, 1], [0, 0], [0, 1]], label_names=["sun", "warm"])))
    digraph labels {
      0 [label="sun"];
      1 [label="warm"];
      0 -> 1 [label="0.50"];
    }
    """
    lines = ["digraph labels {"]
    lines += [f"  {label} [label={_dot_quote(name)}];" for label, name in enumerate(net.label_names)]
    for (parent, child), weight in zip(net.edges, _edge_weights(net), strict=True):
        shown = "" if weight is None else f' [label="{weight:.2f}"]'
        lines.append(f"  {parent} -> {child}{shown};")
    return "\n".join([*lines, "}"])


def to_graphml(net: LabelNetwork) -> str:
    """GraphML text with label names, places in the order and dependence degrees."""
    position_of_label = positions(net.order)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '  <key id="name" for="node" attr.name="name" attr.type="string"/>',
        '  <key id="place" for="node" attr.name="place" attr.type="int"/>',
        '  <key id="dependence" for="edge" attr.name="dependence" attr.type="double"/>',
        '  <graph id="labels" edgedefault="directed">',
    ]
    for label, name in enumerate(net.label_names):
        data = f'<data key="name">{escape(printable_in_xml(name))}</data>'
        data += f'<data key="place">{position_of_label[label]}</data>'
        lines.append(f"    <node id={quoteattr(str(label))}>{data}</node>")
    for (parent, child), weight in zip(net.edges, _edge_weights(net), strict=True):
        data = "" if weight is None else f'<data key="dependence">{weight!r}</data>'
        lines.append(f'    <edge source="{parent}" target="{child}">{data}</edge>')
    return "\n".join([*lines, "  </graph>", "</graphml>"])


def to_json(net: LabelNetwork) -> str:
    """JSON text with everything but the label matrix; `from_json` reads it back."""
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "label_names": net.label_names,
        "order": net.order,
        "initial_order": net.initial_order,
        "parents": net.parents,
        "cyclic_parents": net.cyclic_parents,
        "scores": net.scores,
        "traces": [
            {"start_score": t.start_score, "steps": [[s.parent, s.score] for s in t.steps], "stop": t.stop}
            for t in net.traces
        ],
        "tables": [
            {
                "configurations": table.configurations.tolist(),
                "totals": table.totals.tolist(),
                "positives": table.positives.tolist(),
            }
            for table in net.tables
        ],
    }
    return json.dumps(content, indent=1, allow_nan=False)


def from_json(text: str) -> LabelNetwork:
    """Read a network back; it samples and scores rows, but has no label matrix for dependence degrees."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"A network file must be JSON; line {error.lineno}: {error.msg}.") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError(f"A network file must have format {_FORMAT!r}. Write one with `to_json`.")
    if content.get("version") != _VERSION:
        raise ValueError(f"This reads network files of version {_VERSION}; got {content.get('version')!r}.")
    try:
        return _from_content(content)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise ValueError(f"This network file is damaged: {error}. Write it again with `to_json`.") from error


def to_bif(net: LabelNetwork, *, smoothing: float = 1.0) -> str:
    """BIF text (Bayesian Interchange Format) with full probability tables, states 0 and 1.

    BIF names are plain identifiers: other characters become underscores, and repeated names get a number.
    """
    most = max((len(group) for group in net.parents), default=0)
    if most > _MOST_BIF_PARENTS:
        raise ValueError(f"BIF writes 2^k rows for k parents; up to {_MOST_BIF_PARENTS} are offered, got {most}.")
    names = _identifiers(net.label_names)
    blocks = ["network labels {\n}"]
    blocks += [f"variable {name} {{\n  type discrete [ 2 ] {{ 0, 1 }};\n}}" for name in names]
    for child, table in enumerate(net.tables):
        rates = table.probability(smoothing=smoothing).tolist()
        if not table.parents:
            body = f"  table {1 - rates[0]!r}, {rates[0]!r};"
            blocks.append(f"probability ( {names[child]} ) {{\n{body}\n}}")
            continue
        lines = []
        for configuration, rate in enumerate(rates):
            values = ", ".join(str(configuration >> bit & 1) for bit in range(len(table.parents)))
            lines.append(f"  ( {values} ) {1 - rate!r}, {rate!r};")
        given = ", ".join(names[parent] for parent in table.parents)
        blocks.append(f"probability ( {names[child]} | {given} ) {{\n" + "\n".join(lines) + "\n}")
    return "\n".join(blocks) + "\n"


def _from_content(content: JSONObject) -> LabelNetwork:
    m = len(content["label_names"])
    names = check_names(content["label_names"], m)
    parents = check_parents(content["parents"], m)
    cycle = find_cycle(parents)
    if cycle is not None:
        raise ValueError(f"its parents form the cycle {cycle}")
    tables = tuple(_read_table(group, entry) for group, entry in zip(parents, content["tables"], strict=True))
    traces = tuple(
        Trace(float(t["start_score"]), tuple(Step(int(p), float(s)) for p, s in t["steps"]), str(t["stop"]))
        for t in content["traces"]
    )
    scores = tuple(float(score) for score in content["scores"])
    if len(traces) != m or len(scores) != m:
        raise ValueError(f"it must have one trace and one score per label ({m})")
    order = check_order(content["order"], m)
    position_of_label = positions(order)
    if any(
        position_of_label[parent] > position_of_label[child] for child, group in enumerate(parents) for parent in group
    ):
        raise ValueError("its order puts a child before its parent")
    return LabelNetwork(
        label_names=names,
        order=order,
        initial_order=check_order(content["initial_order"], m, "initial_order"),
        parents=parents,
        cyclic_parents=check_parents(content["cyclic_parents"], m),
        scores=scores,
        traces=traces,
        counts=None,
        _tables=tables,
    )


def _read_table(parents: tuple[int, ...], entry: JSONObject) -> ConditionalTable:
    configurations = np.asarray(entry["configurations"], np.int64)
    totals, positives = np.asarray(entry["totals"], np.float64), np.asarray(entry["positives"], np.float64)
    shapes = {configurations.shape, totals.shape, positives.shape}
    sound = len(shapes) == 1 and configurations.ndim == 1 and configurations.size > 0
    sound = sound and bool((np.diff(configurations) > 0).all() and configurations[0] >= 0)
    sound = sound and bool(configurations[-1] < 2 ** len(parents) and (positives >= 0).all())
    if not sound or not (positives <= totals).all() or not np.isfinite(totals).all():
        raise ValueError("a probability table is not a table of counts")
    return ConditionalTable(parents, configurations, totals, positives)


def _edge_weights(net: LabelNetwork) -> list[float | None]:
    if net.counts is None:
        return [None] * len(net.edges)
    weights: list[float | None] = net.dependence_of([(child, parent) for parent, child in net.edges]).tolist()
    return weights


def _dot_quote(name: str) -> str:
    escaped = printable_in_xml(name).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def printable_in_xml(name: str) -> str:
    """A name without control characters and halves of characters, for which XML 1.0 has no place."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "\ufffd", name)


def _identifiers(names: Sequence[str]) -> list[str]:
    taken: set[str] = set()
    out = []
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = plain if re.match(r"[A-Za-z_]", plain) and plain.lower() not in _BIF_WORDS else f"l_{plain}"
        unique, number = plain, 2
        while unique in taken:
            unique, number = f"{plain}_{number}", number + 1
        taken.add(unique)
        out.append(unique)
    return out


def _networkx() -> ModuleType:
    try:
        import networkx
    except ImportError as error:
        raise ImportError("This needs networkx. Install it with: pip install 'bncc[graph]'") from error
    return networkx
