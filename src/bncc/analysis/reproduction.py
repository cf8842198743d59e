"""The page that holds a study against the paper: everything on it is computed from the records of a result store.

The sentences are fixed and stay true whatever the numbers; what the numbers mean goes into `remarks`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bncc._atomic import written_whole
from bncc.analysis import paper
from bncc.analysis.beside_paper import ComparedCell, agreement, compare_with_paper, comparison_table
from bncc.analysis.claims import claims_part
from bncc.analysis.collected_scores import Scores, collect_scores, collect_seconds, on_common_folds
from bncc.analysis.diagram import rank_diagram
from bncc.analysis.limit_networks import limit_networks
from bncc.analysis.open_points import settings_table
from bncc.analysis.readings import Reading, check_readings, readings_part, variants_of
from bncc.analysis.rendered_table import Cell, Section, Table
from bncc.analysis.result_tables import against_table, p_value_table, rank_table, score_table, seconds_table
from bncc.analysis.sensitivity_claim import sensitivity_part
from bncc.analysis.significance import nemenyi, pairwise_wilcoxon
from bncc.analysis.study_claims import HeldClaim, claims_in_short
from bncc.analysis.study_evidence import StudyEvidence
from bncc.analysis.training_time import time_part
from bncc.datasets import catalogue
from bncc.experiment import WHOLE, Candidate, Record
from bncc.metrics import PAPER_METRICS

__all__ = ["reproduction_page", "write_reproduction"]

# The methods of the paper that others are tested against: a plain chain, an ensemble, and its own.
_RIVALS = ("CC", "ECC", "BNCC")


@dataclass(frozen=True)
class _Study:
    """The records sorted out: of folds and pooled, methods of the paper and others, metrics present."""

    records: tuple[Record, ...]
    pooled: tuple[Record, ...]
    candidates: tuple[Candidate, ...]
    datasets: tuple[str, ...]
    printed: tuple[str, ...]
    unprinted: tuple[str, ...]
    metrics: tuple[str, ...]

    @property
    def common(self) -> tuple[str, ...]:
        """Data sets that the paper's Table 4 has too, in its order."""
        return tuple(name for name in paper.results("MicF").datasets if name in self.datasets)

    def fair(self) -> _Study:
        """The same on the folds that all methods were tested on, to compare them."""
        return replace(self, records=tuple(on_common_folds(self.records)))

    def scores(self, metric: str, methods: Sequence[str], datasets: Sequence[str] | None = None) -> Scores:
        rows = self.datasets if datasets is None else datasets
        return replace(collect_scores(self.records, metric, datasets=rows, methods=methods), name=metric)


def reproduction_page(
    records: Iterable[Record],
    candidates: Iterable[Candidate] = (),
    protocol_text: str = "",
    *,
    protocol: Mapping[str, object] | None = None,
    figures: Mapping[str, str] | None = None,
    readings: Sequence[Reading] = (),
    remarks: str = "",
    command: str = "",
    evidence: StudyEvidence | None = None,
) -> str:
    """A Markdown page with the study beside the paper's; parts of a study make parts of the page.

    Parameters
    ----------
    records : records of a store
        Those of fold `WHOLE` (folds pooled) are used where they are given beside the others.
    candidates : candidates of the store, optional
        Tell where a chosen sigma lies at an end of the grid.
    protocol_text : str
        The protocol as written; its comments say how open settings were chosen.
    protocol : mapping, optional
        The same as data: as TOML has it, or as the store keeps it.
    figures : mapping of metric name to file name, optional
        Critical-difference diagrams, as seen from the page; "sensitivity" and "networks" for the other two pictures.
    readings : sequence of Reading
        Other readings of the paper, from stores of their own; those within the records are found by themselves.
    remarks : str
        Markdown by the authors of the study, shown as it is: why results differ.
    command : str
        The command that makes this page.
    evidence : StudyEvidence, optional
        Times and sensitivity for the claims about them, and names for drawings.
    """
    study, beside = _sort_out(records, candidates), evidence or StudyEvidence()
    drawn = dict(figures or {})
    name = "Closest reading" if readings else "This study"
    all_readings = [*variants_of(study.records, name, beside.source), *readings]
    more_claims = beside.claims()
    parts = [
        _head(study, command, [*check_readings(all_readings), *more_claims]),
        readings_part(all_readings, more_claims),
        ["## What came out", "", remarks.strip(), ""] if remarks.strip() else [],
        _what_was_run(study),
        _settings(protocol, protocol_text),
        _beside(study),
        claims_part(study.records, study.metrics),
        _significance(study),
        _ranks(study, {metric: drawn[metric] for metric in study.metrics if metric in drawn}),
        time_part(beside.times),
        sensitivity_part(beside.sensitivity, drawn.get("sensitivity", "")),
        _networks(study, beside, drawn.get("networks", "")),
        _seconds(study),
        _sigmas(study),
        _unprinted_methods(study),
        _in_full(study),
    ]
    return "\n".join(line for part in parts for line in part).rstrip() + "\n"


