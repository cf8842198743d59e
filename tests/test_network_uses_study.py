"""The study of the network's uses: what its scripts share, and that they follow the protocol."""

import importlib
import json

import numpy as np
import pytest

from absence import needs_source_tree
from bncc.analysis import resampled_t

pytestmark = needs_source_tree("benchmarks")


@pytest.fixture
def study(benchmark_script):
    return benchmark_script("paired_study")


def folds(values):
    return {(0, fold): value for fold, value in enumerate(values)}


def test_the_interval_on_a_set_is_that_of_the_corrected_test(study):
    random = np.random.default_rng(0)
    for shift in (0.0, 0.01, 0.05, 0.2):
        one, other = random.normal(0.5 + shift, 0.02, 6), random.normal(0.5, 0.02, 6)
        (row,) = study.effects_of_sets({"flags": folds(one)}, {"flags": folds(other)}, ["flags", "yeast"])
        assert row["difference"] == pytest.approx(100 * (one - other).mean())
        assert row["p"] == pytest.approx(resampled_t(100 * (one - other), 3).p_value)
        assert (row["p"] < 0.05) == (abs(row["difference"]) > row["+-"])


def test_draws_are_averaged_before_folds_are_compared(study):
    lines = [
        {"set": "flags", "repeat": 0, "fold": 0, "use": "stack", "form": form, "draw": draw, "values": {"f": value}}
        for form, draw, value in (("network", 0, 0.5), ("permuted", 0, 0.2), ("permuted", 1, 0.4))
    ]
    assert study.fold_means(lines, "f", form="permuted") == {"flags": {(0, 0): pytest.approx(0.3)}}
    assert study.fold_means(lines, "f", form="network", use="stack") == {"flags": {(0, 0): 0.5}}


def test_the_effect_over_sets(study):
    row = study.effect_over_sets([{"difference": gain, "p": 0.01} for gain in (1.0, 2.0, 3.0, -2.0)])
    assert (row["sets"], row["difference"], row["wins/ties/losses"]) == (4, 1.0, "3/0/1")
    assert (row["better, p < 0.05"], row["worse, p < 0.05"]) == (3, 1)
    assert row["+-"] == pytest.approx(3.182446 * np.std([1, 2, 3, -2], ddof=1) / 2, rel=1e-6)


def test_work_goes_on_where_it_stopped(study, tmp_path):
    done = []

    def answer(cell, lines):
        done.append(cell["fold"])
        return {**cell, "values": {"f": 0.5}, "seconds": 0.0}

    cells, path = [{"fold": fold} for fold in range(4)], tmp_path / "runs.jsonl"
    assert study.work_off(cells, ["fold"], answer, path, minutes=-1.0) == []
    study.work_off(cells[:2], ["fold"], answer, path, minutes=1.0)
    assert len(study.work_off(cells, ["fold"], answer, path, minutes=1.0)) == 4
    assert done == [0, 1, 2, 3]
    assert [json.loads(line)["fold"] for line in path.read_text().splitlines()] == [0, 1, 2, 3]


def test_uses_are_those_of_the_protocol_and_can_be_made(study):
    uses = importlib.import_module("bench_network_uses")
    assert list(uses.USES) == list(study.PROTOCOL["uses"])
    assert uses.usable(list(uses.USES)) == list(uses.USES)
    assert set(importlib.import_module("bench_orders").ORDERS) == set(study.PROTOCOL["orders"]["orders"])


def test_half_a_settles_and_half_b_is_corrected(study):
    uses = importlib.import_module("bench_network_uses")
    rows = [
        {"half": half, "metric": "macro_f1", "use": use, "twin": twin, "difference": gain, "p": 0.02}
        for use, gains in (("stack", (1.0, 1.0)), ("clr", (1.0, -1.0)), ("mlknn", (0.5, 0.1)))
        for twin, gain in zip(("without", "permuted"), gains, strict=True)
        for half in ("A", "B")
    ]
    uses.settle(rows)
    assert {row["use"] for row in rows if row["settled"] == "yes"} == {"stack", "mlknn"}
    assert {row["p (Holm)"] for row in rows if "p (Holm)" in row} == {0.04}
    assert all(("p (Holm)" in row) == (row["half"] == "B" and row["settled"] == "yes") for row in rows)


def test_answers_begin_with_the_recorded_ones(study, tmp_path, monkeypatch):
    monkeypatch.setattr(study, "RECORDED", tmp_path)
    written, elsewhere = tmp_path / "runs.jsonl", tmp_path / "new" / "runs.jsonl"
    assert study.read_lines(elsewhere) == []
    written.write_text('{"fold": 1}\n')
    study.record_lines(written)
    assert study.read_lines(elsewhere) == [{"fold": 1}]
    elsewhere.write_text('{"fold": 2}\n')
    assert study.read_lines(elsewhere) == [{"fold": 2}]


def test_recorded_effects_follow_from_the_recorded_answers(study, tmp_path):
    uses = importlib.import_module("bench_network_uses")
    recorded = json.loads((study.RECORDED / "network_uses.json").read_text())
    rows, of_sets = uses.sum_up(study.read_lines(tmp_path / "network_uses_runs.jsonl"), list(uses.USES))
    assert len(rows) == len(recorded["rows"])
    for row, kept in zip(rows, recorded["rows"], strict=True):
        assert [row[key] for key in ("half", "metric", "use", "twin", "sets")] == [
            kept[key] for key in ("half", "metric", "use", "twin", "sets")
        ]
        assert row["difference"] == pytest.approx(kept["difference"])
    assert len(of_sets) == len(recorded["notes"]["of_sets"])


def test_the_page_shows_what_was_recorded(study):
    page = importlib.import_module("network_uses_page")
    text = page.PAGE.read_text(encoding="utf-8")
    for name, table in (("network_uses", page.uses_table), ("orders", page.orders_table)):
        assert table(json.loads((study.RECORDED / f"{name}.json").read_text())["rows"]) in text
    assert set(page.USES) == set(study.PROTOCOL["uses"])


@pytest.mark.slow
def test_a_cell_of_each_study(study, monkeypatch):
    from bncc.datasets import make_scenes

    data = make_scenes(90)
    monkeypatch.setattr(study.SetReader, "__call__", lambda self, name: (data.X, np.asarray(data.Y)[:, :4]))
    uses, orders = (importlib.import_module(name) for name in ("bench_network_uses", "bench_orders"))
    monkeypatch.setitem(study.PROTOCOL, "kernel_grid", {"sigma": [1.0, 4.0], "C": [1.0]})
    cell = {"set": "scenes", "repeat": 0, "fold": 0, "draw": 0}
    for use in ("rakel", "stack", "mlknn", "decoder"):
        for form in uses.FORMS:
            line = uses.answer({**cell, "use": use, "form": form}, [], "cpu")
            assert set(line["values"]) == set(study.PROTOCOL["metrics"])
            assert json.loads(json.dumps(line, default=float))["settings"] == line["settings"]
    options = type("Options", (), {"engine": "cpu", "draws": 2})
    for order in orders.ORDERS:
        assert min(orders.answer({**cell, "order": order}, [], options)["values"].values()) > 0.1
