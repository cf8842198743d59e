"""What the recorded runs of bench_recommended.py say in sentences; `recommended_page.py` puts them on the page."""

from __future__ import annotations

import math

from recommended_methods import BLENDS

METRICS = {
    "example_f1": "example F1",
    "macro_f1": "macro F1",
    "micro_f1": "micro F1",
    "hamming_loss": "Hamming loss",
    "subset_accuracy": "exact match",
}
#: Lines of the tables.
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
OTHER_NAMES = {"catboost": "CatBoost", "recommended_kernels": "`recommended_kernels`"}
#: Methods that are made of the blend itself.
OWN_PARTS = {"plain_average": "the plain average of its families", "best_family": "its best family"}


def name_of(method):
    return {**METHODS, **OTHER_NAMES}[method]


def interval(row, value="blend ahead by", half="+-", sign="+"):
    return f"{round(row[value], 1) + 0.0:{sign}.1f} ± {row[half]:.1f}"


def listed(parts):
    """Parts as a sentence lists them: "a, b and c"."""
    parts = list(parts)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def cells_of(rows):
    """Rows of halves A and B by half, metric and method."""
    return {(row["half"], row["metric"], row["method"]): row for row in rows if row["half"] in ("A", "B")}


def told_grounds(notes):
    """On how many sets and repeats each metric rests."""
    halves, done = notes["halves"], notes["done"]
    n_sets = sum(map(len, halves.values()))
    counts = {}
    for metric, name in METRICS.items():
        counts.setdefault(tuple(len(done[half][metric]) for half in halves), []).append(name)
    parts = [f"{listed(names)} on {a} sets of half A and {b} of half B" for (a, b), names in counts.items()]
    repeats = {}
    for sets in done["A and B"].values():
        for name, n_repeats in sets.items():
            repeats[name] = max(n_repeats, repeats.get(name, 0))
    once = sorted(name for name, n_repeats in repeats.items() if n_repeats == 1)
    dealt = f"; {listed(once)} were dealt into folds once" if once else ""
    return f"These figures rest on {len(repeats)} of the {n_sets} sets so far: {'; '.join(parts)}{dealt}."


def told_ranks(rows):
    """Where another method has the better average rank, and where a part of the blend has."""
    cells, others, parts = cells_of(rows), [], []
    for (half, metric, method), row in cells.items():
        own = cells[half, metric, "blend"]["rank"]
        if row["rank"] < own:
            told = f"for {METRICS[metric]} in half {half} ({row['rank']:.1f} against {own:.1f})"
            (parts if method in OWN_PARTS else others).append((method, told))
    if others:
        told = "; ".join(f"{name_of(method)} {where}" for method, where in others)
        first = f"Of what one would take otherwise these have a better average rank: {told}."
    else:
        first = (
            "Of what one would take otherwise (its own parts aside) nothing has a better average rank, in any metric "
            "and in either half."
        )
    return " ".join([first, *(f"But {OWN_PARTS[method]} has the better rank {where}." for method, where in parts)])


def told_lead(rows):
    """How far the blend is ahead of the best other method in example F1, and of its own plain average."""
    cells = cells_of(rows)
    best = {
        half: max(
            (row for (own, metric, method), row in cells.items()
             if (own, metric) == (half, "example_f1") and method in METHODS and method not in ("blend", *OWN_PARTS)),
            key=lambda row: row["mean"],
        )
        for half in "AB"
    }  # fmt: skip
    ahead = [
        f"{interval(best[half], sign='')} points in half {half} ({name_of(best[half]['method'])})" for half in "AB"
    ]
    average = [cells[half, "example_f1", "plain_average"] for half in "AB"]
    return (
        f"In example F1 it is ahead of the best of them by {ahead[0]} and {ahead[1]}{_zero(best.values())}. Against "
        f"the plain average of its families it is ahead by {interval(average[0], sign='')} and "
        f"{interval(average[1], sign='')}{_zero(average)}. {_over_both(rows)}"
    )


def _over_both(rows):
    """The same over the sets of both halves."""
    both = {row["method"]: row for row in rows if (row["half"], row["metric"]) == ("A and B", "example_f1")}
    best = max((row for name, row in both.items() if name in METHODS and name not in ("blend", *OWN_PARTS)),
               key=lambda row: row["mean"])  # fmt: skip
    average = both["plain_average"]
    return (
        f"Over the {best['sets']} sets of both halves it is ahead of {name_of(best['method'])} by "
        f"{interval(best, sign='')} and of its plain average by {interval(average, sign='')}."
    )


def _zero(rows):
    """What of the intervals of halves A and B includes 0."""
    within = [half for half, row in zip("AB", rows, strict=True) if abs(row["blend ahead by"]) <= row["+-"]]
    if not within:
        return "; neither interval includes 0"
    return "; both intervals include 0" if len(within) == 2 else f"; the interval of half {within[0]} includes 0"


def told_sets_behind(rows):
    """On which sets the whole interval of a difference is below 0, in any metric."""
    below = [row for row in cells_of(rows).values() if row["method"] in METHODS and row["most behind"] < 0]
    if not below:
        return "On no set, in no metric and against no method here is the whole interval of a difference below 0."
    names = [OWN_PARTS.get(row["method"], name_of(row["method"])) for row in below]
    told = "; ".join(
        f"{name} in {METRICS[row['metric']]} on {row['on']}" for name, row in zip(names, below, strict=True)
    )
    return f"The whole interval of a difference is below 0 against {told}; against all others on no set."


def told_twins(notes):
    """Which methods have no line of their own, since another line is theirs."""
    parts = [
        f"{name_of(method)}, the pipeline of kernel chains alone, answered as {name_of(twin['as'])} did in all its "
        f"{twin['runs']} runs: the line of {name_of(twin['as'])} is its line."
        for method, twin in notes["twins"].items()
    ]
    return " ".join(parts)


def told_few(rows):
    """Methods with too few answers to rank."""
    few = [row for row in rows if row["half"] == "A and B" and math.isnan(row["rank"])]
    return " ".join(
        f"{name_of(row['method'])} has answers on {row['sets']} sets alone, too few to rank (in "
        f"{METRICS[row['metric']]} the blend is ahead of it there by {interval(row, sign='')})."
        for row in few
    )


def told_versions(notes, paper_notes):
    """Which blend each table is of."""
    own, other = (each["blend_version"] for each in (notes, paper_notes))
    if own == other:
        return f"All tables are of the blend {BLENDS[own]}."
    return (
        f"The tables of halves are of the blend {BLENDS[own]}, that of the paper's sets of the blend {BLENDS[other]}."
    )


def claims(record, paper):
    """A paragraph of all of them."""
    notes, rows = record["notes"], record["rows"]
    told = [told_grounds(notes), told_ranks(rows), told_lead(rows), told_sets_behind(rows), told_twins(notes)]
    return " ".join(each for each in [*told, told_few(rows), told_versions(notes, paper["notes"])] if each)
