import gzip
import json

import numpy as np
import pytest

from bncc.datasets import MalformedFile, load, read_json_lines
from bncc.datasets.json_lines import read_json_lines_columns

ROWS = [
    {"text": "a b", "n": 1, "ok": True, "labels": ["x", "y"], "r": 1},
    {"text": "c", "n": 2.5, "ok": False, "labels": [], "r": 0},
    {"n": None, "text": "a b", "ok": True, "labels": ["y"], "r": 1, "late": "s"},
]


def write(path, rows=ROWS):
    text = "\n".join(json.dumps(row) for row in rows) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz"])
def test_lists_are_tags_and_members_are_columns(tmp_path, name):
    data = load(write(tmp_path / name), labels="labels", drop=["late"])
    assert data.label_names == ("x", "y")
    assert data.Y.tolist() == [[1, 1], [0, 0], [0, 1]]
    assert data.feature_names == ("text", "n", "ok", "r")
    np.testing.assert_array_equal(data.X, [[0, 1, 1, 1], [1, 2.5, 0, 0], [0, np.nan, 1, 1]])
    assert data.categories["text"] == ("a b", "c")


def test_columns_of_zero_and_one_are_labels(tmp_path):
    data = read_json_lines(write(tmp_path / "a.jsonl"), labels=["r", "ok"], drop=["labels", "late"])
    assert (data.label_names, data.Y.tolist()) == (("ok", "r"), [[1, 1], [0, 0], [1, 1]])


def test_numbers_of_classes_are_tags_too(tmp_path):
    rows = [{"n": 1, "labels": [3, 10]}, {"n": 2, "labels": None}]
    assert load(write(tmp_path / "a.jsonl", rows), labels="labels").label_names == ("10", "3")


def test_line_ends_marks_and_blank_lines(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_bytes('\ufeff{"a": 1, "t": ["u\u2028v"]}\r\n\r\n{"a": 2, "t": []}'.encode())
    data = load(file, labels="t")
    assert (data.X.ravel().tolist(), data.label_names) == ([1, 2], ("u\u2028v",))


def test_cells_are_given_as_they_are(tmp_path):
    table, cells = read_json_lines_columns(write(tmp_path / "a.jsonl"), raw=["labels", "text"])
    assert cells["labels"] == [["x", "y"], [], ["y"]]
    assert cells["text"] == ["a b", "c", "a b"]
    assert [column.is_text for column in table.columns] == [True, False, False, True, False, False]
    assert table.line(2) == 3


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1}\n{"a": ', r"a.jsonl, line 2: the line is no JSON object"),
        ("[1, 2]\n", r"line 1: the line holds '\[1, 2\]', no object"),
        ('{"a": 1, "a": 2}\n', "two members of an object have the same name"),
        ("[" * 100_000, "nested too deeply|no JSON object"),
        ('{"r": 1, "a": ' + "9" * 5000 + "}", "no JSON object"),
        ('{"r": 1, "a": ' + "9" * 400 + "}", "column 'a' holds a number beyond all bounds"),
        ('{"a": 1, "r": 1}\n{"a": "x", "r": 1}', "line 2: column 'a' holds numbers, but here 'x'"),
        ("\n\n", "there is no data row"),
        ("{}\n", "there is no data row"),
        ('{"a": "' + "x" * 2_000_000 + '", "r": 1}', "holds more than 1048576 bytes"),
        ('{"b": 1}\n', "no column is named 'r'"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path, text, problem):
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(MalformedFile, match=problem):
        load(tmp_path / "a.jsonl", labels=["r"])


def test_many_columns_in_few_members_stay_within_the_budget(tmp_path):
    (tmp_path / "a.jsonl").write_text("".join(f'{{"c{i}": 1}}\n' for i in range(3000)), encoding="utf-8")
    with pytest.raises(MalformedFile, match="unpacks to more than"):
        load(tmp_path / "a.jsonl", labels=["c0"], max_bytes=10**6)


def test_half_a_character_is_refused_with_its_line(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"x": "\\u00e9", "y": 1}\n{"x": ["\\ud800"], "y": 0}\n')
    with pytest.raises(MalformedFile, match=r"2.*half of a character"):
        read_json_lines(tmp_path / "a.jsonl", labels=["y"])
