"""The table of a comparison, for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.text import Text

from bncc._typing import JSONObject
from bncc.analysis.leads import Lead
from bncc.cli.output import Voice
from bncc.evaluation import Record, summarise_records
from bncc.metrics import get_metric

__all__ = ["lead_result", "show_comparison", "show_lead"]


def show_comparison(voice: Voice, records: Sequence[Record], title: str) -> None:
    """The table for a person: a line per method, the best of each metric in bold."""
    table = summarise_records(records)
    metrics = list(records[0].scores)
    best = {}
    for name in metrics:
        means = [round(entry["scores"][name]["mean"], 4) for entry in table.values()]
        best[name] = max(means) if get_metric(name).greater_is_better else min(means)
    rows = []
    for method, entry in table.items():
        cells = [
            Text(_cell(value), "bold" if round(value["mean"], 4) == best[name] else "")
            for name, value in entry["scores"].items()
        ]
        rows.append([method, *cells, f"{entry['train_seconds']:.2f}"])
    arrows = [f"{name}{'↑' if get_metric(name).greater_is_better else '↓'}" for name in metrics]
    spread = "mean ± standard deviation over folds; " if len(records) > len(table) else ""
    caption = f"{spread}bold: best; s: seconds to train, per fold"
    voice.rows(title, ["method", *arrows, "s"], rows, caption)


def show_lead(voice: Voice, lead: Lead | None) -> None:
    """By how much the best method leads, and whether that is sure."""
    voice.show(*([] if lead is None else [f"{lead}"]))


def lead_result(lead: Lead | None) -> JSONObject | None:
    """The lead for a script."""
    return None if lead is None else {**asdict(lead), "is_sure": lead.is_sure}


def _cell(value: Mapping[str, Any]) -> str:
    return f"{value['mean']:.4f}" + (f"±{value['std']:.3f}" if len(value["folds"]) > 1 else "")
