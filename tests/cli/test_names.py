"""The lists for help and completion are those of their owners."""

from importlib.resources import files
from pathlib import Path

import pytest

pytest.importorskip("pandas")

from bncc.cli import names
from bncc.cli.models import choose_base
from bncc.cli.source import source_of
from bncc.datasets import catalogue, fetchable, make_scenes
from bncc.metrics import METRICS
from bncc.structure import SCORES
from bncc.svm import choose_engine


def test_every_list_is_that_of_its_owner():
    assert list(catalogue()) == [*names.DATASETS]
    assert list(fetchable()) == [*names.FETCHABLE]
    assert list(METRICS) == [*names.METRICS]
    assert list(SCORES) == [*names.SCORES]
    folder = files("bncc.experiment") / "protocols"
    assert sorted(Path(path.name).stem for path in folder.iterdir()) == sorted(names.PROTOCOLS)


def test_engines_and_bases_are_those_that_errors_name():
    with pytest.raises(ValueError, match="engine") as told:
        choose_engine("none")
    assert all(engine in str(told.value) for engine in names.ENGINES)
    for base in names.BASES:
        assert choose_base(base, source_of(make_scenes(20))) in ("kernel", "linear")


def test_completion_takes_what_begins_so():
    complete = names.starting_with(["cpu", "cuda", "auto"])
    assert complete("c") == ["cpu", "cuda"]
    assert complete("") == ["cpu", "cuda", "auto"]
    assert complete("x") == []
