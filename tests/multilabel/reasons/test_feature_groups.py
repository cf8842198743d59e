import numpy as np
import pytest
from scipy import sparse

from bncc.multilabel.reasons.column_origins import Origin, named_columns
from bncc.multilabel.reasons.feature_groups import group_columns

WORDS = [Origin("age"), Origin("sky"), Origin("sky"), *(Origin("note", word) for word in ("cold", "warm", "wind"))]
ROW = np.array([[0.0, 1.0, 0.0, 0.0, 0.5, 0.0]])
OTHERS = np.array([[2.0, 1.0, 0.0, 0.3, 0.5, 0.0], [0.0, 0.0, 1.0, 0.0, 0.5, 0.0]])


def test_a_group_per_column_and_word():
    groups = group_columns(WORDS)
    assert groups.names == ("age", "sky", "word 'cold'", "word 'warm'", "word 'wind'")
    assert groups.of_column.tolist() == [0, 1, 1, 2, 3, 4]
    assert groups.columns == ("age", "sky", None, None, None)
    assert groups.are_words == (False, False, True, True, True)


def test_words_of_several_texts_say_which():
    groups = group_columns([Origin("note", "cold"), Origin("title", "cold"), Origin(None)])
    assert groups.names == ("word 'cold' in note", "word 'cold' in title", "x2")


def test_groups_by_the_users_wish():
    groups = group_columns(WORDS, {"age": "person", "note": "person"})
    assert groups.names == ("person", "sky")
    assert groups.of_column.tolist() == [0, 1, 1, 0, 0, 0]
    assert groups.are_words == (False, False)


def test_dense_and_sparse_rows_have_the_same_players_that_move():
    groups = group_columns(WORDS)
    dense = groups.players(ROW, OTHERS)
    stored = groups.players(sparse.csr_array(ROW), sparse.csr_array(OTHERS))
    assert dense.groups.tolist() == [0, 1, 2, 3, 4]
    assert stored.groups.tolist() == [0, 1, 2, 3]  # nobody has wind
    assert stored.columns.tolist() == [0, 1, 2, 3, 4]
    assert stored.moves().tolist() == dense.moves()[:, :4].tolist()
    assert dense.moves().tolist() == [[True, False, True, False, False], [False, True, False, False, False]]
    assert stored.is_empty().tolist() == [True, False, True, False]


@pytest.mark.parametrize("others", [[[np.nan, np.nan]], [[0.0, 1.0]]])
def test_what_is_missing_in_both_does_not_move(others):
    players = group_columns(named_columns("ab")).players(np.array([[np.nan, 1.0]]), np.array(others))
    assert players.moves().tolist() == [[not np.isnan(others[0][0]), bool(np.isnan(others[0][1]))]]


def test_sums_over_columns():
    players = group_columns(WORDS).players(np.ones((1, 6)), OTHERS)
    assert players.sums(np.arange(6.0)).tolist() == [0.0, 3.0, 3.0, 4.0, 5.0]
