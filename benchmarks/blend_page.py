"""What was tried for the blend, on docs/choosing.md: what each half alone would have chosen, hindsight, the network.

    python benchmarks/blend_page.py

Made of results/blend_variants.json, blend_candidates.json and blend_network.json (`bench_blend_variants.py`) and of
blend_hindsight.json (`bench_blend_hindsight.py`). Families were settled on both halves of the sets together, so what is
reported on a half was not settled without it. The first table says what the other half alone would have chosen of what
was tried, and what that is worth on this one. Two texts stand between comments of their own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from harness import between_comments, wrapped
from recommended_claims import METRICS, listed
from recommended_tables import markdown

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "choosing.md"
BEGIN, END = "<!-- what was tried, by benchmarks/blend_page.py -->", "<!-- end of what was tried -->"
NETWORK_BEGIN, NETWORK_END = (
    "<!-- blends on the network, by benchmarks/blend_page.py -->",
    "<!-- end of the blends on the network -->",
)
BEFORE = "## What was measured, for kernel methods"
AS_IT_IS = "as it is"  # the blend of its time, in blend_variants.json and blend_network.json


@dataclass(frozen=True)
class Step:
    """Variants that were tried together: where they are recorded, what was there before, and what was shipped."""

    told: str
    record: str
    before: str
    shipped: str
    sets: str | None = None


STEPS = (
    Step(
        "ways to weigh, kinds of extra trees",
        "blend_variants",
        "as it was",
        "weights half by likelihood",
        sets="11",
    ),
    Step("wide extra trees, weights half by likelihood", "blend_variants", "as it was", AS_IT_IS, sets="10"),
    Step(
        "kernel ridge, trees on top",
        "blend_candidates",
        "without kernel ridge and stacked trees",
        "with kernel ridge and stacked trees",
    ),
)
LAST = STEPS[-1]


def read(name):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def signed(value, digits):
    """With its sign, and no minus before what rounds to 0."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def other(half):
    return {"A": "B", "B": "A"}[half]


def values_of(step, record):
    """Gain of each variant over what was there before, by metric, variant and half; those with both halves alone."""
    rows = [row for row in record["rows"] if row.get("sets") == step.sets]
    out = {}
    for metric in METRICS:
        found = {
            row["variant"]: {half: row[f"{metric} {half}"] for half in "AB"}
            for row in rows
            if all(f"{metric} {half}" in row for half in "AB")
        }
        # All rows are differences to the blend "as it was", which has no row of its own.
        base = found.get(step.before, {"A": 0.0, "B": 0.0})
        if found:
            out[metric] = {
                name: {half: each[half] - base[half] for half in "AB"}
                for name, each in {**found, step.before: base}.items()
            }
    return out


def choices(step, record):
    """For each metric and half: what it alone would have chosen, its gain there and on the other, and the shipped."""
    rows, n_sets = [], step.sets or len(record["notes"]["sets"])
    for metric, gains in values_of(step, record).items():
        for half in "AB":
            chosen = max(gains, key=lambda name, half=half: gains[name][half])
            rows.append({"settled": step.told, "sets": n_sets, "metric": METRICS[metric], "half": half,
                         "of": len(gains), "chosen": chosen, "there": gains[chosen][half],
                         "elsewhere": gains[chosen][other(half)], "shipped": gains[step.shipped][half],
                         "shipped elsewhere": gains[step.shipped][other(half)],
                         "same": chosen == step.shipped})  # fmt: skip
    return rows


def choices_table(rows):
    """Markdown: a line for each choice."""
    shown = [
        {
            "settled": row["settled"],
            "sets": row["sets"],
            "metric": row["metric"],
            "chosen on": f"{row['half']}, of {row['of']}",
            "choice": "what is shipped" if row["same"] else row["chosen"],
            "there": signed(row["there"], 2),
            "on the other half": signed(row["elsewhere"], 2),
            "shipped, there": signed(row["shipped"], 2),
            "shipped, on the other": signed(row["shipped elsewhere"], 2),
        }
        for row in rows
    ]
    return markdown(shown, list(shown[0]))


def told_choices(rows):
    """How often a half alone would have chosen what is shipped, and how often its choice helps on the other half."""
    same = [row for row in rows if row["same"]]
    worse = [row for row in rows if row["elsewhere"] < 0]
    return (
        "Families were settled on at most 1,200 rows of the same sets, and on both halves together: no figure above is "
        "of sets that had no part in it, so they flatter the blend a little. The table says what each half alone would "
        "have chosen of what was tried at each step, and what that is worth, in points over the blend before the step: "
        f"of {len(rows)} choices {len(same)} are what is shipped, and {len(worse)} lose on the other half."
    )


