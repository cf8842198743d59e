"""Reasons for a prediction as plain records: what spoke for and against a label in a row.

Plain values alone, so that JSON keeps them. Printing them gives text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, TypeAlias

from bncc._typing import JSONObject

__all__ = ["Effect", "Explanation", "LabelReasons", "Reason", "ReasonKind", "RowReasons", "in_words"]

ReasonKind: TypeAlias = Literal["feature", "label"]
#: "direct": given the labels that the chain predicted before; "total": with what features do through those labels.
Effect: TypeAlias = Literal["direct", "total"]

_SHOWN_REASONS = 5


@dataclass(frozen=True)
class Reason:
    """One reason: a feature (a column or a word) or another label, and what it adds to the score.

    Attributes
    ----------
    name : str
        As the user named it: a column, ``word 'refund'``, the name of a label.
    kind : "feature" or "label"
        A label that a chain took as context, or anything else.
    value : float
        What it adds to the score; negative where it speaks against the label.
    shown : str
        What the row has there, in words: "3.5", "predicted", "not predicted"; empty where the name says it all.
    standard_error : float
        Of `value`, from sampling; 0 where it is exact.
    """

    name: str
    kind: ReasonKind
    value: float
    shown: str = ""
    standard_error: float = 0.0

    def __str__(self) -> str:
        sure = f" ± {self.standard_error:.2g}" if self.standard_error else ""
        return f"{self.name}{f' ({self.shown})' if self.shown else ''} {self.value:+.2g}{sure}"


@dataclass(frozen=True)
class LabelReasons:
    """Why a label got its score in a row: ``base + sum of reasons + rest`` is the score.

    Attributes
    ----------
    label : int
        Its column.
    score, base : float
        The decision value, above 0 where the label is predicted, and what it is for the rows compared with.
    reasons : tuple of Reason
        Strongest first (by absolute value; ties in the order of the features, then of the labels), 100 at most.
    rest : float
        What the reasons that are not listed add together.
    standard_error : float or None
        The largest of any reason's; None where all are exact.
    name : str
        Of the label.
    predicted : bool
    from_features, from_labels : float
        What all features, and all other labels, add to the score.
    """

    label: int
    score: float
    base: float
    reasons: tuple[Reason, ...]
    rest: float = 0.0
    standard_error: float | None = None
    name: str = ""
    predicted: bool = False
    from_features: float = 0.0
    from_labels: float = 0.0

    def top(self, most: int) -> LabelReasons:
        """The strongest reasons alone; the others go to the rest.

        >>> reasons = (Reason("a", "feature", 2.0), Reason("b", "label", -1.0))
        >>> LabelReasons(0, 1.0, 0.0, reasons).top(1).rest
        -1.0
        """
        left_out = sum((reason.value for reason in self.reasons[most:]), 0.0)
        return replace(self, reasons=self.reasons[:most], rest=self.rest + left_out)

    def __str__(self) -> str:
        return in_words(self.name or f"label{self.label}", self, _SHOWN_REASONS)


@dataclass(frozen=True)
class RowReasons:
    """Reasons of one row, label by label.

    Attributes
    ----------
    row : int
        Its place in the data explained, from 0.
    labels : tuple of LabelReasons
    method : str
        What was explained.
    content : str
        What the row holds, in a few words, where that helps.
    effect : "direct" or "total"
        Whether the labels that a chain predicted before are reasons of their own, or the ways of features.
    exact : bool
        Whether contributions are exact or sampled.
    n_compared : int
        Rows compared with: `base` is their mean score.
    n_asked : int
        Rows that the model was asked about.
    """

    row: int
    labels: tuple[LabelReasons, ...]
    method: str = ""
    content: str = ""
    effect: Effect = "direct"
    exact: bool = True
    n_compared: int = 0
    n_asked: int = 0

    def __iter__(self) -> Iterator[LabelReasons]:
        return iter(self.labels)

    def top(self, most: int) -> RowReasons:
        """The strongest reasons of each label alone."""
        return replace(self, labels=tuple(found.top(most) for found in self.labels))

    def to_dict(self) -> JSONObject:
        """Plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f"Row {self.row}, {self._told_effect()}:"]
        for found in self.labels:
            said = "predicted" if found.predicted else "not predicted"
            lines.append(f"  {found}")
            parts = f"features {found.from_features:+.3g}, labels {found.from_labels:+.3g}"
            lines.append(f"    {said}: score {found.score:+.3g} = {found.base:+.3g} before, {parts}")
        return "\n".join(lines)

    def _told_effect(self) -> str:
        against = f"{self.n_compared} rows" if self.n_compared != 1 else "one row"
        how = "exactly" if self.exact else f"sampled, {self.n_asked:,} rows asked"
        ways = "given the labels predicted before" if self.effect == "direct" else "by features alone"
        return f"compared with {against} ({how}; {ways})"


@dataclass(frozen=True)
class Explanation(Sequence[RowReasons]):
    """Reasons of some rows, in their order; print it, or loop over it."""

    rows: tuple[RowReasons, ...]

    def __getitem__(self, row: int) -> RowReasons:  # type: ignore[override]
        return self.rows[row]

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return "\n".join(map(str, self.rows))


def in_words(name: str, found: LabelReasons, most: int = 3) -> str:
    """Reasons as a line of text.

    >>> reasons = (Reason("word 'money'", "feature", 1.2), Reason("billing", "label", 0.8, "predicted"))
    >>> in_words("refund", LabelReasons(0, 2.0, 0.0, reasons))
    "refund: word 'money' +1.2, billing (predicted) +0.8"
    """
    told = [str(reason) for reason in found.reasons[:most] if reason.value]
    return f"{name}: {', '.join(told) or 'no reason stands out'}"
