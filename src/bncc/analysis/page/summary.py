"""What a page shows: frozen records of plain values, and the JSON text that keeps them.

Every part of a `Summary` is optional; a page has the sections for which there is something to show. Numbers that do
not exist (a label that never occurs, a metric that is undefined) are None, never NaN, so that JSON can hold them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from bncc._records import revive
from bncc.analysis.leads import Lead
from bncc.analysis.page.quality_part import QualityPart
from bncc.analysis.page.reasons_part import ImportancePart, RowReasonsPart
from bncc.labels import Relation

__all__ = [
    "Box",
    "CellTimes",
    "DataOverview",
    "Edge",
    "LabelRow",
    "MetricInfo",
    "MetricRanks",
    "NetworkPart",
    "PairCounts",
    "Relation",
    "Results",
    "Summary",
    "Surface",
    "from_json",
    "join_summaries",
    "to_json",
]

_FORMAT = "bncc.Summary"
_VERSION = 1


@dataclass(frozen=True)
class DataOverview:
    """The figures by which the field describes a data set; `labels_per_row[k]` rows carry exactly k labels."""

    name: str
    source: str
    n_rows: int
    n_features: int | None
    n_labels: int
    cardinality: float
    density: float
    mean_imbalance: float | None
    n_label_sets: int
    labels_per_row: tuple[int, ...]


@dataclass(frozen=True)
class LabelRow:
    """One label: its count, entropy and imbalance ratio (None where it never occurs)."""

    name: str
    positives: int
    entropy: float
    imbalance: float | None


@dataclass(frozen=True)
class PairCounts:
    """How often labels occur together: from these and N every pairwise figure follows.

    Attributes
    ----------
    labels : tuple of int
        The labels counted; the most frequent ones where there are too many for all.
    together : tuple of tuples of int
        Upper triangle: ``together[a][b - a - 1]`` rows carry both ``labels[a]`` and ``labels[b]``, a < b.
    """

    labels: tuple[int, ...]
    together: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Edge:
    """An edge that the search chose.

    Attributes
    ----------
    kept : bool
        False where it was dropped to break a cycle.
    dependence, with_parent, without_parent : float or None
        I(parent -> child), and the share of rows with the child among those with and without the parent; None where
        the label matrix is not known or there is no such row.
    score, gain : float or None
        Score of the child once this parent was taken, and what the parent added to it; None for given edges.
    p_value, corrected_p_value : float or None
        Of the test of independence given the other parents, as it is and corrected for the number of pairs; None for
        edges that were not kept.
    share : float or None
        How often the edge, either way round, came back in resamples; None where none were drawn.
    sure : bool or None
        Whether it is more than chance would explain; None for edges that were not kept.
    """

    parent: int
    child: int
    kept: bool
    dependence: float | None = None
    with_parent: float | None = None
    without_parent: float | None = None
    score: float | None = None
    gain: float | None = None
    p_value: float | None = None
    corrected_p_value: float | None = None
    share: float | None = None
    sure: bool | None = None


@dataclass(frozen=True)
class NetworkPart:
    """A label network: names, orders, edges, and per label its score without and with parents and why it has no more.

    `true_edges` are the (parent, child) pairs of the network that the data was drawn from, where that is known.
    `left_out` are the (parent, child) pairs that chance would explain and that are not shown. `rates` are what is
    needed to ask "what if": for each label P(label = 1) for every configuration of its `parents`, bit i of a
    configuration being the value of the i-th; None where a label has more than 10 parents.
    """

    label_names: tuple[str, ...]
    order: tuple[int, ...]
    initial_order: tuple[int, ...]
    edges: tuple[Edge, ...]
    start_scores: tuple[float, ...]
    scores: tuple[float, ...]
    stops: tuple[str, ...]
    true_edges: tuple[tuple[int, int], ...] | None = None
    left_out: tuple[tuple[int, int], ...] = ()
    parents: tuple[tuple[int, ...], ...] = ()
    rates: tuple[tuple[float, ...], ...] | None = None


@dataclass(frozen=True)
class MetricInfo:
    """A metric; `greater_is_better` is None for one that this package does not know."""

    name: str
    greater_is_better: bool | None
    description: str


@dataclass(frozen=True)
class Box:
    """Scores of one method on one data set: quartiles, whiskers (1.5 interquartile ranges), outliers, mean, standard
    deviation (None for a single fold)."""

    dataset: str
    method: str
    metric: str
    n: int
    mean: float
    std: float | None
    low: float
    lower: float
    median: float
    upper: float
    high: float
    outliers: tuple[float, ...]


@dataclass(frozen=True)
class MetricRanks:
    """Average ranks by one metric, best first.

    Over data sets there is a critical difference (Nemenyi) and the `groups` of methods that do not differ by it, as
    first and last positions. Over the folds of a single data set there is none: they share their training rows.
    """

    metric: str
    over: str
    n: int
    methods: tuple[str, ...]
    ranks: tuple[float, ...]
    critical_difference: float | None
    alpha: float | None
    groups: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CellTimes:
    """Mean seconds per fold of one method on one data set."""

    dataset: str
    method: str
    select: float
    train: float
    test: float


@dataclass(frozen=True)
class Surface:
    """Mean cross-validated score over the grid of C (rows) and sigma (columns); None where nothing was tried."""

    dataset: str
    method: str
    metric: str
    sigmas: tuple[float, ...]
    Cs: tuple[float, ...]
    values: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Results:
    """What a study found: scores, ranks, seconds, sensitivity to sigma and C, and by how much the best method leads."""

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    metrics: tuple[MetricInfo, ...]
    boxes: tuple[Box, ...]
    ranks: tuple[MetricRanks, ...]
    times: tuple[CellTimes, ...]
    surfaces: tuple[Surface, ...]
    leads: tuple[Lead, ...] = ()


@dataclass(frozen=True)
class Summary:
    """Everything a page shows.

    >>> summary = Summary("Empty", settings={"seed": "0"})
    >>> from_json(to_json(summary)) == summary
    True
    """

    title: str
    note: str = ""
    data: DataOverview | None = None
    labels: tuple[LabelRow, ...] = ()
    pairs: PairCounts | None = None
    strongest: tuple[Relation, ...] = ()
    network: NetworkPart | None = None
    results: Results | None = None
    quality: QualityPart | None = None
    reasons: tuple[RowReasonsPart, ...] = ()
    importance: tuple[ImportancePart, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


def to_json(summary: Summary) -> str:
    """JSON text, ASCII alone; `from_json` reads it back."""
    content = {"format": _FORMAT, "version": _VERSION, "summary": summary}
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=_as_dict)


def _as_dict(value: object) -> dict[str, object]:
    """What JSON holds for a record or a mapping; unlike `asdict` it copies nothing but the one record."""
    if isinstance(value, Mapping):
        return dict(value)
    if not is_dataclass(value):
        raise TypeError(f"A summary holds plain values; got {type(value).__name__}.")
    return {part.name: getattr(value, part.name) for part in fields(value)}


def from_json(text: str) -> Summary:
    """Read a summary back, checked field by field."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"A summary must be JSON; line {error.lineno}: {error.msg}.") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError(f"A summary must have format {_FORMAT!r}. Write one with `to_json`.")
    if content.get("version") != _VERSION:
        raise ValueError(f"This reads summaries of version {_VERSION}; got {content.get('version')!r}.")
    return revive(Summary, content.get("summary"), "summary")


def join_summaries(first: Summary, *others: Summary) -> Summary:
    """One summary of all parts: the title of the first, each other part from the first summary that has it.

    Settings and versions are those of all.

    >>> both = join_summaries(Summary("Page", settings={"seed": "0"}), Summary("", settings={"folds": "5"}))
    >>> both.title, dict(both.settings)
    ('Page', {'seed': '0', 'folds': '5'})
    """
    out = first
    for other in others:
        names = [part.name for part in fields(Summary) if part.name != "title"]
        out = replace(out, **{name: _join_part(getattr(out, name), getattr(other, name)) for name in names})
    return out


def _join_part(first: object, other: object) -> Any:
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        return _unite(first, other)
    return first or other


def _unite(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Entries of both; where they differ, both values."""
    out = dict(first)
    for key, value in second.items():
        out[key] = value if out.get(key, value) == value else f"{out[key]}, {value}"
    return out
