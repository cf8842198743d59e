import json

import pytest

pytest.importorskip("pandas")

from bncc.cli.column_table import decision_rows, show_decisions
from bncc.cli.output import Voice
from bncc.datasets import make_tickets
from bncc.tables import ColumnDecision, TableDecisions


def numbers(n):
    return [ColumnDecision(f"x{i}", "number", "numbers", 9, 0, "a number") for i in range(n)]


def test_columns_are_told(capsys):
    show_decisions(Voice(), TableDecisions((ColumnDecision("who", "id", "another word", 9, 0), *numbers(3))))
    out = capsys.readouterr().out
    assert "another word" in out
    assert "x2" in out
    assert "say otherwise with --text" in out


def test_many_numbers_are_counted(capsys):
    show_decisions(Voice(), TableDecisions(tuple(numbers(40))))
    assert capsys.readouterr().out == "40 columns of numbers.\n"
    show_decisions(Voice(), TableDecisions((ColumnDecision("who", "id", "another word", 9, 0), *numbers(40))))
    out = capsys.readouterr().out
    assert "and 40 columns of numbers" in out
    assert "x7" not in out


def test_a_matrix_has_nothing_to_tell(capsys):
    show_decisions(Voice(), None)
    assert capsys.readouterr().out == ""
    assert decision_rows(None) == {}


def test_commands_tell_what_they_took_columns_for(bncc, tmp_path):
    tickets = make_tickets(60, as_frame=True)
    tickets.to_csv("tickets.csv", index=False)
    done = bncc("fit", "tickets.csv", "--labels", "tags", "-m", "br", "--drop", "channel, plan", "-o", "m", "--json")
    told = {row["column"]: row["read as"] for row in json.loads(done.stdout)["columns"]}
    assert told["body"] == "text"
    assert told["ticket"] == "id"
    assert "plan" not in told
    shown = bncc(
        "evaluate", "tickets.csv", "--labels", "tags", "-m", "mlknn", "--folds", "2", "--category", "n_messages"
    )
    assert "body" in shown.stdout
