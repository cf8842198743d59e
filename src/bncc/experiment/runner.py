"""Running a study: which tasks are left, in which order, and what happens to their outcomes."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bncc.evaluation.records import WHOLE
from bncc.experiment.features import facts_of
from bncc.experiment.method_estimators import make_estimator
from bncc.experiment.protocol import SHARED_BY_MEAN, Protocol, ProtocolError
from bncc.experiment.solving import Pair, has_kernel
from bncc.experiment.store import Store
from bncc.experiment.store_errors import as_store_errors, check_path
from bncc.experiment.trial import Outcome, Task, best_of, mean_candidates, run_task

__all__ = ["Failure", "StudyProgress", "plan", "run_study"]


@dataclass(frozen=True)
class Failure:
    """A task that raised; it is not stored, and the next run tries it again."""

    task: Task
    message: str


@dataclass(frozen=True)
class StudyProgress:
    """Where a study stands; handed to the `report` of `run_study`.

    Attributes
    ----------
    total, done : int
        Tasks of the study, and how many of them are stored.
    running : tuple of Task
    solved : int
        Binary problems that the running task has solved, where it runs in this process.
    seconds : float
        Since this run began.
    seconds_left : float or None
        Estimated from the tasks that were run; None before the first.
    failures : tuple of Failure
    """

    total: int
    done: int
    running: tuple[Task, ...] = ()
    solved: int = 0
    seconds: float = 0.0
    seconds_left: float | None = None
    failures: tuple[Failure, ...] = ()


Report = Callable[[StudyProgress], object]


def plan(protocol: Protocol) -> list[Task]:
    """All tasks of a study, in the order in which they are run: data set by data set, method by method.

    Where methods share sigma and C, those who choose come first. Every estimator is made once, so that a protocol with
    wrong parameters fails here and not in the middle.

    >>> from bncc.experiment import load_protocol
    >>> len(plan(load_protocol("quick")))
    18
    """
    _check_costs(protocol)
    out = []
    for source in protocol.datasets:
        tasks = []
        for method in protocol.methods:
            kernel = has_kernel(make_estimator(method, source.name, seed=0))
            if kernel and _chooses_once(protocol) and _chooses(protocol, method.name):
                tasks.append(Task(source.name, method.name, WHOLE))
            tasks += [Task(source.name, method.name, repeat) for repeat in range(protocol.folds.repeats)]
        if protocol.selection.shared_by is not None:
            tasks.sort(key=lambda task: task.repeat != WHOLE)
            _check_choosers(protocol, tasks)
        out += tasks
    return out


def run_study(
    protocol: Protocol,
    path: str | os.PathLike[str],
    *,
    executor: Executor | None = None,
    report: Report | None = None,
) -> StudyProgress:
    """Run what is missing of a study and store it; stop it any time and call it again.

    Parameters
    ----------
    protocol : Protocol
    path : path of the result store
        Made if there is none. One of another protocol is refused.
    executor : concurrent.futures.Executor, default=None
        Where tasks run: any executor whose workers can import bncc and find the data. None is this process, whose
        threads the engine uses.
    report : callable, default=None
        Called with a `StudyProgress` whenever something changes, and about ten times a second while problems are
        solved. What it raises stops the study, as Ctrl-C does; finished tasks are stored.

    Returns
    -------
    StudyProgress
        The last one. `failures` are tasks that raised; the others went on.
    """
    tasks = plan(protocol)
    facts = [facts_of(source) for source in protocol.datasets]
    with _only_writer(Path(path)), Store.create(path, protocol) as store:
        for each in facts:
            store.check_data(each)
        return _Run(protocol, tasks, store, report or (lambda progress: None)).run(executor)


class _Run:
    def __init__(self, protocol: Protocol, tasks: list[Task], store: Store, report: Report) -> None:
        self.protocol, self.store, self.report = protocol, store, report
        self.costs = {task: _cost(protocol, task) for task in tasks}
        done = store.done()
        self.waiting = [task for task in tasks if task not in done]
        self.choosers = {task: _choosers(protocol, task, tasks) for task in tasks}
        self.pair_of: dict[tuple[Task, ...], Pair] = {}
        self.spent: list[tuple[Task, float]] = []
        self.begin = time.perf_counter()
        self.given: dict[Future[Outcome | Failure], Task] = {}  # to an executor
        self.progress = StudyProgress(len(tasks), len(tasks) - len(self.waiting))

    def run(self, executor: Executor | None) -> StudyProgress:
        self._tell()
        for outcome in self._run_in_process() if executor is None else self._run_on(executor):
            if isinstance(outcome, Failure):
                self._fail(outcome)
            else:
                self._keep(outcome)
        return self.progress

    def _run_in_process(self) -> Iterator[Outcome | Failure]:
        while self.waiting:
            task = self.waiting.pop(0)
            self._tell(running=(task,), solved=0)
            yield _outcome(task, partial(run_task, self.protocol, task, self._pair(task), self._pulse))

    def _run_on(self, executor: Executor) -> Iterator[Outcome | Failure]:
        running = self.given
        try:
            while self.waiting or running:
                done = self.store.done()
                ready = [task for task in self.waiting if self._ready(task, done)]
                for task in ready:
                    self.waiting.remove(task)
                    running[executor.submit(_attempt, self.protocol, task, self._pair(task))] = task
                # An executor may hold many; some kinds do not say which of them run.
                begun = tuple(task for future, task in running.items() if future.running())
                self._tell(running=begun or tuple(running.values()))
                finished, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in finished:
                    if isinstance(error := future.exception(), BrokenExecutor):
                        raise error
                    yield _outcome(running.pop(future), future.result)
        except BrokenExecutor as error:
            raise ChildProcessError(
                "a worker process died (killed, or out of memory). Finished parts are stored; run the study again to "
                "go on, with fewer workers if memory was short."
            ) from error
        finally:
            for future in running:
                future.cancel()

    def _keep(self, outcome: Outcome) -> None:
        self.store.write(outcome)
        self.spent.append((outcome.task, outcome.seconds))
        still = tuple(task for task in self.progress.running if task != outcome.task)
        left = self._seconds_left(self.given.values())
        self._tell(done=self.progress.done + 1, running=still, seconds_left=left)

    def _fail(self, failure: Failure) -> None:
        failures = (*self.progress.failures, failure)
        if failure.task.repeat == WHOLE:
            lost = [task for task in self.waiting if failure.task in self.choosers[task]]
            failures += tuple(Failure(task, "sigma and C could not be chosen") for task in lost)
            self.waiting = [task for task in self.waiting if task not in lost]
        self._tell(failures=failures, running=tuple(t for t in self.progress.running if t != failure.task))

    def _pair(self, task: Task) -> Pair | None:
        """The sigma and C of a repeat, where they were chosen once for the whole data set."""
        choosers = self.choosers[task]
        if not choosers:
            return None
        if choosers not in self.pair_of:
            candidates = mean_candidates([self.store.candidates(whole) for whole in choosers])
            self.pair_of[choosers] = best_of(candidates, self.protocol.selection.metric)
        return self.pair_of[choosers]

    def _ready(self, task: Task, done: Collection[Task]) -> bool:
        return all(whole in done for whole in self.choosers[task])

    def _pulse(self, solved: int) -> None:
        self._tell(solved=solved)

    def _tell(self, **changes: object) -> None:
        seconds = time.perf_counter() - self.begin
        self.progress = replace(self.progress, seconds=seconds, **changes)  # type: ignore[arg-type]
        self.report(self.progress)

    def _seconds_left(self, running: Iterable[Task]) -> float:
        """What is left, at the speed of the tasks run so far: of the same method if there are any, else of all."""
        run: dict[str, list[float]] = {}
        for task, seconds in self.spent:
            for key in (task.method, ""):
                cost, time_spent = run.setdefault(key, [0.0, 0.0])
                run[key] = [cost + self.costs[task], time_spent + seconds]
        speed = {key: spent / cost for key, (cost, spent) in run.items()}
        wall = self.progress.seconds / max(run[""][1], 1e-9)  # below 1 where workers share the tasks
        return wall * sum(self.costs[task] * speed.get(task.method, speed[""]) for task in (*self.waiting, *running))


def _attempt(protocol: Protocol, task: Task, pair: Pair | None) -> Outcome | Failure:
    """Run a task somewhere else; what it raises is told and not tried again, unlike the death of a worker."""
    return _outcome(task, partial(run_task, protocol, task, pair))


def _outcome(task: Task, compute: Callable[[], Outcome | Failure]) -> Outcome | Failure:
    try:
        return compute()
    except Exception as error:
        return Failure(task, f"{type(error).__name__}: {error}")


def _chooses_once(protocol: Protocol) -> bool:
    selection = protocol.selection
    return selection.mode == "whole" and len(selection.sigma) * len(selection.C) > 1


def _chooses(protocol: Protocol, method: str) -> bool:
    """Whether this method's validation scores have a say in sigma and C."""
    return protocol.selection.shared_by in (None, SHARED_BY_MEAN, method)


