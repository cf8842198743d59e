"""The tables of the linear engine in README.md and docs/large-data.md are made from the recorded run."""

import importlib
import json
import os
import sys

import pytest

from absence import ROOT, needs_source_tree

pytestmark = needs_source_tree("benchmarks/linear_page.py")

RECORD = {
    "notes": {"mean_ratio_relevance": 31.4},
    "rows": [
        {"work": "relevance", "case": "bibtex", "bncc_s": 0.0512, "peer_s": 2.1, "ratio": 41.0, "excess": 2e-4},
        {
            "work": "peers",
            "case": "napkinxc, 20,000 x 20,000 x 100",
            "bncc_s": 0.25,
            "peer_s": 2.0,
            "ratio": 8.04,
            "f1": 90.1,
            "peer_f1": 90.0,
        },
        {"work": "peers", "case": "libmultilabel, 2 x 2 x 2", "excess": "no environment"},
        {"work": "large", "case": "1,000,000 x 100,000 x 10,000", "bncc_s": 400.2, "peak_gb": 6.31},
        {"work": "growth", "case": "rows: 10,000 x 100,000 x 320", "bncc_s": 1.0},
        {"work": "growth", "case": "rows: 100,000 x 100,000 x 320", "bncc_s": 11.0},
        {"work": "growth", "case": "rows: slope", "slope": 1.04},
        {"work": "growth", "case": "labels: 100,000 x 100,000 x 100", "bncc_s": 2.0},
        {"work": "bound", "case": "labels 0..31 of 200", "seconds_per_block": 1.0},
    ],
}


@pytest.fixture
def page(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.setenv("BNCC_DATA", os.environ.get("BNCC_DATA", ""))  # which the scripts would set for good
    yield importlib.import_module("linear_page")
    for name in ("linear_page", "harness"):
        sys.modules.pop(name, None)


def test_the_table(page, monkeypatch):
    monkeypatch.setattr(page, "device_seconds", lambda: 20.4)
    assert page.table(RECORD).splitlines() == [
        "| linear engine, 2 cores | bncc | other | ratio | equal results |",
        "|---|---|---|---|---|",
        "| binary relevance, bibtex | 0.051 s | `OneVsRestClassifier(LinearSVC(), n_jobs=2)`: 2.1 s | 41 | "
        "objective within 2e-04 above |",
        "| binary relevance, 20,000 x 20,000 x 100 | 0.25 s | napkinXC `BR`: 2 s | 8.0 | F1 90.1, theirs 90.0 |",
        "| BNCC, network and chain, 1,000,000 x 100,000 x 10,000 | 400 s, 6.3 GB |  |  |  |",
        "| chain on one H200, 1,000,000 x 100,000 x 10,000 | 20 s | two cores, as above | 20 | same tolerance |",
        "| binary relevance, geometric mean | | | 31 | |",
        "",
        "Time grows with the number of rows to the power of 1.04 (log-log).",
    ]


def test_the_short_table(page, monkeypatch):
    monkeypatch.setattr(page, "device_seconds", lambda: 20.4)
    rows = [*RECORD["rows"], {"work": "relevance", "case": "enron", "bncc_s": 1.0, "peer_s": 10.0, "ratio": 10.25}]
    assert page.short_table({**RECORD, "rows": rows}).splitlines() == [
        "| linear engine, 2 cores | against | times as fast |",
        "|---|---|---|",
        "| binary relevance | `OneVsRestClassifier(LinearSVC(), n_jobs=2)` | 20 (geometric mean of 2: 10 to 41) |",
        "| binary relevance | napkinXC `BR` | 8 |",
        "| BNCC, network and chain, 1,000,000 x 100,000 x 10,000 | | 400 s, 6.3 GB |",
        "| chain on one H200, 1,000,000 x 100,000 x 10,000 | BNCC on two cores | 20 (20 s) |",
    ]


def test_a_page_gets_the_table_once(page):
    first = page.with_table("before\n\n## Next\nafter\n", "one", "## Next")
    assert first == f"before\n\n{page.BEGIN}\none\n{page.END}\n\n## Next\nafter\n"
    again = page.with_table(first, "two", "not there")
    assert again == first.replace("one", "two")
    with pytest.raises(SystemExit, match="no line begins with 'nowhere'"):
        page.with_table("text", "one", "nowhere")


def test_the_places_are_there(page):
    for path, before in page.PLACES.items():
        text = path.read_text(encoding="utf-8")
        assert page.BEGIN in text or before in text


def test_growth_is_drawn(page, tmp_path):
    points = page.points_of(RECORD["rows"])
    assert points == {"rows": [(10_000, 1.0), (100_000, 11.0)], "labels": [(100, 2.0)]}
    pytest.importorskip("matplotlib")
    page.draw(points, tmp_path / "figures" / "growth.png")
    assert (tmp_path / "figures" / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_pages_show_the_recorded_run(page):
    if not page.RECORD.exists():
        pytest.skip("no run is recorded yet")
    record = json.loads(page.RECORD.read_text(encoding="utf-8"))
    for path, table in ((page.README, page.short_table), (page.PAGE, page.table)):
        assert table(record) in path.read_text(encoding="utf-8"), "run benchmarks/linear_page.py"
