"""The recorded runs of bench_recommended.py in docs/choosing.md.

``python benchmarks/bench_recommended.py --minutes 0 --record`` first (and with ``--paper``), then
``python benchmarks/recommended_page.py``. The tables stand between two comments.
"""

from __future__ import annotations

import json
from pathlib import Path

from harness import between_comments
from recommended_tables import CELLS_WANTED, markdown, paper_table

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "choosing.md"
BEGIN, END = "<!-- recommended, by benchmarks/recommended_page.py -->", "<!-- end of recommended -->"
BEFORE = "## What was measured, for kernel methods"
METRICS = {
    "example_f1": "example F1",
    "macro_f1": "macro F1",
    "micro_f1": "micro F1",
    "hamming_loss": "Hamming loss",
    "subset_accuracy": "exact match",
}
#: Lines of the tables; CatBoost has too few answers, and `recommended_kernels` is ECC with its own search.
METHODS = {
    "blend": "`recommended`",
    "plain_average": "plain average of its families",
    "best_family": "its best family",
    "ecc": "ECC",
    "br": "BR",
    "cc": "CC",
    "bncc": "BNCC",
    "random_forest": "random forest",
    "extra_trees": "extra trees",
    "lightgbm": "LightGBM",
}
AHEAD = "ahead in example F1 by"


def half_table(rows, half):
    """Means and ranks of all methods on one half, those of a better rank in example F1 first."""
    of_half = [row for row in rows if row["half"] == half and row["method"] in METHODS]
    cells = {}
    for row in of_half:
        line = cells.setdefault(row["method"], {"method": METHODS[row["method"]]})
        line[METRICS[row["metric"]]] = f"{row['mean']:.1f} ({row['rank']:.1f})"
        if row["metric"] == "example_f1":
            line["rank"] = row["rank"]
            line[AHEAD] = "-" if row["method"] == "blend" else f"{row['blend ahead by']:+.1f} ± {row['+-']:.1f}"
    return markdown(sorted(cells.values(), key=lambda line: line["rank"]), ["method", *METRICS.values(), AHEAD])


def told_sets(done, half):
    """Which sets stand behind the figures of a half, and how often they were dealt anew."""
    parts = {}
    for metric, sets in done[half].items():
        told = ", ".join(f"{name} {repeats}" if repeats > 1 else name for name, repeats in sets.items())
        parts.setdefault(told, []).append(METRICS[metric])
    return "; ".join(f"{', '.join(metrics)}: {told}" for told, metrics in parts.items())


def text(record, paper):
    """What stands between the comments."""
    done, rows = record["notes"]["done"], record["rows"]
    parts = []
    for half in "AB":
        parts += [f"Half {half} ({told_sets(done, half)}).", half_table(rows, half)]
    above = sum(row["above"] == "True" for row in paper["rows"])
    parts.append(
        "On the sets of the paper, by its definitions and on as many rows (ten folds): the best of its six methods "
        "with its printed value, then\n`recommended`, bold where it is above (`--paper`): "
        f"{above} of {len(paper['rows'])} cells so far, of 51; {CELLS_WANTED} were aimed at."
    )
    return "\n\n".join([*parts, paper_table(paper["rows"])])


def read(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def main() -> None:
    made = text(read("recommended"), read("recommended_paper"))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(between_comments(page, BEGIN, END, made, BEFORE), encoding="utf-8")
    print(made)


if __name__ == "__main__":
    main()
