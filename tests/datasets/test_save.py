import csv

import arff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse

from bncc.datasets import fingerprint, load, make_dataset, save
from bncc.datasets.column_table import category_codes, number

NAME = st.one_of(
    st.text(max_size=8),
    st.text("ab'\"\\,{}%?@ \t\n-C:;=<>&é€", max_size=10),
    st.sampled_from(
        [
            "@data",
            "%",
            "?",
            "{0,1}",
            "-C 5",
            "x: -C 3",
            "nan",
            "1",
            "''",
            "\\'",
            "a\\",
            "&amp;",
            "\u2028",
            "\x85",
            "\ufeffa",
        ]
    ),
)
VALUE = st.one_of(
    st.just(0.0),
    st.integers(-9, 9).map(float),
    st.floats(allow_infinity=False),
    st.floats(width=32, allow_infinity=False),
)
REFUSALS = ("names and categories must hold no control characters", "CSV cannot hold the")
FORMATS = [("mulan", "a.arff"), ("meka", "m.arff"), ("csv", "a.csv"), ("csv", "a.tsv"), ("mulan", "z.arff.gz")]


@st.composite
def datasets(draw):
    n, d, m = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    names = draw(st.lists(NAME, min_size=d + m, max_size=d + m, unique=True))
    X = np.array(draw(st.lists(st.lists(VALUE, min_size=d, max_size=d), min_size=n, max_size=n)))
    Y = np.array(draw(st.lists(st.lists(st.integers(0, 1), min_size=m, max_size=m), min_size=n, max_size=n)))
    X = sparse.csr_array(X) if draw(st.booleans()) else X
    nominal = draw(st.lists(st.booleans(), min_size=d, max_size=d))
    return make_dataset(X, Y, feature_names=names[:d], label_names=names[d:], name=draw(NAME), nominal=nominal)


@st.composite
def coded_datasets(draw):
    """One feature of numbers, one whose numbers stand for texts."""
    texts = draw(st.one_of(st.lists(NAME, min_size=1, max_size=4, unique=True), st.permutations(["Yes", "no"])))
    assume([number(text) for text in texts] != category_codes(texts).tolist())
    codes = [*category_codes(texts).tolist(), np.nan]
    X = np.array([[1.5, draw(st.sampled_from(codes))] for _ in range(draw(st.integers(1, 6)))])
    form = draw(st.sampled_from([np.asarray, sparse.csr_array]))
    assume(form is np.asarray or 0.0 in codes or (X[:, 1] != 0).all())
    kept = {"nominal": [False, True], "categories": {"c": texts}}
    return make_dataset(form(X), np.ones((len(X), 1), int), feature_names=["a", "c"], label_names=["y"], **kept)


def spelled(data):
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    known = data.categories.get("c")
    if known is None:  # numbers are told by their value, whatever their text
        return [None if np.isnan(value) else float(value) for value in X[:, 1]]
    texts = dict(zip(category_codes(known).tolist(), known, strict=True))
    return [texts.get(value) for value in X[:, 1].tolist()]


@settings(max_examples=150, deadline=None)
@given(data=coded_datasets(), kind=st.sampled_from(FORMATS))
def test_categories_keep_their_texts(tmp_path_factory, data, kind):
    format, file = kind
    path = tmp_path_factory.getbasetemp() / f"c{file}"
    try:
        save(data, path, format=format)
    except ValueError as error:
        assume(not str(error).startswith(REFUSALS))
        raise
    back = load(path, labels=-1 if format == "csv" else None)
    if format != "csv":
        assert fingerprint(back) == fingerprint(data)
        assert set(back.categories["c"]) == set(data.categories["c"])
    if "c" in back.categories:
        assert spelled(back) == spelled(data)
    else:
        assert spelled(back) == [None if text is None else number(text) for text in spelled(data)]


