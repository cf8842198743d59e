"""Runs of `bench_recommended.py`: one line of a file per method, metric, set, repeat and fold, done once.

Lines of a blend have its version, so that a blend that was changed is run anew and no table mixes two of them; lines
of other methods stay.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
from recommended_methods import (
    BLEND_VERSION,
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
#: Readings of the rows that the paper's figures were made on, by the names of the option: see bench_recommended.py.
PAPER_PARTS = {"table": "paper", "whole": "paper, whole set"}
F_MEASURES = ("example_f1", "macro_f1", "micro_f1")
#: Seconds for methods that are tuned in the time of a blend, where there is no blend's time.
SECONDS = 60.0


def version_of(line):
    """Version of the blend that the line is of; 1 where a blend's line does not say, None for other methods."""
    of_blend = line["method"].partition("@")[0] in ("blend", *OF_BLEND)
    return line.get("blend_version", 1) if of_blend else None


def of_version(lines, version):
    """The lines without those of other versions of the blend."""
    return [line for line in lines if version_of(line) in (None, version)]


def key_of(line):
    names = ("part", "set", "repeat", "fold", "method", "metric")
    return (*(line[name] for name in names), version_of(line))


def part_of(options):
    """The part of the runs that the options ask for."""
    if options.paper:
        return PAPER_PARTS[options.paper_rows]
    return "curve" if options.curve else "halves"


def tasks_of(options):
    """What is to be done, folds of all sets before the next repeat; the blend first, whose time others have."""
    if options.paper:
        for name in options.sets:
            for metric in F_MEASURES:
                for fold in range(N_PAPER_FOLDS):
                    yield _task(part_of(options), name, 0, fold, "blend", metric)
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
    task = {"part": part, "set": name, "repeat": repeat, "fold": fold, "method": method, "metric": metric}
    return task if version_of(task) is None else {**task, "blend_version": BLEND_VERSION}


def answers(task, X, Y, limit, seconds):
    """Lines of one task: one, or three where a blend is fitted."""
    as_paper = task["part"] in PAPER_PARTS.values()
    folds = N_PAPER_FOLDS if as_paper else N_FOLDS
    dealt = MultilabelStratifiedKFold(folds, shuffle=True, random_state=task["repeat"])
    train, test = list(dealt.split(X, Y))[task["fold"]]
    metric = paper_metric(task["metric"]) if as_paper else get_metric(task["metric"])
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
    options = {"zero_division": 0.0} if task["part"] in PAPER_PARTS.values() else {}
    value = evaluate(truth, np.asarray(answer.predicted), metrics=[metric.name], **options)[metric.name]
    out = {**task, "value": 100 * value, "seconds": answer.seconds, "limit": limit}
    return out if answer.weights is None else {**out, "weights": answer.weights}


def read_lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()] if Path(path).exists() else []


def work_off(options):
    """Do what is not in the file yet, until the minutes are over; all lines of the file.

    Only the blend as it is can be run: where lines of another version are asked for, nothing is done.
    """
    path, start = Path(options.runs), time.perf_counter()
    path.parent.mkdir(exist_ok=True, parents=True)
    lines, held = read_lines(path), (None, None)
    done = {key_of(line): line for line in lines}
    absent = {method for method in METHODS if not installed(method)}
    for task in tasks_of(options) if options.blend_version == BLEND_VERSION else ():
        if key_of(task) in done or task["method"] in absent:
            continue
        if time.perf_counter() - start > 60 * options.minutes:
            print("The minutes are over; run it again to go on.")
            break
        if held[0] != task["set"]:
            held = task["set"], read_set(task["set"], task["part"])
        blend = {**task, "method": "blend", "blend_version": BLEND_VERSION}
        of_blend = done.get(key_of(blend), {}).get("seconds", SECONDS)
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
