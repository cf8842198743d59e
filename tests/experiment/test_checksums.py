"""Checksums: a byte that changes in a store is noticed, wherever it is, and the row is named."""

import random
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.experiment import Candidate, Facts, Outcome, Record, Store, StoreError, Task
from bncc.experiment.checksums import COLUMN, _digest, check_rows
from bncc.experiment.protocol_file import read_protocol
from bncc.experiment.store import _TABLES

SMALL = read_protocol({"datasets": ["flags"], "methods": {"BR": {"estimator": "BinaryRelevance"}}, "metrics": ["MacF"]})
FACTS = Facts("flags", 194, 19, 7, ("a", "b"), "f" * 64)


def outcome(repeat):
    records = [Record("flags", "BR", repeat, fold, {"macro_f1": 0.3 + fold / 7}, order=(1, 0)) for fold in range(4)]
    candidates = [Candidate("flags", "BR", repeat, 0, 2.0, C, {"macro_f1": 0.25}) for C in (1.0, 10.0)]
    return Outcome(Task("flags", "BR", repeat), FACTS, tuple(records), tuple(candidates), 1.5, "host")


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "s.sqlite"
    with Store.create(path, SMALL) as store:
        for repeat in range(3):
            store.write(outcome(repeat))
    return path


def change(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def everything(path):
    with Store.read(path) as store:
        return store.protocol, store.done(), store.facts(), store.records(), store.candidates(), store.unchecked


def as_an_earlier_version_wrote(path):
    change(path, *(f"ALTER TABLE {table} DROP COLUMN {COLUMN}" for table in _TABLES))
    change(path, "DELETE FROM study WHERE key = 'checksums'")


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE results SET macro_f1 = macro_f1 + 1e-16 WHERE repeat = 1 AND fold = 0", "repeat 1, fold 0"),
        ("UPDATE results SET fold = 9 WHERE repeat = 2 AND fold = 3", "repeat 2, fold 9"),
        ("UPDATE results SET \"order\" = '[0, 1]' WHERE repeat = 0 AND fold = 2", "repeat 0, fold 2"),
        ("UPDATE results SET sigma = 1 WHERE repeat = 0 AND fold = 2", "repeat 0, fold 2"),
        ("UPDATE results SET versions = CAST(x'ff' AS TEXT) WHERE repeat = 0 AND fold = 2", "repeat 0, fold 2"),
        ("UPDATE results SET checksum = NULL WHERE repeat = 0 AND fold = 2", "repeat 0, fold 2"),
        ("UPDATE candidates SET macro_f1 = 0.5 WHERE repeat = 1 AND C = 10", "repeat 1, fold 0, sigma 2.0, C 10.0"),
        ("UPDATE tasks SET seconds = 2 WHERE repeat = 1", "method BR, repeat 1"),
        ("DELETE FROM results WHERE repeat = 1 AND fold = 1", r"method BR, repeat 1\) .* is gone"),
        ("DELETE FROM candidates WHERE repeat = 2", r"method BR, repeat 2\) .* is gone"),
        ('UPDATE datasets SET label_names = \'["a", "c"]\'', "datasets row 1 .name flags"),
        ("UPDATE methods SET definition = '{}'", "methods row 1 .name BR"),
        ("UPDATE protocols SET definition = '{}'", "protocols row 1"),
        ("UPDATE study SET value = '2020' WHERE key = 'created'", "study row 2 .key created"),
        ("UPDATE study SET key = 'x' WHERE key = 'checksums'", "study row 5 .key x"),
        ("ALTER TABLE results RENAME COLUMN sigma TO sigmb", "results row 1"),
        ("ALTER TABLE results RENAME COLUMN fold TO folb", "table results has the columns"),
    ],
)
def test_what_changed_is_named(store, statement, named):
    assert everything(store)[-1] == 0
    change(store, statement)
    for opening in (Store.read, lambda path: Store.create(path, SMALL)):
        with pytest.raises(StoreError, match=rf"damaged.*{named}"):
            opening(store)


