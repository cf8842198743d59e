import csv
import gzip
import io
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.datasets import MalformedFile, delimited, load, make_dataset, read_csv, save
from bncc.datasets.column_table import number

nan = np.nan
PLAIN = "a,b,r,w\n1,2.5,0,1\n3,-4,1,1\n"


def read(tmp_path, text, name="a.csv", **options):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_csv(path, **options)


def test_plain_numbers_by_count_and_names(tmp_path):
    for labels in (-2, ["w", "r"]):
        data = read(tmp_path, PLAIN, labels=labels)
        assert data.X.tolist() == [[1, 2.5], [3, -4]]
        assert data.Y.tolist() == [[0, 1], [1, 1]]
        assert (data.feature_names, data.label_names) == (("a", "b"), ("r", "w"))
    assert read(tmp_path, "r,a\n1,5\n0,6", labels=1).X.tolist() == [[5], [6]]


def test_tsv_gzip_delimiter_header(tmp_path):
    expected = [[1, 2.5], [3, -4]]
    assert read(tmp_path, PLAIN.replace(",", "\t"), "a.tsv", labels=-2).X.tolist() == expected
    assert read(tmp_path, gzip.compress(PLAIN.encode()), "a.csv.gz", labels=-2).X.tolist() == expected
    assert read(tmp_path, PLAIN.replace(",", ";"), labels=-2, delimiter=";").X.tolist() == expected
    data = read(tmp_path, "\n".join(PLAIN.splitlines()[1:]), labels=-2, header=False)
    assert data.X.tolist() == expected
    assert data.label_names == ("c3", "c4")


def test_text_missing_and_quotes(tmp_path):
    text = 'id,sky,"x, y",ok,r\n1,red,?,TRUE,1\n2,"a ""b""",5,false,0\n3,,NA,,1\n'
    data = read(tmp_path, text, labels=["r"], drop=["id"])
    assert data.feature_names == ("sky", "x, y", "ok")
    assert np.array_equal(data.X, [[1, nan, 1], [0, 5, 0], [nan, nan, nan]], equal_nan=True)
    assert data.nominal.tolist() == [True, False, True]


def test_one_hot(tmp_path):
    data = read(tmp_path, "c,r\nx,1\ny,0\nz,1\nx,0", labels=["r"], one_hot=True)
    assert data.feature_names == ("c=x", "c=y", "c=z")
    assert data.X.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_labels_in_words(tmp_path):
    assert read(tmp_path, "a,r,w\n1,yes,TRUE\n2,No,false", labels=-2).Y.tolist() == [[1, 1], [0, 0]]


def test_tags(tmp_path):
    data = read(tmp_path, "a,tags,b\n1,rain; wind,5\n2,,6\n3,wind,7\n", labels="tags", tag_separator=";")
    assert data.label_names == ("rain", "wind")
    assert data.Y.tolist() == [[1, 1], [0, 0], [0, 1]]
    assert data.X.tolist() == [[1, 5], [2, 6], [3, 7]]
    data = read(tmp_path, 'a,tags\n1,"3,4"\n2,4\n', labels="tags")
    assert data.label_names == ("3", "4")
    with pytest.raises(MalformedFile, match="holds no tag"):
        read(tmp_path, "a,tags\n1,\n2,\n", labels="tags")


def test_an_identifier_is_no_feature(tmp_path):
    text = "id,a,r\n" + "".join(f"row{i},{i},{i % 2}\n" for i in range(30))
    with pytest.raises(MalformedFile, match=r"Leave them out with `drop=`: 'id'"):
        read(tmp_path, text, labels=["r"])
    assert read(tmp_path, text, labels=["r"], drop=["id"]).n_features == 1


def test_blank_lines_keep_line_numbers(tmp_path):
    with pytest.raises(MalformedFile, match="line 6: label 'r' must be 0/1"):
        read(tmp_path, "\na,r\n\n1,0\n\n2,7\n", labels=["r"])
    with pytest.raises(MalformedFile, match="line 3: label 'r' must be 0/1"):
        read(tmp_path, "a,r\n1,0\n2,7\n", labels=["r"])


