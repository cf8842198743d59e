import pytest

from bncc.tables import ColumnDecision, TableDecisions

DECISIONS = TableDecisions(
    (
        ColumnDecision("who", "id", "another word in every row", 50, 0),
        ColumnDecision("<b>size</b>", "number", "numbers " * 20, 12, 3, "1 number"),
    )
)


def test_they_print_as_a_table():
    lines = repr(DECISIONS).splitlines()
    assert [line.split()[0] for line in lines] == ["column", "who", "<b>size</b>"]
    assert lines[1].endswith("50        0  left out")
    assert max(map(len, lines)) < 120


def test_notebooks_get_escaped_cells():
    html = DECISIONS._repr_html_()
    assert "&lt;b&gt;size" in html
    assert "<b>" not in html


def test_they_can_be_asked():
    assert len(DECISIONS) == 2
    assert DECISIONS[0] is DECISIONS["who"]
    assert DECISIONS.kinds() == {"<b>size</b>": "number"}
    assert [row["goes to"] for row in DECISIONS.as_rows()] == ["left out", "1 number"]
    with pytest.raises(KeyError):
        DECISIONS["whom"]