def test_many_damaged_rows_are_counted(store):
    change(store, "UPDATE results SET macro_f1 = 0")
    with pytest.raises(StoreError, match=r"results row 3 .* and 9 more\. Restore a copy; or let"):
        Store.read(store)


def test_no_flipped_byte_passes(store):
    """Of bytes anywhere in the file: what is read is what was written, or an error says that the store is damaged."""
    whole, expected = store.read_bytes(), everything(store)
    draw = random.Random(0)
    noticed = 0
    for place in draw.sample(range(len(whole)), 400):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << draw.randrange(8)
        store.write_bytes(flipped)
        try:
            assert everything(store) == expected, place
        except StoreError:
            noticed += 1
    assert noticed > 20


def test_every_byte_of_a_score_is_covered(store):
    import struct

    whole = store.read_bytes()
    place = whole.index(struct.pack(">d", 0.3 + 2 / 7))
    for offset in range(8):
        flipped = bytearray(whole)
        flipped[place + offset] ^= 0x10
        store.write_bytes(flipped)
        with pytest.raises(StoreError, match="fold 2"):
            Store.read(store)


def test_an_earlier_store_is_read_and_not_checked(store):
    expected = everything(store)
    as_an_earlier_version_wrote(store)
    found = everything(store)
    assert found[:-1] == expected[:-1]
    assert found[-1] == 4 + 1 + 1 + 1 + 12 + 6 + 3


def test_an_earlier_store_goes_on_and_what_is_new_is_checked(store):
    as_an_earlier_version_wrote(store)
    with Store.create(store, SMALL) as opened:
        opened.write(outcome(3))
    assert everything(store)[-1] == 4 + 1 + 12 + 6 + 3  # the protocol and the data set were written again
    change(store, "UPDATE results SET macro_f1 = 0 WHERE repeat = 3 AND fold = 1")
    with pytest.raises(StoreError, match="repeat 3, fold 1"):
        Store.read(store)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE results SET macro_f1 = 0 WHERE repeat = 1 AND fold = 1",
        "UPDATE results SET repeat = 77 WHERE repeat = 1 AND fold = 1",
        "UPDATE tasks SET repeat = 77 WHERE repeat = 1",
        "DELETE FROM results WHERE repeat = 1 AND fold = 1",
        "DELETE FROM candidates WHERE repeat = 1",
    ],
)
def test_damaged_tasks_can_be_dropped_and_run_again(store, statement):
    before = everything(store)
    change(store, statement)
    assert Store.drop_damaged(store) == 1
    with Store.create(store, SMALL) as opened:
        assert set(opened.done()) == {Task("flags", "BR", 0), Task("flags", "BR", 2)}
        assert opened.write(outcome(1))
    assert everything(store) == before
    assert Store.drop_damaged(store) == 0


def test_damage_elsewhere_is_not_dropped(store):
    change(store, "UPDATE methods SET definition = '{}'")
    assert Store.drop_damaged(store) == 0
    with pytest.raises(StoreError, match="methods row 1"):
        Store.read(store)


values = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.binary(max_size=6)


@settings(max_examples=200)
@given(one=st.tuples(values, values), other=st.tuples(values, values))
def test_other_rows_have_other_digests(one, other):
    rows = [dict(zip(("a", "b"), row, strict=True)) for row in (one, other)]
    same = list(map(repr, one)) == list(map(repr, other))  # 1 is not 1.0 here, nor 0.0 -0.0
    assert (_digest("results", rows[0]) == _digest("results", rows[1])) == same


def test_the_digest_knows_table_and_parts_but_no_order():
    row = {"a": 1, "b": b"x"}
    assert _digest("tasks", row, [b"1", b"2"]) == _digest("tasks", dict(reversed(row.items())), [b"2", b"1"])
    assert len({_digest("tasks", row), _digest("results", row), _digest("tasks", row, [b"1"])}) == 3


def test_a_check_changes_nothing(store):
    before = store.read_bytes()
    connection = sqlite3.connect(store)
    assert check_rows(connection) == check_rows(connection)
    assert connection.text_factory is str
    connection.close()
    everything(store)
    assert store.read_bytes() == before
