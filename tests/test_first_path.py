"""The README's own path: from a clean environment and a file nobody has seen to predictions and a page, in minutes."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from absence import ROOT
from repair_orders import JOBS, repair_orders, write_orders

MOST_SECONDS = 300


def run(*command, folder, environment):
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that `make wheel` left, if it is newer than the sources; else one that is built here."""
    sources = max(path.stat().st_mtime for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".cpp", ".hpp"))
    built = sorted((ROOT / "dist").glob("bncc-*.whl"), key=lambda path: path.stat().st_mtime)
    if built and built[-1].stat().st_mtime > sources:
        return built[-1]
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("wheel")
    command = (sys.executable, "-m", "build", "--quiet", "--wheel", "--outdir", folder)
    run(*command, folder=ROOT, environment=os.environ)
    return next(folder.glob("bncc-*.whl"))


def clean_environment(folder, wheel):
    """A new environment with the package and its command line alone; gives its programs and its variables."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("BNCC", "PYTHON", "VIRTUAL"))
    }
    run(sys.executable, "-m", "venv", folder / "venv", folder=folder, environment=variables)
    programs = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    run(programs / "pip", "install", "--quiet", f"{wheel}[cli]", folder=folder, environment=variables)
    return programs, variables


def f1_of_rows(truth, predicted):
    both = (truth & predicted).sum(axis=1)
    total = truth.sum(axis=1) + predicted.sum(axis=1)
    return np.where(total == 0, 1.0, 2 * both / np.maximum(total, 1)).mean()


@pytest.mark.slow
def test_a_newcomer_gets_predictions_and_a_page(wheel, tmp_path, capsys):
    seed = int.from_bytes(os.urandom(4), "big")
    with capsys.disabled():
        print(f"\nrepair orders drawn with seed {seed}")
    header, rows = repair_orders(900, seed)
    write_orders(tmp_path / "orders.csv", header, rows[:700])
    write_orders(tmp_path / "new.csv", header, rows[700:], without=["jobs"])
    begin = time.perf_counter()
    programs, variables = clean_environment(tmp_path, wheel)

    def bncc(*words):
        return run(programs / "bncc", *words, folder=tmp_path, environment=variables)

    bncc("analyse", "orders.csv", "--labels", "jobs", "--page", "labels.html")
    bncc("evaluate", "orders.csv", "--labels", "jobs", "--methods", "br", "--folds", "3", "--page", "report.html")
    bncc("fit", "orders.csv", "--labels", "jobs", "-o", "orders.bncc")
    bncc("predict", "orders.bncc", "new.csv", "-o", "jobs.csv", "--keep", "order")
    seconds = time.perf_counter() - begin
    assert seconds < MOST_SECONDS, f"it took {seconds:.0f} seconds (seed {seed})"
    for page in ("labels.html", "report.html"):
        text = (tmp_path / page).read_text(encoding="utf-8")
        assert text.lstrip().lower().startswith("<!doctype html")
        assert "exhaust" in text
    _check_predictions(tmp_path / "jobs.csv", rows[700:], seed)


def _check_predictions(file: Path, rows, seed):
    with file.open(encoding="utf-8", newline="") as stream:
        answers = list(csv.DictReader(stream))
    assert [answer["order"] for answer in answers] == [row[0] for row in rows]
    truth = np.array([[job in row[-1].split(" | ") for job in JOBS] for row in rows])
    predicted = np.array([[answer[job] == "1" for job in JOBS] for answer in answers])
    usual = np.broadcast_to(truth.mean(axis=0) > 0.25, truth.shape)
    score, baseline = f1_of_rows(truth, predicted), f1_of_rows(truth, usual)
    assert score > baseline + 0.15, f"F1 {score:.2f}, of the usual jobs {baseline:.2f} (seed {seed})"


def test_orders_differ_by_seed_and_hold_what_they_should():
    """The generator, without an environment: another seed means other words."""
    header, rows = repair_orders(50, 1)
    assert repair_orders(50, 1) == (header, rows)
    assert repair_orders(50, 2)[1] != rows
    assert {job for row in rows for job in row[-1].split(" | ") if job} == set(JOBS)
    assert any(not row[4] for row in rows)
