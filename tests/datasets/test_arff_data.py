import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from bncc.datasets import MalformedFile, arff_data
from bncc.datasets.arff_data import parse_rows
from bncc.datasets.column_table import Column

NUMBER, BIT, NUMBERED, COLOUR, ANSWER = (
    Column("n"),
    Column("b", ("0", "1")),
    Column("k", ("2", "3", "5")),
    Column("c", ("red", "light green", "it's")),
    Column("a", ("YES", "NO")),
)
nan = np.nan


def rows(text, *columns):
    values, lines = parse_rows(text.encode(), columns, 100, "a.arff")
    return (values.toarray() if sparse.issparse(values) else values), lines.tolist()


def values(text, *columns):
    return rows(text, *columns)[0].tolist()


def test_dense():
    assert values("1,0\n2.5,1", NUMBER, BIT) == [[1, 0], [2.5, 1]]
    assert values("red, NO\n'light green',YES\n\"it's\" , NO", COLOUR, ANSWER) == [[0, 0], [1, 1], [2, 0]]
    assert values("3,2\n5 , 3", NUMBERED, NUMBERED) == [[3, 2], [5, 3]]
    assert values(r"'it\'s'", COLOUR) == [[2]]
    assert values("1.0,1", BIT, BIT) == [[1, 1]]


def test_missing():
    assert np.array_equal(rows("?,?,?\n1,red,1", NUMBER, COLOUR, BIT)[0], [[nan, nan, nan], [1, 0, 1]], equal_nan=True)
    assert np.array_equal(rows("?,1\n1,?", NUMBER, BIT)[0], [[nan, 1], [1, nan]], equal_nan=True)
    assert values("'?'", Column("q", ("?", "!"))) == [[0]]
    assert np.isnan(values("?", Column("q", ("?", "!")))[0][0])


def test_comments_blank_lines_and_line_numbers():
    found, lines = rows("\n% note\n1,0\n\n2,1\n%", NUMBER, BIT)
    assert (found.tolist(), lines) == ([[1, 0], [2, 1]], [102, 104])
    assert values("1, 0 % note, and more", NUMBER, BIT) == [[1, 0]]


def test_text_columns_are_kept_as_missing():
    assert np.array_equal(
        rows("'a, b',1\nc,2", Column("t", is_text=True), NUMBER)[0], [[nan, 1], [nan, 2]], equal_nan=True
    )


def test_sparse():
    assert values("{0 1.5,1 1}\n{}\n{ 1 1 }", NUMBER, BIT) == [[1.5, 1], [0, 0], [0, 1]]
    assert values("{1 1,0 2}", NUMBER, BIT) == [[2, 1]]
    assert values("{0 'light green'}\n{0 \"it's\", 1 2}", COLOUR, NUMBER) == [[1, 0], [2, 2]]
    assert values("{0\t1}", NUMBER) == [[1]]


def test_sparse_leaves_out_the_first_declared_value():
    assert values("{}\n{0 NO}\n{0 YES}", ANSWER) == [[1], [0], [1]]
    assert values("{}\n{0 3}", NUMBERED) == [[2], [3]]
    assert values("{}\n{0 0}", Column("b", ("1", "0"))) == [[1], [0]]
    assert values("{}\n{0 'light green'}", COLOUR) == [[0], [1]]


def test_sparse_missing():
    assert np.array_equal(rows("{0 ?}\n{1 ?}", NUMBER, ANSWER)[0], [[nan, 1], [0, nan]], equal_nan=True)


