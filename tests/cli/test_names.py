"""The lists for help and completion are those of their owners."""

from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

pytest.importorskip("pandas")

from bncc._typing import SearchName
from bncc.cli import names
from bncc.datasets import bundled, catalogue, fetchable
from bncc.evaluation import METHODS, pipelines
from bncc.metrics import METRICS
from bncc.structure import SCORES
from bncc.svm import choose_engine


def test_every_list_is_that_of_its_owner():
    assert list(catalogue()) == [*names.DATASETS]
    assert list(bundled()) == [*names.BUNDLED]
    assert list(fetchable()) == [*names.FETCHABLE]
    assert list(METHODS) == [*names.METHODS]
    assert list(METRICS) == [*names.METRICS]
    assert pipelines.BASES == names.BASES
    assert pipelines.MOST_KERNEL_ROWS == names.MOST_KERNEL_ROWS
    assert list(SCORES) == [*names.SCORES]
    assert set(get_args(SearchName)) == set(names.SEARCHES)
    folder = files("bncc.experiment") / "protocols"
    assert sorted(Path(path.name).stem for path in folder.iterdir()) == sorted(names.PROTOCOLS)


def test_engines_are_those_that_errors_name():
    with pytest.raises(ValueError, match="engine") as told:
        choose_engine("none")
    assert all(engine in str(told.value) for engine in names.ENGINES)


def test_completion_takes_what_begins_so():
    complete = names.starting_with(["cpu", "cuda", "auto"])
    assert complete("c") == ["cpu", "cuda"]
    assert complete("") == ["cpu", "cuda", "auto"]
    assert complete("x") == []
    assert names.complete_methods("br,bn") == ["br,bncc"]
