import pytest

import bncc

pd = pytest.importorskip("pandas")

from bncc.datasets import MalformedFile  # noqa: E402
from bncc.datasets.frames import is_label_column, read_frame, read_table  # noqa: E402

ROWS = """age,colour,note,rain,wind
1,red,a fine day,0,1
2.5,blue,,1,1
,red,"wet, cold",1,0
"""


@pytest.fixture(params=["csv", "tsv", "parquet"])
def table(request, tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    frame = pd.read_csv(tmp_path / "t.csv")
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(tmp_path / "t.parquet")
    elif request.param == "tsv":
        frame.to_csv(tmp_path / "t.tsv", sep="\t", index=False)
    return tmp_path / f"t.{request.param}"


def test_cells_stay_as_they_are(table):
    frame = read_frame(table, labels=-2)
    assert frame.label_names == ("rain", "wind")
    assert frame.Y.toarray().tolist() == [[0, 1], [1, 1], [1, 0]]
    assert frame.unknown is None
    age = frame.X["age"].tolist()
    assert [str(age[0]), str(age[1])] == (["1.0", "2.5"] if table.suffix != ".csv" else ["1", "2.5"])
    assert pd.isna(age[2])
    assert frame.X["colour"].tolist() == ["red", "blue", "red"]
    assert frame.X["note"].fillna("").tolist() == ["a fine day", "", "wet, cold"]


def test_labels_by_name_and_columns_dropped(table):
    frame = read_frame(table, labels=["wind", "rain"], drop=["note"])
    assert frame.label_names == ("rain", "wind")
    assert list(frame.X) == ["age", "colour"]


def test_one_name_is_a_label_or_a_column_of_tags(table):
    one = read_frame(table, labels="wind", drop=["note"])
    assert (one.label_names, one.Y.toarray().ravel().tolist()) == (("wind",), [1, 1, 0])
    assert "rain" in one.X
    tags = read_frame(table, labels="note", tag_separator=" ")
    assert tags.label_names == ("a", "cold", "day", "fine", "wet,")
    assert tags.Y.toarray()[1].tolist() == [0, 0, 0, 0, 0]


def test_a_table_without_labels(table):
    assert list(read_table(table)) == ["age", "colour", "note", "rain", "wind"]
    some = read_table(table, columns=["note", "snow", "age"])
    assert list(some) == ["note", "age"]
    assert len(some) == 3


def test_errors_say_what_to_do(table, tmp_path):
    with pytest.raises(MalformedFile, match=r"no column is named 'snow'"):
        read_frame(table, labels=["snow"])
    with pytest.raises(MalformedFile, match=r"no column is named 'snow'.*columns are 'age'"):
        read_frame(table, labels=-2, drop=["snow"])
    with pytest.raises(MalformedFile, match="column 'wind' is a label, and it is to be dropped"):
        read_frame(table, labels=["wind"], drop=["wind"])
    with pytest.raises(MalformedFile, match=r"no column is named 'snow'"):
        read_frame(table, labels="snow")
    with pytest.raises(MalformedFile, match="every column is a label or dropped"):
        read_frame(table, labels=-2, drop=["age", "colour", "note"])
    with pytest.raises(MalformedFile, match=r"label 'age' must be 0/1 .*got '2\.5'; likewise 'colour' \('red'\)"):
        read_frame(table, labels=["age", "colour", "rain"])
    (tmp_path / "empty.csv").write_text("a,b\n")
    with pytest.raises(MalformedFile, match="no data row"):
        read_frame(tmp_path / "empty.csv", labels=-1)
    (tmp_path / "none.csv").write_text("a,b,c\n1,,1\n2,,0\n")
    with pytest.raises(MalformedFile, match="label 'b' is empty in every row"):
        read_frame(tmp_path / "none.csv", labels=["b", "c"])


@pytest.mark.parametrize("cells", [["1", "", "0"], ["yes", "NA", "no"], ["1", "?", "-1"]])
@pytest.mark.parametrize("labels", ["rain", ["rain"], -1])
def test_an_empty_cell_of_a_label_is_unknown(cells, labels, tmp_path):
    (tmp_path / "a.csv").write_text("x,rain\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
    assert is_label_column(tmp_path / "a.csv", "rain")
    frame = read_frame(tmp_path / "a.csv", labels=labels)
    assert frame.Y.toarray().ravel().tolist() == [1, 0, 0]
    assert frame.unknown.toarray().ravel().tolist() == [0, 1, 0]
    (tmp_path / "b.csv").write_text("x,rain\n1,\n2,\n")
    assert not is_label_column(tmp_path / "b.csv", "rain")


def test_an_empty_cell_of_tags_has_none(tmp_path):
    (tmp_path / "a.csv").write_text("x,tags\n1,rain;wind\n2,\n3,rain\n")
    frame = read_frame(tmp_path / "a.csv", labels="tags")
    assert frame.unknown is None
    assert frame.Y.toarray().tolist() == [[1, 1], [0, 0], [1, 0]]


def test_a_table_of_labels_alone(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c\n1,0,x\n0,1,y\n")
    with pytest.raises(ValueError, match="every column is a label or dropped"):
        read_frame(tmp_path / "a.csv", labels=["a", "b"], drop=["c"])
    frame = read_frame(tmp_path / "a.csv", labels=["a", "b"], drop=["c"], featureless=True)
    assert frame.X.shape == (2, 0)
    assert frame.Y.toarray().tolist() == [[1, 0], [0, 1]]


def test_the_mark_between_tags_is_found(tmp_path):
    (tmp_path / "a.csv").write_text("x,tags\n1,rain|wind\n2,rain\n")
    frame = read_frame(tmp_path / "a.csv", labels="tags")
    assert (frame.label_names, frame.tag_separator) == (("rain", "wind"), "|")
    assert read_frame(tmp_path / "a.csv", labels="tags", tag_separator=",").label_names == ("rain", "rain|wind")


def test_a_table_is_read_from_the_top_of_the_package(tmp_path):
    (tmp_path / "posts.jsonl").write_text('{"title": "A red fox", "votes": 3}\n{"title": "Snow"}\n')
    table = bncc.read_table(tmp_path / "posts.jsonl")
    assert table["title"].tolist() == ["A red fox", "Snow"]
    assert table["votes"].isna().tolist() == [False, True]
    assert bncc.read_table is bncc.datasets.read_table


def test_a_list_of_tags_that_does_not_close_is_named_with_its_row(tmp_path):
    (tmp_path / "a.csv").write_text('a,tags\n1,"[""x""]"\n2,"[""x"", ""y"""\n')
    with pytest.raises(MalformedFile, match=r"column 'tags', row 2: a list of tags is not closed"):
        read_frame(tmp_path / "a.csv", labels="tags")
    with pytest.raises(MalformedFile, match=r"column 'tags', row 2: a list of tags is not closed"):
        bncc.load(tmp_path / "a.csv", labels="tags")
