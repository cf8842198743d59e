import csv
import io
import math

import pytest

from bncc.analysis import Cell, Section, Table

HOSTILE = "a|b_c*<script>\n%$#&{}~^\\"


def make(*rows, title="", columns=("Data set", "CC", "BNCC"), note=""):
    return Table("Results & more", columns, (Section(title, rows),), note)


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(0.5), "0.5000"),
        (Cell(0.5, std=0.25, decimals=2), "0.50 ± 0.25"),
        (Cell(0.5, std=math.nan), "0.5000"),
        (Cell(math.nan), "–"),
        (Cell(None, std=0.1), "–"),
        (Cell("x"), "x"),
        (Cell(-0.00001), "0.0000"),
        (Cell(0.01, signed=True), "+0.0100"),
        (Cell(-0.01, signed=True), "-0.0100"),
        (Cell(0.0, bounded=True), "<0.0001"),
        (Cell(0.00004, bounded=True), "<0.0001"),
        (Cell(0.00006, bounded=True), "0.0001"),
    ],
)
def test_cells_show_what_they_hold(cell, text):
    assert cell.text == text


def test_markdown_has_as_many_cells_in_every_line():
    table = make((Cell(HOSTILE), Cell(0.1), Cell(0.2, best=True, mark="↗")), title="Mac|F")
    lines = table.to_markdown().splitlines()
    bare = [line.replace("\\|", "") for line in lines]
    assert {line.count("|") for line in bare} == {4}
    assert "<script" not in table.to_markdown()
    assert "**0.2000** ↗" in lines[-1]
    assert lines[2].startswith("| **Mac\\|F**")


def test_words_are_flush_left_and_numbers_right():
    table = make((Cell("a"), Cell("word"), Cell("12")), (Cell("b"), Cell("other"), Cell("3")))
    assert table.to_markdown().splitlines()[1] == "|:---------|:------|-----:|"
    assert r"\begin{tabular}{llr}" in table.to_latex()


def test_latex_escapes_everything_that_latex_reads():
    latex = make((Cell(HOSTILE), Cell(None), Cell(0.2, std=0.1, best=True, mark="↗")), note="100 %").to_latex()
    body = next(line for line in latex.splitlines() if "script" in line)
    assert body == (
        r"a\textbar{}b\_c*\textless{}script\textgreater{} \%\$\#\&\{\}\textasciitilde{}\textasciicircum{}"
        r"\textbackslash{} & -- & \textbf{0.2000 $\pm$ 0.1000}$\nearrow$ \\"
    )
    assert r"\caption{Results \& more}" in latex
    assert r"100 \%" in latex
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert rule in latex


def test_csv_has_full_precision_and_columns_for_deviations():
    rows = (Cell(HOSTILE), Cell(1 / 3, std=0.01), Cell(None)), (Cell("b"), Cell(0.5), Cell(0.25, best=True, mark="↗"))
    table = Table("t", ("Data set", "CC", "BNCC"), (Section("MacF", rows[:1]), Section("MicF", rows[1:])))
    head, first, second = csv.reader(io.StringIO(table.to_csv()))
    assert head == ["section", "Data set", "CC", "CC std", "BNCC"]
    assert first == ["MacF", HOSTILE, "0.3333333333", "0.01", ""]
    assert second == ["MicF", "b", "0.5", "", "0.25"]


def test_csv_holds_nothing_that_a_spreadsheet_would_run():
    table = Table("t", ("@set", "=A"), (Section("+x", ((Cell("=1+1"), Cell(-1.5)), (Cell("-2"), Cell("a")))),))
    assert table.to_csv() == "section,'@set,'=A\n'+x,'=1+1,-1.5\n'+x,-2,a\n"
    assert table.to_csv(raw_names=True) == "section,@set,=A\n+x,=1+1,-1.5\n+x,-2,a\n"


def test_ragged_rows_are_refused():
    with pytest.raises(ValueError, match="has 3 cells; got 2"):
        make((Cell("a"), Cell(1.0)))


def test_a_table_without_rows_renders():
    table = Table("t", ("a", "b"), ())
    assert len(table.to_markdown().splitlines()) == 2
    assert table.to_csv() == "a,b\n"
    assert r"\end{table}" in table.to_latex()