@pytest.mark.parametrize(
    ("text", "labels", "message"),
    [
        ("a,r\n1,0\n1", ["r"], "line 3: the row has 1 cells, the first line has 2.*delimiter="),
        ("a,r\n1,0,5\n", ["r"], "line 2: the row has 3 cells"),
        ('a,r\n"1,0\n', ["r"], "line 2: unexpected end of data"),
        ('a,r\n"1"x,0\n', ["r"], "line 2: .*expected after"),
        (
            "a,a\n1,0",
            ["a"],
            "line 1: .* every column once; got 'a' more than once.*in Python .*header=False",
        ),
        ("a,,,r\n1,0,1,0", ["r"], "line 1: .* every column once; got a column without a name"),
        ("a,r\n", ["r"], "no data row"),
        ("", ["r"], "the file is empty"),
        ("a,r\n1,0", ["x"], "no column is named 'x'"),
        ("a,r\n1,0", "x", "no column is named 'x'"),
        ("a,r\n1,0", -2, "leaves at least one feature"),
        ('"a,r\n1,0', -1, "line 2: unexpected end of data|line 1"),
        ("a,r\n1,x\n2,y", ["r"], "label 'r' must be 0/1 .* got text"),
    ],
)
def test_malformed(tmp_path, text, labels, message):
    with pytest.raises(MalformedFile, match=message):
        read(tmp_path, text, labels=labels)


def test_delimiter_is_one_character(tmp_path):
    with pytest.raises(ValueError, match="`delimiter` must be one ASCII character"):
        read(tmp_path, PLAIN, labels=-2, delimiter=";;")


CELL = st.sampled_from(["1", "0", "2.5", "-1e3", " 1", "1 ", "", "?", "x", '"1"', "1_0", "nan", "inf"])


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(CELL, min_size=2, max_size=3).map(",".join), min_size=1, max_size=4))
def test_the_fast_way_agrees_with_the_careful_one(tmp_path_factory, lines):
    folder = tmp_path_factory.getbasetemp()

    def outcome():
        try:
            data = read(folder, "\n".join(["a,b,r", *(f"{line},1" for line in lines)]), labels=["r"])
        except MalformedFile as error:
            return str(error)
        return np.where(np.isnan(data.X), -99, data.X).tolist()

    fast = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "plain_matrix", lambda *args, **kwargs: None)
        assert outcome() == fast


@pytest.mark.parametrize("form", [pd.Index, np.array, iter])
def test_labels_and_drop_in_any_form(tmp_path, form):
    data = read(tmp_path, PLAIN, labels=form(["r", "w"]), drop=form(["b"]))
    assert (data.feature_names, data.label_names) == (("a",), ("r", "w"))
    tagged = read(tmp_path, "a,b,t\n1,x,r\n2,y,w\n", labels="t", drop=form(["b"]))
    assert tagged.feature_names == ("a",)


def test_drop_takes_no_single_text(tmp_path):
    with pytest.raises(ValueError, match=r"`drop` must be a list of column names; .* Write drop=\['ab'\]"):
        read(tmp_path, PLAIN, labels=["w"], drop="ab")


@pytest.fixture
def plain_field_limit():
    """Readers of other packages raise the limit of the csv module for the whole process."""
    before = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(before)


@pytest.mark.usefixtures("plain_field_limit")
def test_a_very_long_cell_has_the_right_remedy(tmp_path):
    long = "x" * 140_000
    for text in (f"a,b,r\n1,{long},1\n", f"a,{long},r\n1,2,1\n"):
        with pytest.raises(MalformedFile, match=r"field limit.*csv.field_size_limit"):
            read(tmp_path, text, labels=["r"])


def test_a_table_written_with_its_index(tmp_path):
    text = pd.DataFrame({"a": [1, 2], "r": [0, 1]}).to_csv()
    with pytest.raises(MalformedFile, match=r"the first column has no name.*index=False"):
        read(tmp_path, text, labels=["r"])


