import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from bncc.datasets import MalformedFile  # noqa: E402
from bncc.datasets.frames import is_label_column, read_frame, read_frame_like  # noqa: E402

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


def test_numbers_categories_and_text(table):
    frame = read_frame(table, labels=-2, text=["note"])
    assert frame.kinds == {"age": "number", "colour": "category", "note": "text"}
    assert frame.label_names == ("rain", "wind")
    assert frame.Y.toarray().tolist() == [[0, 1], [1, 1], [1, 0]]
    assert np.array_equal(frame.X["age"], [1, 2.5, np.nan], equal_nan=True)
    assert frame.X["colour"].tolist() == ["red", "blue", "red"]
    assert frame.X["note"].tolist() == ["a fine day", "", "wet, cold"]


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


def test_other_rows_are_read_the_same_way(table, tmp_path):
    kinds = read_frame(table, labels=-2, text=["note"]).kinds
    # Other order, other columns, categories that look like numbers, no labels.
    (tmp_path / "new.csv").write_text("x,note,colour,age\n9,7,1,3\n9,good,NA,4\n")
    new = read_frame_like(tmp_path / "new.csv", kinds)
    assert list(new) == ["age", "colour", "note"]
    assert new["age"].tolist() == [3.0, 4.0]
    assert new["colour"].tolist() == ["1", ""]
    assert new["note"].tolist() == ["7", "good"]


def test_errors_say_what_to_do(table, tmp_path):
    with pytest.raises(MalformedFile, match=r"no column is named 'snow'"):
        read_frame(table, labels=["snow"])
    with pytest.raises(MalformedFile, match=r"no column is named 'snow'.*columns are 'age'"):
        read_frame(table, labels=-2, drop=["snow"])
    with pytest.raises(MalformedFile, match="every column is a label or dropped"):
        read_frame(table, labels=-2, drop=["age", "colour", "note"])
    with pytest.raises(MalformedFile, match=r"the columns 'height' are missing"):
        read_frame_like(table, {"height": "number"})
    with pytest.raises(MalformedFile, match=r"column 'colour' must hold numbers; got text"):
        read_frame_like(table, {"colour": "number"})
    lines = "\n".join(f"{i},word{i},{i % 2}" for i in range(30))
    (tmp_path / "long.csv").write_text(f"a,id,rain\n{lines}\n")
    with pytest.raises(MalformedFile, match=r"column 'id' holds text that differs in every row.*--text 'id' or --drop"):
        read_frame(tmp_path / "long.csv", labels=-1)
    (tmp_path / "empty.csv").write_text("a,b\n")
    with pytest.raises(MalformedFile, match="no data row"):
        read_frame(tmp_path / "empty.csv", labels=-1)


@pytest.mark.parametrize("cells", [["1", "", "0"], ["yes", "no", "NA"]])
def test_one_label_with_an_empty_cell_is_no_column_of_tags(cells, tmp_path):
    (tmp_path / "a.csv").write_text("x,rain\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
    assert is_label_column(tmp_path / "a.csv", "rain")
    with pytest.raises(ValueError, match=r"line \d: label 'rain' must be 0/1 .*; got a missing value\."):
        read_frame(tmp_path / "a.csv", labels="rain")
    (tmp_path / "b.csv").write_text("x,rain\n1,\n2,\n")
    assert not is_label_column(tmp_path / "b.csv", "rain")


def test_a_table_of_labels_alone(tmp_path):
    (tmp_path / "a.csv").write_text("a,b,c\n1,0,x\n0,1,y\n")
    with pytest.raises(ValueError, match="every column is a label or dropped"):
        read_frame(tmp_path / "a.csv", labels=["a", "b"], drop=["c"])
    frame = read_frame(tmp_path / "a.csv", labels=["a", "b"], drop=["c"], featureless=True)
    assert frame.X.shape == (2, 0)
    assert frame.Y.toarray().tolist() == [[1, 0], [0, 1]]


def test_tags_split_at_the_wrong_mark_are_told(tmp_path):
    (tmp_path / "a.csv").write_text("x,tags\n1,rain|wind\n2,rain\n")
    with pytest.warns(UserWarning, match=r"tags in column 'tags' hold '\|'.*--tag-separator '\|'"):
        frame = read_frame(tmp_path / "a.csv", labels="tags")
    assert frame.label_names == ("rain", "rain|wind")
    assert read_frame(tmp_path / "a.csv", labels="tags", tag_separator="|").label_names == ("rain", "wind")
