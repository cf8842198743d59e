"""Sums of the runs of `bench_recommended.py`, and the tables of docs/choosing.md that are made of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from recommended_runs import CURVE_LIMITS, F_MEASURES, N_FOLDS, N_PAPER_FOLDS, PAPER_PARTS
from scipy import stats

from bncc.analysis import paper
from bncc.metrics import PAPER_METRICS, get_metric

CELLS_WANTED = 47
F_COLUMNS = [printed for name in F_MEASURES for printed, own in PAPER_METRICS.items() if own == name]
#: A method that answers as another one does in every run is left out of tables and ranks, where it would count twice.
TWINS = {"recommended_kernels": "ecc"}


def corrected_interval(differences):
    """Mean and half-width of a 95 % interval of differences on folds that share rows (Nadeau and Bengio 2003)."""
    n = len(differences)
    if n < 2:
        return float(np.mean(differences)), float("nan")
    spread = np.var(differences, ddof=1) * (1.0 / n + 1.0 / (N_FOLDS - 1))
    return float(np.mean(differences)), float(stats.t.ppf(0.975, n - 1) * np.sqrt(spread))


def twins_of(lines):
    """Methods that answered in all their runs as their twin did: the twin, and how many runs there are."""

    def values(method):
        return {(line["part"], line["set"], line["metric"], line["repeat"], line["fold"]): line["value"]
                for line in lines if line["method"] == method}  # fmt: skip

    found = {method: (twin, values(method), values(twin)) for method, twin in TWINS.items()}
    return {method: {"as": twin, "runs": len(own)}
            for method, (twin, own, other) in found.items() if own and own.items() <= other.items()}  # fmt: skip


def without_twins(lines):
    """The lines without those of methods that would count twice."""
    twins = twins_of(lines)
    return [line for line in lines if line["method"] not in twins]


def values_of(lines, part, metric, names):
    """Values by set, method and (repeat, fold)."""
    table = {}
    for line in lines:
        if (line["part"], line["metric"]) == (part, metric) and line["set"] in names:
            of_method = table.setdefault(line["set"], {}).setdefault(line["method"], {})
            of_method[line["repeat"], line["fold"]] = line["value"]
    return table


def repeats_of(lines, metric, names):
    """How many repeats of the folds the blend has begun, by set."""
    table = values_of(lines, "halves", metric, set(names))
    return {
        name: len({repeat for repeat, _ in table[name]["blend"]}) for name in names if "blend" in table.get(name, {})
    }


def sum_up(lines, metric, names):
    """Mean values, average ranks, and differences of `blend` to each method on some sets, best rank first.

    Methods that have answered on every set of the blend are ranked, by the folds that all of them have done; others
    (CatBoost takes minutes on wide sets) are compared with the blend alone, on the sets that they have. "least ahead"
    is the difference on the set where it is least, with its interval; "most behind" the lowest upper end of any.
    """
    table = values_of(lines, "halves", metric, names)
    table = {name: each for name, each in table.items() if "blend" in each}
    methods = sorted({method for each in table.values() for method in each})
    ranked = [method for method in methods if all(method in each for each in table.values())]
    rows = _compared(table, metric, ranked)
    for method in [method for method in methods if method not in ranked]:
        own = {name: each for name, each in table.items() if method in each}
        rows += [{**row, "rank": float("nan")} for row in _compared(own, metric, ["blend", method])
                 if row["method"] == method]  # fmt: skip
    return rows


def _compared(table, metric, methods):
    shared = {name: sorted(set.intersection(*(set(each[method]) for method in methods)))
              for name, each in table.items()}  # fmt: skip
    sets = [name for name in table if shared[name]]
    if not sets:
        return []
    sign = 1 if get_metric(metric).greater_is_better else -1
    values = {(name, method): np.array([table[name][method][each] for each in shared[name]])
              for name in sets for method in methods}  # fmt: skip
    means = np.array([[values[name, method].mean() for method in methods] for name in sets])
    ranks = stats.rankdata(-sign * means, axis=1).mean(axis=0)
    rows = []
    for place, method in enumerate(methods):
        gaps = [corrected_interval(sign * (values[name, "blend"] - values[name, method])) for name in sets]
        ahead, behind = np.array([mean for mean, _ in gaps]), [mean + np.nan_to_num(half) for mean, half in gaps]
        spread = stats.t.ppf(0.975, len(sets) - 1) * stats.sem(ahead) if len(sets) > 1 else np.nan
        worst, least = int(np.argmin(behind)), int(np.argmin(ahead))
        rows.append({"metric": metric, "method": method, "sets": len(sets), "mean": float(means[:, place].mean()),
                     "rank": float(ranks[place]), "blend ahead by": float(ahead.mean()), "+-": float(spread),
                     "most behind": float(behind[worst]), "on": sets[worst], "least ahead": gaps[least][0],
                     "least ahead +-": gaps[least][1], "least ahead on": sets[least]})  # fmt: skip
    return sorted(rows, key=lambda row: row["rank"])


def sum_up_paper(lines):
    """F cells of the paper with all their folds, in both readings: the best of its six methods, and the blend."""
    return [row for reading, part in PAPER_PARTS.items() for row in _sum_up_reading(lines, reading, part)]


def paper_limits(lines):
    """Seconds that blends of the paper's sets were limited to, by set; those without a limit are not named."""
    parts = PAPER_PARTS.values()
    return {line["set"]: line["limit"] for line in lines if line["part"] in parts and line["limit"] is not None}


