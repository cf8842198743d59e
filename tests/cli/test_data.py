from pathlib import Path

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from bncc.datasets import bundled, catalogue, fetchable, load, make_dataset, save  # noqa: E402


def test_the_list_has_every_set_and_where_it_is(as_json, bncc, data_folder):
    result = as_json("data", "list")
    by_name = {entry["name"]: entry for entry in result["sets"]}
    assert set(by_name) == set(catalogue()) | set(fetchable()) | set(bundled())
    assert by_name["yeast"]["present"] is True
    assert by_name["yeast"]["labels"] == 14
    assert by_name["birds"]["openml"] == 40588
    assert "yeast" in bncc("data", "list").stdout


def test_the_list_without_a_folder(as_json, monkeypatch):
    monkeypatch.delenv("BNCC_DATA", raising=False)
    result = as_json("data", "list")
    assert result["folder"] is None
    assert not any(entry.get("present") for entry in result["sets"])
    first = result["sets"][: len(bundled())]
    assert {entry["name"] for entry in first} == set(bundled()), "those that need nothing come first"
    assert all(entry["rows"] > 100 and entry["labels"] > 1 for entry in first)


def test_info_gives_the_figures_of_the_catalogue(as_json, data_folder):
    for name in ("flags", "virusgo", "scene"):
        figures, found = catalogue()[name].figures, as_json("data", "info", name)
        assert (found["rows"], found["features"], found["labels"]) == (
            figures.n_rows,
            figures.n_features,
            figures.n_labels,
        )
        assert round(found["cardinality"], 3) == figures.cardinality
    assert found["train_rows"] == 1211


def test_info_of_a_table_with_text(as_json, weather):
    found = as_json(
        "data", "info", weather, "--labels", "rain,wind", "--text", "note", "--drop", "id", "--drop", "tags"
    )
    assert (found["features"], found["label_names"]) == (3, ["rain", "wind"])


def test_conversion_there_and_back(as_json, data_folder):
    data = load("virusgo")
    files = as_json("data", "convert", "virusgo", "v.csv")["files"]
    files += as_json("data", "convert", "v.csv", "w.arff", "--labels", -6)["files"]
    files += as_json("data", "convert", "w.arff", "x.arff.gz", "--format", "meka")["files"]
    assert files == ["v.csv", "w.arff", "w.xml", "x.arff.gz"]
    again = load("x.arff.gz")
    assert again.label_names == data.label_names
    np.testing.assert_array_equal(again.Y, data.Y)
    np.testing.assert_array_equal(again.X, data.X.toarray())


def test_conversion_to_parquet_and_archives(as_json):
    data = load("flags")
    assert as_json("data", "convert", "flags", "f.parquet")["files"] == ["f.parquet"]
    assert as_json("data", "convert", "f.parquet", "f.npz", "--labels", -7)["files"] == ["f.npz"]
    assert as_json("data", "convert", "f.npz", "f.svm")["files"] == ["f.svm"]
    assert as_json("data", "convert", "f.svm", "g.npz")["files"] == ["g.npz", "g-labels.npz"]
    for name in ("f.npz", "g.npz"):
        again = load(name)
        dense = again.X if isinstance(again.X, np.ndarray) else again.X.toarray()
        np.testing.assert_array_equal(dense, data.X)
        np.testing.assert_array_equal(again.Y, data.Y)


def test_conversion_to_sparse_text(as_json, weather):
    table = make_dataset([[0.5, 0.0], [0.0, 2.0], [1.5, 1.0]], [[1, 0], [0, 1], [1, 1]])
    save(table, "table.csv")
    for name, options in (("a.svm", []), ("a.txt", []), ("b.txt.gz", ["--format", "extreme"])):
        assert as_json("data", "convert", "table.csv", name, "--labels", -2, *options)["files"] == [name]
        again = load(name)
        np.testing.assert_array_equal(again.X.toarray(), table.X)
        np.testing.assert_array_equal(again.Y, table.Y)


def test_one_name_is_a_label_or_a_column_of_tags(as_json, weather):
    drops = [word for name in ("id", "note", "sky") for word in ("--drop", name)]
    as_json("data", "convert", weather, "one.csv", "--labels", "rain", *drops, "--drop", "tags")
    assert load("one.csv", labels=-1).label_names == ("rain",)
    as_json("data", "convert", weather, "two.arff", "--labels", "tags", *drops, "--drop", "rain", "--drop", "wind")
    assert load("two.arff").label_names == ("rain", "wind")  # the separator is found
    rest = [*drops, "--drop", "rain,wind", "--tag-separator", ";"]
    as_json("data", "convert", weather, "three.arff", "--labels", "tags", *rest)
    assert load("three.arff").label_names == ("rain", "wind")


def test_mistakes(fails, weather):
    assert "must end in .arff, .npz, .csv, .tsv, .parquet, .svm" in fails("data", "convert", weather, "x.mat")
    assert "known at OpenML" in fails("data", "fetch", "nothing-of-that-name")
    assert "no data set or file" in fails("data", "info", "nothing-of-that-name")
    assert "no folder absent" in fails(
        "data", "convert", weather, "absent/x.csv", "-l", "-1", "--drop", "id", "--drop", "note"
    )


def test_fetching_offline_says_what_to_do(fails, tmp_path, monkeypatch):
    monkeypatch.setenv("BNCC_OPENML", "http://127.0.0.1:9")
    assert "cannot fetch 'yeast'" in fails("data", "fetch", "yeast", "--cache", tmp_path)


@pytest.mark.parametrize("same", ["./weather.csv", "link.csv"])
def test_what_is_read_is_never_replaced(same, fails, weather, tmp_path):
    (tmp_path / "link.csv").symlink_to(tmp_path / weather)
    before = (tmp_path / weather).read_bytes()
    drops = [word for name in ("id", "note", "tags") for word in ("--drop", name)]
    said = fails("data", "convert", weather, same, "--labels", "rain,wind", *drops)
    assert f"the output {Path(same)} would replace the file that is read; give another name." in said
    assert (tmp_path / weather).read_bytes() == before


def test_an_xml_file_that_names_the_labels_is_never_replaced(fails, weather, tmp_path):
    (tmp_path / "w.xml").write_text('<labels><label name="rain"/></labels>')
    assert "the output w.xml would replace" in fails("data", "convert", weather, "w.arff", "--labels", "w.xml")


def test_conversion_keeps_the_names_of_categories(as_json, weather):
    drops = [word for name in ("id", "note", "tags") for word in ("--drop", name)]
    as_json("data", "convert", weather, "w.arff", "--labels", "rain,wind", *drops)
    as_json("data", "convert", "w.arff", "back.csv")
    first, back = pd.read_csv(weather), pd.read_csv("back.csv")
    pd.testing.assert_frame_equal(back, first[list(back)])
    assert set(back["sky"]) == {"grey", "blue"}


def test_unknown_labels_are_told_and_count_neither_way(as_json):
    Path("gap.csv").write_text("x,A\n" + "1,1\n2,0\n3,\n" * 20)
    facts = as_json("data", "info", "gap.csv", "-l", "A")
    assert (facts["density"], facts["label_sets"]) == (0.5, 2)
    assert facts["unknown_labels"] == pytest.approx(1 / 3)
