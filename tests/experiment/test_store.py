"""The store: what goes in comes out, all or nothing, and nothing is mixed."""

import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.experiment import WHOLE, Candidate, Facts, Outcome, Record, Store, StoreError, Task, load_protocol, run_task
from bncc.experiment.protocol_file import read_protocol

SMALL = read_protocol({"datasets": ["flags"], "methods": {"BR": {"estimator": "BinaryRelevance"}}, "metrics": ["MacF"]})
FACTS = Facts("flags", 194, 19, 7, ("a", "b"), "f" * 64)


def outcome(repeat=0, **values):
    record = Record("flags", "BR", repeat, 0, {"macro_f1": 0.5}, **values)
    candidate = Candidate("flags", "BR", repeat, 0, 2.0, 100.0, {"macro_f1": 0.25})
    return Outcome(Task("flags", "BR", repeat), FACTS, (record, replace(record, fold=WHOLE)), (candidate,), 1.5, "host")


floats = st.floats(allow_nan=False, width=64)


@settings(max_examples=25)
@given(
    score=floats,
    sigma=st.none() | floats,
    order=st.none() | st.lists(st.integers(0, 99), max_size=5).map(tuple),
    parents=st.none() | st.lists(st.lists(st.integers(0, 9), max_size=3).map(tuple), max_size=4).map(tuple),
    seed=st.integers(0, 2**31),
    versions=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3),
)
def test_what_goes_in_comes_out(tmp_path_factory, score, sigma, order, parents, seed, versions):
    values = {"sigma": sigma, "C": 1.0, "order": order, "parents": parents, "seed": seed, "versions": versions}
    given_one = replace(outcome(**values), records=(Record("flags", "BR", 3, 7, {"macro_f1": score}, **values),))
    path = tmp_path_factory.mktemp("store") / "s.sqlite"
    with Store.create(path, SMALL) as store:
        assert store.write(given_one)
    with Store.read(path) as store:
        assert store.records() == list(given_one.records)
        assert store.candidates() == list(given_one.candidates)
        assert store.facts() == {"flags": FACTS}
        assert store.done() == {given_one.task: 1.5}


def test_results_come_in_the_order_of_the_protocol(tmp_path):
    methods = {name: {"estimator": "BinaryRelevance"} for name in ("second", "first")}
    protocol = read_protocol({"datasets": ["yeast", "flags"], "methods": methods, "metrics": ["MacF"]})
    tasks = [Task(d, m, r) for d in ("yeast", "flags") for m in ("second", "first") for r in (0, 1)]
    with Store.create(tmp_path / "s.sqlite", protocol) as store:
        for task in reversed(tasks):
            own = {"dataset": task.dataset, "method": task.method, "repeat": task.repeat}
            one = outcome()
            records = [replace(record, **own) for record in one.records]
            candidates = [replace(one.candidates[0], sigma=sigma, **own) for sigma in (4.0, 2.0)]
            facts = replace(FACTS, name=task.dataset)
            store.write(replace(one, task=task, facts=facts, records=tuple(records), candidates=tuple(candidates)))
        for records in (store.records(), store.records(pooled=True), store.candidates()[::2], store.candidates()[1::2]):
            assert [Task(record.dataset, record.method, record.repeat) for record in records] == tasks
        assert [candidate.sigma for candidate in store.candidates(tasks[3])] == [4.0, 2.0]


def test_undefined_scores(tmp_path):
    one = outcome()
    nan = replace(one, records=(replace(one.records[0], scores={"macro_f1": float("nan")}),))
    with Store.create(tmp_path / "s.sqlite", SMALL) as store:
        store.write(nan)
        assert store.records()[0].scores["macro_f1"] != store.records()[0].scores["macro_f1"]


def test_pooled_results_are_kept_apart(tmp_path):
    with Store.create(tmp_path / "s.sqlite", SMALL) as store:
        store.write(outcome())
        assert [record.fold for record in store.records()] == [0]
        assert [record.fold for record in store.records(pooled=True)] == [WHOLE]


def test_each_task_is_written_once(tmp_path):
    with Store.create(tmp_path / "s.sqlite", SMALL) as store:
        assert store.write(outcome())
        assert not store.write(replace(outcome(), seconds=99.0))
        assert store.done() == {Task("flags", "BR", 0): 1.5}


