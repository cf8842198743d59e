from pathlib import Path

import pytest

pytest.importorskip("pandas")

from bncc.datasets import bundled, load, make_tickets
from bncc.evaluation import Reading, build_pipeline, read_features, read_labelled
from bncc.evaluation.bundled_tables import bundled_table, table_file


def test_only_names_of_tables_mean_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert bundled_table("tickets") is bundled()["tickets"].table
    assert bundled_table("songs") is bundled_table("tickets.csv") is bundled_table("nothing") is None
    Path("tickets").mkdir()
    assert bundled_table("tickets") is None, "a path that exists is meant"


def test_the_file_is_gone_afterwards():
    with table_file(bundled_table("tickets"), "tickets") as file:
        assert file.name == "tickets.csv"
        assert file.read_text(encoding="utf-8").startswith("ticket,created,")
    assert not file.parent.exists()


def test_tickets_are_read_as_a_table_with_their_words():
    data = read_labelled("tickets")
    assert (data.name, data.n_rows) == ("tickets", 1500)
    assert {"subject", "body", "amount", "plan"} <= set(data.X.columns)
    assert set(data.label_names) == set(load("tickets").label_names)
    assert data.Y.to_numpy().sum() == sum(len(cell.split(";")) for cell in make_tickets()["tags"] if cell)
    assert "body" not in read_labelled("tickets", Reading(drop=["ticket", "created", "body"])).X.columns


def test_a_model_of_tickets_reads_them_again():
    data = read_labelled("tickets")
    model = build_pipeline(data, "br", base="linear").fit(data.X, data.Y)
    again = read_features("tickets", data.schema)
    assert (model.predict(again) == model.predict(data.X)).all()