def write_reproduction(
    path: str | os.PathLike[str],
    records: Iterable[Record],
    candidates: Iterable[Candidate] = (),
    protocol_text: str = "",
    *,
    protocol: Mapping[str, object] | None = None,
    readings: Sequence[Reading] = (),
    remarks: str = "",
    command: str = "",
    evidence: StudyEvidence | None = None,
) -> tuple[Path, ...]:
    """Write the page and, beside it, a critical-difference diagram per metric; gives all paths, the page first.

    The other arguments are those of `reproduction_page`. Diagrams need matplotlib (the extra `plot`). The page is
    replaced in one step, so that it is never half-written.
    """
    from bncc.analysis.figures import network_panels, rank_figure, save_figure, sensitivity_figure

    target, records = Path(path), list(records)
    study = _sort_out(records, ()).fair()
    figures = {}
    for metric in study.metrics:
        complete = study.scores(metric, (*study.printed, *study.unprinted)).complete()
        if len(complete.datasets) > 1 and len(complete.methods) > 1:
            test = nemenyi(complete.mean, complete.methods, greater_is_better=complete.greater_is_better)
            file = target.with_name(f"{target.stem}-ranks-{metric.lower()}.svg")
            figures[metric] = save_figure(rank_figure(rank_diagram(test), title=metric), file)
    beside = evidence or StudyEvidence()
    if beside.sensitivity:
        first, file = beside.sensitivity[0], target.with_name(f"{target.stem}-sensitivity.svg")
        figures["sensitivity"] = save_figure(sensitivity_figure(beside.sensitivity, first.dataset, first.method), file)
    _, networks = limit_networks(study.records, beside.label_names)
    if networks:
        file = target.with_name(f"{target.stem}-networks.svg")
        figures["networks"] = save_figure(network_panels(networks), file)
    named = {metric: file.name for metric, file in figures.items()}
    text = reproduction_page(
        records,
        candidates,
        protocol_text,
        protocol=protocol,
        figures=named,
        readings=readings,
        remarks=remarks,
        command=command,
        evidence=evidence,
    )
    with written_whole(target) as draft:
        draft.write_text(text, encoding="utf-8")
    return (target, *figures.values())


def _sort_out(records: Iterable[Record], candidates: Iterable[Candidate]) -> _Study:
    everything = tuple(records)
    folds = tuple(record for record in everything if record.fold != WHOLE)
    if not folds:
        raise ValueError("A reproduction needs records of folds; got none. Run the study first.")
    present = dict.fromkeys(record.method for record in folds)
    held = {name for record in folds for name in record.scores}
    return _Study(
        records=folds,
        pooled=tuple(record for record in everything if record.fold == WHOLE),
        candidates=tuple(candidates),
        datasets=tuple(dict.fromkeys(record.dataset for record in folds)),
        printed=tuple(method for method in paper.METHODS if method in present),
        unprinted=tuple(method for method in present if method not in paper.METHODS),
        metrics=tuple(printed for printed, name in PAPER_METRICS.items() if name in held),
    )