def test_text_among_numbers_is_a_mistake(tmp_path):
    lines = [f"{i * 0.5},{i % 2}" for i in range(30)]
    lines[4] = "abc,1"
    with pytest.raises(MalformedFile, match=r"line 6: column 'a' holds numbers, but here 'abc'.*leave it empty"):
        read(tmp_path, "a,r\n" + "\n".join(lines), labels=["r"])
    codes = [f"{'A' if i % 5 else i % 3},{i % 2}" for i in range(30)]
    assert read(tmp_path, "a,r\n" + "\n".join(codes), labels=["r"]).nominal.tolist() == [True]


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_another_separator_is_seen(tmp_path, mark):
    text = PLAIN.replace(",", mark)
    assert read(tmp_path, text, labels=-2).X.tolist() == [[1, 2.5], [3, -4]]
    assert read(tmp_path, text, labels=-2, delimiter=mark).X.tolist() == [[1, 2.5], [3, -4]]
    assert delimited.read_csv_names(tmp_path / "a.csv") == ["a", "b", "r", "w"]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("a.csv", "x;y\n1;0\n1;2;3\n", "separated by ';', not by ','. If so, give every line as many cells, write it"),
        (
            "a.csv",
            "x\ty\n1\t0\n1",
            "separated by a tab, not by ','. If so, give every line as many cells, name it .tsv",
        ),
        ("a.csv", "x|y\n1|0\n1", "separated by '|', not by ','."),
        ("a.tsv", "x,y\n1,0\n", "separated by ',', not by a tab. If so, give every line as many cells, name it .csv"),
    ],
)
def test_another_separator_is_named(tmp_path, file, text, said):
    (tmp_path / file).write_text(text)
    with pytest.raises(MalformedFile, match=re.escape(said)):
        read_csv(tmp_path / file, labels=["y"])


def test_the_separator_can_be_said(tmp_path):
    (tmp_path / "a.tsv").write_text("x,y\n1,0\n")
    assert read_csv(tmp_path / "a.tsv", labels=["y"], delimiter=",").Y.tolist() == [[0]]


cell_texts = st.text(alphabet="'=+-@ ab1.,\t\"\uff1d", min_size=1, max_size=6).filter(
    lambda text: text == text.strip() and delimited._fits_a_cell(text)
)


@settings(max_examples=60)
@given(
    names=st.lists(cell_texts, min_size=3, max_size=5, unique=True),
    values=st.lists(cell_texts.filter(lambda text: number(text) is None), min_size=2, max_size=3, unique=True),
    suffix=st.sampled_from([".csv", ".tsv", ".csv.gz"]),
    raw_names=st.booleans(),
)
def test_names_that_a_spreadsheet_would_run_come_back(tmp_path_factory, names, values, suffix, raw_names):
    """By default marked in the file; as they are on demand; the same after reading either way."""
    path = tmp_path_factory.mktemp("csv") / f"a{suffix}"
    codes = [[float(i % len(values)), -1.5] for i in range(6)]
    named = {"feature_names": names[:2], "label_names": names[2:], "categories": {names[0]: tuple(sorted(values))}}
    data = make_dataset(codes, [[1, 0, 1][: len(names) - 2]] * 6, **named)
    save(data, path, raw_names=raw_names)
    found = load(path, labels=list(data.label_names), raw_names=raw_names)
    assert found.feature_names == data.feature_names
    assert found.label_names == data.label_names
    assert found.categories == data.categories
    assert (found.X == data.X).all()
    content = gzip.decompress(path.read_bytes()) if suffix.endswith("gz") else path.read_bytes()
    separator = "\t" if suffix == ".tsv" else ","
    cells = [cell for row in csv.reader(io.StringIO(content.decode(), newline=""), delimiter=separator) for cell in row]
    if raw_names:
        assert cells[: len(names)] == names
    else:
        assert [cell for cell in cells if cell[0] in "=+-@\uff1d\t\r" and cell != "-1.5" and number(cell) is None] == []


def test_apostrophes_of_other_programs_stay(tmp_path):
    data = read(tmp_path, "'tis,'=1+1,'',y\n1,'a,'@b,1\n2,it's,''@b,0\n1,'a,'@b,1\n", labels=["y"])
    assert data.feature_names == ("'tis", "=1+1", "''")
    assert data.categories["=1+1"] == ("'a", "it's")
    assert data.categories["''"] == ("'@b", "@b")
    raw = read(tmp_path, "'=1+1,y\n'@b,1\n'@c,0\n'@b,1\n", labels=["y"], raw_names=True)
    assert raw.feature_names == ("'=1+1",)
    assert raw.categories["'=1+1"] == ("'@b", "'@c")
