"""Running studies: complete, resumable after any death, honest about failures."""

import random
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise

import pytest

from bncc.datasets import make_scenes, save
from bncc.experiment import WHOLE, Method, ProtocolError, Store, StoreError, Task, load_protocol, plan, run_study
from bncc.experiment import runner as runner_module
from studies import count, table


def test_plan_goes_data_set_by_data_set(write_protocol):
    protocol = load_protocol(write_protocol(mode="whole", repeats=1))
    tasks = [(task.dataset, task.method, task.repeat) for task in plan(protocol)]
    assert tasks[:5] == [
        ("first", "BR", WHOLE),
        ("first", "BR", 0),
        ("first", "BNCC", WHOLE),
        ("first", "BNCC", 0),
        ("first", "kNN", 0),
    ]
    assert len(tasks) == 10


LINEAR = Method("linear", "BinaryRelevance", {}, Method("b", "LinearSVC", {}, None, {}), {})


@pytest.mark.parametrize("mode", ["nested", "whole"])
def test_values_of_c_that_nothing_would_try_are_refused(write_protocol, mode):
    protocol = load_protocol(write_protocol(mode=mode, repeats=1, replace=[("C = [10]", "C = [1, 10]")]))
    with pytest.raises(ProtocolError, match=r"selection.C has 2 values, .* no method has. Give the base of 'linear'"):
        plan(replace(protocol, methods=(LINEAR, protocol.method("kNN"))))
    assert len(plan(replace(protocol, methods=(LINEAR, protocol.method("BR"))))) == (6 if mode == "whole" else 4)
    assert len(plan(replace(protocol, methods=(protocol.method("kNN"),)))) == 2
    unsearched = replace(protocol, selection=replace(protocol.selection, mode="none"), methods=(LINEAR,))
    assert len(plan(unsearched)) == 2


@pytest.mark.parametrize("mode", ["nested", "whole", "none"])
def test_a_study_is_complete(write_protocol, tmp_path, mode):
    protocol = load_protocol(write_protocol(mode=mode))
    seen = []
    last = run_study(protocol, tmp_path / "s.sqlite", report=seen.append)
    assert (last.done, last.total, last.failures) == (len(plan(protocol)), len(plan(protocol)), ())
    with Store.read(tmp_path / "s.sqlite") as store:
        records = store.records()
        keys = {(r.dataset, r.method, r.repeat, r.fold) for r in records}
        tried = store.candidates()
    assert len(keys) == len(records) == 2 * 3 * 2 * 3
    # two sigmas, for two methods with a kernel
    assert len(tried) == {"nested": 2 * 2 * 2 * 2 * 3, "whole": 2 * 2 * 2, "none": 0}[mode]
    assert all(b.done >= a.done for a, b in pairwise(seen))
    assert any(p.running for p in seen)
    assert seen[-1].seconds_left == 0.0


@pytest.mark.parametrize("chooser", ["BR", "BNCC", "mean"])
def test_methods_share_the_sigma_that_one_of_them_chose(write_protocol, tmp_path, chooser):
    """Computed again from the candidates of a study in which every method chooses for itself."""
    run_study(load_protocol(write_protocol(mode="whole", repeats=1)), tmp_path / "apart.sqlite")
    with Store.read(tmp_path / "apart.sqlite") as store:
        tried = [c for c in store.candidates() if chooser in ("mean", c.method)]
    protocol = load_protocol(write_protocol(mode="whole", repeats=1))
    shared = replace(protocol, selection=replace(protocol.selection, shared_by=chooser))
    run_study(shared, tmp_path / "s.sqlite")
    with Store.read(tmp_path / "s.sqlite") as store:
        records, candidates = store.records(), store.candidates()
    assert {c.method for c in candidates} == ({"BR", "BNCC"} if chooser == "mean" else {chooser})
    for name in ("first", "second"):
        f1 = {s: [c.scores["example_f1"] for c in tried if (c.dataset, c.sigma) == (name, s)] for s in (1.0, 4.0)}
        best = max(f1, key=lambda sigma: sum(f1[sigma]))
        assert {r.sigma for r in records if r.dataset == name and r.method != "kNN"} == {best}
        assert {r.sigma for r in records if r.method == "kNN"} == {None}


def test_with_a_shared_sigma_who_chooses_comes_first(write_protocol):
    protocol = load_protocol(write_protocol(mode="whole", repeats=1))
    shared = replace(protocol, selection=replace(protocol.selection, shared_by="BNCC"))
    tasks = [(task.dataset, task.method, task.repeat) for task in plan(shared)]
    assert tasks[:2] == [("first", "BNCC", WHOLE), ("first", "BR", 0)]
    assert len(tasks) == 8
    with pytest.raises(ProtocolError, match=r"method with a kernel.*got 'kNN'"):
        plan(replace(shared, selection=replace(shared.selection, shared_by="kNN")))


