"""What `recommended` is worth within limits of time, beside what one would take otherwise.

    python benchmarks/bench_time_limits.py [--only curve|table|text] [--small] [--record] [--page]

"curve": three real sets, a third of the rows held out (stratified), at limits of 5, 20, 60 and 300 seconds. "table":
20,000 rows of 50 numbers with 30 labels, at 60 seconds. "text": 100,000 sparse rows of 100,000 words with 200 labels,
at 300 seconds. Beside each, extra trees under tuned thresholds (200 trees, five folds), and a LinearSVC likewise for
the text, with the seconds that they take. Scores are example F1 in points on rows held out. ``--page`` puts the
recorded run into docs/choosing.md.
"""

from __future__ import annotations

import argparse
import json
import time

import numpy as np
from bench_kernel_family import generated
from harness import RECORDED, ROOT, between_comments, finish
from linear_data import text_like
from sklearn.ensemble import ExtraTreesClassifier

from bncc import BinaryRelevance, LinearSVC, TunedThresholds, recommended
from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import example_f1

LIMITS = (5, 20, 60, 300)
CURVE = ("yeast", "scene", "enron")
PAGE = ROOT / "docs" / "choosing.md"
BEGIN, END = "<!-- time limits, by benchmarks/bench_time_limits.py -->", "<!-- end of the time limits -->"
BEFORE = "## What was measured, for kernel methods"


def split(X, Y, n_test):
    """The last rows are held out: the rows are drawn in no order."""
    return X[:-n_test], Y[:-n_test], X[-n_test:], Y[-n_test:]


def real(name):
    data = load(name)
    Y = data.Y.toarray() if hasattr(data.Y, "toarray") else np.asarray(data.Y)
    train, test = next(iter(MultilabelStratifiedKFold(3, shuffle=True, random_state=0).split(data.X, Y)))
    return data.X[train], Y[train], data.X[test], Y[test]


def measured(work, case, method, estimator, data):
    X, Y, X_test, Y_test = data
    start = time.perf_counter()
    model = estimator.fit(X, Y)
    seconds = time.perf_counter() - start
    row = {"work": work, "case": case, "method": method, "seconds": seconds}
    row["example F1"] = 100 * float(example_f1(Y_test, model.predict(X_test)))
    weights = getattr(model, "weights_", {})
    return {**row, "weights": ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())}


def against(work, case, limits, others, data):
    for limit in limits:
        estimator = recommended(time_limit=limit, random_state=0)
        yield {**measured(work, case, "recommended", estimator, data), "limit": limit}
    for name, estimator in others.items():
        yield {**measured(work, case, name, TunedThresholds(estimator), data), "limit": ""}


def extra_trees():
    return {"extra trees": ExtraTreesClassifier(200, n_jobs=-1, random_state=0)}


def curve(options):
    for name in CURVE[:1] if options.small else CURVE:
        yield from against("curve", name, LIMITS[:1] if options.small else LIMITS, extra_trees(), real(name))


def table(options):
    n_rows = 1000 if options.small else 20_000
    X, Y = generated(n_rows + n_rows // 4, 50, 30)
    limits = (5,) if options.small else (60,)
    yield from against("table", f"{n_rows:,} x 50 x 30", limits, extra_trees(), split(X, Y, n_rows // 4))


def text(options):
    n_rows, n_features, n_labels = (2000, 2000, 20) if options.small else (10**5, 10**5, 200)
    X, Y = text_like(n_rows + n_rows // 10, n_features, n_labels, cardinality=3)
    limits = (5,) if options.small else (300,)
    case = f"{n_rows:,} x {n_features:,} x {n_labels}, sparse"
    linear = {"LinearSVC": BinaryRelevance(LinearSVC())}
    yield from against("text", case, limits, linear, split(X, Y.tocsr(), n_rows // 10))


WORK = {work.__name__: work for work in (curve, table, text)}


def page_table(rows):
    """Markdown: a line per data set, `recommended` at its limits, then the others."""
    told = "Within limits of time: example F1 on rows held out, and the seconds of `fit`. Others have tuned thresholds"
    lines = [
        f"{told} (`benchmarks/bench_time_limits.py`).",
        "",
        "| data | `recommended`, at a limit of | others |",
        "|---|---|---|",
    ]
    for case in dict.fromkeys(row["case"] for row in rows):
        ours = [row for row in rows if row["case"] == case and row["method"] == "recommended"]
        others = [row for row in rows if row["case"] == case and row["method"] != "recommended"]
        told = "; ".join(f"{row['limit']} s: {row['example F1']:.1f} ({row['seconds']:.1f} s)" for row in ours)
        beside = "; ".join(f"{row['method']} {row['example F1']:.1f} ({row['seconds']:.1f} s)" for row in others)
        lines.append(f"| {case} | {told} | {beside} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=WORK, help="this part; again for several")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--record", action="store_true", help="make this the recorded run")
    parser.add_argument("--page", action="store_true", help="put the recorded run into docs/choosing.md")
    options = parser.parse_args()
    recorded = RECORDED / "time_limits.json"
    if options.page:
        rows = json.loads(recorded.read_text(encoding="utf-8"))["rows"]
        whole = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(between_comments(whole, BEGIN, END, page_table(rows), BEFORE), encoding="utf-8")
        return
    rows = [row for name in options.only or WORK for row in WORK[name](options)]
    if options.only and options.record and recorded.exists():  # the other parts stay as they were recorded
        before = json.loads(recorded.read_text(encoding="utf-8"))["rows"]
        rows += [row for row in before if row["work"] not in options.only]
    finish("time_limits", sorted(rows, key=lambda row: list(WORK).index(row["work"])))


if __name__ == "__main__":
    main()
