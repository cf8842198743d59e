"""Settings as a page shows them: one line of text per setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["as_text"]


def as_text(settings: Mapping[str, Any] | None) -> dict[str, str]:
    """Text of each setting; parts of parts are named with dots, lists are joined by commas, None and what is
    empty are left out.

    >>> as_text({"folds": {"n": 10, "stratified": True}, "C": [1, 10], "methods": [{"name": "CC", "params": {}}]})
    {'folds.n': '10', 'folds.stratified': 'True', 'C': '1, 10', 'methods.CC.name': 'CC'}
    """
    out: dict[str, str] = {}
    for key, value in (settings or {}).items():
        parts = value if isinstance(value, Mapping) else _named(value)
        if parts:
            out.update({f"{key}.{inner}": text for inner, text in as_text(parts).items()})
        elif isinstance(value, list | tuple):
            out[str(key)] = ", ".join(map(str, value))
        elif value is not None and not isinstance(value, Mapping):
            out[str(key)] = str(value)
    return {key: text for key, text in out.items() if text.strip()}


def _named(value: Any) -> dict[str, Any]:
    """A list of mappings by their names, or by place where they have none; nothing for anything else."""
    if not isinstance(value, list | tuple) or not all(isinstance(entry, Mapping) for entry in value):
        return {}
    return {str(entry.get("name", place)): entry for place, entry in enumerate(value)}
