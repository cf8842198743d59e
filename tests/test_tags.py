import pytest

from bncc._tags import find_separator, read_tags, split_tags, tags_to_labels


def test_split_tags():
    assert split_tags("a; b ;;a", ";") == ["a", "b"]
    assert split_tags(None, ";") == split_tags("", ";") == []
    assert split_tags("a||b", "||") == ["a", "b"]


def test_labels():
    Y, names = tags_to_labels([["b"], [], ["a", "b"]])
    assert names == ["a", "b"]
    assert Y.toarray().tolist() == [[0, 1], [0, 0], [1, 1]]
    Y, names = tags_to_labels([[], []])
    assert (Y.shape, names) == ((2, 0), [])


def test_the_tags_of_a_cell_are_a_list_or_one_text():
    assert read_tags(["rain", None, "wind", "rain"], ";") == ["rain", "wind"]
    assert read_tags("rain; wind", ";") == ["rain", "wind"]
    assert read_tags(None, ";") == []
    assert read_tags(7, ";") == ["7"]


def test_tags_of_many_forms():
    for cell in (["rain", "wind"], ("rain", "wind"), {"wind", "rain"}, '["rain", "wind"]', "['rain', 'wind']"):
        assert read_tags(cell, ",") == ["rain", "wind"]
    for cell in (None, "", " ", float("nan"), "NA", [], "[]", set()):
        assert read_tags(cell, ";") == []


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["a;b", "a", "b"], ";"),
        (["a|b", "b|c", ""], "|"),
        (["a, b", "b, c"], ","),
        (["a/b", "b/c", "a"], "/"),
        (["rain wind", "wind rain", "rain"], " "),
        (["New York", "Paris", "San Marino"], None),
        (["and/or", "rain"], None),
        (["Washington, DC; rain", "rain; wind", "wind"], ";"),
        (['["a", "b"]'], None),
        ([["a", "b"], None], None),
        ([], None),
    ],
)
def test_separators_are_found(cells, mark):
    assert find_separator(cells) == mark


def test_labels_of_known_names():
    Y, names = tags_to_labels([["b", "new"], ["a"]], ["b", "a"])
    assert (names, Y.toarray().tolist()) == (["b", "a"], [[1, 0], [0, 1]])


@pytest.mark.parametrize("cell", [{"a": 1}, ["a", ["z"]], [{"a": 1}]])
def test_what_is_no_tag_is_refused(cell):
    with pytest.raises(ValueError, match=r"a tag must be text or a number; got .* one flat list"):
        read_tags(cell, None)


@pytest.mark.parametrize("text", ['["rain", "wind"', "['rain", '["rain", ["wind"]]', '["rain", {"wind": 1}]'])
def test_lists_that_cannot_be_read_are_no_tags(text):
    with pytest.raises(ValueError, match="a list of tags is not closed, or holds more than texts and numbers"):
        read_tags(text, ",")


def test_brackets_and_gaps_in_lists_are_tags():
    assert read_tags("[draft], rain", ",") == ["[draft]", "rain"]
    assert read_tags('["rain", null]', ",") == ["rain"]
