import csv
import importlib.resources

import numpy as np
import pytest

from bncc.datasets import bundled, catalogue, fingerprint, load, make_tickets


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch, tmp_path):
    """Neither data folder nor anything in the working directory."""
    monkeypatch.delenv("BNCC_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", bundled())
def test_every_set_loads_alike_each_time_and_names_its_terms(name):
    data = load(name)
    assert data.name == name
    assert fingerprint(data) == fingerprint(load(name))
    assert data.n_labels > 1
    assert 1 < data.profile.cardinality < data.n_labels
    found = bundled()[name]
    assert found.name == name
    assert "generated" in found.terms or "CC BY 4.0" in found.terms
    assert found.title.startswith(str(data.n_rows))


def test_flags_are_those_of_the_field():
    """Same values and names as the collections have, so that results can be compared; the split is not ours to give."""
    flags, entry = load("flags"), catalogue()["flags"]
    assert fingerprint(flags) == entry.fingerprint
    assert flags.train is None
    assert load("flags", labels=2).label_names == ("red", "green")
    with pytest.raises(ValueError, match="unpacks to more than 10 bytes"):
        load("flags", max_bytes=10)


def test_the_file_of_flags_says_its_source_and_terms():
    text = (
        importlib.resources.files("bncc.datasets").joinpath("bundled_files", "flags.arff").read_text(encoding="utf-8")
    )
    head = text.split("@relation")[0]
    for word in ("Forsyth", "UCI Machine Learning Repository", "10.24432/C52C7Z", "CC BY 4.0", "Changed here"):
        assert word in head


def test_files_of_the_package_are_small():
    folder = importlib.resources.files("bncc.datasets").joinpath("bundled_files")
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < 100_000


def test_a_drawn_set_takes_no_options():
    with pytest.raises(TypeError, match=r"`load\('songs'\)` takes no options: it is drawn.*\['labels'\]"):
        load("songs", labels=-2)


def test_a_copy_in_the_data_folder_comes_first(tmp_path, monkeypatch):
    (tmp_path / "data" / "flags").mkdir(parents=True)
    monkeypatch.setenv("BNCC_DATA", str(tmp_path / "data"))
    with pytest.raises(FileNotFoundError, match=r"no file .*flags"):
        load("flags")


def test_a_name_that_is_not_there_hears_of_those_that_are():
    with pytest.raises(FileNotFoundError, match=r"it is not set\..*These need nothing: flags, genes, "):
        load("scene")
    with pytest.raises(ValueError, match=r"These come with the package: flags, "):
        load("song")


def test_numbers_are_finite():
    for name in ("flags", "songs", "genes"):
        assert np.isfinite(load(name).X).all()


def test_tickets_as_numbers_hold_words_and_columns():
    data, tickets = load("tickets"), make_tickets()
    column = {name: data.X[:, [i]].toarray().ravel() for i, name in enumerate(data.feature_names)}
    assert column["messages"].tolist() == tickets["n_messages"]
    assert column["plan: free"].tolist() == [cell == "free" for cell in tickets["plan"]]
    said = ["refund" in f"{s or ''} {b}".lower() for s, b in zip(tickets["subject"], tickets["body"], strict=True)]
    assert (column["says refund"] <= said).all()
    assert column["says refund"].sum() > 20
    tags = [set(filter(None, cell.split(";"))) for cell in tickets["tags"]]
    assert [{data.label_names[i] for i in np.flatnonzero(row)} for row in data.Y] == tags


def test_a_table_is_written_with_gaps_as_empty_cells(tmp_path):
    file = bundled()["tickets"].table.write(tmp_path / "t.csv")
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    tickets = make_tickets()
    assert list(rows[0]) == list(tickets)
    assert [row["amount"] == "" for row in rows] == [cell is None for cell in tickets["amount"]]
    assert [row["tags"] for row in rows] == tickets["tags"]
