"""The tables of the linear engine in README.md and docs/large-data.md are made from the recorded run."""

import json

import pytest

from absence import needs_source_tree

pytestmark = needs_source_tree("benchmarks/linear_page.py")

F1_OF_ALL = {"micro_f1": 50.0, "example_f1": 49.0, "macro_f1": 23.0}
F1_OF_SOME = {"micro_f1": 49.75, "example_f1": 49.5, "macro_f1": 22.0}
STREAMED = {"stream_gb_per_s": 32.4, "stream_all_gb_per_s": 40.0}
RECORD = {
    "notes": {
        "mean_ratio_relevance": 31.4,
        "parts": {
            "relevance": {"date": "2026-11-18", "commit": "abc1234", "versions": {"scikit-learn": "1.9.1"}},
            "peers": {"date": "2026-11-18", "commit": "abc1234", "versions": {"napkinxc": "0.7.2"}},
            "large": {"date": "2026-11-17", "commit": "abc0000", "versions": {"scikit-learn": "1.9.0"}},
        },
    },
    "rows": [
        {"work": "relevance", "case": "bibtex", "bncc_s": 0.0512, "peer_s": 2.1, "ratio": 41.0, "excess": 2e-4},
        {
            "work": "chain",
            "case": "bibtex",
            "bncc_s": 0.5,
            "peer_s": 20.0,
            "ratio": 40.0,
            "excess": 9e-4,
            "labels": 1159,
        },
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
        {
            "work": "large",
            "case": "1,000,000 x 100,000 x 10,000",
            "bncc_s": 400.2,
            "peak_gb": 6.31,
            "network_s": 3.14,
            "threads": 2,
            "seconds_per_block": 1.25,
            "updates": 1.82,
            "checks": 2.69,
            "active": 0.108,
            "largest_gap": 9.9e-4,
            "new_rows": 5000,
            "f1": 71.23,
        },
        {"work": "growth", "case": "rows: 10,000 x 100,000 x 320", "bncc_s": 1.0},
        {"work": "growth", "case": "rows: 100,000 x 100,000 x 320", "bncc_s": 11.0},
        {"work": "growth", "case": "rows: slope", "slope": 1.04},
        {"work": "growth", "case": "labels: 100,000 x 100,000 x 100", "bncc_s": 2.0},
        {
            "work": "cycles",
            "case": "hierarchy",
            "what": "hierarchy, 1000000 x 100000",
            "seconds": 19.6,
            "break_cycles seconds": 0.7,
            "edges": 133_271,
            "kept": 117_445,
        },
        {"work": "drop", "case": "enron, BNCC, nothing dropped", "share": 0.0, **F1_OF_ALL, "weights_per_label": 200.0},
        {"work": "drop", "case": "enron, BNCC, 0.01 dropped", "share": 0.01, **F1_OF_SOME, "weights_per_label": 150.0},
        {"work": "bound", "case": "labels 0..31 of 200", "threads": 2, "gb_per_s": 14.0, **STREAMED},
        {"work": "instructions", "case": "2 x 2 x 2, LinearSVC", "instructions": "avx512", "bncc_s": 0.044},
        {"work": "instructions", "case": "2 x 2 x 2, LinearSVC", "instructions": "avx2", "bncc_s": 0.049},
        {"work": "bound", "case": "labels 168..199 of 200", "threads": 2, "gb_per_s": 17.6, **STREAMED},
    ],
}
DEVICE = {"batch s": 0.6, "first solve s": 28.7, "solve s": 20.4, "largest gap": 9.9e-4}


@pytest.fixture
def page(benchmark_script):
    return benchmark_script("linear_page")


def test_the_table(page, monkeypatch):
    monkeypatch.setattr(page, "device_run", lambda: DEVICE)
    assert page.table(RECORD).splitlines() == [
        "| linear engine, 2 cores | bncc | other | ratio | equal results |",
        "|---|---|---|---|---|",
        "| binary relevance, bibtex | 0.051 s | `OneVsRestClassifier(LinearSVC(), n_jobs=2)`: 2.1 s | 41 | "
        "objective within 2e-04 above |",
        "| chain, bibtex | 0.5 s | `ClassifierChain(LinearSVC())` of scikit-learn: 20 s | 40 | "
        "objectives of all 1,159 labels within 9e-04 above |",
        "| binary relevance, 20,000 x 20,000 x 100 | 0.25 s | napkinXC `BR`: 2 s | 8.0 | F1 90.1, theirs 90.0 |",
        "| BNCC, network and chain, 1,000,000 x 100,000 x 10,000 | 400 s, 6.3 GB |  |  | "
        "objectives of all links within 1e-03 of the optimum; F1 of the best 5 on 5,000 new rows: 71.2 |",
        "| network, 1,000,000 rows, 100,000 labels in a hierarchy, child limit 2 | 20 s | | |  |",
        "| `break_cycles`, 100,000 labels in a hierarchy, child limit 2 | 0.7 s | | | 117,445 of 133,271 edges kept |",
        "| chain on one H200, first solve, 1,000,000 x 100,000 x 10,000 | 29 s | "
        "whole BNCC fit on two cores: 400 s | 14 | objectives of all links within 1e-03 of the optimum |",
        "| chain on one H200, second solve, 1,000,000 x 100,000 x 10,000 | 20 s | "
        "whole BNCC fit on two cores: 400 s | 20 | objectives of all links within 1e-03 of the optimum |",
        "| binary relevance, geometric mean | | | 31 | |",
    ]


