"""Two thousand broken tables: a right reading or a clear error, never a traceback."""

from collections import Counter

import pytest

pytest.importorskip("pandas")

from tables.mutations import read_columns_in_memory, read_file


def check(seeds, folder):
    outcomes = Counter(read_file(seed, folder) for seed in seeds)
    outcomes.update(read_columns_in_memory(seed) for seed in seeds)
    assert set(outcomes) == {"read", "refused"}
    assert outcomes["read"] > 0.6 * outcomes.total()
    return outcomes


def test_some_broken_tables(tmp_path):
    check(range(100), tmp_path)


@pytest.mark.slow
def test_two_thousand_broken_tables(tmp_path):
    assert check(range(1000, 2000), tmp_path).total() == 2000
