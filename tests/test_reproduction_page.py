"""The pages that hold our study against the paper are what the recorded stores give, to the letter."""

import lzma

import pytest
from typer.testing import CliRunner

from absence import ROOT, needs_source_tree
from bncc.cli import app

RESULTS = ROOT / "benchmarks" / "results"


@needs_source_tree("benchmarks/results")
@pytest.mark.parametrize(
    ("store", "page", "remarks"),
    [("ours", "reproduction", "ours-remarks.md"), ("mediamill", "reproduction-mediamill", None)],
)
def test_pages_follow_from_the_stores(tmp_path, store, page, remarks):
    (tmp_path / f"{store}.sqlite").write_bytes(lzma.decompress((RESULTS / f"{store}.sqlite.xz").read_bytes()))
    arguments = ["experiment", "reproduction", str(tmp_path / f"{store}.sqlite"), "-o", str(tmp_path / f"{page}.md")]
    result = CliRunner().invoke(app, arguments + (["--remarks", str(RESULTS / remarks)] if remarks else []))
    assert result.exit_code == 0, result.output
    assert (tmp_path / f"{page}.md").read_text() == (ROOT / "docs" / f"{page}.md").read_text()
