"""Mutated model files are refused, or give a model that answers or raises: nothing else happens."""

import json
from pathlib import Path

import pytest

from absence import needs_source_tree
from model_fuzz import EVERY, fuzz

ROOT = Path(__file__).parents[3]


def test_some_mutations_of_a_few_models():
    outcomes, faults = fuzz(120, ("BinaryRelevance", "tree", "MLkNN", "rare"), seed=5)
    assert faults == []
    assert outcomes["refused"] > 40
    assert outcomes["answers"] > 10


@pytest.mark.slow
def test_mutations_of_every_model():
    outcomes, faults = fuzz(2000, seed=6)
    assert faults == []
    assert outcomes.total() == 2000
    assert outcomes["refused"] > 800
    assert outcomes["answers"] > 200


@needs_source_tree("benchmarks/results")
def test_the_last_long_run_found_nothing():
    record = json.loads((ROOT / "benchmarks" / "results" / "fuzz.json").read_text())
    assert record["faults"] == []
    assert record["models"] >= len(EVERY) * 0.8
