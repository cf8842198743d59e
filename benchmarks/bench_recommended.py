"""`recommended` against single methods under tuned thresholds on real sets, each tuned for what it is measured in.

    python benchmarks/bench_recommended.py [--sets emotions,flags] [--methods blend,extra_trees] [--metrics example_f1]
        [--repeats 5] [--minutes 60] [--time-limit 60] [--workers 1] [--runs FILE] [--blend-version 2]
        [--record] [--curve | --paper [--paper-rows table|whole] [--deals 1]]

Nested: three stratified outer folds, the same for all methods, five repeats of them; sets of more than 6,000 rows are
cut to 6,000. Every answer is appended to a file as one line, and what is there already is not done again, so that the
whole can be done in many sittings of some `--minutes` (what was done so far: `results/recommended_runs.jsonl.xz`, to be
unpacked into `out`). The sets are divided into halves (`recommended_halves.json`; the gene-ontology sets on one side),
and shown by half. Families were settled on both halves together all the same, on fewer rows: `blend_page.py` says what
each half alone would have chosen, and what that is worth on the other.

Forests and boosting (LightGBM and CatBoost, where they are installed) are tuned in the seconds that the blend took on
the same fold; kernel methods have searches of their own. One fit of a blend also answers for its best family by
held-out score and for the plain average of its families. Differences on a set come with the interval of the corrected
resampled t-test (Nadeau and Bengio 2003), which knows that folds share rows; over sets, with that of the mean.

Lines of a blend have a version (`BLEND_VERSION` in recommended_methods.py), and a table is made of one of them;
`--blend-version 1` sums up what the blend before kernel ridge and stacked trees answered, and runs nothing. A method
that answers in all its runs as another one does (`recommended_kernels`, as ECC) is left out of the tables.

`--curve` gives score against time for limits of 5, 20, 60 and 300 seconds on three sets; `--paper` the paper's F
measures by its own definitions (0/0 is 0), ten stratified folds, against the best of its methods. On which rows its
folds were made can be read in two ways, and both are reported side by side, whichever is better: `--paper-rows table`
(the first that was run) takes as many rows as the training set of its Table 3 has, where it gives a split;
`--paper-rows whole` takes the whole set, which is how its section 4.3 and this project's own study
(protocols/paper.toml) have it. Folds of the study are not stratified, and there are ten deals of them; here is one
(`--deals 1`). Of the ten sets below 1,400 rows, where one deal tells least, there are to be five, on the whole set: all
of these sets alike, fixed before any second deal was run.

Blends of several metrics on the same rows share what looks at no metric (shared_trials.py); seconds are told as if they
did not. `--workers` says how many processes there are; each has a core of its own. On whole sets, one blend took 1 to
10 seconds of a core on the ten sets below 1,400 rows (gnegativego: a minute), and one to two minutes on scene, yeast
and humango, on two machines and partly beside other work; one to two minutes on enron and three to four
and a half on bibtex, with sparse features; three to eight on education.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from harness import ROOT, finish
from recommended_methods import BLEND_VERSION, METHODS, MOST_ROWS
from recommended_runs import N_FOLDS, N_PAPER_FOLDS, PAPER_PARTS, of_version, work_off
from recommended_tables import (
    paper_deals,
    paper_limits,
    print_curve,
    print_halves,
    print_paper,
    repeats_of,
    sum_up,
    sum_up_curve,
    sum_up_paper,
    twins_of,
    without_twins,
)

HALVES = json.loads((Path(__file__).resolve().parent / "recommended_halves.json").read_text())
METRICS = ("example_f1", "macro_f1", "micro_f1", "hamming_loss", "subset_accuracy")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    everything = [*HALVES["A"], *HALVES["B"]]
    for name, known in (("sets", everything), ("methods", list(METHODS)), ("metrics", list(METRICS))):
        parser.add_argument(f"--{name}", type=lambda text: text.split(","), default=known)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--time-limit", type=float, default=None)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--runs", default=str(ROOT / "out" / "recommended_runs.jsonl"))
    parser.add_argument("--blend-version", type=int, default=BLEND_VERSION)
    parser.add_argument("--paper-rows", choices=PAPER_PARTS, default="table")
    parser.add_argument("--deals", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--curve", action="store_true")
    part.add_argument("--paper", action="store_true")
    return parser.parse_args()


def main() -> None:
    options = read_options()
    version = options.blend_version
    lines = of_version(work_off(options), version)
    if options.paper:
        rows = sum_up_paper(lines)
        notes = {"limits": paper_limits(lines), "deals": paper_deals(rows)}
        finish("recommended_paper", rows, folds=N_PAPER_FOLDS, blend_version=version, **notes)
        print_paper(rows)
    elif options.curve:
        rows = sum_up_curve(lines)
        finish("recommended_curve", rows, folds=N_FOLDS, blend_version=version)
        print_curve(rows)
    else:
        halves = {**HALVES, "A and B": [*HALVES["A"], *HALVES["B"]]}
        rows = [
            {"half": half, **row}
            for half, names in halves.items()
            for metric in options.metrics
            for row in sum_up(without_twins(lines), metric, set(names))
        ]
        done = {
            half: {metric: repeats_of(lines, metric, names) for metric in options.metrics}
            for half, names in halves.items()
        }
        notes = {"halves": HALVES, "folds": N_FOLDS, "most_rows": MOST_ROWS, "runs": len(lines), "done": done}
        finish("recommended", rows, **notes, blend_version=version, twins=twins_of(lines))
        print_halves(rows, options.metrics)


if __name__ == "__main__":
    main()
