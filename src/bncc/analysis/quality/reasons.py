"""Reasons as pages show them: what spoke for and against a label in a row, and what matters over many rows.

Plain values alone, so that JSON keeps them. Whoever explains a model fills these records in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Importance", "LabelReasons", "Reason", "ReasonKind", "RowReasons", "in_words", "make_label_reasons"]

ReasonKind = Literal["feature", "label"]


@dataclass(frozen=True)
class Reason:
    """One reason: a feature (column, word) or another label, and what it added to the score (negative: against).

    Attributes
    ----------
    name : str
        As the user named it: a column, ``word 'refund'``, the name of a label.
    kind : "feature" or "label"
        A label that a chain took as context, or anything else.
    value : float
        What it adds to the score.
    shown : str
        What the row has there, in words: "3.5", "predicted", "not predicted"; empty where the name says it all.
    """

    name: str
    kind: ReasonKind
    value: float
    shown: str = ""


@dataclass(frozen=True)
class LabelReasons:
    """Why a label got its score in a row.

    ``base + sum of reasons + rest`` is the score, within the standard error.

    Attributes
    ----------
    label : int
    score, base : float
        The score, above 0 where the label is predicted, and what it would be without any reason.
    reasons : tuple of Reason
        Those that are told, strongest first (by absolute value).
    rest : float
        What all others add together.
    standard_error : float or None
        Of the sampled values; None or 0 where they are exact.
    """

    label: int
    score: float
    base: float
    reasons: tuple[Reason, ...]
    rest: float = 0.0
    standard_error: float | None = None


@dataclass(frozen=True)
class RowReasons:
    """Reasons of one row, label by label; `row` counts from 0 in the data that the page is about.

    `method` is the one explained, and `content` what the row holds, in a few words, where that helps.
    """

    row: int
    labels: tuple[LabelReasons, ...]
    method: str = ""
    content: str = ""


@dataclass(frozen=True)
class Importance:
    """How much a feature (or a label, as context) matters over many rows, for one label or for all (`label` None).

    `value` is what the quality loses without it; `low` and `high` are the ends of its interval where there is one.
    """

    name: str
    kind: ReasonKind
    label: int | None
    value: float
    low: float | None = None
    high: float | None = None


def make_label_reasons(
    label: int,
    score: float,
    base: float,
    reasons: Sequence[Reason],
    *,
    standard_error: float | None = None,
    most: int = 8,
) -> LabelReasons:
    """The strongest reasons (ties in the given order), and all others as `rest`.

    >>> found = make_label_reasons(0, 1.5, 0.0, [Reason("a", "feature", 0.5), Reason("b", "label", 1.0)], most=1)
    >>> found.reasons[0].name, found.rest
    ('b', 0.5)
    """
    strongest = sorted(reasons, key=lambda reason: -abs(reason.value))
    rest = float(sum(reason.value for reason in strongest[most:]))
    return LabelReasons(int(label), float(score), float(base), tuple(strongest[:most]), rest, standard_error)


def in_words(name: str, found: LabelReasons, most: int = 3) -> str:
    """Reasons as a line of text.

    >>> reasons = (Reason("word 'money'", "feature", 1.2), Reason("billing", "label", 0.8, "predicted"))
    >>> in_words("refund", LabelReasons(0, 2.0, 0.0, reasons))
    "refund: word 'money' +1.2, billing (predicted) +0.8"
    """
    parts = [
        f"{reason.name}{f' ({reason.shown})' if reason.shown else ''} {reason.value:+.2g}"
        for reason in found.reasons[:most]
    ]
    return f"{name}: {', '.join(parts) or 'no reason stands out'}"
