"""Other rows for the features of a data set: found by name, with its codes, or refused."""

import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import MalformedFile, load, save
from bncc.datasets.alike import read_features_like

ARFF = """@relation t
@attribute size numeric
@attribute colour {red,green,blue}
@attribute flag {NO,YES}
@attribute rain {0,1}
@data
1,red,YES,1
2,blue,NO,0
?,green,NO,1
"""


@pytest.fixture
def known(tmp_path):
    (tmp_path / "t.arff").write_text(ARFF)
    return load(tmp_path / "t.arff", labels=["rain"])


def read(data, path):
    return read_features_like(path, data.feature_names, data.categories)


def test_the_same_file_gives_the_same_matrix(known, tmp_path):
    assert set(known.categories) == {"colour", "flag"}
    np.testing.assert_array_equal(read(known, tmp_path / "t.arff"), known.X)


def test_columns_are_found_by_name_and_codes_by_text(known, tmp_path):
    new = """@relation n
@attribute colour {blue,red}
@attribute other numeric
@attribute flag {YES,NO}
@attribute size numeric
@data
red,9,YES,1
blue,9,NO,2
"""
    (tmp_path / "n.arff").write_text(new)
    np.testing.assert_array_equal(read(known, tmp_path / "n.arff"), known.X[:2])


def test_a_csv_file_serves_as_well(known, tmp_path):
    (tmp_path / "n.csv").write_text("flag,size,colour\nYES,1,red\nNO,2,blue\nNO,,green\n")
    np.testing.assert_array_equal(read(known, tmp_path / "n.csv"), known.X)
    # With one colour only, codes are still those of the model.
    (tmp_path / "one.csv").write_text("flag,size,colour\nYES,1,blue\nYES,2,blue\n")
    assert read(known, tmp_path / "one.csv")[:, 1].tolist() == [2.0, 2.0]


def test_what_the_model_does_not_know_is_refused(known, tmp_path):
    (tmp_path / "n.csv").write_text("flag,size,colour\nYES,1,pink\nNO,2,blue\n")
    with pytest.raises(MalformedFile, match=r"'colour' holds 'pink', which the model does not know.*'red', 'green'"):
        read(known, tmp_path / "n.csv")
    (tmp_path / "m.csv").write_text("flag,colour\nYES,red\nNO,blue\n")
    with pytest.raises(MalformedFile, match=r"1 of the 3 features of the model are missing: 'size'"):
        read(known, tmp_path / "m.csv")
    (tmp_path / "t.csv").write_text("flag,colour,size\nYES,red,tall\nNO,blue,small\n")
    with pytest.raises(MalformedFile, match="'size' must hold numbers; got text"):
        read(known, tmp_path / "t.csv")
    (tmp_path / "c.csv").write_text("flag,colour,size\nYES,7,1\nNO,8,2\n")
    with pytest.raises(MalformedFile, match="'colour' holds '7', which the model does not know"):
        read(known, tmp_path / "c.csv")


def test_sparse_rows_without_labels(tmp_path):
    (tmp_path / "a.svm").write_text("0 1:1 3:2\n1 2:1\n")
    data = load(tmp_path / "a.svm")
    (tmp_path / "b.svm").write_text("1:1 2:5\n2:1\n")
    new = read_features_like(tmp_path / "b.svm", data.feature_names, {})
    assert sparse.issparse(new)
    assert new.toarray().tolist() == [[1, 5, 0], [0, 1, 0]]
    (tmp_path / "c.svm").write_text("1:1 9:5\n")
    with pytest.raises(MalformedFile, match="feature 9 occurs; the model knows 3"):
        read_features_like(tmp_path / "c.svm", data.feature_names, {})


@pytest.mark.parametrize("name", ["flags", "genbase", "virusgo", "medical"])
def test_real_sets_come_back_from_other_formats(name, data_folder, tmp_path):
    data = load(name)
    np.testing.assert_array_equal(_dense(read(data, name)), _dense(data.X))
    file = next(path for path in (data_folder / name).iterdir() if path.suffix == ".arff" and "-t" not in path.stem)
    np.testing.assert_array_equal(_dense(read(data, file)), _dense(data.X))
    if not data.categories:
        save(data, tmp_path / "t.csv")
        np.testing.assert_array_equal(_dense(read(data, tmp_path / "t.csv")), _dense(data.X))


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X
