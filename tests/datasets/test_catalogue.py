"""All real data sets: figures, names, hashes, splits; values agree with independent readers."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.io
from scipy import sparse

from bncc.datasets import MalformedFile, catalogue, fingerprint, load, make_dataset
from bncc.datasets.catalogue import load_entry
from oracles import liac

NAMES = list(catalogue())
ARFF_SETS = [name for name in NAMES if (catalogue()[name].file or "x.arff").endswith(".arff")]
QUICK = {"chd49", "emotions", "flags", "genbase", "gpositivego", "medical", "virusgo", "waterquality", "yeast"}
SPLITS = {
    "education": (2000, 3000),
    "emotions": (391, 202),
    "enron": (1123, 579),
    "flags": (129, 65),
    "mediamill": (30993, 12914),
    "medical": (333, 645),
    "scene": (1211, 1196),
}


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def test_twenty_sets_are_known():
    assert len(NAMES) == 20


@pytest.mark.parametrize("name", NAMES)
def test_loads_to_its_figures_and_hash(name, data_folder):
    entry, data = catalogue()[name], load(name)
    figures = entry.figures
    assert (data.n_rows, data.n_features, data.n_labels) == (figures.n_rows, figures.n_features, figures.n_labels)
    assert round(data.profile.cardinality, 3) == figures.cardinality
    assert round(data.profile.mean_imbalance, 3) == figures.mean_imbalance
    assert fingerprint(data) == entry.fingerprint
    assert data.name == name
    split = None if data.train is None else (len(data.train), len(data.test))
    assert split == SPLITS.get(name)
    if split:
        assert np.array_equal(np.sort(np.concatenate([data.train, data.test])), np.arange(data.n_rows))


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in ARFF_SETS])
def test_agrees_with_liac_arff(name, data_folder):
    """The recorded hash is that of the values which another reader sees."""
    entry = catalogue()[name]
    labels = entry.options.get("labels", -{"plantgo": 12, "virusgo": 6}.get(name, 0))
    labels = data_folder / name / labels if isinstance(labels, str) else labels
    files = [entry.file] if entry.file else list(entry.parts)
    parts = [liac.read(data_folder / name / file, labels, tuple(entry.options.get("drop", ()))) for file in files]
    theirs = make_dataset(
        np.vstack([part[0] for part in parts]), np.vstack([part[1] for part in parts]),
        feature_names=parts[0][2], label_names=parts[0][3],
    )  # fmt: skip
    assert fingerprint(theirs) == entry.fingerprint


@pytest.mark.parametrize("name", ["emotions", "yeast", "waterquality"])
def test_agrees_with_scipy_arff(name, data_folder):
    entry, ours = catalogue()[name], load(name)
    rows, meta = scipy.io.arff.loadarff(data_folder / name / entry.file)
    table = {column: np.array([float(value) for value in rows[column]]) for column in meta.names()}
    assert np.array_equal(np.column_stack([table[c] for c in ours.feature_names]), ours.X)
    assert np.array_equal(np.column_stack([table[c] for c in ours.label_names]), ours.Y)


def test_agrees_with_scipy_mat_and_the_arff_of_the_same_set(data_folder):
    theirs = scipy.io.loadmat(data_folder / "education" / "education.mat")
    ours = load("education")
    assert np.array_equal(ours.X, np.vstack([theirs["data_train"], theirs["data_test"]]))
    assert np.array_equal(ours.Y, np.vstack([theirs["label_train"], theirs["label_test"]]))
    arff, mat = load("chd49"), load(data_folder / "chd49" / "CHD_49.mat")
    assert np.array_equal(arff.X, mat.X)
    assert np.array_equal(arff.Y, mat.Y)


def test_agrees_with_numpy(data_folder):
    ours = load("mediamill")
    with np.load(data_folder / "mediamill" / "mediamill.npz", allow_pickle=False) as theirs:
        assert np.array_equal(ours.X, theirs["X"])
        assert np.array_equal(ours.Y, theirs["Y"])
        assert list(ours.label_names) == theirs["label_names"].tolist()
    assert ours.X.dtype == np.float32


@pytest.mark.parametrize("name", ["emotions", "enron", "flags", "medical"])
def test_split_rows_are_those_of_the_part_files(name, data_folder):
    entry, whole = catalogue()[name], load(name)
    for part, file in zip(whole.train_test(), entry.parts, strict=True):
        alone = load(data_folder / name / file)
        assert np.array_equal(dense(alone.X), dense(part.X))
        assert np.array_equal(alone.Y, part.Y)


def test_label_order_is_that_of_the_data_file(data_folder):
    assert load("yeast").label_names == tuple(f"Class{i}" for i in range(1, 15))


def test_parts_may_be_absent_where_there_is_a_whole(data_folder, tmp_path):
    folder = tmp_path / "flags"
    folder.mkdir()
    for file in ("flags.arff", "flags.xml"):
        shutil.copy(data_folder / "flags" / file, folder / file)
    data = load(folder)
    assert data.train is None
    assert fingerprint(data) == catalogue()["flags"].fingerprint


def test_a_changed_file_is_named(data_folder, tmp_path):
    folder = tmp_path / "virusgo"
    folder.mkdir()
    content = (data_folder / "virusgo" / "VirusGO.arff").read_bytes()
    (folder / "VirusGO.arff").write_bytes(content + b"\n")
    with pytest.raises(MalformedFile, match=r"not the file that the catalogue knows .* load\("):
        load(folder)


def test_a_part_that_does_not_belong_is_named(data_folder, tmp_path):
    folder = tmp_path / "flags"
    shutil.copytree(data_folder / "flags", folder)
    Path(folder / "flags-test.arff").chmod(0o644)
    text = (folder / "flags-test.arff").read_text().replace("4,1,1001,47", "4,1,1001,48")
    (folder / "flags-test.arff").unlink()
    (folder / "flags-test.arff").write_text(text)
    with pytest.raises(MalformedFile, match="a row of this part is not in"):
        load_entry(replace(catalogue()["flags"], sha256={}), folder)


def test_one_hot_keeps_the_figures_of_the_labels(data_folder):
    data = load("flags", one_hot=True)
    assert data.n_features == 19 - 4 + (6 + 4 + 10 + 8)
    assert "landmass=3" in data.feature_names
    assert np.array_equal(data.Y, load("flags").Y)
    block = [i for i, name in enumerate(data.feature_names) if name.startswith("zone=")]
    assert np.array_equal(data.X[:, block].sum(axis=1), np.ones(194))
