"""The recorded run of bench_linear.py in README.md, docs/large-data.md and docs/pictures/linear-growth.png.

``python benchmarks/bench_linear.py --record`` first, on a machine that does nothing else; then
``python benchmarks/linear_page.py``. The table stands between two comments, and is put in where they are missing.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from harness import between_comments

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "linear.json"
DEVICE_RECORD = RECORD.with_name("linear_cuda.json")
PICTURE = ROOT / "docs" / "pictures" / "linear-growth.png"
BEGIN, END = "<!-- linear engine, by benchmarks/linear_page.py -->", "<!-- end of the linear engine -->"
# The lines that the tables are put before where a page has none yet: the README has the short one.
README, PAGE = ROOT / "README.md", ROOT / "docs" / "large-data.md"
PLACES = {README: "Label networks, measured on 2 cores", PAGE: "## More than one machine"}
PEERS = {
    "relevance": "`OneVsRestClassifier(LinearSVC(), n_jobs=2)`",
    "chain": "`ClassifierChain(LinearSVC())` of scikit-learn",
    "search": "`GridSearchCV` over `OneVsRestClassifier`",
    "prediction": "napkinXC",
}
NAMES = {"libmultilabel": "LibMultiLabel `train_1vsrest`", "napkinxc": "napkinXC `BR`"}
WORDS = {
    "relevance": "binary relevance",
    "chain": "chain",
    "peers": "binary relevance",
    "large": "BNCC, network and chain",
    "cycles": "network of a hierarchy, child limit 2",
    "search": "C search",
    "prediction": "prediction",
    "nystroem": "approximate RBF",
}


def table(record):
    """The table as Markdown, with a line for each row of the run that has seconds of ours."""
    lines = ["| linear engine, 2 cores | bncc | other | ratio | equal results |", "|---|---|---|---|---|"]
    lines += [line_of(row) for row in record["rows"] if row["work"] in WORDS and "bncc_s" in row]
    lines += [
        f"| chain on one H200, {case} | {seconds} | two cores, as above | {ratio} | same tolerance |"
        for case, seconds, ratio in on_a_device(record)
    ]
    for name, words in (("relevance", "binary relevance"), ("chain", "chains")):
        if f"mean_ratio_{name}" in record["notes"]:
            lines.append(f"| {words}, geometric mean | | | {record['notes'][f'mean_ratio_{name}']:.0f} | |")
    return "\n".join([*lines, *slopes(record["rows"])])


def short_table(record):
    """Each comparison in one line: how many cases, the geometric mean of their ratios, and the ends."""
    groups: dict[tuple[str, str], list[float]] = {}
    for row in record["rows"]:
        if row["work"] in ("relevance", "chain", "search", "peers") and "ratio" in row:
            name = row["case"].partition(", ")[0]
            other = NAMES[name] if row["work"] == "peers" else PEERS[row["work"]]
            groups.setdefault((WORDS[row["work"]], other), []).append(row["ratio"])
    lines = ["| linear engine, 2 cores | against | times as fast |", "|---|---|---|"]
    for (work, other), ratios in groups.items():
        mean, ends = np.exp(np.mean(np.log(ratios))), f"{min(ratios):.0f} to {max(ratios):.0f}"
        told = f"{mean:.0f} (geometric mean of {len(ratios)}: {ends})" if len(ratios) > 1 else f"{mean:.0f}"
        lines.append(f"| {work} | {other} | {told} |")
    lines += [
        f"| {WORDS[row['work']]}, {row['case']} | | {shown(row['bncc_s'])}, {row['peak_gb']:.1f} GB |"
        for row in record["rows"]
        if row["work"] in ("large", "prediction")
    ]
    lines += [
        f"| chain on one H200, {case} | BNCC on two cores | {ratio} ({seconds}) |"
        for case, seconds, ratio in on_a_device(record)
    ]
    return "\n".join(lines)


def device_seconds():
    """Of the chain's links on one H200, the second time, from the run of bench_linear_cuda.py."""
    rows = json.loads(DEVICE_RECORD.read_text("utf-8"))["rows"]
    return next(row["solve s"] for row in rows if row["what"].startswith("chain links"))


def on_a_device(record):
    """(the large case, seconds on one H200, how many times as fast as on two cores), where it was recorded."""
    return [
        (row["case"], shown(device_seconds()), f"{row['bncc_s'] / device_seconds():.0f}")
        for row in record["rows"]
        if row["work"] == "large"
    ]


def line_of(row):
    peer = ""
    case = row["case"]
    if row["work"] == "peers":
        name, _, case = case.partition(", ")
        peer = NAMES[name]
    elif "peer_s" in row:
        peer = PEERS.get(row["work"], "")  # else the case names it
    other = f"{peer}: {shown(row['peer_s'])}".removeprefix(": ") if "peer_s" in row else ""
    ratio = f"{row['ratio']:.{0 if row['ratio'] >= 10 else 1}f}" if "ratio" in row else ""
    memory = f", {row['peak_gb']:.1f} GB" if row["work"] in ("large", "prediction") else ""
    return f"| {WORDS[row['work']]}, {case} | {shown(row['bncc_s'])}{memory} | {other} | {ratio} | {equal(row)} |"


def equal(row):
    if "peer_f1" in row:
        return f"F1 {row['f1']:.1f}, theirs {row['peer_f1']:.1f}"
    if isinstance(row.get("excess"), float):
        return f"objective within {max(row['excess'], 0.0):.0e} above"
    return ""


def shown(seconds):
    """
    >>> shown(0.0123), shown(4.26), shown(312.4)
    ('0.012 s', '4.3 s', '312 s')
    """
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"


def slopes(rows):
    found = {row["case"].split(":")[0]: row["slope"] for row in rows if "slope" in row}
    if not found:
        return []
    told = " and ".join(f"{name} to the power of {slope:.2f}" for name, slope in found.items())
    return ["", f"Time grows with the number of {told} (log-log)."]


def with_table(page, text, before):
    return between_comments(page, BEGIN, END, text, before)


def points_of(rows):
    """Sizes and seconds of growth, by what grows."""
    points = {}
    for row in rows:
        if row["work"] != "growth" or "bncc_s" not in row:
            continue
        name, _, shape = row["case"].partition(": ")
        sizes = [int(size.replace(",", "")) for size in shape.split(" x ")]
        points.setdefault(name, []).append((sizes[0] if name == "rows" else sizes[2], row["bncc_s"]))
    return points


def draw(points, path):
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
    for name, series in points.items():
        sizes, seconds = np.array(series).T
        (drawn,) = axes.loglog(sizes, seconds, marker="o", label=name)
        axes.loglog(sizes, seconds[0] * sizes / sizes[0], ":", color=drawn.get_color(), label=f"{name}, linear")
    axes.set(xlabel="number of rows or labels", ylabel="seconds on two cores")
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main():
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    source = "(`benchmarks/bench_linear.py`, recorded in `benchmarks/results/linear.json`"
    details = "every case, with how equal the results are, in [large data](docs/large-data.md).)"
    picture = "![Seconds over rows and over labels, both nearly straight](pictures/linear-growth.png)"
    texts = {
        README: f"{short_table(record)}\n\n{source}; {details}",
        PAGE: f"{table(record)}\n\n{picture}\n\n{source}.)",
    }
    for path, before in PLACES.items():
        path.write_text(with_table(path.read_text(encoding="utf-8"), texts[path], before), encoding="utf-8")
        print("written:", path.relative_to(ROOT))
    points = points_of(record["rows"])
    if points:
        draw(points, PICTURE)
        print("written:", PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
