"""The benchmark of limits of time: parts by themselves, what is within a limit, and what the page says of a row."""

import sys
from types import SimpleNamespace

import pytest

from absence import needs_source_tree

pytestmark = needs_source_tree("benchmarks/results")
ROW = {
    "work": "table",
    "case": "a set",
    "method": "recommended",
    "seconds": 42.2,
    "date": "2026-11-17",
    "blend_version": 1,
    "example F1": 77.61,
    "limit": 60,
    "within": "yes",
}


@pytest.fixture
def bench(benchmark_script):
    return benchmark_script("bench_time_limits")


def test_a_tenth_and_two_seconds_are_within_a_limit(bench):
    assert [bench.within(seconds, 60) for seconds in (59.0, 68.0, 68.1)] == [True, True, False]


def test_parts_that_are_not_run_stay_as_they_were(bench):
    before = [ROW, {**ROW, "work": "text"}, {**ROW, "work": "curve"}]
    made = bench.joined([{**ROW, "work": "rows"}, {**ROW, "work": "text", "seconds": 1.0}], before, ["rows", "text"])
    assert [(row["work"], row["seconds"]) for row in made] == [
        ("curve", 42.2),
        ("table", 42.2),
        ("text", 1.0),
        ("rows", 42.2),
    ]


def test_a_row_of_the_page(bench):
    rows = [
        ROW,
        {**ROW, "limit": 5, "seconds": 9.0, "within": "no"},
        {**ROW, "method": "extra trees", "limit": "", "within": ""},
        {**ROW, "work": "unlimited", "limit": "none", "within": "", "date": "2026-11-18", "blend_version": 2},
    ]
    told = bench.page_table(rows)
    assert "version 1 is the blend before" in " ".join(told.split())
    assert told.splitlines()[-2:] == [
        "| a set | 60 s: 77.6 (42.2 s); 5 s: 77.6 (9.0 s, late) | extra trees 77.6 (42.2 s) | 2026-11-17, version 1 |",
        "| a set | no limit: 77.6 (42.2 s) |  | 2026-11-18, version 2 |",
    ]


def test_the_curve_of_a_set_and_its_picture(bench, tmp_path):
    of_curve = {**ROW, "work": "curve"}
    rows = [ROW, {**of_curve, "limit": 20, "example F1": 80.0}, {**of_curve, "limit": 5}]
    rows.append({**of_curve, "method": "extra trees", "limit": "", "example F1": 70.0})
    found = bench.curves(rows)
    assert found == {"a set": ([(5, 77.61), (20, 80.0)], {"extra trees": 70.0})}
    bench.draw(found, tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 1000
    assert bench.page_table(rows).splitlines()[-1].endswith("(pictures/time-limits.png)")
    assert "png" not in bench.page_table([ROW])


def test_small_sizes_are_not_recorded(bench, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench_time_limits.py", "--small", "--record"])
    with pytest.raises(SystemExit):
        bench.main()
    assert "no run to record" in capsys.readouterr().err


def test_a_part_without_a_limit(bench):
    (row,) = bench.unlimited_large(SimpleNamespace(small=True))
    assert (row["work"], row["limit"], row["within"]) == ("unlimited_large", "none", "")
    assert row["blend_version"] == bench.BLEND_VERSION
    assert row["example F1"] > 30


@pytest.mark.slow
@pytest.mark.parametrize("part", ["rows", "labels"])
def test_a_part_with_a_limit(bench, part):
    ours, other = bench.WORK[part](SimpleNamespace(small=True))
    assert (ours["method"], ours["limit"], other["limit"]) == ("recommended", 5, "")
    assert ours["within"] == ("yes" if bench.within(ours["seconds"], 5) else "no")
    assert min(ours["example F1"], other["example F1"]) > 30
