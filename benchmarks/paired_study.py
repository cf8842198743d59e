"""What studies of methods and their twins share: work that can be interrupted, and effects with intervals.

A cell is a dict of plain values that says what to do; its answer has the same values and more. Answers are appended to
a file, one line each, and what is there is not done again. Recorded answers lie in `results` as NAME.jsonl.xz.
"""

from __future__ import annotations

import json
import lzma
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import RECORDED
from scipy import stats

from bncc.analysis import holm, rank_biserial, resampled_t, wilcoxon, win_tie_loss
from bncc.datasets import MultilabelStratifiedKFold, load

Cell = dict[str, Any]
HALVES = json.loads((Path(__file__).resolve().parent / "recommended_halves.json").read_text())
PROTOCOL = json.loads((Path(__file__).resolve().parent / "network_uses_protocol.json").read_text())


def read_lines(path: Path) -> list[Cell]:
    """The lines of a file of answers; of the recorded ones of that name where there is no file yet."""
    recorded = RECORDED / f"{path.name}.xz"
    if not path.exists() and recorded.exists():
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(lzma.decompress(recorded.read_bytes()))
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def record_lines(path: Path) -> None:
    """Keep the answers beside the results, so that each can be followed to its fold."""
    (RECORDED / f"{path.name}.xz").write_bytes(lzma.compress(path.read_bytes(), preset=9))


def work_off(
    cells: Iterable[Cell],
    keys: Sequence[str],
    answer: Callable[[Cell, list[Cell]], Cell | None],
    path: Path,
    minutes: float,
) -> list[Cell]:
    """Do the cells that are not in the file yet, until the minutes are over; all lines of the file."""
    start, lines = time.perf_counter(), read_lines(path)
    path.parent.mkdir(exist_ok=True, parents=True)
    done = {tuple(line[key] for key in keys) for line in lines}
    for cell in cells:
        if tuple(cell[key] for key in keys) in done:
            continue
        if time.perf_counter() - start > 60 * minutes:
            print("The minutes are over; run it again to go on.")
            break
        line = answer(cell, lines)
        if line is not None:
            lines.append(line)
            with path.open("a") as file:
                file.write(json.dumps(line, default=float) + "\n")
            shown = " ".join(f"{100 * value:.2f}" for value in line["values"].values())
            print(*(cell[key] for key in keys), shown, f"in {line['seconds']:.1f} s", flush=True)
    return lines


def seed_of(*parts: object) -> int:
    """A seed that is the same in every run; hashes of text are not."""
    return zlib.crc32(" ".join(map(str, parts)).encode()) % 2**31


class SetReader:
    """Data sets, scaled to at most one, and their outer folds; the last one is kept."""

    def __init__(self) -> None:
        self.held: tuple[str, Any] = "", None

    def __call__(self, name: str) -> tuple[Any, Any]:
        if self.held[0] != name:
            self.held = name, _read_set(name)
        return self.held[1]

    def rows(self, cell: Cell) -> tuple[Any, Any, Any, Any]:
        """Training and test rows of a cell; features scaled by the training rows."""
        X, Y = self(cell["set"])
        folds = MultilabelStratifiedKFold(PROTOCOL["folds"], shuffle=True, random_state=cell["repeat"])
        train, test = list(folds.split(X, Y))[cell["fold"]]
        low, high = X[train].min(axis=0), X[train].max(axis=0)
        scaled = (X - low) / np.where(high > low, high - low, 1.0)
        return scaled[train], Y[train], scaled[test], Y[test]


def _read_set(name: str) -> tuple[Any, Any]:
    data = load(name)
    X, Y = (part.toarray() if hasattr(part, "toarray") else np.asarray(part) for part in (data.X, data.Y))
    if len(X) > PROTOCOL["most_rows"]:
        kept = np.sort(np.random.default_rng(0).choice(len(X), PROTOCOL["most_rows"], replace=False))
        X, Y = X[kept], Y[kept]
    return X.astype(np.float64), Y[:, Y.any(axis=0)].astype(np.int64)


def fold_means(lines: Sequence[Cell], metric: str, **wanted: object) -> dict[str, dict[tuple[int, int], float]]:
    """Values by set and fold, draws averaged; of the lines that have what is wanted."""
    found: dict[str, dict[tuple[int, int], list[float]]] = {}
    for line in lines:
        if all(line[key] == value for key, value in wanted.items()):
            folds = found.setdefault(line["set"], {})
            folds.setdefault((line["repeat"], line["fold"]), []).append(line["values"][metric])
    return {name: {fold: float(np.mean(values)) for fold, values in folds.items()} for name, folds in found.items()}


def effects_of_sets(one: dict[str, Any], other: dict[str, Any], names: Sequence[str]) -> list[Cell]:
    """On each set, the mean difference over the folds that both have, its interval and p-value; in points."""
    rows = []
    for name in names:
        shared = sorted(one.get(name, {}).keys() & other.get(name, {}).keys())
        if len(shared) < 2:
            continue
        differences = 100 * np.array([one[name][fold] - other[name][fold] for fold in shared])
        test = resampled_t(differences, PROTOCOL["folds"])
        spread = (1 / len(shared) + 1 / (PROTOCOL["folds"] - 1)) * differences.var(ddof=1)
        half = float(stats.t.ppf(0.975, len(shared) - 1) * np.sqrt(spread))
        rows.append({"set": name, "difference": test.mean, "+-": half, "p": test.p_value, "folds": len(shared)})
    return rows


def effect_over_sets(rows: Sequence[Cell]) -> Cell:
    """The mean of the sets' differences with a 95 % interval, and what else speaks for or against it."""
    gains = np.array([row["difference"] for row in rows])
    nothing = np.zeros(len(gains))
    half = stats.t.ppf(0.975, len(gains) - 1) * gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.nan
    return {
        "sets": len(gains),
        "difference": float(gains.mean()),
        "+-": float(half),
        "wins/ties/losses": str(win_tie_loss(gains, nothing, decimals=6)),
        "rank-biserial": rank_biserial(gains, nothing, decimals=6),
        "p": wilcoxon(gains, nothing, decimals=6).p_value,
        "better, p < 0.05": sum(row["p"] < 0.05 and row["difference"] > 0 for row in rows),
        "worse, p < 0.05": sum(row["p"] < 0.05 and row["difference"] < 0 for row in rows),
    }


def corrected(rows: Sequence[Cell]) -> None:
    """Add Holm's p-values, over rows that are tests of one family."""
    for row, value in zip(rows, holm([row["p"] for row in rows]) if rows else [], strict=True):
        row["p (Holm)"] = float(value)
