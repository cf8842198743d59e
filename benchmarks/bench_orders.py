"""Does the order of a chain matter? The network's, by entropy, reversed, searched on validation folds, against random.

At one sigma and C for all orders of a fold, as `network_uses_protocol.json` says under "orders"; an effect with an
interval over all sets. Every answer is one line of a file, and what is there is not done again.

    python benchmarks/bench_orders.py [--sets emotions,flags] [--repeats 2] [--draws 10] [--engine cuda]
        [--minutes 60] [--runs FILE] [--record]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from harness import ROOT, finish
from paired_study import (
    HALVES,
    PROTOCOL,
    Cell,
    SetReader,
    corrected,
    effect_over_sets,
    effects_of_sets,
    fold_means,
    record_lines,
    seed_of,
    work_off,
)

from bncc import ClassifierChain, learn_network
from bncc.datasets import MultilabelStratifiedKFold
from bncc.metrics import evaluate, get_scorer
from bncc.selection import BatchSearchCV
from bncc.structure import entropy_order
from bncc.svm import KernelSVC

KEYS = ("set", "repeat", "fold", "order", "draw")
METRICS = tuple(PROTOCOL["metrics"])
ORDERS = tuple(PROTOCOL["orders"]["orders"])
READ = SetReader()


def inner_results(order: Sequence[int] | None, grid: Any, X: Any, Y: Any, engine: str) -> Any:
    """Scores of a chain on the inner folds for all settings of a grid."""
    folds = list(MultilabelStratifiedKFold(PROTOCOL["inner_folds"], shuffle=False).split(X, Y))
    scorers = {metric: get_scorer(metric) for metric in METRICS}
    chain = ClassifierChain(KernelSVC(engine=engine), order=order)
    return BatchSearchCV(chain, grid, scoring=scorers, cv=folds, refit=False, engine=engine).fit(X, Y).cv_results_


def shared_settings(X: Any, Y: Any, engine: str) -> dict[str, dict[str, float]]:
    """Sigma and C that are best for each metric, for a chain in the order of the columns."""
    found = inner_results(None, PROTOCOL["kernel_grid"], X, Y, engine)
    return {metric: found["params"][int(np.argmin(found[f"rank_test_{metric}"]))] for metric in METRICS}


def random_orders(cell: Cell, n_labels: int, n_draws: int) -> list[list[int]]:
    """The orders of the draws of a fold: the same ones for "random" and for "searched"."""
    seeds = [seed_of(cell["set"], cell["repeat"], cell["fold"], draw) for draw in range(n_draws)]
    return [np.random.default_rng(seed).permutation(n_labels).tolist() for seed in seeds]


def orders_of(
    cell: Cell, settings: dict[str, dict[str, float]], X: Any, Y: Any, options: argparse.Namespace
) -> dict[str, list[int]]:
    """The order of a cell, for each metric."""
    if cell["order"] == "searched":
        return searched_orders(cell, settings, X, Y, options)
    if cell["order"] == "random":
        order = random_orders(cell, Y.shape[1], cell["draw"] + 1)[-1]
    elif cell["order"] == "entropy":
        order = list(entropy_order(Y))
    else:
        order = list(learn_network(Y).order)
        order = order[::-1] if cell["order"] == "reversed" else order
    return dict.fromkeys(METRICS, order)


def searched_orders(
    cell: Cell, settings: dict[str, dict[str, float]], X: Any, Y: Any, options: argparse.Namespace
) -> dict[str, list[int]]:
    """Of the random orders the best on the inner folds, for each metric at its settings; the first of equals."""
    orders = random_orders(cell, Y.shape[1], options.draws)
    grid = [{name: [value] for name, value in each.items()} for each in settings.values()]
    values = {metric: np.zeros(len(orders)) for metric in METRICS}
    for place, order in enumerate(orders):
        found = inner_results(order, grid, X, Y, options.engine)
        for number, metric in enumerate(METRICS):
            values[metric][place] = found[f"mean_test_{metric}"][number]
    return {metric: orders[int(values[metric].argmax())] for metric in METRICS}


def answer(cell: Cell, lines: Sequence[Cell], options: argparse.Namespace) -> Cell:
    """The values of one order on one fold."""
    X, Y, X_test, Y_test = READ.rows(cell)
    start = time.perf_counter()
    same_fold = (line for line in lines if all(line[key] == cell[key] for key in KEYS[:3]))
    settings = next((line["settings"] for line in same_fold), None) or shared_settings(X, Y, options.engine)
    orders = orders_of(cell, settings, X, Y, options)
    values: dict[str, float] = {}
    for metric in METRICS:
        chain = ClassifierChain(KernelSVC(engine=options.engine, **settings[metric]), order=orders[metric])
        predicted = np.asarray(chain.fit(X, Y).predict(X_test))
        values[metric] = evaluate(Y_test, predicted, metrics=[metric])[metric]
    return {**cell, "values": values, "settings": settings, "seconds": time.perf_counter() - start}


def cells_of(options: argparse.Namespace) -> Iterator[Cell]:
    for repeat in range(options.repeats):
        for name in options.sets:
            for fold in range(PROTOCOL["folds"]):
                for order in ORDERS:
                    for draw in range(options.draws if order == "random" else 1):
                        yield {"set": name, "repeat": repeat, "fold": fold, "order": order, "draw": draw}


def sum_up(lines: Sequence[Cell], names: Sequence[str]) -> tuple[list[Cell], list[Cell]]:
    """The effect of each order against the mean of the random ones: over all sets, and on each."""
    rows, of_sets = [], []
    for metric in METRICS:
        random = fold_means(lines, metric, order="random")
        of_metric = []
        for order in ORDERS:
            each = effects_of_sets(fold_means(lines, metric, order=order), random, names) if order != "random" else []
            if each:
                of_metric.append({"metric": metric, "order": order, **effect_over_sets(each)})
            of_sets += [{"metric": metric, "order": order, **row} for row in each]
        corrected(of_metric)
        rows += of_metric
    return rows, of_sets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    everything = [*HALVES["A"], *HALVES["B"]]
    parser.add_argument("--sets", type=lambda text: text.split(","), default=everything)
    parser.add_argument("--repeats", type=int, default=PROTOCOL["repeats"])
    parser.add_argument("--draws", type=int, default=PROTOCOL["orders"]["draws"])
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--runs", default=str(ROOT / "out" / "orders_runs.jsonl"))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    lines = work_off(
        cells_of(options),
        KEYS,
        lambda cell, before: answer(cell, before, options),
        Path(options.runs),
        options.minutes,
    )
    rows, of_sets = sum_up(lines, everything)
    if rows:
        finish("orders", rows, of_sets=of_sets, protocol=PROTOCOL["orders"], runs=len(lines))
    if options.record:
        record_lines(Path(options.runs))


if __name__ == "__main__":
    main()
