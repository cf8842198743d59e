"""Time of a whole study, in parts that fit a time limit: run it again to go on where it was.

`python bench_study.py paper --store paper.sqlite --minutes 9` runs what is missing of a protocol for nine minutes and
prints the seconds of each data set and method so far. With `--engine cuda` the links are solved on a GPU; a few
`--workers` then keep it busy while others describe links and score.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from harness import ROOT, finish

from bncc.experiment import Progress, Store, load_protocol, run_study


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
    store_path = options.store or ROOT / "out" / f"{Path(options.protocol).stem}.sqlite"
    begin = time.perf_counter()

    def report(progress: Progress) -> None:
        if time.perf_counter() - begin > 60 * options.minutes:
            raise TimeIsUp

    protocol = replace(load_protocol(options.protocol), engine=options.engine)
    workers = options.workers
    executor = None if workers == 1 else ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        last = run_study(protocol, store_path, executor=executor, report=report)
        print(f"complete, {len(last.failures)} failures", *last.failures, sep="\n")
    except TimeIsUp:
        print("time is up")
    wall = time.perf_counter() - begin
    with Store.read(store_path) as store:
        done, engines = store.done(), {record.engine for record in store.records()}
    methods = [method.name for method in protocol.methods]
    rows = []
    for source in protocol.datasets:
        own = {
            m: sum(s for task, s in done.items() if (task.dataset, task.method) == (source.name, m)) for m in methods
        }
        parts = sum(task.dataset == source.name for task in done)
        rows.append({"data set": source.name, "parts": parts} | own | {"all": sum(own.values())})
    total = sum(row["all"] for row in rows)
    notes = {"wall": round(wall, 1), "seconds": round(total, 1), "workers": workers, "engines": sorted(engines)}
    finish(f"study_{protocol.name}", rows, **notes)
    sys.stdout.flush()
    for process in multiprocessing.active_children():  # do not wait for what still runs
        process.kill()
    os._exit(0)


if __name__ == "__main__":
    main()
