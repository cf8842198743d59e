from pathlib import Path

import pytest

from bncc.datasets.delimiters import find_delimiter, usual_delimiter

CSV = Path("a.csv")


def test_the_suffix_says_the_usual_one():
    assert [usual_delimiter(Path(name)) for name in ("a.csv", "a.tsv", "a.tsv.gz", "a.txt")] == [",", "\t", "\t", ","]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("a;b\n1;2\n", ";"),
        ("\n\na|b|c\n1|2|3", "|"),
        ("a\tb\n1\t2\n", "\t"),
        ("a;b\n1,5;2\n3;4,5\n", ";"),  # decimal commas
        ('a;b\n"1;\n2";2\n\n3;4\n', ";"),  # within quotes
        ("a;b", ";"),
        ("a,b\n1,2\n", ","),
        ("text,tags\nfoo,x;y\nbar,z;y\n", ","),
        ("x;y,z;w\n1;2,3;4\n", ","),  # both would do
        ("a;b|c\n1;2|3\n", ","),  # two others would do
        ("a;b\n1;2;3\n", ","),
        ("tags\nx;y\nz\n", ","),
        ("a\n1\n", ","),
        ("", ","),
    ],
)
def test_the_one_that_divides_the_first_lines_evenly(text, mark):
    assert find_delimiter(text.encode(), CSV) == mark


def test_a_tsv_has_tabs():
    assert find_delimiter(b"a;b\n1;2\n", Path("a.tsv")) == "\t"


def test_only_the_first_lines_are_looked_at():
    rows = b"a;b\n" + b"1;2\n" * 100_000
    assert find_delimiter(rows + b"1;2;3\n", CSV) == ";"
    wide = ";".join(f"name{number}" for number in range(20_000))
    assert find_delimiter(f"{wide}\n{wide}\n".encode(), CSV) == ";"
    assert find_delimiter(b"a;b\n1;2\n" + b'3;"' + b"long\n" * 30_000 + b'"\n', CSV) == ";"
    assert find_delimiter(b"a;b\n" + b"x" * 200_000 + b";1\n", CSV) == ";"
