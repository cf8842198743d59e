"""The structure of a model file as JSON, read within the budget of the file."""

from __future__ import annotations

import json

from bncc._typing import JSONObject
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["FREE_BYTES", "MULTIPLE", "PER_NODE", "parse_json"]

# Objects may take this much, and this many times what the file holds.
FREE_BYTES = 2**25
MULTIPLE = 8
PER_NODE = 100  # bytes that a small Python object takes, about


def parse_json(content: bytes, unpacked: int) -> object:
    """JSON within a budget: what its brackets and commas would take as objects must be in proportion to the file.

    >>> parse_json(b'{"a": [1, 2]}', 0)
    {'a': [1, 2]}
    """
    signs = sum(content.count(sign) for sign in (b"[", b"{", b",", b":"))
    if signs * PER_NODE > FREE_BYTES + MULTIPLE * unpacked:
        raise Refused("its structure has more parts than the file has content")
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise Refused(f"its JSON cannot be read ({str(error)[:80]})") from error


def _without_repeats(pairs: list[tuple[str, object]]) -> JSONObject:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name that stands twice")
    return made
