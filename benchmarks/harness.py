"""What every benchmark does at its end: print a table, compare with the last recorded run, write JSON.

A benchmark builds rows (dicts with the same keys) and calls `finish`; `between_comments` puts a text into a page. Run a
script with ``--record`` to make its figures the new recorded run (``benchmarks/results/NAME.json``); otherwise they go
to ``out/NAME.json``.
Timings are compared as ratios within one run, so a benchmark reports ratios beside seconds.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECORDED = Path(__file__).resolve().parent / "results"
_MOST_TOLD = 500  # characters of a note; the file has all of it
os.environ.setdefault("BNCC_DATA", str(ROOT.parent / "shared" / "data"))


def best_of(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Least wall-clock seconds over some repeats, and the last result."""
    seconds, result = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def best_within(run: Callable[[], Any], seconds: float = 2.0, most: int = 20) -> tuple[float, Any]:
    """As `best_of`, with as many repeats as begin within some seconds: more of short runs, hit hardest by noise."""
    begin, least, result = time.perf_counter(), float("inf"), None
    for _ in range(most):
        once, result = best_of(run, 1)
        least = min(least, once)
        if time.perf_counter() - begin > seconds:
            break
    return least, result


def peak_memory_gb() -> float:
    """Highest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version()}


def provenance(*packages: str) -> dict[str, Any]:
    """Day, commit, and versions of packages: where figures come from."""
    return {
        "date": date.today().isoformat(),
        "commit": commit(),
        "versions": {name: version(name) for name in packages},
    }


def commit() -> str:
    """As `git describe --always --dirty`, where recorded figures make nothing dirty; empty outside a repository."""

    def git(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)

    described = git("describe", "--always").stdout.strip()
    changed = git("diff", "--quiet", "HEAD", "--", ".", ":!benchmarks/results").returncode == 1
    return f"{described}-dirty" if described and changed else described


def finish(name: str, rows: Sequence[dict[str, Any]], **notes: Any) -> None:
    """Print the rows beside the last recorded run and write them as JSON."""
    print(f"\n{name}")
    print(_table(rows))
    for key, value in notes.items():
        told = str(value)
        print(f"{key}: {told if len(told) <= _MOST_TOLD else told[:_MOST_TOLD] + ' ...'}")
    recorded = RECORDED / f"{name}.json"
    if recorded.exists():
        _compare(rows, json.loads(recorded.read_text()))
    target = recorded if "--record" in sys.argv else ROOT / "out" / f"{name}.json"
    target.parent.mkdir(exist_ok=True)
    content = {"machine": machine(), "notes": notes, "rows": list(rows)}
    target.write_text(json.dumps(content, indent=1, default=float) + "\n")
    print(f"written: {target.relative_to(ROOT)}")


def between_comments(page: str, begin: str, end: str, text: str, before: str) -> str:
    """The page with the text between two comments, which are put before a line where there are none."""
    block = f"{begin}\n{text}\n{end}"
    if begin in page:
        head, _, rest = page.partition(begin)
        return head + block + rest.partition(end)[2]
    if before not in page:
        raise SystemExit(f"no line begins with {before!r}; put {begin} and {end} where the text belongs.")
    return page.replace(before, f"{block}\n\n{before}", 1)


def wrapped(text: str, width: int = 140) -> str:
    """A paragraph in lines as long as those of the pages; an interval stays in one line."""
    kept = text.replace(" ± ", "\0±\0")
    return textwrap.fill(kept, width, break_long_words=False, break_on_hyphens=False).replace("\0", " ")


def _table(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return "(no rows)"
    keys = list(dict.fromkeys(key for row in rows for key in row))
    cells = [keys, *([_show(row.get(key, "")) for key in keys] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(keys))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def _show(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _compare(rows: Sequence[dict[str, Any]], recorded: dict[str, Any]) -> None:
    """Say how each figure moved; rows are matched by their texts and whole numbers."""

    def key(row: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(value for value in row.values() if isinstance(value, str))

    before = {key(row): row for row in recorded["rows"]}
    moved = []
    for row in rows:
        old = before.get(key(row), {})
        for name, value in row.items():
            then = old.get(name)
            if isinstance(value, float) and isinstance(then, float | int) and then and value:
                change = value / then
                if not 0.8 < change < 1.25:
                    moved.append(f"  {' '.join(map(str, key(row)))} {name}: {then:.4g} -> {value:.4g}")
    print(f"against the recorded run on {recorded['machine']['cpu']}:")
    print("\n".join(moved) if moved else "  nothing moved by more than a quarter")
