"""The recorded run of bench_linear.py in README.md, docs/large-data.md and docs/pictures/linear-growth.png.

``python benchmarks/bench_linear.py --record`` first, on a machine that does nothing else; then
``python benchmarks/linear_page.py``. Each text stands between two comments, and is put in where they are missing. What
is not recorded is left out. One sentence is from the recorded run of bench_readers.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import linear_sentences as told
import numpy as np
from harness import between_comments
from linear_sentences import NAMES, shown, times

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "linear.json"
DEVICE_RECORD = RECORD.with_name("linear_cuda.json")
READERS_RECORD = RECORD.with_name("readers.json")
PICTURE = ROOT / "docs" / "pictures" / "linear-growth.png"
BEGIN, END = "<!-- linear engine, by benchmarks/linear_page.py -->", "<!-- end of the linear engine -->"
BEGIN_DROP, END_DROP = "<!-- weights dropped, by benchmarks/linear_page.py -->", "<!-- end of weights dropped -->"
# The lines that the tables are put before where a page has none yet: the README has the short one.
README, PAGE = ROOT / "README.md", ROOT / "docs" / "large-data.md"
PLACES = {README: "Label networks, measured on 2 cores", PAGE: "## More than one machine"}
BEFORE_DROP = '`drop_below="auto"` is'
PEERS = {
    "relevance": "`OneVsRestClassifier(LinearSVC(), n_jobs=2)`",
    "chain": "`ClassifierChain(LinearSVC())` of scikit-learn",
    "search": "`GridSearchCV` over `OneVsRestClassifier`",
    "prediction": "napkinXC",
}
WORDS = {
    "relevance": "binary relevance",
    "chain": "chain",
    "peers": "binary relevance",
    "large": "BNCC, network and chain",
    "search": "C search",
    "prediction": "prediction",
    "nystroem": "approximate RBF",
}
SOURCE = "(`benchmarks/bench_linear.py`, recorded in `benchmarks/results/linear.json`"
DRAWN = "![Seconds over rows and over labels, both nearly straight](pictures/linear-growth.png)"


def table(record):
    """The table as Markdown, with a line for each row of the run that has seconds of ours."""
    rows = record["rows"]
    lines = ["| linear engine, 2 cores | bncc | other | ratio | equal results |", "|---|---|---|---|---|"]
    lines += [line_of(row) for row in rows if row["work"] in WORDS and "bncc_s" in row]
    lines += [f"| {case} | {seconds} | | | {edges} |" for case, seconds, edges in hierarchies(rows)]
    lines += [
        f"| chain on one H200, {case} | {shown(seconds)} | whole BNCC fit on two cores: {shown(whole)} | "
        f"{times(whole / seconds)} | {told.near(device_run()['largest gap'])} |"
        for case, seconds, whole in told.device_lines(rows, device_run())
    ]
    for name, words in (("relevance", "binary relevance"), ("chain", "chains")):
        if f"mean_ratio_{name}" in record["notes"]:
            lines.append(f"| {words}, geometric mean | | | {record['notes'][f'mean_ratio_{name}']:.0f} | |")
    return "\n".join(lines)


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
        described = f"{mean:.0f} (geometric mean of {len(ratios)}: {ends})" if len(ratios) > 1 else f"{mean:.0f}"
        lines.append(f"| {work} | {other} | {described} |")
    lines += [
        f"| {WORDS[row['work']]}, {row['case']} | | {shown(row['bncc_s'])}, {row['peak_gb']:.1f} GB |"
        for row in record["rows"]
        if row["work"] in ("large", "prediction")
    ]
    lines += [f"| {case} | | {seconds} |" for case, seconds, _ in hierarchies(record["rows"])]
    lines += [
        f"| chain on one H200, {case} | whole BNCC fit on two cores | {times(whole / seconds)} ({shown(seconds)}) |"
        for case, seconds, whole in told.device_lines(record["rows"], device_run())
    ]
    return "\n".join(lines)


def device_run():
    """The solved chain on one H200, from the run of bench_linear_cuda.py."""
    rows = json.loads(DEVICE_RECORD.read_text("utf-8"))["rows"]
    return next(row for row in rows if row["what"].startswith("chain links"))


def hierarchies(rows):
    """(case, seconds, edges) of the network of labels in a hierarchy, and of the part that breaks its cycles."""
    for row in told.of_part(rows, "cycles", "break_cycles seconds"):
        n_rows, n_labels = (int(size) for size in row["what"].partition(", ")[2].split(" x "))
        case = f"{n_labels:,} labels in a hierarchy, child limit 2"
        yield f"network, {n_rows:,} rows, {case}", shown(row["seconds"]), ""
        yield (
            f"`break_cycles`, {case}",
            shown(row["break_cycles seconds"]),
            f"{row['kept']:,} of {row['edges']:,} edges kept",
        )


def line_of(row):
    peer = ""
    case = row["case"]
    if row["work"] == "peers":
        name, _, case = case.partition(", ")
        peer = NAMES[name]
    elif "peer_s" in row:
        peer = PEERS.get(row["work"], "")  # else the case names it
    other = f"{peer}: {shown(row['peer_s'])}".removeprefix(": ") if "peer_s" in row else ""
    ratio = times(row["ratio"]) if "ratio" in row else ""
    memory = f", {row['peak_gb']:.1f} GB" if row["work"] in ("large", "prediction") else ""
    return f"| {WORDS[row['work']]}, {case} | {shown(row['bncc_s'])}{memory} | {other} | {ratio} | {equal(row)} |"


def equal(row):
    if "peer_f1" in row:
        return f"F1 {row['f1']:.1f}, theirs {row['peer_f1']:.1f}"
    if "largest_gap" in row:
        return f"{told.near(row['largest_gap'])}; F1 of the best 5 on {row['new_rows']:,} new rows: {row['f1']:.1f}"
    if isinstance(row.get("excess"), float):
        labels = f"objectives of all {row['labels']:,} labels" if "labels" in row else "objective"
        return f"{labels} within {max(row['excess'], 0.0):.0e} above"
    return ""


def short_text(record):
    """What the README has."""
    details = "every case, with how equal the results are, in [large data](docs/large-data.md).)"
    return paragraphs(short_table(record), told.growth(record["rows"]), f"{SOURCE}; {details}")


def text(record):
    """What the page has."""
    rows = record["rows"]
    sentences = [told.peers_behind(rows), told.device_told(rows, device_run()), told.blocks(rows), told.passes(rows)]
    sentences.append(told.instruction_sets(rows))
    readers = json.loads(READERS_RECORD.read_text("utf-8"))
    ends = [told.growth(rows), DRAWN, f"{SOURCE}.)", told.dates(record), told.reading(readers)]
    return paragraphs(table(record), *sentences, *ends)


def paragraphs(*parts):
    """
    >>> paragraphs("one", "", "two")
    'one\\n\\ntwo'
    """
    return "\n\n".join(part for part in parts if part)


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


def with_texts(pages, record):
    """The pages with what is recorded: texts by path."""
    out = {
        README: with_table(pages[README], short_text(record), PLACES[README]),
        PAGE: with_table(pages[PAGE], text(record), PLACES[PAGE]),
    }
    lost = told.dropped(record["rows"])
    if lost:
        out[PAGE] = between_comments(out[PAGE], BEGIN_DROP, END_DROP, lost, BEFORE_DROP)
    return out


def main():
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    pages = {path: path.read_text(encoding="utf-8") for path in PLACES}
    for path, page in with_texts(pages, record).items():
        path.write_text(page, encoding="utf-8")
        print("written:", path.relative_to(ROOT))
    points = points_of(record["rows"])
    if points:
        draw(points, PICTURE)
        print("written:", PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
