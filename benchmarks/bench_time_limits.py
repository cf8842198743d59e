"""What `recommended` is worth within limits of time, beside what one would take otherwise.

    python benchmarks/bench_time_limits.py [--only PART] [--only PART] [--small] [--record] [--page]

"curve": three real sets, a third of the rows held out (stratified), at limits of 5, 20, 60 and 300 seconds. "table":
20,000 rows of 50 numbers with 30 labels, at 60 seconds. "text": 100,000 sparse rows of 100,000 words with 200 labels,
at 300 seconds. "rows": a million rows of 20 numbers with 5 labels, at 60 seconds. "labels": 20,000 sparse rows of
20,000 words with 10,000 labels, at 60 seconds. "unlimited" and "unlimited_large": 4,000 and 20,000 rows of 50 numbers
with 30 labels, without a limit: minutes each, by what other sets took (bench_recommended.py). Beside most of them,
extra trees under tuned thresholds (200 trees, five folds), or a LinearSVC likewise, with the seconds that they
take. Scores are example F1 in points on rows held out.

A fit is "within" its limit where it takes at most a tenth of it and two seconds more. Rows have the date and the
version of the blend (recommended_methods.py) that they were recorded with; with ``--only`` the other parts stay as they
were recorded. ``--page`` puts the recorded run into docs/choosing.md, with a picture of the curve. Run it on a machine
that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import time
from datetime import UTC, datetime

import numpy as np
from bench_kernel_family import generated
from harness import RECORDED, ROOT, between_comments, finish, wrapped
from linear_data import text_like
from recommended_methods import BLEND_VERSION, BLENDS
from sklearn.ensemble import ExtraTreesClassifier

from bncc import BinaryRelevance, LinearSVC, TunedThresholds, recommended
from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import example_f1

LIMITS = (5, 20, 60, 300)
MOST_TESTED = 20_000
CURVE = ("yeast", "scene", "enron")
PAGE = ROOT / "docs" / "choosing.md"
PICTURE = ROOT / "docs" / "pictures" / "time-limits.png"
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


def within(seconds, limit):
    """Whether a fit kept to its limit: a tenth of it and two seconds are left to what cannot be stopped."""
    return seconds <= 1.1 * limit + 2.0


def measured(work, case, method, estimator, data):
    """A row: seconds of `fit`, and example F1 on the rows held out."""
    X, Y, X_test, Y_test = data
    start = time.perf_counter()
    model = estimator.fit(X, Y)
    seconds = time.perf_counter() - start
    row = {"work": work, "case": case, "method": method, "seconds": seconds}
    row |= {"date": datetime.now(UTC).date().isoformat(), "blend_version": BLEND_VERSION}
    row["example F1"] = 100 * float(example_f1(Y_test, model.predict(X_test)))
    weights = getattr(model, "weights_", {})
    return {**row, "weights": ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())}


def against(work, case, limits, others, data):
    for limit in limits:
        row = measured(work, case, "recommended", recommended(time_limit=limit, random_state=0), data)
        told = "" if limit is None else ("yes" if within(row["seconds"], limit) else "no")
        yield {**row, "limit": "none" if limit is None else limit, "within": told}
    for name, estimator in others.items():
        yield {**measured(work, case, name, TunedThresholds(estimator), data), "limit": "", "within": ""}


def extra_trees():
    return {"extra trees": ExtraTreesClassifier(200, n_jobs=-1, random_state=0)}


def linear():
    return {"LinearSVC": BinaryRelevance(LinearSVC())}


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
    yield from against("text", case, limits, linear(), split(X, Y.tocsr(), n_rows // 10))


def rows(options):
    n_rows = 2000 if options.small else 10**6
    n_test = min(n_rows // 4, MOST_TESTED)
    X, Y = generated(n_rows + n_test, 20, 5)
    limits = (5,) if options.small else (60,)
    yield from against("rows", f"{n_rows:,} x 20 x 5", limits, linear(), split(X, Y, n_test))


def labels(options):
    n_rows, n_features, n_labels = (1000, 1000, 100) if options.small else (20_000, 20_000, 10_000)
    X, Y = text_like(n_rows + n_rows // 10, n_features, n_labels, cardinality=3)
    limits = (5,) if options.small else (60,)
    case = f"{n_rows:,} x {n_features:,} x {n_labels:,}, sparse"
    yield from against("labels", case, limits, linear(), split(X, Y.tocsr(), n_rows // 10))


def unlimited(options):
    n_rows = 300 if options.small else 4000
    yield from _without_limit("unlimited", n_rows, 4 if options.small else 30, extra_trees())


def unlimited_large(options):
    """Without extra trees, which "table" has on the same rows."""
    n_rows = 400 if options.small else 20_000
    yield from _without_limit("unlimited_large", n_rows, 4 if options.small else 30, {})


def _without_limit(work, n_rows, n_labels, others):
    X, Y = generated(n_rows + n_rows // 4, 50, n_labels)
    yield from against(work, f"{n_rows:,} x 50 x {n_labels}", (None,), others, split(X, Y, n_rows // 4))


WORK = {work.__name__: work for work in (curve, table, text, rows, labels, unlimited, unlimited_large)}


def page_table(recorded):
    """Markdown: a line per data set, `recommended` at its limits, then the others, and when that was recorded."""
    versions = sorted({row["blend_version"] for row in recorded})
    blends = "; ".join(f"version {each} is the blend {BLENDS[each]}" for each in versions)
    told = (
        "Within limits of time: example F1 on rows held out, and the seconds of `fit`. Others have tuned thresholds "
        f"(`benchmarks/bench_time_limits.py`); {blends}."
    )
    lines = [wrapped(told), "", "| data | `recommended`, at a limit of | others | recorded |", "|---|---|---|---|"]
    for work, case in dict.fromkeys((row["work"], row["case"]) for row in recorded):
        of_case = [row for row in recorded if (row["work"], row["case"]) == (work, case)]
        ours = "; ".join(told_limit(row) for row in of_case if row["method"] == "recommended")
        beside = "; ".join(
            f"{row['method']} {row['example F1']:.1f} ({row['seconds']:.1f} s)"
            for row in of_case
            if row["method"] != "recommended"
        )
        when = ", ".join(dict.fromkeys(f"{row['date']}, version {row['blend_version']}" for row in of_case))
        lines.append(f"| {case} | {ours} | {beside} | {when} |")
    if curves(recorded):
        lines += ["", f"![Example F1 over limits of time, on three sets]({PICTURE.relative_to(PAGE.parent)})"]
    return "\n".join(lines)


def curves(recorded):
    """By data set of the curve: (limit, example F1) of `recommended` by rising limit, and those of the others."""
    rows = [row for row in recorded if row["work"] == "curve"]
    return {
        case: (
            sorted((row["limit"], row["example F1"]) for row in rows if is_ours(row, case)),
            {row["method"]: row["example F1"] for row in rows if row["case"] == case and not is_ours(row, case)},
        )
        for case in dict.fromkeys(row["case"] for row in rows)
    }


def is_ours(row, case):
    return row["case"] == case and row["method"] == "recommended"


def draw(curves_of_sets, path):
    """A panel for each data set: example F1 over the limit, and the others as lines across."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(curves_of_sets), figsize=(9.5, 3.2), layout="constrained", squeeze=False)
    for axes, (case, (points, others)) in zip(panels[0], curves_of_sets.items(), strict=True):
        axes.plot(*zip(*points, strict=True), "o-", label="recommended")
        for number, (name, value) in enumerate(others.items()):
            axes.axhline(value, color=f"C{number + 1}", linestyle="--", label=f"{name}, tuned thresholds")
        axes.set_xscale("log")
        axes.set_xticks([limit for limit, _ in points], [str(limit) for limit, _ in points])
        axes.minorticks_off()
        axes.set(title=case, xlabel="limit in seconds")
        axes.margins(y=0.15)
    panels[0][0].set_ylabel("example F1 on rows held out")
    panels[0][0].legend(loc="center right", fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def told_limit(row):
    """The limit of a fit, what it was worth, what it took, and whether that was too much."""
    limit = "no limit" if row["limit"] == "none" else f"{row['limit']} s"
    late = ", late" if row["within"] == "no" else ""
    return f"{limit}: {row['example F1']:.1f} ({row['seconds']:.1f} s{late})"


def joined(new, before, parts):
    """New rows, and those recorded before of parts that were not run; in the order of the parts."""
    kept = [row for row in before if row["work"] not in parts]
    return sorted([*new, *kept], key=lambda row: list(WORK).index(row["work"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=WORK, help="this part; again for several")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--record", action="store_true", help="make this the recorded run")
    parser.add_argument("--page", action="store_true", help="put the recorded run into docs/choosing.md")
    options = parser.parse_args()
    if options.small and options.record:
        parser.error("small sizes are no run to record; leave --record or --small out.")
    recorded = RECORDED / "time_limits.json"
    if options.page:
        whole = PAGE.read_text(encoding="utf-8")
        done = json.loads(recorded.read_text(encoding="utf-8"))["rows"]
        PAGE.write_text(between_comments(whole, BEGIN, END, page_table(done), BEFORE), encoding="utf-8")
        if curves(done):
            draw(curves(done), PICTURE)
        return
    parts = options.only or list(WORK)
    found = [row for name in parts for row in WORK[name](options)]
    keeps = options.record and recorded.exists()
    finish("time_limits", joined(found, json.loads(recorded.read_text())["rows"] if keeps else [], parts))


if __name__ == "__main__":
    main()
