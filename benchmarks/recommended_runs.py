"""Runs of `bench_recommended.py`: one line of a file per method, metric, set, repeat and fold, done once.

Lines of a blend have its version, so that a blend that was changed is run anew and no table mixes two of them; lines
of other methods stay.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import time
import traceback
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
from shared_trials import SharedTrials

from bncc.datasets import MultilabelStratifiedKFold
from bncc.metrics import evaluate, get_metric

N_FOLDS = 3
N_PAPER_FOLDS = 10
CURVE_SETS = ("yeast", "education", "bibtex")
CURVE_LIMITS = (5, 20, 60, 300)
#: Readings of the rows that the paper's figures were made on, by the names of the option: see bench_recommended.py.
PAPER_PARTS = {"table": "paper", "whole": "paper, whole set"}
F_MEASURES = ("example_f1", "macro_f1", "micro_f1")
#: Version 3 of the blend decides in another way for example F1, and is less sure of what it learned from fewer than 200
#: rows, which two sets have. All other lines of version 2 stand for it, too.
CHANGED_METRIC, CHANGED_SETS = "example_f1", ("flags", "virusgo")
#: Seconds for methods that are tuned in the time of a blend, where there is no blend's time.
SECONDS = 60.0


def version_of(line):
    """Version of the blend that the line is of; 1 where a blend's line does not say, None for other methods."""
    of_blend = line["method"].partition("@")[0] in ("blend", *OF_BLEND)
    return line.get("blend_version", 1) if of_blend else None


def versions_of(line):
    """All versions that a line stands for."""
    own = version_of(line)
    as_before = line["metric"] != CHANGED_METRIC and line["set"] not in CHANGED_SETS
    return (2, 3) if own == 2 and as_before else (own,)


def of_version(lines, version):
    """The lines without those of other versions of the blend."""
    return [line for line in lines if {None, version} & set(versions_of(line))]


def key_of(line):
    names = ("part", "set", "repeat", "fold", "method", "metric")
    return (*(line[name] for name in names), version_of(line))


def keys_of(line):
    """The keys of all versions that a line stands for."""
    return [(*key_of(line)[:-1], version) for version in versions_of(line)]


def part_of(options):
    """The part of the runs that the options ask for."""
    if options.paper:
        return PAPER_PARTS[options.paper_rows]
    return "curve" if options.curve else "halves"


def tasks_of(options):
    """What is to be done, folds of all sets before the next repeat; the blend first, whose time others have."""
    if options.paper:
        for deal in range(options.deals):
            for name in options.sets:
                for fold in range(N_PAPER_FOLDS):
                    for metric in F_MEASURES:
                        yield _task(part_of(options), name, deal, fold, "blend", metric)
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
                for fold in range(N_FOLDS):
                    for method in methods:
                        for metric in options.metrics:
                            yield _task("halves", name, repeat, fold, method, metric)


def _task(part, name, repeat, fold, method, metric):
    task = {"part": part, "set": name, "repeat": repeat, "fold": fold, "method": method, "metric": metric}
    return task if version_of(task) is None else {**task, "blend_version": BLEND_VERSION}


def answers(task, X, Y, limit, seconds, shared):
    """Lines of one task: one, or three where a blend is fitted; blends of a fold share what looks at no metric."""
    as_paper = task["part"] in PAPER_PARTS.values()
    folds = N_PAPER_FOLDS if as_paper else N_FOLDS
    dealt = MultilabelStratifiedKFold(folds, shuffle=True, random_state=task["repeat"])
    train, test = list(dealt.split(X, Y))[task["fold"]]
    metric = paper_metric(task["metric"]) if as_paper else get_metric(task["metric"])
    parts = X[train], Y[train], X[test]
    method, _, own_limit = task["method"].partition("@")
    if method == "blend" or method in OF_BLEND:
        own_limit = float(own_limit) if own_limit else limit
        made = blend_answers(metric, seed_of(task), own_limit, *parts, shared=(shared, fold_of(task)))
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


def fold_of(task):
    """The rows that a task is about."""
    return tuple(task[name] for name in ("part", "set", "repeat", "fold"))


def jobs_of(tasks):
    """Tasks that are done one after the other: blends of a fold, which share trials; every other task by itself.

    What comes with a blend that is to be done is no task of its own.
    """
    tasks, jobs = list(tasks), {}
    blends = {(fold_of(task), task["metric"]) for task in tasks if task["method"] == "blend"}
    for task in tasks:
        if task["method"] in OF_BLEND and (fold_of(task), task["metric"]) in blends:
            continue
        together = ("blend",) if task["method"] in ("blend", *OF_BLEND) else (task["method"], task["metric"])
        jobs.setdefault((*fold_of(task), *together), []).append(task)
    return list(jobs.values())


def blend_of(task):
    """The key of the blend on the same rows and for the same metric."""
    return key_of({**task, "method": "blend", "blend_version": BLEND_VERSION})


