"""Keys are plain, and collections of what may share a hash are small."""

import io
import zipfile

import numpy as np
import pytest

from bncc.multilabel.model_files.archive import Archive
from bncc.multilabel.model_files.keys import as_key, count_comparisons
from bncc.multilabel.model_files.reading import Reader
from bncc.multilabel.model_files.refusals import Refused


def read(structure):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("a", b"x" * 10**7)
    return Reader(Archive(content), lambda name: False).read(structure)


@pytest.mark.parametrize("key", ["a", 1, 2.5, None, True, (1, "a"), np.float64(1)])
def test_plain_values_are_keys(key):
    assert as_key(key) is key


@pytest.mark.parametrize("key", [[], {}, ([],), np.zeros(2), frozenset()])
def test_other_values_are_no_keys(key):
    with pytest.raises(Refused, match="no number, text or tuple"):
        as_key(key)


def test_text_is_free_and_tuples_are_compared():
    assert count_comparisons(["a", "b", None] * 10_000) == 0
    assert count_comparisons([{"tuple": [1]}] * 4096) == 2**24
    assert count_comparisons(list(range(2**16))) == count_comparisons([{"scalar": ["<i8", 1]}] * 2**16) == 2**24


def test_many_collections_of_tuples_are_refused():
    one = {"set": [{"tuple": [number]} for number in range(4096)]}
    assert len(read({"list": [one] * 4})) == 4
    with pytest.raises(Refused, match="many sets and dictionaries of tuples or numbers"):
        read({"list": [one] * 5})


@pytest.mark.parametrize("kind", ["set", "dict", "objects"])
def test_a_collection_of_very_many_numbers_is_refused(kind):
    def collection(n):
        numbers = list(range(n))
        return {kind: {"dict": [[each, 1] for each in numbers], "objects": [[n], numbers]}.get(kind, numbers)}

    assert len(read(collection(2**17))) == 2**17
    with pytest.raises(Refused, match="many sets and dictionaries of tuples or numbers"):
        read(collection(2**17 + 100))


def test_a_collection_of_text_may_be_large():
    assert len(read({"set": [f"word {number}" for number in range(150_000)]})) == 150_000


def test_a_text_has_an_end():
    assert len(read("x" * 2**20)) == 2**20
    with pytest.raises(Refused, match="a text of 1048577 letters, more than 1048576"):
        read("x" * (2**20 + 1))
