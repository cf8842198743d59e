"""The documents: their code runs, their pictures are those it draws, and every public name is in the reference."""

import importlib
import re
from pathlib import Path

import pytest

import bncc
from doc_blocks import blocks_of, run_page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]
ROOMS = sorted(path.parent.name for path in Path(bncc.__file__).parent.glob("*/__init__.py"))
NOT_RUN = [
    ("README.md", "both are what tests and builds do themselves"),
]
DOCUMENTED = re.compile(r"^\s*(?:\.\. (?:auto)?\w+:: |~)bncc\.([\w.]+)$", re.MULTILINE)


@pytest.mark.parametrize("room", [room for room in ROOMS if room != "cli"])
def test_every_public_name_is_in_the_reference_once(room):
    page = (DOCS / "api" / f"{room}.md").read_text(encoding="utf-8")
    found = [name.split(".")[1] for name in DOCUMENTED.findall(page) if name != room]
    assert sorted(found) == sorted(importlib.import_module(f"bncc.{room}").__all__)


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


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_code_of_a_page_runs(path, tmp_path, monkeypatch, request):
    if "<!-- needs data -->" in path.read_text(encoding="utf-8"):
        request.getfixturevalue("data_folder")
    monkeypatch.chdir(tmp_path)
    run_page(path)
    for drawn in tmp_path.glob("*.svg"):
        shown = DOCS / "pictures" / drawn.name
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