def _check_choosers(protocol: Protocol, tasks: Sequence[Task]) -> None:
    if _chooses_once(protocol) and not any(task.repeat == WHOLE for task in tasks):
        raise ProtocolError(
            f"selection.shared_by must be a method with a kernel, or {SHARED_BY_MEAN!r} with one among the methods; "
            f"got {protocol.selection.shared_by!r}."
        )


def _check_costs(protocol: Protocol) -> None:
    """Refuse values of C to choose from where all who have a C are methods that selection leaves as they are."""
    selection, name = protocol.selection, protocol.datasets[0].name
    if selection.mode == "none" or len(selection.C) < 2:
        return
    made = [(method.name, make_estimator(method, name, seed=0)) for method in protocol.methods]
    fixed = [each for each, model in made if "C" in getattr(model, "search_names", tuple)()]
    if fixed and not any(has_kernel(model) for _, model in made):
        raise ProtocolError(
            f"selection.C has {len(selection.C)} values, and selection applies to kernel links alone, which no method "
            f"has. Give the base of {fixed[0]!r} its own C, one method per value to compare."
        )


def _choosers(protocol: Protocol, task: Task, tasks: Collection[Task]) -> tuple[Task, ...]:
    """The tasks that choose sigma and C for this one."""
    if task.repeat == WHOLE:
        return ()
    if protocol.selection.shared_by is None:
        whole = replace(task, repeat=WHOLE)
        return (whole,) if whole in tasks else ()
    return tuple(other for other in tasks if other.repeat == WHOLE and other.dataset == task.dataset)


def _cost(protocol: Protocol, task: Task) -> float:
    """Work of a task up to a factor that depends on the method: kernels formed, times labels."""
    facts = facts_of(protocol.source(task.dataset))
    selection = protocol.selection
    tried = len(selection.sigma) * len(selection.C) * selection.folds
    choosing = tried * min(facts.n_rows, selection.rows_for(task.dataset) or facts.n_rows) ** 2
    if task.repeat == WHOLE:
        return float(choosing * facts.n_labels)
    nested = choosing if selection.mode == "nested" else 0
    return float(protocol.folds.n * (facts.n_rows**2 + nested) * facts.n_labels)


@contextmanager
def _only_writer(path: Path) -> Iterator[None]:
    """One run per store: a lock that goes with the process, however it ends."""
    check_path(path)
    lock_path = Path(f"{path}-lock")
    with as_store_errors(path, lock_path):
        lock = sqlite3.connect(lock_path, isolation_level=None, timeout=0.1)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            lock.close()
            raise
    try:
        yield
    finally:
        # While it is held: whoever comes next makes a new file, and nobody is left with one that has no name.
        with suppress(OSError):
            lock_path.unlink(missing_ok=True)
        lock.execute("ROLLBACK")
        lock.close()