def test_the_short_table(page, monkeypatch):
    monkeypatch.setattr(page, "device_run", lambda: DEVICE)
    rows = [*RECORD["rows"], {"work": "relevance", "case": "enron", "bncc_s": 1.0, "peer_s": 10.0, "ratio": 10.25}]
    assert page.short_table({**RECORD, "rows": rows}).splitlines() == [
        "| linear engine, 2 cores | against | times as fast |",
        "|---|---|---|",
        "| binary relevance | `OneVsRestClassifier(LinearSVC(), n_jobs=2)` | 20 (geometric mean of 2: 10 to 41) |",
        "| chain | `ClassifierChain(LinearSVC())` of scikit-learn | 40 |",
        "| binary relevance | napkinXC `BR` | 8 |",
        "| BNCC, network and chain, 1,000,000 x 100,000 x 10,000 | | 400 s, 6.3 GB |",
        "| network, 1,000,000 rows, 100,000 labels in a hierarchy, child limit 2 | | 20 s |",
        "| `break_cycles`, 100,000 labels in a hierarchy, child limit 2 | | 0.7 s |",
        "| chain on one H200, first solve, 1,000,000 x 100,000 x 10,000 | whole BNCC fit on two cores | 14 (29 s) |",
        "| chain on one H200, second solve, 1,000,000 x 100,000 x 10,000 | whole BNCC fit on two cores | 20 (20 s) |",
    ]


def test_what_instructions_are_worth(page):
    sentence = page.told.instruction_sets(RECORD["rows"])
    assert sentence.endswith("2 x 2 x 2, LinearSVC: 0.044 s with AVX-512, 0.049 s with AVX2.")
    assert page.told.instruction_sets([]) == ""


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


def test_what_is_told_of_rows_and_blocks(page):
    told, rows = page.told, RECORD["rows"]
    assert told.growth(rows) == "Time grows with the number of rows to the power of 1.04 (log-log)."
    assert told.blocks(rows) == (
        "The 1,000,000 x 100,000 x 10,000 fit is 625 blocks of 16 labels. A block takes 1.25 seconds: 1.8 updates and "
        "2.7 checks per row, with 11 % of the rows active at the end. M / 16 * seconds / threads is 625 * 1.25 / 2 = "
        "391 of its 400 seconds; the network takes 3.1."
    )
    assert told.passes(rows).endswith(
        "touch 14 to 18 GB per second and thread, 28 to 35 on 2 threads. Memory streams 32 GB per second to one thread "
        "and 40 to 2 together; the passes run at 70 to 88 % of it; at its full rate the same visits would be 1.1 to "
        "1.4 times as fast."
    )
    slow = [{**row, "stream_all_gb_per_s": 30.0} for row in rows if row["work"] == "bound"]
    assert "at 93 to 117 % of it: weights that stay in the caches" in told.passes(slow)


def test_which_peers_are_nearer_than_they_should(page):
    behind, rows = page.told.peers_behind, RECORD["rows"]
    assert behind(rows).endswith("6 times as fast as napkinXC `BR`. Every case reaches it.")
    near = [{**row, "ratio": 5.94} for row in rows if row["work"] == "peers" and "ratio" in row]
    assert behind(near).endswith("Behind it: napkinXC `BR` on 20,000 x 20,000 x 100 (5.9).")


def test_what_dropping_weights_loses(page):
    intro, _, *lines = page.told.dropped(RECORD["rows"]).splitlines()
    assert "at most, over enron, each with BNCC (every row held out once;" in intro
    assert lines[2:] == ["| 0.01 | 0.25 | 0.00 | 1.00 | 75 % |"]


def test_when_parts_were_recorded(page):
    assert page.told.dates(RECORD) == (
        "Parts recorded: `relevance` and `peers` on 2026-11-18 (abc1234); `large` on 2026-11-17 (abc0000); `chain`, "
        "`growth`, `cycles`, `drop`, `bound` and `instructions` earlier. Beside scikit-learn 1.9.0 / 1.9.1 and "
        "napkinXC 0.7.2."
    )


def test_reading_is_told_where_it_is_recorded(page):
    row = {"kind": "sparse text", "seconds": 13.3, "MB/s": 43.9, "peak memory / data set": 1.3}
    assert page.told.reading({"rows": [row]}) == ""
    rows = [{**row, "format": "Extreme files"}, {**row, "format": "LIBSVM files", page.told.PEER_READER: 1.81}]
    assert "from Extreme files in 13 s (44 MB/s, with at most 1.3 times" in page.told.reading({"rows": rows})
    assert "; LIBSVM 1.8 times as fast as" in page.told.reading({"rows": rows})


def test_an_empty_record_tells_nothing(page):
    empty = {"notes": {}, "rows": []}
    told = page.told
    assert [tell([]) for tell in (told.growth, told.peers_behind, told.blocks, told.passes, told.dropped)] == [""] * 5
    assert told.dates(empty) == told.device_told([], DEVICE) == told.reading(empty) == ""


def test_pages_show_the_recorded_run(page):
    if not page.RECORD.exists():
        pytest.skip("no run is recorded yet")
    record = json.loads(page.RECORD.read_text(encoding="utf-8"))
    pages = {path: path.read_text(encoding="utf-8") for path in page.PLACES}
    assert page.with_texts(pages, record) == pages, "run benchmarks/linear_page.py"