def _shown(table: Table) -> list[str]:
    return [table.to_markdown(), "", *([f"{table.note}", ""] if table.note else [])]


def _head(study: _Study, command: str, claims: Sequence[HeldClaim]) -> list[str]:
    how = f" It is made by `{command}`." if command else ""
    alone = f" on {study.datasets[0]}" if len(study.datasets) == 1 else ""
    count = "one data set" if alone else f"{len(study.datasets)} data sets"
    return [
        f"# The paper's study, repeated{alone}",
        "",
        *claims_in_short([claim for claim in claims if claim.seen]),
        "This page holds our results against those that Wang, Ye, Li and Kwong print for BNCC and five other methods "
        f"(their Tables 4 to 6). It is computed from recorded results alone: {len(study.records):,} tested folds of "
        f"{count} and {len(study.printed) + len(study.unprinted)} methods.{how} The "
        "protocol below has all settings; a disagreement is shown as one.",
        "",
    ]


def _what_was_run(study: _Study) -> list[str]:
    methods = (*study.printed, *study.unprinted)
    counts: dict[tuple[str, str], int] = {}
    for record in study.records:
        counts[record.dataset, record.method] = counts.get((record.dataset, record.method), 0) + 1
    rows = [
        (Cell(name), Cell(paper.printed_name(name)), *(Cell(str(counts.get((name, m), 0))) for m in methods))
        for name in study.datasets
    ]
    table = Table("Folds tested", ("Data set", "In the paper", *methods), (Section("", tuple(rows)),))
    engines = sorted({record.engine for record in study.records if record.engine})
    versions = sorted({f"{name} {v}" for record in study.records for name, v in record.versions.items()})
    missing = [name for name in paper.results("MicF").datasets if name not in study.datasets]
    lines = ["## What was run", "", "Folds tested, over all repeats:", "", *_shown(table)]
    lines += [f"Not in this store: {', '.join(missing)}.", ""] if missing else []
    lines += _differing_data(study)
    lines += [
        f"Engines: {', '.join(engines) or 'not recorded'}. Versions: {', '.join(versions) or 'not recorded'}.",
        "",
    ]
    return lines


def _differing_data(study: _Study) -> list[str]:
    """Data sets whose figures are not those that the paper prints."""
    out = []
    for name in study.datasets:
        printed = paper.datasets().get(name)
        if printed is None:
            continue
        figures = catalogue()[name].figures
        pairs = [
            ("rows", figures.n_rows, printed.n_train + (printed.n_test or 0)),
            ("features", figures.n_features, printed.n_features),
        ]
        out += [
            f"- {name}: {here:,} {what} here, {there:,} in the paper" for what, here, there in pairs if here != there
        ]
    return ["Data that differ from the paper's Table 3:", "", *out, ""] if out else []


def _settings(protocol: Mapping[str, object] | None, text: str) -> list[str]:
    lines = ["## Settings that the paper leaves open", ""]
    if protocol is not None:
        lines += _shown(settings_table(protocol))
    lines += [
        "Two more are not decided but shown both ways: what the paper's standard deviations are over (folds or "
        "repeats), and whether its scores are means over folds or scores of the folds pooled.",
        "",
    ]
    if text.strip():
        lines += [
            "The protocol in full; its comments say how each setting was chosen.",
            "",
            "```toml",
            text.strip(),
            "```",
            "",
        ]
    return lines


def _beside(study: _Study) -> list[str]:
    cells = compare_with_paper(study.records, study.metrics)
    lines = ["## Our results beside the paper's", ""]
    if not cells:
        return [*lines, "The store has no cell in common with the paper's Table 4.", ""]
    lines += [
        "A cell is a data set, a method and a metric. It agrees within one (two) standard deviations if our mean, in "
        "four digits, differs from the printed one by at most one (two) times the standard deviation that is printed, "
        "or that we find over folds or over repeats.",
        "",
        *_shown(_agreement_table(cells)),
        _ratios(cells),
        "",
    ]
    pooled = compare_with_paper(study.pooled, study.metrics, pooled=True)
    if pooled:
        lines += [
            "The same with the test rows of all folds of a repeat pooled before scoring:",
            "",
            *_shown(_agreement_table(pooled)),
        ]
    return lines + _shown(comparison_table(cells))


