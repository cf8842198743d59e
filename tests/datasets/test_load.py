import shutil

import numpy as np
import pytest
import scipy.io
from scipy import sparse
from sklearn.linear_model import SGDClassifier

import bncc.datasets
from bncc.datasets import available, catalogue, fingerprint, load, make_dataset, save
from bncc.datasets.alike import read_features_like


@pytest.fixture
def toy():
    return make_dataset([[1.0, 2], [3, 4]], [[1, 0], [0, 1]], name="toy")


def test_exported_members_exist():
    names = bncc.datasets.__all__
    assert len(set(names)) == len(names)
    assert all(getattr(bncc.datasets, name) is not None for name in names)


def test_a_path_is_read_by_its_format(tmp_path, toy):
    save(toy, tmp_path / "a.arff")
    save(toy, tmp_path / "b.csv")
    np.savez(tmp_path / "c.npz", X=toy.X, Y=toy.Y)
    (tmp_path / "d.svm").write_text("label1 1:1 2:2\nlabel2 1:3 2:4\n")
    for name, labels in (("a.arff", None), ("b.csv", -2), ("c.npz", None), ("d.svm", None)):
        data = load(tmp_path / name, labels=labels)
        dense = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()
        assert dense.tolist() == [[1, 2], [3, 4]]
        assert data.Y.tolist() == [[1, 0], [0, 1]]
    assert load(str(tmp_path / "a.arff")).name == "a"


def test_a_folder_of_a_known_name(data_folder, tmp_path):
    folder = tmp_path / "virusgo"
    shutil.copytree(data_folder / "virusgo", folder)
    data = load(folder)
    assert fingerprint(data) == catalogue()["virusgo"].fingerprint
    assert data.source == str(folder)


def test_a_bare_name_prefers_the_data_folder(data_folder, tmp_path, monkeypatch):
    shutil.copytree(data_folder / "virusgo", tmp_path / "virusgo")
    monkeypatch.chdir(tmp_path)
    assert load("virusgo").source == str(data_folder / "virusgo")
    monkeypatch.delenv("BNCC_DATA")
    assert load("virusgo").source == "virusgo"


def test_options_reach_the_reader(data_folder):
    assert load("flags", labels=-2).n_labels == 2
    assert load("flags", one_hot=True).n_features > 19


def test_available(data_folder, tmp_path):
    assert available() == list(catalogue())
    assert available(tmp_path) == []


@pytest.mark.parametrize("name", ["yeas", "no/such/file"])
def test_an_unknown_name_lists_what_is_there(name):
    with pytest.raises(ValueError, match=rf"no data set or file '{name}'. The catalogue has: bibtex, .*yeast"):
        load(name)


def test_a_known_name_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("BNCC_DATA", str(tmp_path))
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no folder 'yeast' in BNCC_DATA .* there are: none"):
        load("yeast")
    (tmp_path / "yeast").mkdir()
    with pytest.raises(FileNotFoundError, match=r"no file .*yeast.arff"):
        load("yeast")
    monkeypatch.delenv("BNCC_DATA")
    with pytest.raises(FileNotFoundError, match="BNCC_DATA names, and it is not set"):
        load("scene")
    with pytest.raises(FileNotFoundError, match="it is not set"):
        available()


def test_other_paths(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "a.arff").write_text("x")
    (folder / "a.xyz").write_text("x")
    with pytest.raises(ValueError, match=r"does not know; give one of its files: \['a.arff', 'a.xyz'\]"):
        load(folder)
    with pytest.raises(ValueError, match=r"says no known format; known are .arff, "):
        load(folder / "a.xyz")
    with pytest.raises(FileNotFoundError):
        load(folder / "b.arff", labels=-1)


def test_options_that_do_not_belong(tmp_path, toy):
    save(toy, tmp_path / "a.arff")
    with pytest.raises(TypeError, match=r"takes for .arff files the options \['drop', .*; got \['tag_separator'\]"):
        load(tmp_path / "a.arff", tag_separator=";")


def test_labels_are_required_where_the_format_does_not_say(tmp_path, toy):
    save(toy, tmp_path / "a.csv")
    with pytest.raises(ValueError, match=r"`labels` must say which columns of a .csv file are labels"):
        load(tmp_path / "a.csv")


@pytest.mark.parametrize("name", ["nope.csv", "nope.parquet", "nope.npz"])
def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=rf"no file .*{name}; check the path"):
        load(tmp_path / name)


@pytest.mark.parametrize("name", ["a.svm", "a.arff", "a.mat"])
def test_sparse_features_fit_scikit_learns_linear_models(tmp_path, name):
    X = sparse.csr_array(np.eye(4)[[0, 1, 2, 3, 0, 1]])
    Y = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1]])
    if name == "a.svm":
        lines = [f"{np.flatnonzero(y)[0]} {x.argmax() + 1}:1" for x, y in zip(X.toarray(), Y, strict=True)]
        (tmp_path / name).write_text("\n".join(lines))
    elif name == "a.arff":
        save(make_dataset(X, Y), tmp_path / name)
    else:
        scipy.io.savemat(tmp_path / name, {"data": sparse.csc_matrix(X), "targets": Y})
    data = load(tmp_path / name)
    assert data.X.indices.dtype == data.X.indptr.dtype == np.int32
    model = SGDClassifier(random_state=0).fit(data.X, data.Y[:, 0])
    assert (model.predict(data.X) == data.Y[:, 0]).all()
    rows = read_features_like(tmp_path / name, data.feature_names, data.categories)
    assert rows.indices.dtype == rows.indptr.dtype == np.int32
