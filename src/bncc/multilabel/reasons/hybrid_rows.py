"""Rows between two rows: some groups of features from the one, the others from another, and so for labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from bncc._typing import Array, Bools, Floats, Longs, Matrix
from bncc.multilabel.reasons.feature_groups import RowPlayers
from bncc.multilabel.reasons.peeling import ScoredModel

__all__ = ["RowGame"]


@dataclass(frozen=True, eq=False)
class RowGame:
    """Scores of some labels of one row, when some groups of features and some labels come from rows compared with.

    Players are the groups of features, then all labels where there are planes.

    Attributes
    ----------
    scored : ScoredModel
    labels : (n_outputs,), int64
        The labels whose scores are asked for.
    players : RowPlayers
    row_planes, compared_planes : labels handed on, (1, n_labels) and (n_compared, n_labels) each
    n_sparse : int or None
        The width of the features where they are sparse.
    """

    scored: ScoredModel
    labels: Longs
    players: RowPlayers
    row_planes: Sequence[Array]
    compared_planes: Sequence[Array]
    n_sparse: int | None = None

    def moves(self) -> Bools:
        """Whether each player differs between the row and the rows compared with, (n_compared, n_players)."""
        of_features = self.players.moves()
        if not self.row_planes:
            return of_features
        planes = zip(self.row_planes, self.compared_planes, strict=True)
        of_labels = np.logical_or.reduce([own != others for own, others in planes])
        return np.hstack([of_features, of_labels])

    def __call__(self, joined: Bools, which: Longs) -> Floats:
        """Scores (n, n_outputs) of rows in which those who joined have the values of the row, others those of `which`
        of the rows compared with.
        """
        n_groups = self.players.groups.size
        planes = [
            np.where(joined[:, n_groups:], own, others[which]).astype(others.dtype)
            for own, others in zip(self.row_planes, self.compared_planes, strict=True)
        ]
        return self.scored.scores(self._mixed(joined[:, :n_groups], which), planes, self.labels)

    def _mixed(self, joined: Bools, which: Longs) -> Matrix:
        mixed = np.where(joined[:, self.players.of_column], self.players.own, self.players.others[which])
        if self.n_sparse is None:
            return mixed
        kept = sparse.csr_array(mixed)
        columns = self.players.columns[kept.indices].astype(np.int32)
        return sparse.csr_array((kept.data, columns, kept.indptr.astype(np.int32)), (len(mixed), self.n_sparse))
