"""Time of a whole study, in parts that fit a time limit: run it again to go on where it was.

`python bench_study.py paper --store paper.sqlite --minutes 9` runs what is missing of a protocol for nine minutes and
prints the seconds of each data set and method so far. With `--engine cuda` the links are solved on a GPU; a few
`--workers` then keep it busy while others describe links and score. The wall time of every part is kept beside the
store, and "wall" is their sum.
"""

from __future__ import annotations

import argparse
import json
import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path

from harness import ROOT, finish

from bncc.experiment import Store, StudyProgress, load_protocol, local_executor, run_study
from bncc.svm.cuda.device import current_device


class TimeIsUp(Exception):
    pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("protocol", nargs="?", default="quick")
    parser.add_argument("--store")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--workers", type=int, default=1, help="processes, which share the engine")
    options, _ = parser.parse_known_args()
    (ROOT / "out").mkdir(exist_ok=True)
    store_path = Path(options.store or ROOT / "out" / f"{Path(options.protocol).stem}.sqlite")
    protocol = replace(load_protocol(options.protocol), engine=options.engine)
    walls_path = store_path.with_suffix(f".{protocol.name}.json")
    if not store_path.exists():
        walls_path.unlink(missing_ok=True)
    begin = time.perf_counter()

    def report(progress: StudyProgress) -> None:
        if time.perf_counter() - begin > 60 * options.minutes:
            print(f"time is up: {progress.done} of {progress.total} parts")
            raise TimeIsUp

    with suppress(TimeIsUp), local_executor(options.workers) if options.workers > 1 else nullcontext() as executor:
        last = run_study(protocol, store_path, executor=executor, report=report)
        print(f"complete, {len(last.failures)} failures", *last.failures, sep="\n")
    walls = add_wall(walls_path, time.perf_counter() - begin)
    with Store.read(store_path) as store:
        done, engines = store.done(), {record.engine for record in store.records()}
    rows = []
    for source in protocol.datasets:
        own = {method.name: 0.0 for method in protocol.methods}
        for task, seconds in done.items():
            if task.dataset == source.name and task.method in own:
                own[task.method] += seconds
        parts = sum(task.dataset == source.name and task.method in own for task in done)
        rows.append({"data set": source.name, "parts": parts} | own | {"all": sum(own.values())})
    notes = {
        "wall": round(sum(walls), 1),
        "walls of parts": walls,
        "seconds": round(sum(row["all"] for row in rows), 1),
        "workers": options.workers,
        "engines": sorted(engines),
        "device": current_device().name if "cuda" in engines else None,
    }
    finish(f"study_{protocol.name}", rows, **notes)


def add_wall(path: Path, seconds: float) -> list[float]:
    """The wall times of all parts so far, this one added."""
    walls = [*(json.loads(path.read_text()) if path.exists() else []), round(seconds, 1)]
    path.write_text(json.dumps(walls))
    return walls


if __name__ == "__main__":
    main()