def paper_deals(rows):
    """How often the rows of the paper's sets were dealt into folds, by reading and set, where it is more than once."""
    deals = {reading: {} for reading in PAPER_PARTS}
    for row in rows:
        n_deals = int(row["folds"]) // N_PAPER_FOLDS
        if n_deals > 1:
            own = deals[row["rows"]]
            own[row["set"]] = min(n_deals, own.get(row["set"], n_deals))
    return deals


def _whole_deals(values):
    """Values by (deal, fold) without those of deals that lack a fold."""
    sizes = Counter(deal for deal, _ in values)
    return [value for (deal, _), value in values.items() if sizes[deal] == N_PAPER_FOLDS]


def _sum_up_reading(lines, reading, part):
    rows = []
    printed_of = {name: printed for printed, name in PAPER_METRICS.items()}
    for metric in F_MEASURES:
        printed = paper.results(printed_of[metric])
        names = [name for name in printed.datasets if name != "humanpseaac"]
        table = values_of(lines, part, metric, set(names))
        without_split = [name for name, of_set in paper.datasets().items() if name in names and of_set.n_test is None]
        for other in PAPER_PARTS.values():  # both readings are of the same rows there
            table = {**values_of(lines, other, metric, set(without_split)), **table}
        values = {name: _whole_deals(table.get(name, {}).get("blend", {})) for name in names}
        for name in [name for name in names if values[name]]:
            best = max(paper.METHODS, key=lambda method: printed.cell(name, method)[0])
            theirs, ours = 100 * printed.cell(name, best)[0], np.mean(values[name])
            rows.append({"rows": reading, "metric": printed_of[metric], "set": name, "best of the paper": best,
                         "theirs": theirs, "blend": float(ours), "above": str(bool(ours > theirs)),
                         "folds": str(len(values[name]))})  # fmt: skip
    return rows


def sum_up_curve(lines):
    """Mean value and seconds by set and limit."""
    table, seconds = values_of(lines, "curve", "example_f1", {line["set"] for line in lines}), {}
    for line in lines:
        if line["part"] == "curve":
            seconds.setdefault((line["set"], line["method"]), []).append(line["seconds"])
    return [
        {"set": name, "method": method, "example_f1": float(np.mean(list(table[name][method].values()))),
         "seconds": float(np.mean(seconds[name, method])), "most seconds": float(np.max(seconds[name, method]))}
        for name in table for method in [*(f"blend@{limit}" for limit in CURVE_LIMITS), "extra_trees"]
        if method in table[name]
    ]  # fmt: skip


def markdown(rows, columns):
    """A table as it stands in the documents."""

    def shown(value):
        return f"{value:.1f}" if isinstance(value, float) else str(value)

    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join([*lines, *("| " + " | ".join(shown(row[column]) for column in columns) + " |" for row in rows)])


def print_halves(rows, metrics):
    """For each half: means and ranks of every method in every metric, and how far the blend is ahead."""
    for half in dict.fromkeys(row["half"] for row in rows):
        cells = {}
        for row in rows:
            if row["half"] == half:
                of_method = cells.setdefault(row["method"], {"method": row["method"]})
                place = f"{row['sets']} sets" if np.isnan(row["rank"]) else f"{row['rank']:.1f}"
                of_method[row["metric"]] = f"{row['mean']:.1f} ({place})"
                if row["metric"] == "example_f1":
                    of_method["blend ahead"] = f"{row['blend ahead by']:+.1f} ± {row['+-']:.1f}"
        shown = [{**dict.fromkeys([*metrics, "blend ahead"], "-"), **each} for each in cells.values()]
        print(f"\nHalf {half}: mean in percent (average rank); how far the blend is ahead in example_f1\n")
        print(markdown(shown, ["method", *metrics, "blend ahead"]))


def above_of(rows, reading):
    """How many cells of a reading are above the best of the paper's methods, and how many there are."""
    of_reading = [row for row in rows if row["rows"] == reading]
    return sum(row["above"] == "True" for row in of_reading), len(of_reading)


def paper_table(rows):
    """The best of the paper's methods in each F measure and its value, then the blend's in both readings of the rows.

    The blend's values are bold where they are above; "-" where a reading has no answers.
    """
    cells, best = {}, {}
    for row in rows:
        place = row["set"], row["metric"]
        ours = f"**{row['blend']:.1f}**" if row["above"] == "True" else f"{row['blend']:.1f}"
        cells.setdefault(place, {})[row["rows"]] = ours
        best[place] = f"{row['best of the paper']} {row['theirs']:.1f}"
    shown = {place: f"{best[place]}; {' / '.join(each.get(reading, '-') for reading in PAPER_PARTS)}"
             for place, each in cells.items()}  # fmt: skip
    columns = [metric for metric in F_COLUMNS if any(metric == row["metric"] for row in rows)]
    names = sorted({name for name, _ in shown})
    return markdown(
        [{"set": name, **{metric: shown.get((name, metric), "") for metric in columns}} for name in names],
        ["set", *columns],
    )


def print_paper(rows):
    """How many cells are above in each reading, and a line for each set."""
    for reading in PAPER_PARTS:
        above, n_cells = above_of(rows, reading)
        told = f"above the paper's six methods in {above} of {n_cells} F cells ({CELLS_WANTED} of 51 are wanted)"
        print(f"\nRows by {reading!r}: {told}")
    print(f"\n{paper_table(rows)}")


def print_curve(rows):
    print("\nScore against time\n")
    print(markdown(rows, ["set", "method", "example_f1", "seconds", "most seconds"]))
