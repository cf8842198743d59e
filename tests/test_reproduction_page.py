"""The pages that hold our study against the paper are what the recorded stores give, to the letter."""

import lzma

import pytest
from typer.testing import CliRunner

from absence import ROOT, needs_source_tree
from bncc.cli import app

RESULTS = ROOT / "benchmarks" / "results"


READINGS = {
    "Sigma for each method": "paper-sigma-each",
    "Sigma by the mean of all methods": "paper-sigma-mean",
    "Sigma chosen on all rows": "paper-sigma-all-rows",
    "Our earlier study": "ours",
}


def unpack(folder, store):
    path = folder / f"{store}.sqlite"
    path.write_bytes(lzma.decompress((RESULTS / f"{store}.sqlite.xz").read_bytes()))
    return str(path)


@needs_source_tree("benchmarks/results")
@pytest.mark.parametrize(
    ("store", "page", "remarks", "readings"),
    [
        ("paper", "reproduction", "paper-remarks.md", READINGS),
        ("paper-mediamill", "reproduction-mediamill", None, {}),
        ("ours", "reproduction-ours", "ours-remarks.md", {}),
        ("mediamill", "reproduction-ours-mediamill", None, {}),
    ],
)
def test_pages_follow_from_the_stores(tmp_path, store, page, remarks, readings):
    arguments = ["experiment", "reproduction", unpack(tmp_path, store), "-o", str(tmp_path / f"{page}.md")]
    arguments += ["--remarks", str(RESULTS / remarks)] if remarks else []
    if readings:
        arguments += ["--sensitivity", unpack(tmp_path, "sensitivity"), "--times", str(RESULTS / "training_time.json")]
    for name, other in readings.items():
        arguments += ["--reading", f"{name}={unpack(tmp_path, other)}"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    drawn = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert drawn == sorted(path.name for path in (ROOT / "docs").glob("*.svg") if path.name in drawn)
    assert (tmp_path / f"{page}.md").read_text() == (ROOT / "docs" / f"{page}.md").read_text()