def _agreement_table(cells: Sequence[ComparedCell]) -> Table:
    rows = []
    groups = {metric: [c for c in cells if c.metric == metric] for metric in dict.fromkeys(c.metric for c in cells)}
    for name, group in {**groups, "All": list(cells)}.items():
        row = [Cell(name), Cell(str(len(group)))]
        for std in ("printed", "folds", "repeats"):
            count = agreement(group, std)
            row.append(Cell(f"{count.within_one} / {count.within_two}" if count.n_cells else None))
        differences = [cell.difference for cell in group]
        row += [Cell(float(np.mean(differences)), signed=True), Cell(float(np.median(np.abs(differences))))]
        rows.append(tuple(row))
    columns = ("Metric", "Cells", "Printed std", "Ours over folds", "Ours over repeats", "Mean difference", "Distance")
    note = (
        "Cells within one / within two standard deviations, by the printed one and by ours. The mean difference is "
        "ours minus printed; the distance is the median of its absolute value."
    )
    return Table("Agreement", columns, (Section("", tuple(rows)),), note)


def _ratios(cells: Sequence[ComparedCell]) -> str:
    """How our standard deviations compare with the printed ones, which tells what those are likely over."""
    known = []
    for name in ("folds", "repeats"):
        ratios = [getattr(c, f"std_{name}") / c.printed_std for c in cells if c.printed_std > 0]
        ratios = [ratio for ratio in ratios if not math.isnan(ratio)]
        if ratios:
            known.append(f"{np.median(ratios):.2f} over {name}")
    if not known:
        return "There are too few folds to compare standard deviations."
    return f"Our standard deviation is, in the median cell, this multiple of the printed one: {', '.join(known)}."


def _significance(study: _Study) -> list[str]:
    lines = ["## Significance over data sets", ""]
    if len(study.printed) < 2 or len(study.common) < 2 or not study.metrics:
        return [
            *lines,
            "There are too few data sets or methods of the paper in the store for tests over data sets.",
            "",
        ]
    ours, printed, agree, n_pairs = {}, {}, 0, 0
    for metric in study.metrics:
        scores = study.scores(metric, study.printed, study.common)
        ours[metric] = pairwise_wilcoxon(scores.mean, scores.methods, decimals=4, method="asymptotic")
        theirs = paper.results(metric).select(study.common, study.printed)
        printed[metric] = pairwise_wilcoxon(theirs.mean, theirs.methods, decimals=4, method="asymptotic")
        for one, other in zip(ours[metric].tests, printed[metric].tests, strict=True):
            n_pairs += 1
            agree += (one.p_value < 0.05) == (other.p_value < 0.05)
    lines += [
        f"Wilcoxon's signed-rank test over the {len(study.common)} data sets in common, as in the paper's Table 6 "
        "(asymptotic, differences rounded to 4 decimals). Ours:",
        "",
        *_shown(p_value_table(ours)),
        "The paper's, computed from its Table 4 on the same data sets:",
        "",
        *_shown(p_value_table(printed)),
        f"At 0.05, {agree} of the {n_pairs} decisions are the same.",
        "",
    ]
    if "BNCC" in study.printed:
        scores_of = [study.scores(metric, study.printed, study.common) for metric in study.metrics]
        lines += ["BNCC against each other method, ours, with effect sizes and Holm's correction:", ""]
        lines += _shown(against_table(scores_of, "BNCC"))
    return lines


def _ranks(study: _Study, figures: Mapping[str, str]) -> list[str]:
    if len(study.printed) < 2 or not study.metrics:
        return []
    ours = [study.scores(metric, study.printed, study.common) for metric in study.metrics]
    theirs = [paper.results(metric).select(study.common, study.printed) for metric in study.metrics]
    lines = ["## Average ranks", "", "Ours, on the data sets in common with the paper:", "", *_shown(rank_table(ours))]
    lines += ["The paper's, on the same data sets:", "", *_shown(rank_table(theirs))]
    if figures:
        lines += [
            "All methods of the store, on the folds that all were tested on; a bar joins those that Nemenyi's test "
            "at 0.05 does not tell apart:",
            "",
        ]
        lines += [line for metric, file in figures.items() for line in (f"![{metric}: average ranks]({file})", "")]
    return lines


