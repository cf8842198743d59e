"""Soak test: fit, predict, save, load, evaluate, kill and resume in a loop; memory and open files must stay flat.

    python benchmarks/soak.py --minutes 60 --record

Every round runs in this process, but for the study that is killed: that one is a child, killed with SIGKILL in the
middle and resumed here. After a warm-up (the first fifth) memory and open files are fitted by a line over the rounds;
the slope must be within what is stated below, or the exit status is 1.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import finish

from bncc.datasets import load, make_scenes, save
from bncc.evaluation import EvaluationPlan, Reading, compare_methods, read_labelled
from bncc.experiment import Store, load_protocol, run_study
from bncc.multilabel import BNCC, load_model, save_model

MOST_GROWTH_PER_HOUR = 64.0  # MB of resident memory
MOST_FILES_PER_HOUR = 1.0
WARM_UP = 0.2  # of the time

STUDY = """
datasets = [{ name = "scenes", path = "scenes.csv", labels = -10 }]
metrics = ["macro_f1"]
seed = 1
[folds]
n = 3
repeats = 6
[selection]
sigma = [2]
C = [10]
[methods.BR]
estimator = "BinaryRelevance"
[methods.BNCC]
estimator = "BNCC"
"""


def resident_megabytes() -> float:
    """Memory of this process."""
    fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def open_files() -> int:
    """Open files of this process."""
    return len(os.listdir("/proc/self/fd"))


def learn_and_keep(folder: Path, seed: int) -> None:
    """Fit, predict, save and load; the loaded model answers as the fitted one."""
    data = make_scenes(150, random_state=seed)
    save(data, folder / "data.csv")
    read = load(folder / "data.csv", labels=-10)
    model = BNCC().fit(read.X, read.Y)
    save_model(model, folder / "model.bncc")
    again = load_model(folder / "model.bncc")
    assert (again.predict(read.X) == model.predict(read.X)).all()


def compare(folder: Path) -> None:
    """Cross-validate two methods."""
    labelled = read_labelled(folder / "data.csv", Reading(labels=-10))
    assert compare_methods(labelled, EvaluationPlan(methods=["br", "cc"], folds=2))


def kill_and_resume(folder: Path) -> None:
    """Kill a study once it has stored something, resume it here, and see that it is whole."""
    store = folder / "study.sqlite"
    store.unlink(missing_ok=True)
    command = [sys.executable, "-m", "bncc", "experiment", "run", "study.toml", "-s", str(store), "--quiet"]
    child = subprocess.Popen(command, cwd=folder)
    deadline = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < deadline and not (store.exists() and store.stat().st_size):
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    last = run_study(load_protocol(folder / "study.toml"), store)
    assert (last.done, last.failures) == (last.total, ())
    with Store.read(store) as opened:
        assert len(opened.done()) == last.total


def soak(minutes: float) -> list[tuple[float, float, int]]:
    """Rounds until the time is over: seconds, megabytes and open files after each."""
    rounds: list[tuple[float, float, int]] = []
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.toml").write_text(STUDY, encoding="utf-8")
        save(make_scenes(120, random_state=0), folder / "scenes.csv")
        while time.monotonic() - begin < 60 * minutes:
            learn_and_keep(folder, len(rounds))
            compare(folder)
            kill_and_resume(folder)
            gc.collect()
            rounds.append((time.monotonic() - begin, resident_megabytes(), open_files()))
    return rounds


def slope_per_hour(seconds: np.ndarray, values: np.ndarray) -> float:
    """Of a line through the values by least squares."""
    return float(3600 * np.polyfit(seconds, values, 1)[0]) if len(seconds) > 2 else float("nan")


def summarise(rounds: list[tuple[float, float, int]], minutes: float) -> dict[str, object]:
    """The slopes after the warm-up, and whether they are flat: growth over the run counts where it was short."""
    seconds, megabytes, files = (np.array(column, float) for column in zip(*rounds, strict=True))
    kept = seconds > WARM_UP * seconds[-1]
    memory, open_slope = (slope_per_hour(seconds[kept], values[kept]) for values in (megabytes, files))
    hours = max((seconds[-1] - seconds[kept][0]) / 3600, 1e-9)
    flat = memory * min(hours, 1) <= MOST_GROWTH_PER_HOUR and open_slope * min(hours, 1) <= MOST_FILES_PER_HOUR
    return {
        "minutes": minutes,
        "rounds": len(rounds),
        "megabytes_first_last": [round(float(megabytes[kept][0]), 1), round(float(megabytes[-1]), 1)],
        "megabytes_per_hour": round(memory, 2),
        "open_files_first_last": [int(files[kept][0]), int(files[-1])],
        "open_files_per_hour": round(open_slope, 3),
        "flat": bool(flat),
    }


def main() -> None:
    """Soak, tell, and fail where something grows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--record", action="store_true", help="write the run to results/soak.json")
    options = parser.parse_args()
    result = summarise(soak(options.minutes), options.minutes)
    finish("soak", [result])
    raise SystemExit(0 if result["flat"] else 1)


if __name__ == "__main__":
    main()
