"""From numbers to reasons: names of features and labels, and what the row holds there."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bncc._typing import Array, Longs, Rowwise
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
    """Tells the reasons of one row: players are its groups of features, then all labels where some are handed on.

    A player may be a reason of thousands of labels: what the row holds there is looked up once.
    """

    peeled: Peeled
    groups: FeatureGroups
    players: RowPlayers
    row: int
    row_planes: Sequence[Array]
    _told: dict[int, str] = field(default_factory=dict)

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
        if player not in self._told:
            self._told[player] = self._held(player) if player < n_groups else self._handed_on(player - n_groups)
        if player < n_groups:
            return Reason(self.groups.names[self.players.groups[player]], "feature", value, self._told[player], error)
        return Reason(self.peeled.label_names[player - n_groups], "label", value, self._told[player], error)

    def _handed_on(self, label: int) -> str:
        return _handed(float(np.mean([plane[self.row, label] for plane in self.row_planes])))

    def _held(self, player: int) -> str:
        """What the row holds in a group of features, in a few words."""
        group, places = int(self.players.groups[player]), self._places[player]
        if self.groups.are_words[group]:
            return "" if self.players.own[places].any() else "absent"
        column, raw = self.groups.columns[group], self.peeled.raw
        if column is None:
            return ""
        if hasattr(raw, "iloc"):
            return _short(raw.iloc[self.row, self._columns[column]]) if column in self._columns else ""
        if column in _names_of_table(raw):
            return _short(raw[column][self.row])
        return "" if self.peeled.transformed or places.size != 1 else _short(self.players.own[places[0]])

    @cached_property
    def _places(self) -> list[Longs]:
        """Where the columns of each player are."""
        order = np.argsort(self.players.of_column, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.players.of_column, minlength=self.players.groups.size))[:-1])

    @cached_property
    def _columns(self) -> dict[str, int]:
        """The columns of a table by name; of equal names the first."""
        return {str(name): place for place, name in reversed(list(enumerate(self.peeled.raw.columns)))}


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
