"""The documents: their code runs, their pictures are those it draws, and every public name is in the reference."""

import importlib
import json
import re
from pathlib import Path

import pytest

import bncc
from absence import needs_source_tree
from doc_blocks import blocks_of, run_page, shows

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# From result stores; they show protocols, and no code.
GENERATED = tuple(DOCS.glob("reproduction*.md"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(set(DOCS.glob("*.md")) - set(GENERATED))]
# Half a minute each: their code runs in the slow suite.
LONG = ("command-line", "experiments", "tutorial", "why")
ROOMS = sorted(path.parent.name for path in Path(bncc.__file__).parent.glob("*/__init__.py"))
NOT_RUN = [
    ("README.md", "both are what tests and builds do themselves"),
    ("experiments.md", "needs several machines"),
    ("experiments.md", "needs several machines"),
    ("experiments.md", "needs Ray"),
    ("gpu.md", "installs packages"),
    ("index.md", "installs packages"),
    ("large-data.md", "needs several machines"),
    ("large-data.md", "needs several machines"),
    ("serving.md", "needs FastAPI; tests/test_serving.py starts and calls it"),
]
DOCUMENTED = re.compile(r"^\s*(?:\.\. (?!module)\w+:: |~)bncc\.([\w.]+)$", re.MULTILINE)


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "cli"])
def test_every_public_name_is_in_the_reference_once(room):
    page = (DOCS / "api" / f"{room}.md").read_text(encoding="utf-8")
    modules = re.findall(r"^\.\. module:: (bncc\.[\w.]+)$", page, re.MULTILINE)
    assert modules[0] == f"bncc.{room}"
    names = [f"bncc.{name}" for name in DOCUMENTED.findall(page)]
    names += [f"{modules[0]}.{name}" for name in re.findall(r"^\.\. data:: (\w+)$", page, re.MULTILINE)]
    for module in modules:
        found = [name.removeprefix(f"{module}.") for name in names if name.rpartition(".")[0] == module]
        assert sorted(found) == sorted(importlib.import_module(module).__all__)


def test_names_of_the_package_are_in_its_overview():
    page = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    listed = DOCUMENTED.findall(page)
    assert sorted(name.split(".")[1] for name in listed) == sorted(set(bncc.__all__) - {"__version__"})
    for name in listed:
        room, member = name.split(".")
        assert getattr(importlib.import_module(f"bncc.{room}"), member) is getattr(bncc, member)


def test_every_room_has_a_page_and_a_line():
    page = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"\[`bncc\.(\w+)`\]\(\1\.md\)", page) == re.findall(r"^(\w+)$", page.split("{toctree}")[1], re.M)
    assert set(re.findall(r"\[`bncc\.(\w+)`\]", page)) == set(ROOMS) - {"cli"}


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem in LONG else []) for path in PAGES],
)
def test_code_of_a_page_runs(path, tmp_path, monkeypatch, request):
    if "<!-- needs data -->" in path.read_text(encoding="utf-8"):
        request.getfixturevalue("data_folder")
    monkeypatch.chdir(tmp_path)
    run_page(path)
    for drawn in tmp_path.glob("*.svg"):
        shown = DOCS / "pictures" / drawn.name
        assert shown.exists()
        if drawn.stem.endswith("-network"):  # figures of matplotlib differ from version to version
            assert drawn.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8"), f"draw {shown} again"


def test_blocks_that_are_not_run_are_known():
    """Nobody adds one without a reason that is written here too."""
    left_out = [
        (block.page, block.mark.removeprefix("not run: "))
        for path in PAGES
        for block in blocks_of(path)
        if block.left_out
    ]
    assert left_out == NOT_RUN


