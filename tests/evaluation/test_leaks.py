import itertools
import string

import numpy as np
import pytest
from scipy import sparse

from bncc._tags import read_tags, tags_to_labels
from bncc.datasets import make_tickets
from bncc.evaluation import find_leaks
from bncc.evaluation.leaks import _neighbours, _within_values
from leaking import leaking_columns

RANDOM = np.random.default_rng(0)


def test_correlations_are_those_of_all_pairs():
    Y = (RANDOM.random((60, 3)) < [0.5, 0.2, 0.05]).astype(float)
    values = RANDOM.integers(12, size=60)
    _, values = np.unique(values, return_inverse=True)
    off = Y - Y.mean(axis=0)
    pairs = [(off[a] * off[b]).sum() for a, b in itertools.combinations(range(60), 2) if values[a] == values[b]]
    assert _within_values(sparse.csr_array(Y), values)[0] == pytest.approx(np.mean(pairs) / Y.var(axis=0).sum())
    nearby = [(off[a] * off[a + 1]).sum() for a in range(59)]
    assert _neighbours(sparse.csr_array(Y))[0] == pytest.approx(np.mean(nearby) / Y.var(axis=0).sum())


def test_rows_of_one_patient_are_found():
    columns, Y = leaking_columns(400, 80, RANDOM)
    (leak,) = find_leaks(columns, Y)
    assert (leak.column, leak.kind) == ("patient", "group")
    assert leak.correlation > 0.5
    assert leak.rows_per_value == pytest.approx(5, abs=0.1)
    assert "`group=patient`" in str(leak)


def test_ids_in_the_order_of_labels_are_found_and_shuffled_ones_are_not():
    Y = np.repeat([[1, 0], [0, 1], [1, 1], [0, 0]], 50, axis=0)
    ids = [f"row-{number:04}" for number in range(200)]
    (leak,) = find_leaks({"row_id": ids}, Y)
    assert (leak.kind, leak.column) == ("order", "row_id")
    assert "drop='row_id'" in str(leak)
    assert find_leaks({"row_id": ids}, RANDOM.permutation(Y)) == []
    assert find_leaks({"hash": ["".join(RANDOM.choice([*string.ascii_letters], 8)) for _ in range(200)]}, Y) == []


def test_plain_columns_are_left_alone():
    """Numbers and categories that predict labels are features; values by chance are chance."""
    Y = (RANDOM.random((600, 4)) < 0.3).astype(int)
    columns = {
        "age": (20 + 10 * Y[:, 0] + RANDOM.integers(20, size=600)).tolist(),
        "city": [f"c{n}" for n in RANDOM.integers(60, size=600)],
        "colour": np.where(Y[:, 1] == 1, "red", "blue").tolist(),
        "empty": [None] * 600,
        "score": RANDOM.random(600).tolist(),
    }
    assert find_leaks(columns, Y) == []


def test_tickets_have_none():
    tickets = make_tickets()
    Y, _ = tags_to_labels([read_tags(cell, ";") for cell in tickets.pop("tags")])
    assert find_leaks(tickets, Y) == []


def test_nothing_to_look_at():
    assert find_leaks({}, np.zeros((3, 1))) == []
    assert find_leaks({"patient": ["a", "a", "b"]}, [[1], [1], [0]]) == []