def _networks(study: _Study, beside: StudyEvidence, figure: str) -> list[str]:
    dataset, networks = limit_networks(study.records, beside.label_names)
    if not figure or not networks:
        return []
    edges = "; ".join(f"{title} {len(net.edges)}" for title, net in networks.items())
    return [
        "## Networks under child limits",
        "",
        f"The networks of the first fold on {dataset}, as Fig. 5 of the paper draws two of ten labels; numbers are "
        f"places in the chain. Edges: {edges}.",
        "",
        f"![Networks on {dataset} under several child limits]({figure})",
        "",
    ]


def _seconds(study: _Study) -> list[str]:
    methods = (*study.printed, *study.unprinted)
    ours = [
        collect_seconds(study.records, part, datasets=study.datasets, methods=methods) for part in ("train", "test")
    ]
    lines = ["## Seconds", "", "Ours, per fold (selection of sigma not included):", "", *_shown(seconds_table(ours))]
    if not study.common or not study.printed:
        return lines
    theirs = [paper.seconds(part).select(study.common, study.printed) for part in ("train", "test")]
    lines += ["The paper's, on another machine and with another implementation:", ""]
    return lines + _shown(seconds_table(theirs, decimals=1))


def _sigmas(study: _Study) -> list[str]:
    """Chosen sigma as a power of two, with a mark where the median lies at an end of the grid."""
    methods = (*study.printed, *study.unprinted)
    sigmas: dict[tuple[str, str], list[float]] = {}
    for record in study.records:
        if record.sigma is not None:
            sigmas.setdefault((record.dataset, record.method), []).append(math.log2(record.sigma))
    if not sigmas:
        return []
    tried: dict[tuple[str, str], set[float]] = {}
    for candidate in study.candidates:
        tried.setdefault((candidate.dataset, candidate.method), set()).add(math.log2(candidate.sigma))
    rows = []
    for name in study.datasets:
        row = [Cell(name)]
        for method in methods:
            middle = float(np.median(sigmas.get((name, method), [math.nan])))
            grid = tried.get((name, method), set())
            edge = len(grid) > 1 and middle in (min(grid), max(grid))
            row.append(Cell(middle, decimals=1, mark="○" if edge else ""))
        rows.append(tuple(row))
    table = Table("Chosen sigma", ("Data set", *methods), (Section("", tuple(rows)),), "○ lies at an end of the grid.")
    return ["## Chosen sigma", "", "Median over folds of log₂ σ:", "", *_shown(table)]


def _unprinted_methods(study: _Study) -> list[str]:
    if not study.unprinted or not study.metrics:
        return []
    methods = (*study.printed, *study.unprinted)
    scores = [study.fair().scores(metric, methods) for metric in study.metrics]
    lines = [
        "## Methods that the paper does not have",
        "",
        "All methods are compared on the folds that all were tested on. Average ranks, on data sets that have "
        "them all:",
        "",
    ]
    lines += _shown(rank_table(scores))
    rivals = [name for name in _RIVALS if name in study.printed]
    for method in study.unprinted if rivals else ():
        few = [part.select(methods=(*rivals, method)) for part in scores]
        lines += [f"{method} against {', '.join(rivals)}, over data sets:", "", *_shown(against_table(few, method))]
    return lines


def _in_full(study: _Study) -> list[str]:
    if not study.metrics:
        return []
    methods = (*study.printed, *study.unprinted)
    baseline = "CC" if "CC" in methods else None
    lines = ["## Our results in full", "", "Mean and standard deviation over folds:", ""]
    scores = [study.scores(metric, methods) for metric in study.metrics]
    return lines + _shown(score_table(scores, baseline=baseline))