def test_where_the_choice_fails_all_methods_of_the_set_are_lost(write_protocol, tmp_path, monkeypatch):
    def fail(protocol, task, *_):
        if task == Task("first", "BR", WHOLE):
            raise ValueError("broken")
        return run_task(protocol, task, *_)

    run_task = runner_module.run_task
    monkeypatch.setattr(runner_module, "run_task", fail)
    protocol = load_protocol(write_protocol(mode="whole", repeats=1))
    shared = replace(protocol, selection=replace(protocol.selection, shared_by="BR"))
    last = run_study(shared, tmp_path / "s.sqlite")
    assert {failure.task.dataset for failure in last.failures} == {"first"}
    assert {failure.task.method for failure in last.failures} == {"BR", "BNCC", "kNN"}


def test_selection_on_so_many_rows_of_a_data_set(write_protocol):
    protocol = load_protocol(write_protocol(mode="whole"))
    selection = replace(protocol.selection, rows=40, rows_on={"first": 20})
    assert [selection.rows_for(name) for name in ("first", "second")] == [20, 40]


def test_nothing_is_run_twice(protocol, tmp_path, monkeypatch):
    run_study(protocol, tmp_path / "s.sqlite")
    monkeypatch.setattr(runner_module, "run_task", lambda *_: pytest.fail("ran again"))
    last = run_study(protocol, tmp_path / "s.sqlite")
    assert last.done == last.total


def test_more_repeats_keep_the_old_ones(write_protocol, tmp_path):
    run_study(load_protocol(write_protocol(repeats=1)), tmp_path / "s.sqlite")
    with Store.read(tmp_path / "s.sqlite") as store:
        old = table(store)
    run_study(load_protocol(write_protocol(repeats=2)), tmp_path / "s.sqlite")
    run_study(load_protocol(write_protocol(repeats=2)), tmp_path / "fresh.sqlite")
    with Store.read(tmp_path / "s.sqlite") as grown, Store.read(tmp_path / "fresh.sqlite") as fresh:
        assert set(old) < set(table(grown))
        assert table(grown) == table(fresh)


def finished(path):
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT dataset, method, repeat, finished, seconds FROM tasks").fetchall()
    connection.close()
    return set(rows)


# The command line, killed at some moment after so many tasks are stored: so many tasks later, at the machine's pace.
DIES = """
import os, signal, sys, threading
import bncc.experiment as room
from bncc.__main__ import main

run_study, stop_after, later, dying = room.run_study, int(sys.argv[1]), float(sys.argv[2]), []

def run_and_die(*given, report, **options):
    def tell(progress):
        if progress.done >= stop_after and not dying:
            seconds = later * progress.seconds / progress.done
            dying.append(threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL)))
            dying[0].start()
    return run_study(*given, report=tell, **options)

room.run_study = run_and_die
sys.argv = ["bncc", *sys.argv[3:]]
main()
"""


