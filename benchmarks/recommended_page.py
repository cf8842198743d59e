"""The recorded runs of bench_recommended.py in docs/choosing.md.

``python benchmarks/bench_recommended.py --minutes 0 --record`` first (and with ``--paper``), then
``python benchmarks/recommended_page.py``. The tables stand between two comments.
"""

from __future__ import annotations

import json
from pathlib import Path

from harness import between_comments, wrapped
from recommended_claims import METHODS, METRICS, claims, interval
from recommended_tables import CELLS_WANTED, above_of, markdown, paper_table

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "choosing.md"
BEGIN, END = "<!-- recommended, by benchmarks/recommended_page.py -->", "<!-- end of recommended -->"
BEFORE = "## What was measured, for kernel methods"
AHEAD, LEAST = "ahead in example F1 by", "least ahead on a set"
READINGS = {"table": "with as many rows as its Table 3 trained on", "whole": "with folds on the whole set"}


def half_table(rows, half):
    """Means and ranks of all methods on one half, those of a better rank in example F1 first."""
    of_half = [row for row in rows if row["half"] == half and row["method"] in METHODS]
    cells = {}
    for row in of_half:
        line = cells.setdefault(row["method"], {"method": METHODS[row["method"]]})
        line[METRICS[row["metric"]]] = f"{row['mean']:.1f} ({row['rank']:.1f})"
        if row["metric"] == "example_f1":
            line["rank"] = row["rank"]
            line |= {AHEAD: "-", LEAST: "-"} if row["method"] == "blend" else told_ahead(row)
    return markdown(sorted(cells.values(), key=lambda line: line["rank"]), ["method", *METRICS.values(), AHEAD, LEAST])


def told_ahead(row):
    """Over sets, and on the set where the blend is least ahead or most behind, each with its interval."""
    least = interval(row, "least ahead", "least ahead +-")
    return {AHEAD: interval(row), LEAST: f"{least} ({row['least ahead on']})"}


def told_sets(done, half):
    """Which sets stand behind the figures of a half, and how often they were dealt anew."""
    parts = {}
    for metric, sets in done[half].items():
        told = ", ".join(f"{name} {repeats}" if repeats > 1 else name for name, repeats in sets.items())
        parts.setdefault(told, []).append(METRICS[metric])
    return "; ".join(f"{', '.join(metrics)}: {told}" for told, metrics in parts.items())


def told_readings(rows):
    """How many cells are above in each reading of the paper's rows."""
    parts = []
    for reading, told in READINGS.items():
        above, n_cells = above_of(rows, reading)
        parts.append(f"{told}, {f'{above} of {n_cells} cells are above' if n_cells else 'none was run yet'}")
    told = "; ".join(parts)
    return told[0].upper() + told[1:]


def told_limits(limits):
    """Which sets of the paper were done within a limit of time."""
    told = ", ".join(f"{name} {limit:g} seconds" for name, limit in sorted(limits.items()))
    return f" Limited in time, on one core: {told} a model; all others have no limit." if told else ""


def told_deals(deals):
    """Which sets of the paper were dealt into folds more than once, in each reading of the rows."""
    names = {}
    for reading, of_sets in deals.items():
        for name, n_deals in sorted(of_sets.items()):
            names.setdefault((n_deals, reading), []).append(name)
    told = "; ".join(
        f"{', '.join(own)} {n_deals} times {READINGS[reading]}" for (n_deals, reading), own in sorted(names.items())
    )
    return f" Dealt into folds more than once: {told}. Their values are means over all deals." if told else ""


def text(record, paper):
    """What stands between the comments."""
    done, rows = record["notes"]["done"], record["rows"]
    parts = []
    for half in "AB":
        parts += [f"Half {half} ({told_sets(done, half)}).", half_table(rows, half)]
    parts.append(wrapped(claims(record, paper)))
    parts.append(
        wrapped(
            "On the sets of the paper, by its definitions, ten folds: the best of its six methods with its printed "
            "value, then `recommended`, bold where it is above (`--paper`). Which rows its folds were made on can be "
            "read in two ways, and both are shown: those of as many rows as its Table 3 trained on / of the whole set "
            "(`-` where none was run yet; without a split in its table they are the same). "
            f"{told_readings(paper['rows'])}. There are 51 cells; {CELLS_WANTED} were aimed at."
            f"{told_deals(paper['notes'].get('deals', {}))}{told_limits(paper['notes'].get('limits', {}))}"
        )
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
