from bncc.datasets.tags import cell_tags, split_tags, tags_to_labels


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
    assert cell_tags(["rain", None, "wind", "rain"], ";") == ["rain", "wind"]
    assert cell_tags("rain; wind", ";") == ["rain", "wind"]
    assert cell_tags(None, ";") == []
    assert cell_tags(7, ";") == ["7"]