class Worker:
    """Does jobs; it holds the set that it read last, and what the blends of a fold share."""

    def __init__(self):
        self.read, self.shared = (None, None), SharedTrials()

    def lines(self, job, limit, seconds):
        """Lines of the tasks of a job, as they are done; `seconds` of the blend by the metric."""
        for task in job:
            if self.read[0] != (task["set"], task["part"]):
                self.read = (task["set"], task["part"]), read_set(task["set"], task["part"])
            yield answers(task, *self.read[1], limit, seconds[task["metric"]], self.shared)


def _work(cores, jobs, done):
    """What a process does: jobs, on a core of its own, until it is killed or alone."""
    os.sched_setaffinity(0, {cores.get()})
    worker = Worker()
    while True:
        try:
            number, job, limit, seconds = jobs.get(timeout=5)
        except queue.Empty:
            if multiprocessing.parent_process().is_alive():
                continue
            return
        try:
            for lines in worker.lines(job, limit, seconds):
                done.put((number, lines))
            done.put((number, None))
        except Exception:
            done.put((number, traceback.format_exc()))


def _next_done(done, processes):
    """What a worker says next; an error where one says that it failed, or is no longer there to say anything."""
    while True:
        try:
            number, lines = done.get(timeout=5)
        except queue.Empty:
            if all(process.is_alive() for process in processes):
                continue
            raise RuntimeError("A worker died; its answers so far are in the file. Run it again to go on.") from None
        if isinstance(lines, str):
            raise RuntimeError(f"A worker failed:\n{lines}")
        return number, lines


def do_jobs(jobs, limit, seconds_of, in_time, n_workers):
    """Lines of the jobs as they are done, by this process, or by some that have a core each.

    `seconds_of` tells the seconds of the blend that a job is compared with; a job that has to wait for these comes
    later. What is running when the time is over is done; nothing else is begun.
    """
    if n_workers == 1:
        worker = Worker()
        for job in jobs:
            if not in_time():
                return
            yield from worker.lines(job, limit, {task["metric"]: seconds_of(task) or SECONDS for task in job})
        return
    context = multiprocessing.get_context("spawn")
    cores, to_do, done = context.Queue(), context.Queue(), context.Queue()
    for core in sorted(os.sched_getaffinity(0))[:n_workers]:
        cores.put(core)
    # No daemons: forests of scikit-learn warn in these.
    processes = [context.Process(target=_work, args=(cores, to_do, done)) for _ in range(n_workers)]
    for process in processes:
        process.start()
    try:
        yield from _hand_out(jobs, limit, seconds_of, in_time, processes, to_do, done)
    finally:
        for process in processes:
            process.kill()


def _hand_out(jobs, limit, seconds_of, in_time, processes, to_do, done):
    waiting, running = dict(enumerate(jobs)), {}
    while True:
        blends = {key_of(task) for each in (waiting, running) for job in each.values() for task in job}
        for number, job in list(waiting.items()):
            if len(running) >= len(processes) or not in_time():
                break
            alone = job[0]["method"] != "blend"
            if alone and any(blend_of(task) in blends for task in job):
                continue
            seconds = {task["metric"]: seconds_of(task) or SECONDS for task in job}
            to_do.put((number, job, limit, seconds))
            running[number] = waiting.pop(number)
        if not running:
            break
        number, lines = _next_done(done, processes)
        if lines is None:
            del running[number]
        else:
            yield lines


def work_off(options):
    """Do what is not in the file yet, until the minutes are over; all lines of the file.

    Only the blend as it is can be run: where lines of another version are asked for, nothing is done.
    """
    path, start = Path(options.runs), time.perf_counter()
    path.parent.mkdir(exist_ok=True, parents=True)
    lines = read_lines(path)
    done = {key: line for line in lines for key in keys_of(line)}
    absent = {method for method in METHODS if not installed(method)}
    tasks = tasks_of(options) if options.blend_version == BLEND_VERSION else ()
    jobs = jobs_of(task for task in tasks if key_of(task) not in done and task["method"] not in absent)

    def in_time():
        if time.perf_counter() - start <= 60 * options.minutes:
            return True
        print("The minutes are over; run it again to go on.")
        return False

    def seconds_of(task):
        return done.get(blend_of(task), {}).get("seconds")

    with path.open("a") as file:
        for made in do_jobs(jobs, options.time_limit, seconds_of, in_time, options.workers):
            for line in made:
                if key_of(line) in done:
                    continue
                lines.append(line)
                done[key_of(line)] = line
                file.write(json.dumps(line) + "\n")
                file.flush()
                print(*key_of(line), f"{line['value']:.2f} in {line['seconds']:.1f} s", flush=True)
    if absent:
        print("Not installed, and left out:", ", ".join(sorted(absent)))
    return lines
