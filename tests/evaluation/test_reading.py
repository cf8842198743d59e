"""DATA in all its forms."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

pd = pytest.importorskip("pandas")

from bncc.datasets import load, make_dataset, make_scenes, save  # noqa: E402
from bncc.evaluation.reading import Reading, load_dataset, parse_labels, read_features, read_labelled  # noqa: E402


def test_labels_as_people_write_them():
    assert parse_labels(None) is None
    assert parse_labels([]) is None
    assert parse_labels(-6) == -6
    assert parse_labels("a, b") == ["a", "b"]
    assert parse_labels(Path("scene.xml")) == Path("scene.xml")
    assert parse_labels(["-6"]) == -6
    assert parse_labels(["6"]) == 6
    assert parse_labels(["a, b,c"]) == ["a", "b", "c"]
    assert parse_labels(["a,b", "c"]) == ["a,b", "c"]
    assert parse_labels(["tags"]) == "tags"
    assert parse_labels(["scene.xml"]) == Path("scene.xml")


def test_every_format_gives_the_same_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = make_scenes(30)
    save(data, "d.arff")
    save(data, "d.csv")
    frame = pd.DataFrame(data.X, columns=list(data.feature_names)).join(data.Y_frame)
    frame.to_parquet("d.parquet")
    frame.to_csv("d.tsv", sep="\t", index=False)
    np.savez("d.npz", X=data.X, Y=data.Y, label_names=np.array(data.label_names))
    for file in ("d.arff", "d.csv", "d.parquet", "d.tsv", "d.npz"):
        labels = ["-10"] if Path(file).suffix in (".csv", ".parquet", ".tsv") else None
        source = read_labelled(file, Reading(labels))
        assert source.label_names == data.label_names, file
        np.testing.assert_array_equal(np.asarray(source.X, float), data.X)
        np.testing.assert_array_equal(source.label_matrix.toarray(), data.Y)
        np.testing.assert_array_equal(np.asarray(read_features(file, source.schema, Reading(labels)), float), data.X)


def test_a_mulan_xml_file_names_the_labels_of_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = make_scenes(30)
    save(data, "d.arff")
    save(data, "e.csv")
    assert read_labelled("e.csv", Reading(["d.xml"])).label_names == data.label_names


@pytest.mark.parametrize("suffix", ["csv", "arff"])
def test_a_folder_with_train_and_test(suffix, tmp_path):
    data = make_scenes(50)
    save(data.take(range(30)), tmp_path / f"my-train.{suffix}")
    save(data.take(range(30, 50)), tmp_path / f"my-test.{suffix}")
    source = read_labelled(str(tmp_path), Reading(["-10"]))
    assert (source.n_rows, len(source.train), len(source.test)) == (50, 30, 20)
    assert source.name == tmp_path.name
    np.testing.assert_array_equal(np.asarray(source.X, float), data.X)
    np.testing.assert_array_equal(source.part("test").label_matrix.toarray(), data.Y[30:])
    assert source.part("all") is source


def test_a_folder_of_sparse_files_that_end_differently(tmp_path):
    (tmp_path / "a_train.svm").write_text("0 1:1\n1 2:1\n")
    (tmp_path / "a_test.svm").write_text("2 4:1\n0 1:2\n")
    source = read_labelled(str(tmp_path), Reading())
    assert source.X.shape == (4, 4)
    assert source.label_names == ("0", "1", "2")
    assert source.label_matrix.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert len(source.schema["features"]) == 4


def test_a_folder_of_tags_and_one_with_a_single_file(tmp_path):
    (tmp_path / "train.csv").write_text("x,tags\n1,a b\n2,b\n")
    source = read_labelled(str(tmp_path), Reading(["tags"], tag_separator=" "))
    assert source.label_names == ("a", "b")
    (tmp_path / "test.csv").write_text("x,tags\n3,c\n4,a\n")
    source = read_labelled(str(tmp_path), Reading(["tags"], tag_separator=" "))
    assert source.Y.to_numpy().tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_folders_that_say_too_little(tmp_path):
    with pytest.raises(ValueError, match="got no data file"):
        read_labelled(str(tmp_path), Reading())
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x,y\n1,0\n")
    with pytest.raises(ValueError, match=r"one data file with 'train' in its name.*got a\.csv, b\.csv"):
        read_labelled(str(tmp_path), Reading(["y"]))
    (tmp_path / "a.csv").rename(tmp_path / "train.csv")
    (tmp_path / "b.csv").write_text("x,z\n1,0\n")
    (tmp_path / "b.csv").rename(tmp_path / "test.csv")
    with pytest.raises(ValueError, match="no column is named 'y'"):
        read_labelled(str(tmp_path), Reading(["y"]))
    with pytest.raises(ValueError, match="is a folder; give the one file"):
        read_features(str(tmp_path), {"kind": "table", "columns": {}}, Reading())


def test_mistakes_name_the_option(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,0\n")
    with pytest.raises(ValueError, match=r"which columns of a\.csv are labels\. Add `labels=`"):
        read_labelled(str(tmp_path / "a.csv"), Reading())
    with pytest.raises(ValueError, match="`text=` is for"):
        read_labelled("flags", Reading(text=["x"]))
    with pytest.raises(FileNotFoundError, match=r"no file nowhere\.arff"):
        read_labelled("nowhere.arff", Reading())
    (tmp_path / "a.svm").write_text("0 1:1\n")
    with pytest.raises(ValueError, match="these options do not fit"):
        read_labelled(str(tmp_path / "a.svm"), Reading(["-3"]))
    source = read_labelled(str(tmp_path / "a.svm"), Reading())
    with pytest.raises(ValueError, match="comes without a train part"):
        source.part("train")
    with pytest.raises(ValueError, match="must be all, train or test; got 'some'"):
        source.part("some")


@pytest.mark.parametrize("name", ["emotions", "education", "mediamill", "flags", "virusgo", "scene"])
def test_catalogue_names_read_as_load_reads_them(name, data_folder):
    data, source = load(name), read_labelled(name, Reading())
    assert source.label_names == data.label_names
    assert (source.label_matrix != sparse.csr_array(data.Y_sparse)).nnz == 0
    assert source.schema["features"] == list(data.feature_names)
    assert (source.train is None) == (data.train is None)


@pytest.mark.parametrize("file", ["a.csv", "a.parquet"])
def test_one_name_that_holds_a_comma(file, tmp_path):
    frame = pd.DataFrame({"x": [1.5, 2.5, 3.5], "rain, heavy": [1, 0, 1], "wind": [0, 1, 1]})
    path = tmp_path / file
    frame.to_csv(path, index=False) if file == "a.csv" else frame.to_parquet(path)
    assert read_labelled(str(path), Reading(["rain, heavy"], drop=["wind"])).label_names == ("rain, heavy",)
    assert load_dataset(str(path), Reading(["rain, heavy"], drop=["wind"])).label_names == ("rain, heavy",)
    assert read_labelled(str(path), Reading(["rain, heavy", "wind"])).label_names == ("rain, heavy", "wind")
    said = (
        r"no column is named 'rain', 'heavy'\. The columns are 'x', 'rain, heavy', 'wind'\. .*go into a list: labels="
    )
    with pytest.raises(ValueError, match=said):
        read_labelled(str(path), Reading(["rain, heavy, wind"]))


def test_a_name_that_nobody_has_says_how_to_fetch_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))
    monkeypatch.delenv("BNCC_DATA", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="or fetch it from OpenML: bncc data fetch emotions"):
        read_labelled("emotions", Reading())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("file", ["a.csv", "a.parquet", "a.arff"])
def test_columns_to_drop_are_listed_with_commas(file, tmp_path):
    data = make_dataset(
        np.arange(12.0).reshape(3, 4), [[1], [0], [1]], feature_names=["a", "b", "c,d", "e"], label_names=["y"]
    )
    path = tmp_path / file
    save(data, path)
    for drop, left in (
        (["a,b"], ["c,d", "e"]),
        (["a, e", "c,d"], ["b"]),
        (["c,d"], ["a", "b", "e"]),
        (["e"], ["a", "b", "c,d"]),
    ):
        read = read_labelled(path, Reading(["y"], drop=drop))
        assert read.X.shape[1] == len(left)
        assert list(load_dataset(str(path), Reading(["y"], drop=drop)).feature_names) == left
    with pytest.raises(ValueError, match="nothing"):
        read_labelled(path, Reading(["y"], drop=["a,nothing"]))


def test_who_needs_labels_alone_gets_them_whatever_the_features_are(tmp_path):
    rows = [f"id{i},{'x' if i == 7 else i},{i % 2},{i % 3 // 2}" for i in range(30)]
    (tmp_path / "a.csv").write_text("\n".join(["id,mixed,y,z", *rows]) + "\n")
    data = read_labelled(tmp_path / "a.csv", Reading(-2, featureless=True))
    assert (data.label_names, data.X.shape) == (("y", "z"), (30, 2))
    assert data.Y["y"].tolist() == [i % 2 for i in range(30)]
    (tmp_path / "a.csv").write_text("\n".join(["id,mixed,y,z", *rows, "id,1,5,0"]) + "\n")
    with pytest.raises(ValueError, match=r"'y'.*5"):
        read_labelled(tmp_path / "a.csv", Reading(-2, featureless=True))
