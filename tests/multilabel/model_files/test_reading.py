"""Structures become objects, within a budget; what `writing` writes is read the same."""

import io
import zipfile
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import check_array

from bncc.multilabel.model_files import budget, reading
from bncc.multilabel.model_files.archive import Archive
from bncc.multilabel.model_files.arrays import array_bytes
from bncc.multilabel.model_files.reading import Reader
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.writing import Writer


def reader(members=()):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in dict(members).items():
            archive.writestr(name, content)
    out.seek(0)
    return Reader(Archive(out), lambda name: False)


def again(value):
    writer = Writer(lambda name: False)
    structure = writer.write(value)
    assert not writer.strange
    return reader(writer.members).read(structure)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        3,
        2.5,
        "text",
        float("inf"),
        [1, (2, "a")],
        {"a": 1, 2: [3], (1, 2): None},
        {1, 2},
        frozenset({"a"}),
        slice(1, None, 2),
        np.float32(1.5),
        np.str_("a"),
        np.dtype("i4"),
        np.dtype(object),
        np.float64,
        int,
        np.log1p,
    ],
)
def test_plain_values_come_back(value):
    found = again(value)
    assert type(found) is type(value)
    assert found == value


def test_arrays_come_back():
    objects = np.array([["a", None], [1, 2.5]], object)
    assert again(objects).tolist() == objects.tolist()
    assert np.isnan(again(float("nan")))
    shared = np.arange(3)
    first, second = again([shared, shared])
    assert not np.shares_memory(first, second)
    for kind in (sparse.csr_array, sparse.csc_matrix):
        matrix = kind(np.eye(3))
        assert type(again(matrix)) is kind
        assert (again(matrix) != matrix).nnz == 0
    state = again(np.random.RandomState(3))
    assert state.randint(100) == np.random.RandomState(3).randint(100)
    checked = again(partial(check_array, ensure_2d=False))
    assert checked.func is check_array
    assert checked.keywords == {"ensure_2d": False}


@pytest.mark.parametrize(
    "structure",
    [
        [1],
        {},
        {"list": 3},
        {"list": [], "tuple": []},
        {"float": "1"},
        {"dict": [[1, 2], [1, 3]]},
        {"dict": [[{"list": []}, 2]]},
        {"dict": [[1]]},
        {"bunch": [["not a name", 1]]},
        {"slice": [1, 2]},
        {"slice": ["a", 2, 3]},
        {"scalar": ["<f8", "text"]},
        {"scalar": ["<i1", 1000]},
        {"scalar": ["O", 1]},
        {"dtype": "M8[s]"},
        {"dtype": "no type"},
        {"array": "0.npy"},
        {"array": 3},
        {"bytes": "0.npy"},
        {"objects": [[2], [1]]},
        {"objects": [[-1], []]},
        {"masked": [1, True]},
        {"sparse": ["csr_array", [2, 2], None, None, None]},
        {"record": "BNCC"},
        {"record": ["Tree", {}]},
        {"record": ["BNCC", {"estimator": {"record": ["Points", {}]}}]},
        {"record": ["AdamOptimizer", {}, "a"]},
        {"list": [{"record": ["AdamOptimizer", {}, 0]}, {"record": ["AdamOptimizer", {}, 0]}]},
        {"same": 0},
        {"type": "Popen"},
        {"function": 3},
        {"partial": ["numpy.abs", []]},
        2**64,
    ],
)
def test_structures_of_another_form_are_refused(structure):
    with pytest.raises(Refused):
        reader().read(structure)


def test_depth_is_bounded():
    structure = 1
    for _ in range(200):
        structure = {"list": [structure]}
    with pytest.raises(Refused, match="nested too deeply"):
        reader().read(structure)


def test_references_are_counted_each_time():
    inside = {"record": ["AdamOptimizer", {"ms": 1.0, "vs": 1.0}, 0]}
    times = {"list": [inside, *([{"same": 0}] * 1000)]}
    assert len(reader().read(times)) == 1001
    nested = {"list": [inside]}
    for number in range(8):
        nested = {
            "list": [nested, {"record": ["AdamOptimizer", {"ms": {"list": [{"same": number}] * 10}}, number + 1]}]
        }
    with pytest.raises(Refused, match="many times what it holds"):
        reader().read(nested)


@pytest.mark.parametrize(
    ("part", "most"),
    [
        ({"array": "0.npy"}, 150),
        ({"record": ["Step", {"parent": 1, "score": 0.5}]}, 50),
        ({"record": ["GaussianNB", {}]}, 30),
        ({"record": ["GaussianNB", {"priors": None, "var_smoothing": 1e-9, "classes_": None, "var_": None}]}, 25),
        ({"record": ["KNeighborsClassifier", {}]}, 2),
        ({"stored matrix": ["csr_matrix", "0.npz"]}, 2),
    ],
)
def test_records_and_arrays_are_as_many_as_are_read_in_some_seconds(part, most, monkeypatch):
    """What costs no memory costs time: neighbours are indexed again, and matrices are archives in the archive."""
    monkeypatch.setattr(budget, "_MOST_EFFORT", 150)
    monkeypatch.setattr(reading, "check_record", lambda record, values, sizes: None)
    monkeypatch.setattr(reading, "build", lambda record, values: object())
    matrix = io.BytesIO()
    sparse.save_npz(matrix, sparse.csr_matrix(np.eye(2)))
    members = {"0.npy": array_bytes(np.zeros(1)), "0.npz": matrix.getvalue()}
    reader(members).read({"list": [part] * most})
    with pytest.raises(Refused, match="than can be read in some seconds"):
        reader(members).read({"list": [part] * (most + 1)})
