"""Text that a spreadsheet would run: marked, and as it was when read again."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bncc._spreadsheets import spreadsheet_text, unmarked_text

texts = st.text() | st.text(alphabet="'=+-@\t\r\n 1.ea\uff1d", max_size=8)


@given(texts)
@example("'=1+1")
@example("''")
@example("'-1.5")
@example("-1.5")
@example("' =x")
def test_reading_undoes_it(text):
    assert unmarked_text(spreadsheet_text(text)) == text


@given(texts)
def test_nothing_that_was_written_would_run(text):
    written = spreadsheet_text(text)
    if written.strip()[:1] in set("=+-@\uff1d\uff0b\uff0d\uff20") or written[:1] in set("\t\r\n"):
        assert re.fullmatch(r"[-+][0-9.]+(e[-+]?[0-9]+)?", written)


@given(texts, texts)
def test_no_two_texts_are_written_alike(one, other):
    assert (spreadsheet_text(one) == spreadsheet_text(other)) == (one == other)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_numbers_stay_numbers(value):
    for text in (str(value), f"{value:+}", f"{value:.3e}"):
        assert spreadsheet_text(text) == unmarked_text(text) == text


@pytest.mark.parametrize("text", ["rain", "a=b", "it's", "'tis", "'", "", "1-2", "#", "ñ"])
def test_ordinary_text_stays(text):
    assert spreadsheet_text(text) == unmarked_text(text) == text


RUN = ["=", "-", "-a", "+a", "@a", "\ta", "\ra", "\na", " =a", "-inf", "-1-2", "\uff1d1", "=1.5"]


@pytest.mark.parametrize("text", RUN)
def test_formulas_are_marked(text):
    assert spreadsheet_text(text) == f"'{text}"