@pytest.mark.slow
def test_killed_twice_and_resumed(write_protocol, tmp_path):
    """SIGKILL in the middle, two times: what was stored stays as it was, and the end is that of a quiet run."""
    protocol = write_protocol(mode="whole", repeats=6)
    path = tmp_path / "killed.sqlite"
    words = ["experiment", "run", str(protocol), "--store", str(path), "--quiet"]
    kept = set()
    total = len(plan(load_protocol(protocol)))
    dice = random.Random(0)
    for stop_after in (total // 4, total // 2):
        command = [sys.executable, "-c", DIES, str(stop_after), str(dice.uniform(0.0, 2.0)), *words]
        assert subprocess.run(command, check=False, timeout=300).returncode == -signal.SIGKILL
        assert stop_after <= count(path) < total
        assert kept <= finished(path)
        kept = finished(path)
        with Store.read(path) as store:
            stored = {(r.dataset, r.method, r.repeat) for r in store.records()}
            assert stored == {(t.dataset, t.method, t.repeat) for t in store.done() if t.repeat != WHOLE}
    subprocess.run([sys.executable, "-m", "bncc", *words], check=True, timeout=300)
    assert kept <= finished(path)
    run_study(load_protocol(protocol), tmp_path / "quiet.sqlite")
    with Store.read(path) as killed, Store.read(tmp_path / "quiet.sqlite") as quiet:
        assert table(killed) == table(quiet)
        assert sorted(map(str, killed.candidates())) == sorted(map(str, quiet.candidates()))


def test_interrupted_from_within(protocol, tmp_path):
    def report(progress):
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(protocol, tmp_path / "s.sqlite", report=report)
    assert count(tmp_path / "s.sqlite") == 3
    assert run_study(protocol, tmp_path / "s.sqlite").done == 12


def test_a_method_that_fails_does_not_stop_the_others(protocol, tmp_path):
    bad = Method("bad", "GroupSensitiveChain", {"n_groups": 0}, None, {})
    last = run_study(replace(protocol, methods=(bad, *protocol.methods)), tmp_path / "s.sqlite")
    assert {failure.task.method for failure in last.failures} == {"bad"}
    assert "n_groups" in last.failures[0].message
    assert last.done == 12
    assert last.total == 16


def test_a_choice_that_fails_takes_its_repeats_along(write_protocol, tmp_path):
    protocol = load_protocol(write_protocol(mode="whole"))
    bad = Method("bad", "GroupSensitiveChain", {"n_groups": 0}, None, {})
    last = run_study(replace(protocol, methods=(bad,)), tmp_path / "s.sqlite")
    assert len(last.failures) == last.total == 6
    with ThreadPoolExecutor(2) as executor:
        assert len(run_study(replace(protocol, methods=(bad,)), tmp_path / "s.sqlite", executor=executor).failures) == 6


@pytest.mark.parametrize("mode", ["nested", "whole"])
def test_any_executor_gives_the_same_table(write_protocol, tmp_path, mode):
    protocol = load_protocol(write_protocol(mode=mode))
    run_study(protocol, tmp_path / "here.sqlite")
    with ThreadPoolExecutor(3) as executor:
        last = run_study(protocol, tmp_path / "there.sqlite", executor=executor)
    assert last.done == last.total
    with Store.read(tmp_path / "here.sqlite") as here, Store.read(tmp_path / "there.sqlite") as there:
        assert table(here) == table(there)


def test_time_left_counts_what_runs_elsewhere(protocol, tmp_path):
    seen = []
    with ThreadPoolExecutor(1) as executor:
        run_study(protocol, tmp_path / "s.sqlite", executor=executor, report=seen.append)
    middle = [p.seconds_left for p in seen if 0 < p.done < p.total - 1 and p.seconds_left is not None]
    assert middle
    assert min(middle) > 0
    assert seen[-1].seconds_left == 0


def test_a_task_that_raises_is_tried_once_elsewhere(protocol, tmp_path):
    bad = Method("bad", "GroupSensitiveChain", {"n_groups": 0}, None, {})
    with ThreadPoolExecutor(2) as executor:
        last = run_study(replace(protocol, methods=(bad,)), tmp_path / "s.sqlite", executor=executor)
    assert {type(failure.message) for failure in last.failures} == {str}
    assert runner_module._attempt(replace(protocol, methods=(bad,)), Task("first", "bad", 0), None) in last.failures


def test_choosing_on_few_rows_is_cheap(data_folder):
    mediamill = load_protocol("mediamill")
    small = replace(mediamill, datasets=load_protocol("quick").datasets[:1])
    whole = replace(small, selection=replace(small.selection, rows=None))
    few = replace(small, selection=replace(small.selection, rows=20))
    task = Task("flags", "BR", WHOLE)
    assert runner_module._cost(few, task) < runner_module._cost(whole, task) / 50


def test_a_store_in_no_folder(protocol, tmp_path):
    with pytest.raises(StoreError, match="a file in a folder that exists"):
        run_study(protocol, tmp_path / "no" / "s.sqlite")


def test_one_writer_at_a_time(protocol, tmp_path):
    path = tmp_path / "s.sqlite"

    def report(progress):
        with pytest.raises(StoreError, match="another run is writing"):
            run_study(protocol, path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(protocol, path, report=report)
    assert run_study(protocol, path).done == 12


def test_changed_data_stop_the_run_before_it_begins(protocol, tmp_path):
    run_study(protocol, tmp_path / "s.sqlite")
    save(make_scenes(60, noise=2.0, random_state=9), tmp_path / "first.csv")
    with pytest.raises(StoreError, match="data set 'first' is not the one"):
        run_study(protocol, tmp_path / "s.sqlite")


def test_a_protocol_with_wrong_parameters_fails_at_once(write_protocol, tmp_path):
    protocol = load_protocol(write_protocol(replace=[('estimator = "BNCC"', 'estimator = "BNCC"\nmax_childs = 2')]))
    with pytest.raises(ProtocolError, match="no parameter 'max_childs'"):
        run_study(protocol, tmp_path / "s.sqlite")
    assert not (tmp_path / "s.sqlite").exists()


def test_task_order_is_that_of_the_protocol(protocol):
    assert plan(protocol)[0] == Task("first", "BR", 0)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_pool_that_breaks_inside_a_task_fails_that_task_alone(write_protocol, tmp_path, monkeypatch, threads):
    protocol = load_protocol(write_protocol(repeats=2))
    run = runner_module.run_task

    def breaking(protocol, task, *given):
        if task.repeat == 1:
            raise BrokenExecutor("a worker of a worker died")
        return run(protocol, task, *given)

    monkeypatch.setattr(runner_module, "run_task", breaking)
    with ThreadPoolExecutor(threads) if threads else nullcontext() as executor:
        last = run_study(protocol, tmp_path / "s.sqlite", executor=executor)
    assert {failure.task.repeat for failure in last.failures} == {1}
    assert last.done == last.total - len(last.failures) > 0