def test_a_wrong_page_fails(tmp_path, monkeypatch):
    """The runner sees a wrong output, a failing command and a block that nobody would run."""
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    for text in (
        "```python\n>>> 1 + 1\n3\n```\n",
        "```python\nassert False\n```\n",
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ false\n```\n",
        "```bash\ntrue\n```\n",
        "```\ntrue\n```\n",
    ):
        page.write_text(text, encoding="utf-8")
        with pytest.raises(AssertionError):
            run_page(page)


def test_a_right_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- file: a.txt -->\n```toml\nx = 1\n```\n```console\n$ cat a.txt\nx = ...\n$ true\n```\n"
        "<!-- not run: no -->\n```bash\nfalse\n```\n```text\nno code\n```\n"
        "```python\nx = 1\n```\n```python\n>>> x\n1\n```\n<!-- exit status 3 -->\n\n```console\n$ exit 3\n```\n",
        encoding="utf-8",
    )
    assert run_page(page) == 5
    assert [block.line for block in blocks_of(page)] == [2, 5, 11, 17, 20, 26]


@pytest.mark.parametrize(
    ("expected", "output", "same"),
    [
        ("one\n...\ntwo", "  one\n\n two\n", True),
        ("one\n...\ntwo", "one\nand\nmore\ntwo\n", True),
        ("a ... c", "a   b c", True),
        ("1.5 s", "125 s", False),
        ("one\ntwo", "one\nand\ntwo", False),
        ("one", "one\ntwo", False),
        ("one\n...", "one\ntwo", True),
    ],
)
def test_output_is_as_shown(expected, output, same):
    assert shows(expected, output) is same


@needs_source_tree("benchmarks/results")
def test_figures_of_methods_are_the_recorded_ones():
    """The table in choosing.md is what benchmarks/bench_kernel_recommendation.py recorded."""
    recorded = json.loads((ROOT / "benchmarks" / "results" / "kernel_recommendation.json").read_text(encoding="utf-8"))[
        "rows"
    ]
    columns = ("example_f1", "macro_f1", "micro_f1", "hamming_loss", "subset_accuracy", "seconds")
    figures = {row["method"]: [f"{row[name]:.1f}" for name in columns] for row in recorded}
    page = (DOCS / "choosing.md").read_text(encoding="utf-8").split("| exact match | seconds |")[1].split("\n\n")[0]
    shown = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ")[1:] for line in page.splitlines()[2:]}
    assert len(shown) == 8
    assert {name: figures[name] for name in shown} == shown


@needs_source_tree("benchmarks/results")
def test_figures_of_recommended_are_the_recorded_ones(benchmark_script):
    """The tables in choosing.md are what benchmarks/recommended_page.py makes of the record."""
    page = benchmark_script("recommended_page")
    made = page.text(page.read("recommended"), page.read("recommended_paper"))
    assert made in (DOCS / "choosing.md").read_text(encoding="utf-8"), "run benchmarks/recommended_page.py"


@needs_source_tree("benchmarks/results")
def test_figures_of_time_limits_are_the_recorded_ones(benchmark_script):
    page = benchmark_script("bench_time_limits")
    record = json.loads((page.RECORDED / "time_limits.json").read_text(encoding="utf-8"))
    made = page.page_table(record["rows"])
    assert made in (DOCS / "choosing.md").read_text(encoding="utf-8"), "run benchmarks/bench_time_limits.py --page"


@needs_source_tree("benchmarks/results")
def test_figures_of_the_readme_are_the_recorded_ones():
    """Seconds of the chain benchmark, and what other packages answered."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    for row in json.loads((ROOT / "benchmarks" / "results" / "chain.json").read_text(encoding="utf-8"))["rows"]:
        line = next(line for line in page.splitlines() if line.startswith(f"| {row['data']}, "))
        shown = [float(cell) for cell in re.findall(r"([\d.]+)(?= s? ?\|)", line.split("labels")[1])]
        recorded = [row["scikit-learn s"], row["intelex s"], row["bncc s"], row["ratio"]]
        assert shown == pytest.approx(recorded, rel=0.16 if row["data"] == "emotions" else 0.05)
    answers = {
        row["package"]: row
        for row in json.loads((ROOT / "benchmarks" / "results" / "alternatives.json").read_text())["rows"]
    }
    for question, words in {
        "given_order": "| a given order leaves columns in place | yes | yes | 0.2: no, -ng: yes |",
        "sparse_labels": "| sparse labels | yes | no (ValueError) | yes |",
        "constant_label": "| a label constant in the training rows | yes | no (ValueError) | no (ValueError) |",
        "unknown_labels": "| unknown labels (NaN) | yes | no (ValueError) | no (ValueError) |",
    }.items():
        told = ["yes" if answers[name][question] == "yes" else "no" for name in ("bncc", "scikit-learn")]
        both = {answers[name][question] == "yes" for name in ("scikit-multilearn", "scikit-multilearn-ng")}
        told.append({frozenset({True}): "yes", frozenset({False}): "no"}.get(frozenset(both), "0.2: no, -ng: yes"))
        assert words in page
        assert [cell.split(" (")[0].strip() for cell in words.split("|")[2:5]] == told


@needs_source_tree("benchmarks/results")
def test_figures_of_gpus_are_the_recorded_ones():
    """Seconds of docs/gpu.md and README, problems per second, labels that differ, and the time of the study."""
    results = {
        name: json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("cuda", "cuda_agreement", "study_paper")
    }
    page = (DOCS / "gpu.md").read_text(encoding="utf-8")
    whole, sizes = results["cuda"]["rows"][:3], results["cuda"]["rows"][3:]
    for row in whole:
        (line,) = (line for line in page.splitlines() if line.startswith("|") and row["data"].title() in line)
        assert f"| {int(row['problems']):,} of " in line
        assert float(line.split("|")[-2]) == pytest.approx(row["seconds"], rel=0.03)
    rates = {row["rows"]: row["problems/s"] for row in sizes}
    (few, many) = re.search(r"([\d,]+) problems of 90 rows a second, ([\d,]+) of 700 rows", page).groups()
    assert [int(n.replace(",", "")) for n in (few, many)] == pytest.approx([rates["90"], rates["700"]], rel=0.02)
    (large,) = (row for row in sizes if row["rows"] == "2200")
    (read, issue) = re.search(r"reads at\s(\d+) % of the bandwidth of\sa copy and reaches (\d+) %", page).groups()
    assert [int(read), int(issue)] == pytest.approx([100 * large["read"], 100 * large["issue"]], abs=1)
    rows = results["cuda_agreement"]["rows"]
    differ, labels = (sum(row[name] for row in rows) for name in ("differ", "labels"))
    assert f"on the {len(rows)} sets below 10,000 rows, {differ} of {labels:,} differ" in page
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    yeast, bibtex, _ = whole
    assert f"the search takes {yeast['seconds']:.2f} s" in readme
    assert f"ten folds of a chain on bibtex {bibtex['seconds']:.2f} s" in readme
    wall = results["study_paper"]["notes"]["wall"]
    for text in (page, readme):
        assert f"{wall:.0f} seconds" in text
    assert f"took {wall:.0f} seconds of wall time" in (DOCS / "reproduction.md").read_text(encoding="utf-8")