def test_numbers_that_stand_for_no_text_stay_numbers(tmp_path):
    kept = {"feature_names": ["c"], "categories": {"c": ["red", "green"]}}
    save(make_dataset([[0.0], [7.0]], [[1], [0]], **kept), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "c,label0\n0,1\n7,0\n"
    save(make_dataset([[0.0], [np.nan]], [[1], [0]], **kept), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "c,label0\nred,1\n,0\n"
    with pytest.raises(ValueError, match="CSV cannot hold the category 'NA'"):
        save(make_dataset([[0.0]], [[1]], feature_names=["c"], categories={"c": ["NA", "x"]}), tmp_path / "a.csv")


@settings(max_examples=250, deadline=None)
@given(data=datasets(), kind=st.sampled_from(FORMATS))
def test_round_trip(tmp_path_factory, data, kind):
    format, file = kind
    path = tmp_path_factory.getbasetemp() / file
    try:
        save(data, path, format=format)
    except ValueError as error:
        if str(error).startswith(REFUSALS):
            assume(False)
        raise
    back = load(path, labels=-data.n_labels if format == "csv" else None)
    assert fingerprint(back) == fingerprint(data)
    assert sparse.issparse(back.X) == (sparse.issparse(data.X) and format != "csv")
    if format != "csv":
        assert np.array_equal(back.nominal, data.nominal)


@pytest.mark.parametrize("format", ["mulan", "meka"])
@pytest.mark.parametrize("name", ["flags", "virusgo", "emotions"])
def test_real_sets_come_back(tmp_path, data_folder, name, format):
    data = load(name)
    save(data, tmp_path / "a.arff", format=format)
    assert fingerprint(load(tmp_path / "a.arff")) == fingerprint(data)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_other_readers_understand_the_files(tmp_path, form):
    X = np.array([[0.1, np.nan, 3], [0, 1e-7, 0]])
    data = make_dataset(form(X), [[1, 0], [0, 1]], feature_names=["a b", "ñ,", "c"], label_names=["50%", 'q"q'])
    save(data, tmp_path / "a.arff")
    with open(tmp_path / "a.arff", encoding="utf-8") as stream:
        content = arff.load(stream, return_type=arff.DENSE if form is np.asarray else arff.LOD)
    assert [name for name, _ in content["attributes"]] == ["a b", "ñ,", "c", "50%", 'q"q']
    if form is np.asarray:
        assert content["data"] == [[0.1, None, 3.0, "1", "0"], [0.0, 1e-7, 0.0, "0", "1"]]
    save(data, tmp_path / "a.csv")
    with open(tmp_path / "a.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows == [["a b", "ñ,", "c", "50%", 'q"q'], ["0.1", "", "3", "1", "0"], ["0", "1e-07", "0", "0", "1"]]


def test_formats_and_files(tmp_path):
    data = make_dataset([[1.0]], [[1]], name="old: -C 7")
    assert save(data, tmp_path / "a.arff") == [tmp_path / "a.arff", tmp_path / "a.xml"]
    assert save(data, tmp_path / "b.arff", format="meka") == [tmp_path / "b.arff"]
    assert "-C 1" in (tmp_path / "b.arff").read_text()
    assert load(tmp_path / "b.arff").n_labels == 1
    for path, format in (("a.xyz", None), ("a.arff", "weka")):
        with pytest.raises(ValueError, match="`format` must be one of"):
            save(data, tmp_path / path, format=format)


def test_what_cannot_be_told_apart_is_refused(tmp_path):
    with pytest.raises(ValueError, match="same name apart"):
        save(make_dataset([[1.0]], [[1]], feature_names=["a"], label_names=["a"]), tmp_path / "a.arff")
    with pytest.raises(ValueError, match="control characters"):
        save(make_dataset([[1.0]], [[1]], feature_names=["a\0b"]), tmp_path / "a.arff")
    with pytest.raises(ValueError, match="CSV cannot hold"):
        save(make_dataset([[1.0]], [[1]], feature_names=[" a"]), tmp_path / "a.csv")
    (tmp_path / "m.xml").write_text("")
    with pytest.raises(ValueError, match="would decide the labels"):
        save(make_dataset([[1.0]], [[1]]), tmp_path / "m.arff", format="meka")
