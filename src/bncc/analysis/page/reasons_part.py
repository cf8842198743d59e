"""Reasons as a page keeps them: what spoke for and against labels in some rows, and what matters over many.

Whatever has the fields of `ExplainedRow` can be shown: the rows of `bncc.multilabel.explain`, or of another tool. Much
is left out, so that a page stays small: the strongest reasons are kept, all others are summed up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

__all__ = [
    "ExplainedLabel",
    "ExplainedRow",
    "ImportancePart",
    "LabelReasonsPart",
    "MeasuredImportance",
    "ReasonKind",
    "ReasonPart",
    "RowReasonsPart",
    "TellsReason",
    "keep_importance",
    "keep_reasons",
]

ReasonKind = Literal["feature", "label"]

_MOST_ROWS = 50
_MOST_LABELS = 12
_MOST_REASONS = 8
_MOST_OVERALL = 30
_MOST_OF_LABEL = 10
_MOST_IMPORTANCES = 4000


class TellsReason(Protocol):
    """One reason: a feature or another label, and what it adds to a score."""

    @property
    def name(self) -> str:
        """As the user named it."""

    @property
    def kind(self) -> ReasonKind:
        """A label that a chain took as context, or a feature."""

    @property
    def value(self) -> float:
        """What it adds to the score; negative where it speaks against the label."""

    @property
    def shown(self) -> str:
        """What the row has there, in words."""

    @property
    def standard_error(self) -> float:
        """Of the value; 0 where it is exact."""


class ExplainedLabel(Protocol):
    """Why a label got its score: ``base + sum of reasons + rest`` is the score."""

    @property
    def label(self) -> int:
        """Its column."""

    @property
    def predicted(self) -> bool:
        """Whether the row got it."""

    @property
    def score(self) -> float:
        """The score."""

    @property
    def base(self) -> float:
        """The score without any reason."""

    @property
    def rest(self) -> float:
        """What all reasons that are not listed add."""

    @property
    def reasons(self) -> Sequence[TellsReason]:
        """Strongest first."""

    @property
    def from_features(self) -> float:
        """What all features add to the score."""

    @property
    def from_labels(self) -> float:
        """What all other labels add to the score."""


class ExplainedRow(Protocol):
    """Reasons of a row, label by label; `row` counts from 0 in the data that the page is about."""

    @property
    def row(self) -> int:
        """Its number."""

    @property
    def labels(self) -> Sequence[ExplainedLabel]:
        """The labels explained."""

    @property
    def method(self) -> str:
        """What was explained."""

    @property
    def content(self) -> str:
        """What the row holds, in a few words."""


class MeasuredImportance(Protocol):
    """How much a feature matters over many rows, for one label or for all (`label` None)."""

    @property
    def name(self) -> str:
        """As the user named it."""

    @property
    def kind(self) -> ReasonKind:
        """A label that a chain took as context, or a feature."""

    @property
    def label(self) -> int | None:
        """The label, or None for all together."""

    @property
    def value(self) -> float:
        """What the quality loses without it."""

    @property
    def low(self) -> float | None:
        """Lower end of its interval."""

    @property
    def high(self) -> float | None:
        """Upper end of its interval."""


@dataclass(frozen=True)
class ReasonPart:
    """One reason; as `TellsReason`."""

    name: str
    kind: ReasonKind
    value: float
    shown: str = ""
    standard_error: float = 0.0


@dataclass(frozen=True)
class LabelReasonsPart:
    """The strongest reasons of a label in a row; as `ExplainedLabel`."""

    label: int
    predicted: bool
    score: float
    base: float
    reasons: tuple[ReasonPart, ...]
    rest: float = 0.0
    from_features: float = 0.0
    from_labels: float = 0.0


@dataclass(frozen=True)
class RowReasonsPart:
    """Reasons of a row; as `ExplainedRow`."""

    row: int
    labels: tuple[LabelReasonsPart, ...]
    method: str = ""
    content: str = ""


@dataclass(frozen=True)
class ImportancePart:
    """As `MeasuredImportance`."""

    name: str
    kind: ReasonKind
    label: int | None
    value: float
    low: float | None = None
    high: float | None = None


def keep_reasons(rows: Iterable[ExplainedRow]) -> tuple[RowReasonsPart, ...]:
    """At most 50 rows with 12 labels each (predicted ones first) and 8 reasons each, the others summed up.

    >>> label = LabelReasonsPart(0, True, 1.5, 0.0, (ReasonPart("a", "feature", 1.0), ReasonPart("b", "label", 0.5)))
    >>> keep_reasons([RowReasonsPart(3, (label,))])[0].labels[0].reasons[0].name
    'a'
    """
    return tuple(_row(row) for row, _ in zip(rows, range(_MOST_ROWS), strict=False))


def keep_importance(entries: Iterable[MeasuredImportance]) -> tuple[ImportancePart, ...]:
    """The 30 most important overall and the 10 most important of each label, 4,000 in all at most; ties by name.

    >>> entries = [ImportancePart(name, "feature", None, value) for name, value in (("a", 0.1), ("b", 0.3))]
    >>> [entry.name for entry in keep_importance(entries)]
    ['b', 'a']
    """
    by_label: dict[int | None, list[MeasuredImportance]] = defaultdict(list)
    for entry in entries:
        by_label[entry.label].append(entry)
    kept: list[ImportancePart] = []
    for label in sorted(by_label, key=lambda label: -1 if label is None else label):
        strongest = sorted(by_label[label], key=lambda entry: (-entry.value, entry.name))
        most = _MOST_OVERALL if label is None else _MOST_OF_LABEL
        kept += [
            ImportancePart(entry.name, entry.kind, entry.label, entry.value, entry.low, entry.high)
            for entry in strongest[:most]
        ]
    return tuple(kept[:_MOST_IMPORTANCES])


def _row(found: ExplainedRow) -> RowReasonsPart:
    labels = sorted(found.labels, key=lambda label: not label.predicted)[:_MOST_LABELS]
    return RowReasonsPart(int(found.row), tuple(map(_label, labels)), found.method, found.content)


def _label(found: ExplainedLabel) -> LabelReasonsPart:
    strongest = sorted(found.reasons, key=lambda reason: -abs(reason.value))
    told = tuple(
        ReasonPart(reason.name, reason.kind, float(reason.value), reason.shown, float(reason.standard_error))
        for reason in strongest[:_MOST_REASONS]
    )
    rest = float(found.rest) + float(sum(reason.value for reason in strongest[_MOST_REASONS:]))
    scores = (float(found.score), float(found.base))
    parts = (float(found.from_features), float(found.from_labels))
    return LabelReasonsPart(int(found.label), bool(found.predicted), *scores, told, rest, *parts)