def test_no_explicit_zeros_are_stored():
    found, _ = parse_rows(b"{0 0,1 0}\n{0 1}", (NUMBER, BIT), 1, "a")
    assert found.nnz == 1


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("1,0\n1", (NUMBER, BIT), "line 101: the row has 1 values, the header declares 2"),
        ("1,0,3", (NUMBER, BIT), "has 3 values"),
        ("1,0\nx,1", (NUMBER, BIT), "line 101: attribute 'n' is numeric; got 'x'"),
        ("1,0\n1,2", (NUMBER, BIT), r"line 101: attribute 'b' has no value '2'. Declared are \{'0', '1'\}"),
        ("blue", (COLOUR,), "has no value 'blue'"),
        ("1,,3", (NUMBER, NUMBER, NUMBER), "is numeric; got ''"),
        ("'red", (COLOUR,), "line 100: cannot read the value"),
        ("'red' x", (COLOUR,), "line 100: cannot read the value"),
        ("1_0", (NUMBER,), "is numeric"),
        ("1\n{0 1}", (NUMBER,), "line 101: cannot read .* keep sparse rows and dense rows apart"),
        ("{0 1}\n1", (NUMBER,), "line 101: expected a sparse row"),
        ("{0 1", (NUMBER,), "expected a sparse row"),
        ("{0 1} x", (NUMBER,), "expected a sparse row"),
        ("{0 1,1}", (NUMBER, NUMBER), "line 100: expected 'index value'; got '1'"),
        ("{0}", (NUMBER,), "expected 'index value'"),
        ("{0 1 2}", (NUMBER,), "is numeric; got '1 2'"),
        ("{0 1 2,3}", (NUMBER,) * 4, "line 100: expected 'index value'; got '3'"),
        ("{0 1,0 2}", (NUMBER,), "attribute number 0 appears twice"),
        ("{5 1}", (NUMBER,), "attribute number 5 is not below the number of attributes, 1"),
        ("{-1 1}", (NUMBER,), "attribute number -1"),
        ("{1000000000000 1}", (NUMBER,), "attribute number 1000000000000"),
        ("{0.5 1}", (NUMBER,), "expected 'index value'"),
        ("{x 1}", (NUMBER,), "expected 'index value'"),
        ("{0 2}", (BIT,), "has no value '2'"),
        ("{0 4}", (NUMBERED,), "has no value '4'"),
        ("{,}", (NUMBER,), "expected 'index value'"),
        ("{0 1,}", (NUMBER,), "expected 'index value'"),
        ("{{0 1}", (NUMBER,), "expected 'index value'"),
    ],
)
def test_malformed(text, columns, message):
    with pytest.raises(MalformedFile, match=message):
        parse_rows(text.encode(), columns, 100, "a.arff")


def test_a_fill_that_would_not_fit_is_refused():
    columns = tuple(Column(str(i), ("1", "0")) for i in range(30_000))
    with pytest.raises(MalformedFile, match="first value other than zero"):
        parse_rows(b"{}\n" * 10_000, columns, 1, "a.arff")


COLUMNS = (NUMBER, BIT, NUMBERED, NUMBER)
DENSE_LINE = st.lists(
    st.sampled_from(["0", "1", "2.5", "?", "3", "-1e3", " 1", "x", "", "'1'"]), min_size=3, max_size=5
).map(",".join)
ENTRY = st.tuples(
    st.sampled_from(["0", "1", "2", "3", "4", "1.0", "x", ""]),
    st.sampled_from(["0", "1", "3", "?", "2.5", "x", "1 2", ""]),
)
SPARSE_LINE = st.one_of(
    st.lists(ENTRY, max_size=3).map(lambda entries: "{" + ",".join(f"{i} {v}" for i, v in entries) + "}"),
    st.sampled_from(["{}", "{ }", "{", "}{", "{0 1}}", "{0 1},", "{0 1 1 1}", "{0,1 1 2}", "% c", ""]),
)


def outcome(text):
    try:
        found, lines = parse_rows(text.encode(), COLUMNS, 1, "a")
    except MalformedFile as error:
        return str(error)
    dense = found.toarray() if sparse.issparse(found) else found
    return np.where(np.isnan(dense), -99, dense).tolist(), lines.tolist()


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.lists(DENSE_LINE, min_size=1, max_size=3), st.lists(SPARSE_LINE, min_size=1, max_size=3)))
def test_the_fast_ways_agree_with_the_careful_ones(lines):
    text = "\n".join(lines)
    fast = outcome(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arff_data, "_plain_rows", lambda *args: None)
        assert outcome(text) == fast


def test_hostile_lines_take_linear_time():
    for text in (
        "'" + "a" * 10**6,
        "'a' " + " " * 10**6 + "x",
        "1" + " " * 10**6 + "'",
        "{0 '" + " " * 10**6 + "}",
        "{" + " " * 10**6 + "}x",
    ):
        with pytest.raises(MalformedFile):
            parse_rows(text.encode(), (NUMBER,), 1, "a")
