"""Summary of a study's records: boxes, ranks, seconds and sensitivity surfaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from bncc._versions import versions_now
from bncc.analysis.candidates import candidates_by_cell, sensitivity
from bncc.analysis.collected_scores import collect_scores, metrics_in
from bncc.analysis.diagram import rank_diagram
from bncc.analysis.leads import Lead, lead_over_folds
from bncc.analysis.page.setting_texts import as_text
from bncc.analysis.page.summary import Box, CellTimes, MetricInfo, MetricRanks, Results, Summary, Surface
from bncc.analysis.significance import average_ranks, nemenyi
from bncc.experiment import Candidate, Record
from bncc.metrics import METRICS, PAPER_METRICS

__all__ = ["WHISKER", "summarise_results"]

WHISKER = 1.5  # interquartile ranges from the box, beyond which a fold is an outlier
_ALPHA = 0.05
Entry = TypeVar("Entry", Record, Candidate)
Cells = dict[tuple[str, str, str], list[float]]


def summarise_results(
    records: Sequence[Record],
    candidates: Sequence[Candidate] = (),
    *,
    title: str = "Results",
    note: str = "",
    settings: Mapping[str, object] | None = None,
    leads: Sequence[Lead] = (),
) -> Summary:
    """Describe what a study found.

    Data sets, methods and metrics appear in the order in which the records name them. A partial study is described as
    far as it goes: ranks over data sets count those that every method was tested on. Versions are those that the
    records name; where they name none, those of now. By how much the best method leads is taken over folds; `leads`
    are those that were found otherwise.

    >>> records = [
    ...     Record("toy", method, 0, fold, {"micro_f1": score + fold / 10})
    ...     for method, score in [("CC", 0.5), ("BNCC", 0.6)] for fold in range(3)
    ... ]
    >>> summarise_results(records).results.ranks[0].methods
    ('BNCC', 'CC')
    """
    if not records and not candidates:
        raise ValueError("Nothing to summarise: give `records`, `candidates` or both.")
    records, candidates = _own_names(records), _own_names(candidates)
    cells = _cells(records)
    metrics = tuple(_metric(name) for name in metrics_in(records))
    everything: list[Record | Candidate] = [*records, *candidates]
    datasets, methods = _names(r.dataset for r in everything), _names(r.method for r in everything)
    ranks = (_ranks(records, metric) for metric in metrics)
    results = Results(
        datasets=datasets,
        methods=methods,
        metrics=metrics,
        boxes=tuple(_box(key, values) for key, values in cells.items()),
        ranks=tuple(entry for entry in ranks if entry is not None),
        times=_times(records),
        surfaces=_surfaces(candidates),
        leads=(*leads, *_leads(records, datasets, metrics)),
    )
    return Summary(
        title=title,
        note=note,
        results=results,
        settings=as_text(settings),
        versions=_versions(records),
    )


def _own_names(entries: Sequence[Entry]) -> list[Entry]:
    """The same with the package's names of metrics where the paper's were used."""
    return [replace(e, scores={PAPER_METRICS.get(name, name): v for name, v in e.scores.items()}) for e in entries]


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _metric(name: str) -> MetricInfo:
    known = METRICS.get(name)
    return MetricInfo(name, known.greater_is_better if known else None, known.description if known else "")


def _cells(records: Sequence[Record]) -> Cells:
    """Scores by (data set, method, metric); undefined ones are left out."""
    cells: Cells = defaultdict(list)
    for record in records:
        for metric, score in record.scores.items():
            if np.isfinite(score):
                cells[record.dataset, record.method, metric].append(float(score))
    return dict(cells)


def _box(key: tuple[str, str, str], scores: list[float]) -> Box:
    values = np.sort(scores)
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    reach = WHISKER * (upper - lower)
    inside = (values >= lower - reach) & (values <= upper + reach)
    return Box(
        *key,
        n=values.size,
        mean=float(values.mean()),
        std=float(values.std(ddof=1)) if values.size > 1 else None,
        low=float(values[inside].min()),
        lower=lower,
        median=median,
        upper=upper,
        high=float(values[inside].max()),
        outliers=tuple(values[~inside].tolist()),
    )


def _leads(records: Sequence[Record], datasets: Sequence[str], metrics: Sequence[MetricInfo]) -> Iterator[Lead]:
    """One per data set and metric that says which way it runs."""
    for dataset in datasets:
        tested = [record for record in records if record.dataset == dataset]
        for metric in metrics:
            lead = None if metric.greater_is_better is None else lead_over_folds(tested, metric.name)
            if lead is not None:
                yield lead


def _ranks(records: Sequence[Record], metric: MetricInfo) -> MetricRanks | None:
    """Ranks over data sets; over folds where there is but one; None where nothing can be ranked."""
    if metric.greater_is_better is None:
        return None
    scores = collect_scores(records, metric.name)
    scored = [m for m, column in zip(scores.methods, scores.mean.T, strict=True) if np.isfinite(column).any()]
    scores = scores.select(methods=scored).complete()
    if len(scored) < 2 or not scores.datasets:
        return None
    better = metric.greater_is_better
    if len(scores.datasets) == 1:
        return _fold_ranks([r for r in records if r.dataset == scores.datasets[0]], scores.methods, metric.name, better)
    drawn = rank_diagram(nemenyi(scores.mean, scores.methods, greater_is_better=better, alpha=_ALPHA))
    return MetricRanks(
        metric=metric.name,
        over="data sets",
        n=drawn.n_datasets,
        methods=drawn.methods,
        ranks=drawn.ranks,
        critical_difference=drawn.critical_difference,
        alpha=drawn.alpha,
        groups=drawn.groups,
    )


def _fold_ranks(records: Sequence[Record], methods: tuple[str, ...], metric: str, better: bool) -> MetricRanks | None:
    """Ranks over the folds that every method was tested on."""
    folds: dict[tuple[int, int], dict[str, float]] = defaultdict(dict)
    for record in records:
        score = record.scores.get(metric, np.nan)
        if np.isfinite(score):
            folds[record.repeat, record.fold][record.method] = float(score)
    full = [[scores[m] for m in methods] for scores in folds.values() if all(m in scores for m in methods)]
    if not full:
        return None
    ranks = average_ranks(full, greater_is_better=better)
    order = np.argsort(ranks, kind="stable").tolist()
    best_first = tuple(methods[i] for i in order)
    return MetricRanks(metric, "folds", len(full), best_first, tuple(ranks[order].tolist()), None, None, ())


def _times(records: Sequence[Record]) -> tuple[CellTimes, ...]:
    groups: dict[tuple[str, str], list[tuple[float, float, float]]] = defaultdict(list)
    for record in records:
        seconds = (record.select_seconds, record.train_seconds, record.test_seconds)
        groups[record.dataset, record.method].append(seconds)
    if not any(any(seconds) for group in groups.values() for seconds in group):
        return ()
    return tuple(CellTimes(*key, *np.mean(group, axis=0).tolist()) for key, group in groups.items())


def _surfaces(candidates: Sequence[Candidate]) -> tuple[Surface, ...]:
    """One surface per data set, method and metric."""
    surfaces = []
    for (dataset, method), group in candidates_by_cell(candidates).items():
        finite = (name for candidate in group for name, score in candidate.scores.items() if np.isfinite(score))
        for metric in dict.fromkeys(finite):
            grid = sensitivity(group, metric, dataset, method)
            values = tuple(tuple(v if np.isfinite(v) else None for v in row) for row in grid.values.T.tolist())
            surfaces.append(Surface(dataset, method, metric, grid.sigmas, grid.Cs, values))
    return tuple(surfaces)


def _versions(records: Sequence[Record]) -> dict[str, str]:
    """What the records were made with; several where a study went on after an upgrade."""
    seen: dict[str, dict[str, None]] = defaultdict(dict)
    for record in records:
        for package, number in record.versions.items():
            seen[package][number] = None
        if record.engine:
            seen["engine"][record.engine] = None
    return {package: ", ".join(numbers) for package, numbers in seen.items()} or versions_now()
