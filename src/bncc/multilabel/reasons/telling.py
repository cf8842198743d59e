"""From numbers to reasons: names of features and labels, and what the row holds there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Array, Rowwise
from bncc.multilabel.reasons.feature_groups import FeatureGroups, RowPlayers
from bncc.multilabel.reasons.peeling import Peeled
from bncc.multilabel.reasons.reason_records import LabelReasons, Reason
from bncc.multilabel.reasons.shapley import ShapleyValues

__all__ = ["RowTeller"]

# Reasons that are listed for a label; what all others add together is told.
_MOST_REASONS = 100
_SHOWN_CHARACTERS = 40


@dataclass(frozen=True, eq=False)
class RowTeller:
    """Tells the reasons of one row: players are its groups of features, then all labels where some are handed on."""

    peeled: Peeled
    groups: FeatureGroups
    players: RowPlayers
    row: int
    row_planes: Sequence[Array]

    def tell(self, label: int, score: float, predicted: bool, found: ShapleyValues, place: int) -> LabelReasons:
        """The reasons of a label, whose contributions are in one column of those found."""
        values, errors, base = found.contributions[:, place], found.standard_errors[:, place], float(found.base[place])
        n_groups = self.players.groups.size
        # What rounding leaves of nothing is nothing.
        scale = max(abs(score), abs(base), float(np.abs(values).max(initial=0.0)))
        heard = np.abs(values) > 1e-12 * scale
        order = np.argsort(-np.abs(values), kind="stable")
        reasons = [
            self._reason(int(player), float(values[player]), float(errors[player]))
            for player in order[:_MOST_REASONS]
            if heard[player]
        ]
        listed = sum((reason.value for reason in reasons), 0.0)
        return LabelReasons(
            label,
            score,
            base,
            tuple(reasons),
            float(values.sum()) - listed if heard.sum() > _MOST_REASONS else 0.0,
            None if found.exact else float(errors.max(initial=0.0)),
            self.peeled.label_names[label],
            predicted,
            float(values[:n_groups].sum()),
            float(values[n_groups:].sum()),
        )

    def _reason(self, player: int, value: float, error: float) -> Reason:
        n_groups = self.players.groups.size
        if player < n_groups:
            name = self.groups.names[self.players.groups[player]]
            return Reason(name, "feature", value, self._held(player), error)
        label = player - n_groups
        handed = float(np.mean([plane[self.row, label] for plane in self.row_planes]))
        return Reason(self.peeled.label_names[label], "label", value, _handed(handed), error)

    def _held(self, player: int) -> str:
        """What the row holds in a group of features, in a few words."""
        group = int(self.players.groups[player])
        places = np.flatnonzero(self.players.of_column == player)
        if self.groups.are_words[group]:
            return "" if self.players.own[places].any() else "absent"
        column, raw = self.groups.columns[group], self.peeled.raw
        if column is None:
            return ""
        if hasattr(raw, "iloc"):
            names = [str(name) for name in raw.columns]
            return _short(raw.iloc[self.row, names.index(column)]) if column in names else ""
        if column in _names_of_table(raw):
            return _short(raw[column][self.row])
        return "" if self.peeled.transformed or places.size != 1 else _short(self.players.own[places[0]])


def _names_of_table(raw: Rowwise) -> Collection[str]:
    """The columns of a dict of columns, or of a table that knows them by name; none for a matrix."""
    return raw if isinstance(raw, Mapping) else getattr(raw, "columns", ())


def _handed(value: float) -> str:
    """What links hand on, in words: a label, the share of chains that predicted it, or a number."""
    if value in (0.0, 1.0):
        return "predicted" if value else "not predicted"
    return f"{value:.2g}"


def _short(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."
