"""Runs of `bench_recommended.py`: one line of a file per method, metric, set, repeat and fold, done once."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
from recommended_methods import (
    METHODS,
    OF_BLEND,
    blend_answers,
    installed,
    other_answer,
    paper_metric,
    read_set,
    seed_of,
)

from bncc.datasets import MultilabelStratifiedKFold
from bncc.metrics import evaluate, get_metric

N_FOLDS = 3
N_PAPER_FOLDS = 10
CURVE_SETS = ("yeast", "education", "bibtex")
CURVE_LIMITS = (5, 20, 60, 300)
F_MEASURES = ("example_f1", "macro_f1", "micro_f1")
#: Seconds for methods that are tuned in the time of a blend, where there is no blend's time.
SECONDS = 60.0


def key_of(line):
    return tuple(line[name] for name in ("part", "set", "repeat", "fold", "method", "metric"))


def tasks_of(options):
    """What is to be done, folds of all sets before the next repeat; the blend first, whose time others have."""
    if options.paper:
        for name in options.sets:
            for metric in F_MEASURES:
                for fold in range(N_PAPER_FOLDS):
                    yield _task("paper", name, 0, fold, "blend", metric)
    elif options.curve:
        for name in [name for name in options.sets if name in CURVE_SETS] or options.sets:
            for fold in range(N_FOLDS):
                for limit in CURVE_LIMITS:
                    yield _task("curve", name, 0, fold, f"blend@{limit}", "example_f1")
                yield _task("curve", name, 0, fold, "extra_trees", "example_f1")
    else:
        methods = sorted(options.methods, key=METHODS.index)
        for repeat in range(options.repeats):
            for name in options.sets:
                for metric in options.metrics:
                    for fold in range(N_FOLDS):
                        for method in methods:
                            yield _task("halves", name, repeat, fold, method, metric)


def _task(part, name, repeat, fold, method, metric):
    return {"part": part, "set": name, "repeat": repeat, "fold": fold, "method": method, "metric": metric}


def answers(task, X, Y, limit, seconds):
    """Lines of one task: one, or three where a blend is fitted."""
    folds = N_PAPER_FOLDS if task["part"] == "paper" else N_FOLDS
    dealt = MultilabelStratifiedKFold(folds, shuffle=True, random_state=task["repeat"])
    train, test = list(dealt.split(X, Y))[task["fold"]]
    metric = paper_metric(task["metric"]) if task["part"] == "paper" else get_metric(task["metric"])
    parts = X[train], Y[train], X[test]
    method, _, own_limit = task["method"].partition("@")
    if method == "blend" or method in OF_BLEND:
        made = blend_answers(metric, seed_of(task), float(own_limit) if own_limit else limit, *parts)
        if task["part"] != "halves":
            made = {task["method"]: made["blend"]}
    else:
        made = {task["method"]: other_answer(method, task["metric"], seed_of(task), seconds, *parts)}
    return [_line({**task, "method": name}, metric, Y[test], answer, limit) for name, answer in made.items()]


def _line(task, metric, truth, answer, limit):
    options = {"zero_division": 0.0} if task["part"] == "paper" else {}
    value = evaluate(truth, np.asarray(answer.predicted), metrics=[metric.name], **options)[metric.name]
    out = {**task, "value": 100 * value, "seconds": answer.seconds, "limit": limit}
    return out if answer.weights is None else {**out, "weights": answer.weights}


def read_lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()] if Path(path).exists() else []


def work_off(options):
    """Do what is not in the file yet, until the minutes are over; all lines of the file."""
    path, start = Path(options.runs), time.perf_counter()
    path.parent.mkdir(exist_ok=True, parents=True)
    lines, held = read_lines(path), (None, None)
    done = {key_of(line): line for line in lines}
    absent = {method for method in METHODS if not installed(method)}
    for task in tasks_of(options):
        if key_of(task) in done or task["method"] in absent:
            continue
        if time.perf_counter() - start > 60 * options.minutes:
            print("The minutes are over; run it again to go on.")
            break
        if held[0] != task["set"]:
            held = task["set"], read_set(task["set"], as_in_paper=options.paper)
        of_blend = done.get(key_of({**task, "method": "blend"}), {}).get("seconds", SECONDS)
        with path.open("a") as file:
            for line in answers(task, *held[1], options.time_limit, of_blend):
                if key_of(line) in done:
                    continue
                lines.append(line)
                done[key_of(line)] = line
                file.write(json.dumps(line) + "\n")
                print(*key_of(line), f"{line['value']:.2f} in {line['seconds']:.1f} s", flush=True)
    if absent:
        print("Not installed, and left out:", ", ".join(sorted(absent)))
    return lines
