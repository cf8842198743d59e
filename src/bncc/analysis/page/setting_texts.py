"""Settings as a page shows them: one line of text per setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["as_text"]


def as_text(settings: Mapping[str, object] | None) -> dict[str, str]:
    """Text of each setting; None and what is empty are left out.

    Parts of parts are named with dots, and lists are joined by commas. A list of mappings is named by their names;
    those that have nothing but a name are joined as well.

    >>> as_text({"folds": {"n": 10, "stratified": True}, "C": [1, 10], "rows": None})
    {'folds.n': '10', 'folds.stratified': 'True', 'C': '1, 10'}
    >>> as_text({"methods": [{"name": "BR"}, {"name": "CC", "order": [1, 0]}, {"name": "BNCC", "params": {}}]})
    {'methods': 'BR, BNCC', 'methods.CC.order': '1, 0'}
    """
    out: dict[str, str] = {}
    for key, value in (settings or {}).items():
        if isinstance(value, Mapping):
            out |= _under(str(key), as_text(value))
        elif isinstance(value, list | tuple) and value and all(isinstance(entry, Mapping) for entry in value):
            out |= _named(str(key), value)
        elif isinstance(value, list | tuple):
            out[str(key)] = ", ".join(map(str, value))
        elif value is not None:
            out[str(key)] = str(value)
    return {key: text for key, text in out.items() if text.strip()}


def _under(key: str, parts: Mapping[str, str]) -> dict[str, str]:
    return {f"{key}.{inner}": text for inner, text in parts.items()}


def _named(key: str, entries: Sequence[Mapping[str, object]]) -> dict[str, str]:
    """Entries by their names, or by position where they have none."""
    names = [str(entry.get("name", position)) for position, entry in enumerate(entries)]
    texts = [as_text({inner: value for inner, value in entry.items() if inner != "name"}) for entry in entries]
    bare = [name for name, text, entry in zip(names, texts, entries, strict=True) if not text and "name" in entry]
    out = {key: ", ".join(bare)}
    for name, text in zip(names, texts, strict=True):
        out |= _under(f"{key}.{name}", text)
    return out
