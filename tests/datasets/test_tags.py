from bncc.datasets.tags import split_tags, tags_to_labels


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