def test_all_or_nothing(tmp_path, monkeypatch):
    with Store.create(tmp_path / "s.sqlite", SMALL) as store:
        insert = Store._insert

        def broken(self, table, rows):
            if table == "tasks":
                raise OSError("disk full")
            insert(self, table, rows)

        monkeypatch.setattr(Store, "_insert", broken)
        with pytest.raises(OSError, match="disk full"):
            store.write(outcome())
        monkeypatch.undo()
        assert not store.records()
        assert not store.candidates()
        assert store.write(outcome())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "seed was 0, is 1"),
        ({"folds": {"n": 5}}, "folds.n was 10, is 5"),
        ({"metrics": ["MicF"]}, r'metrics was \["macro_f1"\], is \["micro_f1"\]'),
        ({"selection": {"C": [1]}}, r"selection.C was \[100.0\], is \[1.0\]"),
        ({"methods": {"BR": {"estimator": "BNCC"}}}, 'methods BR: estimator was "BinaryRelevance", is "BNCC"'),
    ],
)
def test_another_protocol_is_refused(tmp_path, change, message):
    table = {"datasets": ["flags"], "methods": {"BR": {"estimator": "BinaryRelevance"}}, "metrics": ["MacF"]}
    path = tmp_path / "s.sqlite"
    with Store.create(path, SMALL) as store:
        store.write(outcome())
    with pytest.raises(StoreError, match=message):
        Store.create(path, read_protocol(table | change))
    with Store.create(path, SMALL) as store:
        assert len(store.records()) == 1


def test_a_study_may_grow(tmp_path):
    table = {
        "datasets": ["flags", "yeast"],
        "methods": {"BR": {"estimator": "BinaryRelevance"}, "CC": {"estimator": "ClassifierChain"}},
        "metrics": ["MacF"],
        "folds": {"repeats": 5},
    }
    path = tmp_path / "s.sqlite"
    with Store.create(path, SMALL) as store:
        store.write(outcome())
    with Store.create(path, read_protocol(table)) as store:
        assert len(store.records()) == 1
        (last,) = store.protocols()
        assert last.folds.repeats == 5


def test_changed_data_are_refused(tmp_path):
    with Store.create(tmp_path / "s.sqlite", SMALL) as store:
        store.write(outcome())
        changed = replace(outcome(repeat=1), facts=replace(FACTS, fingerprint="0" * 64))
        with pytest.raises(StoreError, match=r"is not the one that .* has results of"):
            store.write(changed)
        assert len(store.done()) == 1


def test_other_files_are_refused(tmp_path):
    text, other, empty = tmp_path / "a.txt", tmp_path / "b.sqlite", tmp_path / "c.sqlite"
    text.write_text("no database " * 100)
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    empty.touch()
    for path, message in ((text, "is no result store"), (other, "other tables"), (empty, "is empty")):
        with pytest.raises(StoreError, match=message):
            Store.read(path)
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(StoreError):
            Store.create(path, SMALL)
        assert path.read_bytes() == before
    with pytest.raises(StoreError, match="there is no result store"):
        Store.read(tmp_path / "none.sqlite")
    with pytest.raises(StoreError, match="a file in a folder that exists"):
        Store.create(tmp_path / "no" / "where.sqlite", SMALL)


def test_a_later_format_is_refused(tmp_path):
    path = tmp_path / "s.sqlite"
    Store.create(path, SMALL).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE study SET value = '99' WHERE key = 'format'")
    connection.close()
    with pytest.raises(StoreError, match="store format 99"):
        Store.read(path)


def test_settings_may_change_while_there_are_no_results(tmp_path):
    Store.create(tmp_path / "s.sqlite", SMALL).close()
    with Store.create(tmp_path / "s.sqlite", replace(SMALL, seed=5)) as store:
        assert store.protocol["seed"] == 5
        assert [method["name"] for method in store.protocol["methods"]] == ["BR"]


def _read_all(path):
    with Store.read(path) as store:
        return store.records(), store.candidates(), store.done()


def test_damaged_files_are_said_to_be(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store.create(path, SMALL) as store:
        for repeat in range(200):
            store.write(outcome(repeat, versions={"filler": "x" * 200}))
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * 8192 + whole[16384:])
    with pytest.raises(StoreError, match=r"damaged|no result store"):
        _read_all(path)
    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM study WHERE key = 'format'")
    connection.close()
    with pytest.raises(StoreError, match="store format None"):
        Store.read(path)


def test_methods_of_all_runs_are_known(tmp_path):
    table = {"datasets": ["flags"], "methods": {"CC": {"estimator": "ClassifierChain"}}, "metrics": ["MacF"]}
    with Store.create(tmp_path / "s.sqlite", SMALL) as store:
        store.write(outcome())
    with Store.create(tmp_path / "s.sqlite", read_protocol(table)) as store:
        assert [method["name"] for method in store.protocol["methods"]] == ["BR", "CC"]


def test_metrics_are_columns_that_people_can_query(write_protocol, tmp_path):
    protocol = load_protocol(write_protocol())
    with Store.create(tmp_path / "s.sqlite", protocol) as store:
        store.write(run_task(protocol, Task("first", "BNCC", 0)))
        expected = [record.scores["micro_f1"] for record in store.records()]
    connection = sqlite3.connect(tmp_path / "s.sqlite")
    found = connection.execute("SELECT micro_f1 FROM results WHERE fold >= 0 ORDER BY fold").fetchall()
    connection.close()
    assert [row[0] for row in found] == expected
