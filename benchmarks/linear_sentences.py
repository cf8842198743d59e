"""Sentences from the recorded run of bench_linear.py, for linear_page.py; empty where the run has no such rows."""

from __future__ import annotations

NAMES = {"libmultilabel": "LibMultiLabel `train_1vsrest`", "napkinxc": "napkinXC `BR`"}
AIMS = {"libmultilabel": 12, "napkinxc": 6}  # times as fast
TOLD_VERSIONS = {"scikit-learn": "scikit-learn", "libmultilabel": "LibMultiLabel", "napkinxc": "napkinXC"}
METHODS = {"BinaryRelevance": "binary relevance", "BNCC": "BNCC"}
DEVICE_COMMAND = "benchmarks/bench_linear_cuda.py --rows 1000000 --features 100000 --labels 10000"


def shown(seconds):
    """
    >>> shown(0.0123), shown(4.26), shown(312.4)
    ('0.012 s', '4.3 s', '312 s')
    """
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s"


def times(ratio):
    """
    >>> times(4.97), times(96.5)
    ('5.0', '96')
    """
    return f"{ratio:.{0 if ratio >= 10 else 1}f}"


def ends(values, digits=0):
    """
    >>> ends([14.2, 17.9]), ends([14.2, 14.4])
    ('14 to 18', '14')
    """
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def listed(words):
    """
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def near(gap):
    """
    >>> near(0.00098)
    'objectives of all links within 1e-03 of the optimum'
    """
    return f"objectives of all links within {gap:.0e} of the optimum"


def of_part(rows, work, *keys):
    """The rows of a part that have these fields."""
    return [row for row in rows if row["work"] == work and all(key in row for key in keys)]


def growth(rows):
    found = {row["case"].split(":")[0]: row["slope"] for row in of_part(rows, "growth", "slope")}
    if not found:
        return ""
    told = " and ".join(f"{name} to the power of {slope:.2f}" for name, slope in found.items())
    return f"Time grows with the number of {told} (log-log)."


def peers_behind(rows):
    """Which cases miss the aim."""
    cases = of_part(rows, "peers", "ratio")
    behind = []
    for row in cases:
        name, _, case = row["case"].partition(", ")
        if row["ratio"] < AIMS[name]:
            behind.append(f"{NAMES[name]} on {case} ({times(row['ratio'])})")
    if not cases:
        return ""
    aim = listed([f"{times_as_fast} times as fast as {NAMES[name]}" for name, times_as_fast in AIMS.items()])
    return f"The aim is {aim}. " + (f"Behind it: {listed(behind)}." if behind else "Every case reaches it.")


def blocks(rows):
    """The large fit, block by block."""
    return "\n\n".join(_blocks_of(row) for row in of_part(rows, "large", "seconds_per_block"))


def _blocks_of(row):
    n_labels, threads = int(row["case"].split(" x ")[2].replace(",", "")), row.get("threads", 2)
    n_blocks, each = -(-n_labels // 16), row["seconds_per_block"]
    return (
        f"The {row['case']} fit is {n_blocks:,} blocks of 16 labels. A block takes {each:.2f} seconds: "
        f"{row['updates']:.1f} updates and {row['checks']:.1f} checks per row, with {100 * row['active']:.0f} % of the "
        f"rows active at the end. M / 16 * seconds / threads is {n_blocks:,} * {each:.2f} / {threads} = "
        f"{n_blocks * each / threads:.0f} of its {row['bncc_s']:.0f} seconds; the network takes {row['network_s']:.1f}."
    )


def passes(rows):
    """What passes over the rows touch, beside what memory streams."""
    found = of_part(rows, "bound", "stream_all_gb_per_s")
    if not found:
        return ""
    threads, one, both = (found[0][key] for key in ("threads", "stream_gb_per_s", "stream_all_gb_per_s"))
    each = [row["gb_per_s"] for row in found]
    shares = [threads * rate / both for rate in each]
    told = (
        "A visit to a row touches 72 bytes for each stored feature (value, column, the weights of sixteen labels), and "
        f"an update twice as many. Blocks of frequent to rare labels touch {ends(each)} GB per second and thread, "
        f"{ends([threads * rate for rate in each])} on {threads} threads. Memory streams {one:.0f} GB per second to "
        f"one thread and {both:.0f} to {threads} together; the passes run at {ends([100 * s for s in shares])} % of it"
    )
    if max(shares) >= 1:
        return f"{told}: weights that stay in the caches are touched faster than memory streams."
    return f"{told}; at its full rate the same visits would be {ends([1 / s for s in shares], 1)} times as fast."


SETS = {"avx512": "AVX-512", "avx2": "AVX2", "baseline": "neither"}


def instruction_sets(rows):
    """What the same fits take on processors with fewer instructions."""
    cases: dict[str, list[str]] = {}
    for row in of_part(rows, "instructions", "instructions"):
        cases.setdefault(row["case"], []).append(f"{shown(row['bncc_s'])} with {SETS[row['instructions']]}")
    if not cases:
        return ""
    told = "; ".join(f"{case}: {', '.join(seconds)}" for case, seconds in cases.items())
    return f"By what the processor has (`BNCC_SIMD` chooses), binary relevance, {told}."


def device_lines(rows, device):
    """(solve and case, seconds on one H200, seconds of the whole fit on two cores) of the large case."""
    return [
        (f"{solve} solve, {row['case']}", device[key], row["bncc_s"])
        for row in of_part(rows, "large")
        for solve, key in (("first", "first solve s"), ("second", "solve s"))
    ]


def device_told(rows, device):
    if not of_part(rows, "large"):
        return ""
    return (
        "The lines of the H200 are the links of one chain alone, from a batch that is prepared "
        f"({shown(device['batch s'])}): solved for the first time in a process, which asks for memory and "
        "compiles the kernels that CuPy has not kept on disk, and for the second time. They are set against the whole "
        "fit of BNCC on two cores, with its network. "
        f"(`{DEVICE_COMMAND}`, recorded in `benchmarks/results/linear_cuda.json`.)"
    )


def dropped(rows):
    """Table of what dropping weights loses."""
    found = of_part(rows, "drop", "share")
    if not found:
        return ""
    groups: dict[tuple[str, str], dict[float, dict]] = {}
    for row in found:
        groups.setdefault(tuple(row["case"].split(", ")[:2]), {})[row["share"]] = row
    sets, methods = (list(dict.fromkeys(names)) for names in zip(*groups, strict=True))
    lines = [
        f"Points of F1 that are lost at most, over {listed(sets)}, each with "
        f"{listed([METHODS[name] for name in methods])} (every row held out once; "
        "`benchmarks/bench_linear.py --only drop`):",
        "",
        "| share | micro F1 | example F1 | macro F1 | weights left |",
        "|---|---|---|---|---|",
    ]
    for share in sorted({row["share"] for row in found} - {0.0}):
        pairs = [(cases[0.0], cases[share]) for cases in groups.values()]
        losses = [max(whole[name] - left[name] for whole, left in pairs) for name in F1]
        left = [100 * left["weights_per_label"] / whole["weights_per_label"] for whole, left in pairs]
        lines.append(f"| {share:g} | {' | '.join(f'{max(loss, 0):.2f}' for loss in losses)} | {ends(left)} % |")
    return "\n".join(lines)


F1 = ("micro_f1", "example_f1", "macro_f1")


def dates(record):
    """When each part was recorded, from which commit, beside which versions of the others."""
    parts = record["notes"].get("parts", {})
    if not parts:
        return ""
    groups: dict[str, list[str]] = {}
    for name, source in parts.items():
        groups.setdefault(f"{source['date']} ({source['commit']})", []).append(f"`{name}`")
    told = "; ".join(f"{listed(names)} on {when}" for when, names in groups.items())
    earlier = dict.fromkeys(row["work"] for row in record["rows"] if row["work"] not in parts)
    if earlier:
        told += f"; {listed([f'`{name}`' for name in earlier])} earlier"
    versions = {
        words: sorted({source["versions"][name] for source in parts.values() if name in source["versions"]})
        for name, words in TOLD_VERSIONS.items()
    }
    beside = listed([f"{words} {' / '.join(found)}" for words, found in versions.items() if found])
    return f"Parts recorded: {told}. Beside {beside}."


def reading(record):
    """Seconds for a million rows of sparse text, from the run of bench_readers.py."""
    told = [
        f"{row['format']} in {shown(row['seconds'])} ({row['MB/s']:.0f} MB/s, with at most "
        f"{row['peak memory / data set']:.1f} times the memory of the data set)"
        for row in record["rows"]
        if row["kind"] == "sparse text" and "format" in row
    ]
    if not told:
        return ""
    ratio = next(row[PEER_READER] for row in record["rows"] if PEER_READER in row)
    return (
        f"Files of a million rows of 40 features and 5 labels are read from {listed(told)}; LIBSVM "
        f"{times(ratio)} times as fast as by scikit-learn's `load_svmlight_file` "
        "(`benchmarks/bench_readers.py`, recorded in `benchmarks/results/readers.json`)."
    )


PEER_READER = "faster than load_svmlight_file"
