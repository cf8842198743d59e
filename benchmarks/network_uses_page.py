"""The recorded studies of the network's uses and of orders in docs/choosing.md.

``python benchmarks/bench_network_uses.py --record`` and ``python benchmarks/bench_orders.py --record`` first; then
``python benchmarks/network_uses_page.py``. The text stands between two comments.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from harness import RECORDED, ROOT, between_comments

PAGE = ROOT / "docs" / "choosing.md"
BEGIN, END = "<!-- uses of the network, by benchmarks/network_uses_page.py -->", "<!-- end of the uses -->"
BEFORE = "**Probabilities.**"
METRICS = {"example_f1": "example F1", "macro_f1": "macro F1", "subset_accuracy": "exact matches"}
TWINS = {"without": "without", "permuted": "shuffled"}
ORDERS = {
    "network": "the network's",
    "entropy": "by entropy",
    "reversed": "the network's, backwards",
    "searched": "the best of ten random ones on inner folds",
}
USES = {
    "rakel": '`RandomKLabelsets(labelsets="network")`',
    "blocks": "`BlockPowerset(chain=False)`",
    "block_chain": "`BlockPowerset()`",
    "clr": '`CalibratedLabelRanking(pairs="network")`',
    "stack": "`StackedBinaryRelevance()`",
    "stack_parents": '`StackedBinaryRelevance(context="parents")`',
    "chain_parents": '`BNCC(context="parents")`',
    "mlknn": "`NetworkMLkNN()`",
    "decoder": "`NetworkDecoder(BinaryRelevance())`",
    "decoder_marginals": '`NetworkDecoder(BinaryRelevance(), optimise="hamming")`',
    "decoder_trees": "`NetworkDecoder(ExtraTreesClassifier(200))`",
}


def difference(row: dict[str, Any]) -> str:
    """Points with their interval; bold where the corrected test says that it is no chance."""
    points = round(row["difference"], 1)
    told = f"{points:+.1f} ± {row['+-']:.1f}" if points else f"0.0 ± {row['+-']:.1f}"
    return f"**{told}**" if (row.get("p (Holm)") or 1.0) < 0.05 else told


def uses_table(rows: Iterable[dict[str, Any]]) -> str:
    """Differences to both twins on the half of the sets that settled nothing."""
    found = {(row["use"], row["metric"], row["twin"]): row for row in rows if row["half"] == "B"}
    heads = [f"{metric}, {twin}" for metric in METRICS.values() for twin in TWINS.values()]
    lines = [f"| on the network | sets | {' | '.join(heads)} |", f"|---|---|{'---|' * len(heads)}"]
    for use, method in USES.items():
        cells = [found.get((use, metric, twin)) for metric in METRICS for twin in TWINS]
        if any(cells):
            sets = min(cell["sets"] for cell in cells if cell)
            lines.append(f"| {method} | {sets} | {' | '.join(difference(cell) if cell else '' for cell in cells)} |")
    return "\n".join(lines)


def orders_table(rows: Iterable[dict[str, Any]]) -> str:
    """Differences of orders to the mean of ten random ones, over all sets."""
    found = {(row["order"], row["metric"]): row for row in rows}
    lines = [f"| order | sets | {' | '.join(METRICS.values())} |", "|---|---|---|---|---|"]
    for order, words in ORDERS.items():
        cells = [found[order, metric] for metric in METRICS]
        lines.append(f"| {words} | {cells[0]['sets']} | {' | '.join(map(difference, cells))} |")
    return "\n".join(lines)


def main() -> None:
    uses, orders = (
        json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8")) for name in ("network_uses", "orders")
    )
    between = "Orders of a chain, less the mean of ten random ones, over all sets:"
    text = "\n\n".join([uses_table(uses["rows"]), between, orders_table(orders["rows"])])
    PAGE.write_text(between_comments(PAGE.read_text(encoding="utf-8"), BEGIN, END, text, BEFORE), encoding="utf-8")
    print("written:", PAGE.relative_to(ROOT))


if __name__ == "__main__":
    main()
