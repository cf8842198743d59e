import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.datasets import numbers
from bncc.datasets.column_table import number
from bncc.datasets.numbers import plain_matrix, plain_numbers, words

CELLS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.text("0123456789+-.eE ?", max_size=6),
)
ROWS = st.one_of(
    st.lists(CELLS, min_size=3, max_size=3), st.lists(CELLS, min_size=3, max_size=3), st.lists(CELLS, max_size=4)
)


# As in `_pandas_serves`: a pandas that rounds otherwise is never asked for numbers.
needs_exact_pandas = pytest.mark.skipif(
    not numbers._pandas_is_exact(), reason="pandas is absent, or older than 3.0 and off by one unit on long numbers"
)


@pytest.fixture(params=["numpy", "pandas"])
def parser(request, monkeypatch):
    monkeypatch.setattr(numbers, "_pandas_serves", lambda n_bytes: request.param == "pandas")
    return request.param


def one_by_one(rows):
    """What the careful reading of each cell gives, or None if one is wrong."""
    out = []
    for row in rows:
        values = [float("nan") if cell.strip() == "?" else number(cell.strip()) for cell in row]
        if None in values:
            return None
        out.append(values)
    return np.array(out)


def check(rows):
    text = "\n".join(",".join(row) for row in rows).encode()
    found = plain_matrix(text, 3)
    expected = one_by_one(rows) if all(len(row) == 3 for row in rows) else None
    if found is not None:
        assert expected is not None
        assert np.array_equal(found, expected, equal_nan=True)
    elif expected is not None:
        # Only texts that are no plain numbers may be left to the careful way.
        assert any("?" in cell or not cell.strip() or cell != cell.strip() for row in rows for cell in row)


@settings(max_examples=150, deadline=None)
@given(rows=st.lists(ROWS, min_size=1, max_size=4))
def test_numpy_way_agrees_with_reading_cell_by_cell(rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "_pandas_serves", lambda n_bytes: False)
        check(rows)


@needs_exact_pandas
@settings(max_examples=150, deadline=None)
@given(rows=st.lists(ROWS, min_size=1, max_size=4))
def test_pandas_way_agrees_with_reading_cell_by_cell(rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numbers, "_pandas_serves", lambda n_bytes: True)
        check(rows)


@pytest.mark.parametrize("parser", ["numpy", pytest.param("pandas", marks=needs_exact_pandas)], indirect=True)
def test_values_are_exact(parser):
    rng = np.random.default_rng(0)
    values = np.exp(rng.normal(size=(500, 4)) * 30)
    text = "\n".join(",".join(repr(float(v)) for v in row) for row in values).encode()
    assert np.array_equal(plain_matrix(text, 4), values)


@pytest.mark.parametrize(
    "text", [b"1,2\n3", b"1,2,3\n4", b"1,,2\n", b"a,b", b"1 2,3", b"1,2\n\n3,4", b"", b"1_0,2", b"1,--2"]
)
def test_anything_odd_is_left_to_the_careful_way(parser, text):
    assert plain_matrix(text, 2) is None


def test_missing_and_delimiters(parser):
    assert np.array_equal(plain_matrix(b"?,1\n 2, ?", 2), [[np.nan, 1], [2, np.nan]], equal_nan=True)
    assert plain_matrix(b"1\t2\n3\t4", 2, delimiter=b"\t", missing=None).tolist() == [[1, 2], [3, 4]]
    assert plain_matrix(b"7", 1).tolist() == [[7]]
    assert plain_matrix(b"7\n8", 1).tolist() == [[7], [8]]


def read_words(text, marks=b" \n\t"):
    return plain_numbers(text, *words(np.frombuffer(text, np.uint8), marks), marks)


def test_words():
    assert read_words(b"  1 2.5\n\t-3e2 ").tolist() == [1, 2.5, -300]
    assert read_words(b"7 12 123456789012345 0 007").tolist() == [7, 12, 123456789012345, 0, 7]
    assert read_words(b"1234567890123456789").tolist() == [1234567890123456789.0]
    assert np.array_equal(read_words(b"1 ? 2"), [1, np.nan, 2], equal_nan=True)
    assert read_words(b" ").size == 0
    assert read_words(b"-1 .5 5. -0.25 0 -0").tolist() == [-1, 0.5, 5, -0.25, 0, 0]
    for text in (b"1 x", b"1 2-", b"1 --2", b"1.2.3", b"1 2?", b"-?", b"1 .", b"-", b"-.", b"1-2", b"1 .-2"):
        assert read_words(text) is None


DECIMAL = st.one_of(
    st.integers(0, 10**15 - 1).map(str),
    st.decimals(-1000, 1000, places=6).map(str),
    st.floats(-1e6, 1e6).map(lambda value: f"{value:.12f}"),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.text("0123.-", min_size=1, max_size=5),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(DECIMAL, max_size=12), st.integers(1, 3))
def test_words_agree_with_reading_one_by_one(texts, gap):
    expected = [number(text) for text in texts]
    found = read_words((" " * gap).join(texts).encode())
    assert found is None if None in expected else found.tolist() == expected


def test_short_decimals_are_exact():
    rng = np.random.default_rng(0)
    texts = [f"{value:.{places}g}" for value in rng.normal(size=20_000) for places in (3, 9, 15)]
    texts = [text for text in texts if "e" not in text]
    assert read_words(" ".join(texts).encode()).tolist() == [float(text) for text in texts]


def test_pandas_is_used_only_where_it_pays_off(monkeypatch):
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.setattr(numbers, "_pandas_is_exact", lambda: True)
    assert not numbers._pandas_serves(1000)
    assert numbers._pandas_serves(2**24)
    monkeypatch.setattr(numbers, "_pandas_is_exact", lambda: False)
    assert not numbers._pandas_serves(2**24)
