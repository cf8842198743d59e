import os
import subprocess
import sys
import time

import pytest

from bncc import learn_network
from bncc.cli.paced_lines import SECONDS_BETWEEN_LINES
from bncc.datasets import SCENES, make_scenes
from bncc.structure import describing_search
from stopwatch import timed_thrice


def test_demo_shows_dependence_networks_order_and_methods(bncc):
    started = time.monotonic()
    result = bncc("demo", "--rows", 300, "--folds", 2)
    assert len(result.stderr.splitlines()) <= 2 + (time.monotonic() - started) / SECONDS_BETWEEN_LINES
    assert "Dependence degree" in result.stdout
    line = next(line for line in result.stdout.splitlines() if line.strip().startswith("Market"))
    assert line.split("=")[0].split() == ["Market", "Village,", "Crowd"]
    order = result.stdout.split("Chain order: ")[1].split("Methods compared")[0].replace("\n", " ")
    assert sorted(name.strip() for name in order.split("→")) == sorted(SCENES.label_names)
    for method in ("br", "cc", "bncc", "recommended"):
        assert any(line.split()[:1] == [method] for line in result.stdout.splitlines())
    reasons = result.stdout.split("Why row 0 got its labels, by ")[1].splitlines()[1]
    assert any(reasons.startswith(f"  {name}: ") for name in SCENES.label_names)


@pytest.mark.slow
def test_demo_is_repeatable_takes_a_seed_and_learns_the_true_network(as_json):
    first, same, other = (as_json("demo", "--rows", 300, "--folds", 2, "--seed", seed) for seed in (1, 1, 2))
    for result in (first, same, other):
        for entry in result["methods"].values():
            del entry["train_seconds"], entry["test_seconds"]
    assert first == same != other
    assert set(first) == {
        "data",
        "rows",
        "order",
        "network",
        "true_network",
        "folds",
        "seed",
        "methods",
        "lead",
        "quality",
        "page",
    }
    edges = [
        {(p, child) for child, parents in first[key].items() for p in parents} for key in ("network", "true_network")
    ]
    drawn = make_scenes(300, random_state=1)
    net = learn_network(drawn.Y, max_children=None, search=describing_search(10), label_names=drawn.label_names)
    shown = net.pruned()
    assert edges[0] == {(net.label_names[parent], net.label_names[child]) for parent, child in shown.edges}
    assert len({frozenset(edge) for edge in edges[0]} & {frozenset(edge) for edge in edges[1]}) >= 7
    assert list(first["methods"]) == ["br", "cc", "bncc", "recommended"]
    for entry in first["methods"].values():
        assert 0.5 < entry["scores"]["example_f1"]["mean"] < 1
        assert len(entry["scores"]["example_f1"]["folds"]) == 2


def test_demo_fits_a_plain_terminal(bncc, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert "…" not in bncc("demo", "--rows", 100, "--folds", 2).stdout


def test_bad_option_is_a_user_error(bncc):
    result = bncc("demo", "--rows", 5, code=2)
    assert "--rows" in result.output


def test_a_console_without_the_characters_shows_others(tmp_path):
    command = [sys.executable, "-m", "bncc", "demo", "--rows", "40", "--folds", "2"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, check=False, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert b"Chain order" in done.stdout


@pytest.mark.slow
def test_demo_takes_less_than_a_minute(tmp_path):
    command = [sys.executable, "-m", "bncc", "demo", "--quiet"]
    _, watch = timed_thrice(lambda: subprocess.run(command, check=True, cwd=tmp_path), 60)
    assert watch.within(60), watch
