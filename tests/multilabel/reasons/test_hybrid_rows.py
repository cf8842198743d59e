import numpy as np
import pytest
from scipy import sparse

from bncc.multilabel.reasons.column_origins import named_columns
from bncc.multilabel.reasons.feature_groups import group_columns
from bncc.multilabel.reasons.hybrid_rows import RowGame


class Echo:
    """Gives features and labels back as scores, and keeps the form of the features."""

    def planes(self, X):
        return ()

    def scores(self, X, planes, labels):
        self.seen = X
        return np.hstack([X if isinstance(X, np.ndarray) else X.toarray(), *planes])


def test_features_and_labels_come_from_either_row():
    players = group_columns(named_columns("ab")).players(np.array([[1.0, 2.0]]), np.array([[5.0, 6.0]]))
    game = RowGame(Echo(), np.array([0]), players, [np.array([[1, 0]])], [np.array([[0, 0]])])
    assert game.moves().tolist() == [[True, True, True, False]]
    joined = np.array([[True, False, False, False], [False, False, True, True]])
    assert game(joined, np.array([0, 0])).tolist() == [[1.0, 6.0, 0.0, 0.0], [5.0, 6.0, 1.0, 0.0]]


@pytest.mark.parametrize("n_columns", [1, 5, 40])
def test_sparse_rows_mix_as_dense_ones(n_columns):
    random = np.random.default_rng(n_columns)
    dense = np.where(random.random((4, n_columns)) < 0.3, random.normal(size=(4, n_columns)), 0.0)
    groups = group_columns(named_columns(map(str, range(n_columns))))
    from_row, which = random.random((9, n_columns)) < 0.5, random.integers(3, size=9)
    plain = RowGame(Echo(), np.array([0]), groups.players(dense[:1], dense[1:]), [], [])
    expected = plain(from_row, which)
    for number in range(9):
        np.testing.assert_array_equal(expected[number], np.where(from_row[number], dense[0], dense[1 + which[number]]))
    stored, echo = sparse.csr_array(dense), Echo()
    players = groups.players(stored[[0]], stored[1:])
    game = RowGame(echo, np.array([0]), players, [], [], n_columns)
    np.testing.assert_array_equal(game(from_row[:, players.groups], which), expected)
    assert echo.seen.format == "csr"
    assert echo.seen.indices.dtype == np.int32