def told_last(rows):
    """What each half alone would have chosen at the last step, in a sentence."""
    parts = [
        f"half {row['half']} alone would have chosen {'this' if row['same'] else repr(row['chosen'])}, "
        f"{signed(row['elsewhere'], 2)} on the other half"
        for row in rows
        if row["settled"] == LAST.told
    ]
    return f"At the last step ({LAST.told}) {'; '.join(parts)}."


def told_alone(record):
    """What the candidates of the last step do by themselves, by half."""
    gains = values_of(LAST, record)["example_f1"]
    left = [name for name in gains if name not in (LAST.before, LAST.shipped)]
    told = "; ".join(
        f"{name.removeprefix('with ')} {signed(gains[name]['A'], 2)} and {signed(gains[name]['B'], 2)}" for name in left
    )
    both = [name.removeprefix("with ") for name in left if min(gains[name].values()) > 0]
    ends = f"only {listed(both)} helped in both" if both else "by itself none of them helped in both"
    stacked = gains[LAST.shipped]
    return (
        f"In example F1 (halves A and B) what is shipped, kernel ridge with the trees on top, gained "
        f"{signed(stacked['A'], 2)} and {signed(stacked['B'], 2)}; others: {told}; {ends}."
    )


def told_hindsight(record):
    """What better decisions and weights could gain at most."""
    values = {(row["what"], row["half"]): row for row in record["rows"] if row["metric"] == "example_f1"}

    def gain(what, sign=""):
        return " and ".join(
            f"{values[what, half]['value'] - values['blend', half]['value']:{sign}.1f}" for half in "AB"
        )

    n_sets = sum(values["blend", half]["sets"] for half in "AB")
    return (
        "Much more is not to be had by weighing better: with its decision chosen on the test rows themselves the blend "
        f"would gain {gain('decision from the test rows')} points of example F1 (halves A and B), with its weights "
        f"chosen there too {gain('weights and decision from the test rows')}, and the family that turns out best on "
        f"the test rows is {gain('best family in hindsight', '+')} points from it "
        f"(`benchmarks/bench_blend_hindsight.py`, {n_sets} sets cut to 1,200 rows, {record['notes']['splits']} splits)."
    )


def network_gains(record):
    """Gain of each variant over the blend of its time, by variant, metric and half."""
    values = {row["variant"]: row for row in record["rows"]}
    return {
        name.removeprefix(f"{AS_IT_IS}, "): {
            (metric, half): row[f"{metric} {half}"] - values[AS_IT_IS][f"{metric} {half}"]
            for metric in METRICS
            for half in "AB"
        }
        for name, row in values.items()
        if name != AS_IT_IS
    }


def network_text(record):
    """What the network and neighbours do inside a blend: a sentence and a table."""
    gains = network_gains(record)
    both = [
        f"{name} in {METRICS[metric]} ({signed(each[metric, 'A'], 1)} and {signed(each[metric, 'B'], 1)})"
        for name, each in gains.items()
        for metric in METRICS
        if min(round(each[metric, half], 1) for half in "AB") > 0
    ]
    told = (
        f"`recommended()` uses none of these. Its blend of {len(record['notes']['sets'])} sets, before kernel ridge "
        "regression and trees on top, gains in points (halves A and B; minus is worse, for Hamming loss too) as the "
        f"table says; in both halves: {listed(both) if both else 'nothing'} (`benchmarks/results/blend_network.json`, "
        "by `benchmarks/bench_blend_variants.py`)."
    )
    rows = [
        {"blend": name, **{METRICS[metric]: ", ".join(signed(each[metric, half], 1) for half in "AB")
                           for metric in METRICS}}
        for name, each in gains.items()
    ]  # fmt: skip
    return f"{wrapped(told)}\n\n{markdown(rows, ['blend', *METRICS.values()])}"


def text():
    """What stands between the comments: choices, then hindsight."""
    rows = [row for step in STEPS for row in choices(step, read(step.record))]
    told = (
        f"{told_choices(rows)} {told_last(rows)} {told_alone(read('blend_candidates'))} "
        "(`benchmarks/bench_blend_variants.py`, recorded in `benchmarks/results/blend_variants.json` and "
        "`blend_candidates.json`; read by `benchmarks/blend_page.py`.)"
    )
    return "\n\n".join([wrapped(told), choices_table(rows), wrapped(told_hindsight(read("blend_hindsight")))])


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    made, network = text(), network_text(read("blend_network"))
    page = between_comments(page, BEGIN, END, made, BEFORE)
    page = between_comments(page, NETWORK_BEGIN, NETWORK_END, network, BEFORE)
    PAGE.write_text(page, encoding="utf-8")
    print(f"{made}\n\n{network}")


if __name__ == "__main__":
    main()
