"""What `bncc evaluate` says of the best method: which columns matter to it, and reasons of the worst rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from bncc.cli.output import Voice

if TYPE_CHECKING:
    from bncc._typing import JSONObject
    from bncc.analysis import ImportanceSummary
    from bncc.analysis.best_models import BestModels
    from bncc.evaluation import LabelledData
    from bncc.multilabel import RowReasons

__all__ = ["Why", "show_reasons", "tell_why"]

_SHOWN = 8
_EXPLAINED = 10
_TOLD = 3
_LEAST_SECONDS, _MOST_SECONDS = 2.0, 30.0


@dataclass(frozen=True)
class Why:
    """Which columns matter to a method, and reasons of rows; None and none where nobody asked."""

    method: str = ""
    importance: ImportanceSummary | None = None
    rows: tuple[RowReasons, ...] = ()

    def facts(self) -> JSONObject:
        """Plain values, for scripts."""
        importance = None if self.importance is None else {"method": self.method, **asdict(self.importance)}
        return {"importance": importance, "reasons": [row.to_dict() for row in self.rows]}


def tell_why(
    voice: Voice, models: BestModels, data: LabelledData, seconds: float, rows: Sequence[int] | None = None
) -> Why:
    """Say it to people, and give it back for scripts and pages; `rows` are explained, or those with the most errors.

    Which columns matter takes no longer than the comparison did (`seconds`), and half a minute at most.
    """
    importance = models.importance(data, min(max(seconds, _LEAST_SECONDS), _MOST_SECONDS))
    if importance is None:
        voice.show("Which columns matter is left out here, since it would take long.")
    else:
        _show_importance(voice, importance, models.method)
    explained = models.reasons(data, models.worst_rows(data, _EXPLAINED) if rows is None else rows)
    for row in explained[:1]:
        voice.show(f"Why {models.method} said so of row {row.row}, which it got wrong most:")
        voice.show(*(f"  {found}" for found in row))
    return Why(models.method, importance, tuple(explained))


def show_reasons(voice: Voice, models: BestModels, data: LabelledData, row: int = 0) -> None:
    """One row, explained by the best model that has not seen it."""
    for found in models.reasons(data, [row], top=_TOLD):
        voice.show(f"Why row {row} got its labels, by {models.method}:")
        voice.show(*(f"  {each}" for each in found))


def _show_importance(voice: Voice, importance: ImportanceSummary, method: str) -> None:
    lines = [
        (entry.name, f"{entry.value:.4f}", "" if entry.low is None else f"{entry.low:.4f} to {entry.high:.4f}")
        for entry in importance.overall[:_SHOWN]
    ]
    caption = f"of {len(importance.overall)} columns, by {method}, out of fold"
    voice.rows(f"Loss of {importance.metric} without it", ["column", "loss", "95 %"], lines, caption)
