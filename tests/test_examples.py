"""Every example runs from start to end."""

import runpy
from pathlib import Path

import pytest

from stopwatch import Stopwatch

SERVED = "serve.py"  # tests/test_serving.py starts it
EXAMPLES = sorted(path for path in (Path(__file__).parents[1] / "examples").glob("*.py") if path.name != SERVED)

PAGES = {"large_text": ["out/texts.html"]}
MOST_SECONDS = 60


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with Stopwatch() as watch:
        runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
    for page in PAGES.get(path.stem, ()):
        assert "</html>" in (tmp_path / page).read_text(encoding="utf-8")
    assert watch.within(MOST_SECONDS), watch
