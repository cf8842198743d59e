"""What is wrong with a protocol file, in words: from what pydantic found to where, what, got and remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bncc._names import did_you_mean
from bncc.experiment.protocol import ProtocolError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

__all__ = ["describe_path", "describe_problem"]

# What pydantic calls a value of the wrong type, and what was wanted.
_WANTED = {
    "bool_type": "bool",
    "dict_type": "a table",
    "float_type": "int or float",
    "int_type": "int",
    "list_type": "list",
    "model_type": "a table",
    "string_type": "str",
}


def describe_problem(problem: ErrorDetails, known: Mapping[str, Sequence[str]]) -> str:
    """One mistake as a sentence; `known` are the settings of each table."""
    *parent, name = problem["loc"] or ("",)
    table, kind, limits = describe_path(parent), problem["type"], problem.get("ctx", {})
    if isinstance(limits.get("error"), ProtocolError):  # raised by a rule of ours
        return str(limits["error"])
    if name in ("datasets", "methods") and kind in ("missing", "too_short"):
        return f"`{name}` is missing: a protocol needs at least one."
    if kind == "missing":
        return f"{table} needs `{name}`, the name of a class; got {problem['input']!r}."
    if kind == "extra_forbidden":
        return f"{table or 'the protocol'} has no setting {name!r}; {did_you_mean(str(name), known[table])}"
    return f"{describe_path(problem['loc'])} {_must(problem)}; got {problem['input']!r}."


def _must(problem: ErrorDetails) -> str:
    kind, limits = problem["type"], problem.get("ctx", {})
    if kind == "greater_than_equal":
        return f"must be at least {limits['ge']}"
    if kind == "literal_error":
        return f"must be one of {limits['expected'].replace(' or ', ', ')}"
    return f"must be {_WANTED[kind]}" if kind in _WANTED else problem["msg"]


def describe_path(path: Sequence[int | str]) -> str:
    """A path as people write it.

    >>> describe_path(("methods", "BR", "on", 0))
    'methods.BR.on[0]'
    """
    words = ""
    for step in path:
        words += f"[{step}]" if isinstance(step, int) else f".{step}" if words else step
    return words
