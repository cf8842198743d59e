"""Rows between two rows: some groups of features from the one, the others from another, and so for labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from bncc._typing import Array, Bools, Floats, Longs, Matrix
from bncc.multilabel.reasons.feature_groups import RowPlayers
from bncc.multilabel.reasons.peeling import ScoredModel

__all__ = ["RowGame", "mix_features"]


def mix_features(row: Matrix, compared: Matrix, from_row: Bools, which: Longs) -> Matrix:
    """Rows whose columns come from `row` (1, n) where `from_row` says so, else from a row of `compared`.

    `from_row` is (n_mixed, n_columns), and `which` the row of `compared` for each. Sparse stays sparse.

    >>> mix_features(np.array([[1.0, 2.0]]), np.array([[5.0, 6.0]]), np.array([[True, False]]), np.array([0])).tolist()
    [[1.0, 6.0]]
    """
    if isinstance(row, np.ndarray) or isinstance(compared, np.ndarray):
        return np.where(from_row, row, compared[which])
    used = np.unique(np.concatenate([row.indices, compared.indices]))
    mixed = np.where(from_row[:, used], row[:, used].toarray(), compared[:, used].toarray()[which])
    kept = sparse.csr_array(mixed)
    columns = used[kept.indices].astype(np.int32)
    return sparse.csr_array((kept.data, columns, kept.indptr.astype(np.int32)), (len(mixed), compared.shape[1]))


@dataclass(frozen=True, eq=False)
class RowGame:
    """Scores of some labels of one row, when some groups of features and some labels come from rows compared with.

    Players are the groups of features, then the labels that are context (`context`).

    Attributes
    ----------
    scored : ScoredModel
    labels : (n_outputs,), int64
        The labels whose scores are asked for.
    row, compared : features, (1, n_columns) and (n_compared, n_columns)
    row_planes, compared_planes : labels handed on, (1, n_labels) and (n_compared, n_labels) each
    players : RowPlayers
    context : (n_context,), int64
        The labels that are players.
    """

    scored: ScoredModel
    labels: Longs
    row: Matrix
    compared: Matrix
    row_planes: Sequence[Array]
    compared_planes: Sequence[Array]
    players: RowPlayers
    context: Longs

    @property
    def n_players(self) -> int:
        """Groups of features and labels."""
        return len(self.players.names) + self.context.size

    def moves(self) -> Bools:
        """Whether each player differs between the row and the rows compared with, (n_compared, n_players)."""
        of_features = self.players.moves(self.row, self.compared)
        of_labels = np.zeros((self.compared.shape[0], self.context.size), bool)
        for own, others in zip(self.row_planes, self.compared_planes, strict=True):
            of_labels |= own[:, self.context] != others[:, self.context]
        return np.hstack([of_features, of_labels])

    def __call__(self, joined: Bools, which: Longs) -> Floats:
        """Scores (n, n_outputs) of rows in which those who joined have the values of the row."""
        n_groups = len(self.players.names)
        mixed = mix_features(self.row, self.compared, joined[:, :n_groups][:, self.players.of_column], which)
        planes = []
        for own, others in zip(self.row_planes, self.compared_planes, strict=True):
            plane = others[which].copy()
            plane[:, self.context] = np.where(joined[:, n_groups:], own[:, self.context], plane[:, self.context])
            planes.append(plane)
        return self.scored.scores(mixed, planes, self.labels)
