import json

import numpy as np
import pytest

from bncc.analysis import paper, read_training_times
from bncc.analysis.collected_scores import Scores
from bncc.analysis.training_time import time_claim, time_part, time_table


def times(**rows):
    mean = np.array([list(row) for row in rows.values()], float)
    return Scores("Training seconds", False, tuple(rows), paper.METHODS, mean, np.full(mean.shape, np.nan))


def test_the_printed_seconds_hold_the_printed_claim():
    printed = paper.seconds("train")
    claim = time_claim(printed)
    assert claim.is_held
    ours, theirs = claim.remark.removesuffix(")").split(" (printed: ")
    assert ours == f"between the two on {theirs} data sets"


def test_a_faster_bncc_does_not_hold_it():
    assert not time_claim(times(yeast=(1, 1, 2, 8, 9, 1), flags=(1, 1, 2, 8, 9, 1))).held
    assert time_claim(times(yeast=(1, 1, 2, 8, 9, 1), flags=(1, 1, 2, 8, 9, 8))).held


def test_ratios_stand_beside_the_printed_ones():
    table = time_table(times(yeast=(1, 1, 2, 8, 9, 3), flags=(1, 1, 2, 8, 9, 3)))
    yeast, flags = table.sections[0].rows
    assert yeast[-1].text == f"1.5 ({30.6 / 24.1:.1f})"
    assert flags[-1].text == "1.5 (–)"  # CC is printed as 0.0
    assert time_part(None) == []
    assert table.to_markdown() in time_part(times(yeast=(1, 1, 2, 8, 9, 3), flags=(1, 1, 2, 8, 9, 3)))


def test_what_the_benchmark_writes_is_read(tmp_path):
    row = {"data set": "yeast", **dict.fromkeys(paper.METHODS, 1.5), "core": "idle"}
    path = tmp_path / "times.json"
    path.write_text(json.dumps({"rows": [row]}))
    assert read_training_times(path).cell("yeast", "ECC")[0] == 1.5
    for wrong in ({}, {"rows": [{"data set": "yeast"}]}, []):
        path.write_text(json.dumps(wrong))
        with pytest.raises(ValueError, match=r"must hold training seconds as benchmarks/bench_training_time\.py"):
            read_training_times(path)
