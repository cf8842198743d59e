"""Every hostile file is refused in our words: nothing is run, nothing crashes, and nothing takes long or much."""

import resource
import sys

import pytest

from bncc.datasets import MalformedFile
from bncc.multilabel import load_model
from model_attacks import ATTACKS, OLD
from stopwatch import Stopwatch


@pytest.mark.parametrize("attack", ATTACKS)
def test_hostile_files_are_refused(attack, tmp_path, monkeypatch):
    if attack.startswith("old: "):
        pytest.importorskip("skops")
    file = ATTACKS[attack](tmp_path / "hostile")
    called = []
    monkeypatch.setattr("webbrowser.open", called.append)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with Stopwatch() as watch, pytest.raises(MalformedFile) as refused:
        load_model(file)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / (1 if sys.platform == "darwin" else 1024)
    assert called == []
    assert str(file) in str(refused.value)
    assert watch.processor < 5
    assert grown < 64


def test_every_attack_of_the_first_release_is_here():
    assert {name[0] for name in OLD if len(name.split()[0]) == 1} == set("abcdefgh")
