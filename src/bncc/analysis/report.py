"""Everything a result store has to show, in one folder: a page to look at, tables and figures for papers."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from joblib import Parallel, delayed

from bncc._atomic import written_whole
from bncc._spreadsheets import spreadsheet_text
from bncc._threads import n_threads
from bncc.analysis.candidates import candidates_by_cell
from bncc.analysis.collected_scores import Scores, collect_scores, collect_seconds, metrics_in, on_common_folds
from bncc.analysis.diagram import rank_diagram
from bncc.analysis.page import summarise_results, write_page
from bncc.analysis.rendered_table import Table
from bncc.analysis.result_tables import against_table, p_value_table, rank_table, score_table, seconds_table
from bncc.analysis.significance import nemenyi, pairwise_wilcoxon
from bncc.experiment import Candidate, Record, Store

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["results_csv", "study_tables", "write_report"]

_MANY_FIGURES = 16  # fewer are drawn before another process has started


def write_report(
    store: Store,
    folder: str | os.PathLike[str],
    *,
    figures: bool = True,
    raw_names: bool = False,
    report: Callable[[str, int], object] | None = None,
) -> tuple[Path, ...]:
    """Write what a store holds into a folder, and give the files.

    ``report.html`` is the page; ``results.csv`` has one line per fold; ``tables`` has Markdown, LaTeX and CSV;
    ``figures`` has PDF and SVG (matplotlib, the extra `plot`). A store that is not complete is shown as far as it goes.
    In CSV files, names that a spreadsheet would run as a formula get an apostrophe, unless `raw_names` says not to.
    `report` is called after each figure, the slowest part, with its name and the number of all.
    """
    records, candidates = store.records(), store.candidates()
    if not records:
        raise ValueError(f"{store.path} has no results yet; `bncc experiment run` makes some.")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    protocol = store.protocol
    summary = summarise_results(records, candidates, title=f"Study: {protocol['name']}", settings=protocol)
    out = [Path(write_page(summary, target / "report.html"))]
    out.append(_write(target / "results.csv", results_csv(records, raw_names=raw_names)))
    for name, table in study_tables(records).items():
        as_csv = table.to_csv(raw_names=raw_names)
        for suffix, text in (("md", table.to_markdown()), ("tex", table.to_latex()), ("csv", as_csv)):
            out.append(_write(target / "tables" / f"{name}.{suffix}", text))
    if figures:
        out += _draw(records, candidates, target / "figures", report or (lambda name, total: None))
    return tuple(out)


def study_tables(records: Sequence[Record]) -> dict[str, Table]:
    """Scores, ranks, p-values, one method against all others, and seconds, by file name.

    Arrows are against CC, and BNCC is tested against all others, where they are; comparisons are on the folds that all
    methods were tested on, and need two methods and two data sets.
    """
    metrics = metrics_in(records)
    scores = [collect_scores(records, metric) for metric in metrics]
    out = {"scores": score_table(scores, baseline="CC" if "CC" in scores[0].methods else None)}
    fair = on_common_folds(records)
    complete = [part for metric in metrics if _comparable(part := collect_scores(fair, metric).complete())]
    if complete:
        tests = {part.name: pairwise_wilcoxon(part.mean, part.methods) for part in complete}
        out |= {"ranks": rank_table(complete), "p-values": p_value_table(tests)}
        if "BNCC" in complete[0].methods:
            out["against-BNCC"] = against_table(complete, "BNCC")
    parts = [collect_seconds(records, part) for part in ("select", "train", "test")]
    return out | {"seconds": seconds_table(parts)}


def results_csv(records: Sequence[Record], *, raw_names: bool = False) -> str:
    """One line per fold: names, scores, sigma, C, seconds, seed and engine.

    Names that a spreadsheet would run as a formula get an apostrophe, unless `raw_names` says not to.

    >>> print(results_csv([Record("d", "m", 0, 1, {"micro_f1": 0.5}, sigma=2.0)]), end="")
    dataset,method,repeat,fold,micro_f1,sigma,C,select_seconds,train_seconds,test_seconds,seed,engine
    d,m,0,1,0.5,2.0,,0.0,0.0,0.0,0,
    """
    metrics = metrics_in(records)
    written = str if raw_names else spreadsheet_text
    rest = ("sigma", "C", "select_seconds", "train_seconds", "test_seconds", "seed", "engine")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["dataset", "method", "repeat", "fold", *metrics, *rest])
    for record in records:
        who = (written(record.dataset), written(record.method), record.repeat, record.fold)
        scores = [record.scores.get(metric) for metric in metrics]
        writer.writerow([*who, *scores, *(getattr(record, name) for name in rest)])
    return text.getvalue()


def _comparable(scores: Scores) -> bool:
    return len(scores.methods) > 1 and len(scores.datasets) > 1


def _draw(
    records: Sequence[Record], candidates: Sequence[Candidate], folder: Path, report: Callable[[str, int], object]
) -> Iterator[Path]:
    """Draw the figures of a study, those of many data sets in several processes."""
    folder.mkdir(parents=True, exist_ok=True)
    drawings = _drawings(records, candidates)
    workers = n_threads(None) if len(drawings) >= _MANY_FIGURES else 1
    tasks = (
        delayed(_draw_one)(draw, [folder / f"{_file_name(name)}.{suffix}" for suffix in ("pdf", "svg")])
        for name, draw in drawings.items()
    )
    finished = Parallel(n_jobs=min(workers, len(drawings)), return_as="generator")(tasks)
    for name, files in zip(drawings, finished, strict=True):
        report(name, len(drawings))
        yield from files


def _draw_one(draw: Callable[[], Figure], files: Sequence[Path]) -> tuple[Path, ...]:
    from bncc.analysis.figures.style import save_formats

    return save_formats(draw(), files)


def _drawings(records: Sequence[Record], candidates: Sequence[Candidate]) -> dict[str, Callable[[], Figure]]:
    """The figures of a study by name, each drawn when it is asked for: there may be hundreds."""
    from bncc.analysis.figures import fold_figure, rank_figure, seconds_figure, sensitivity_figure

    metrics = metrics_in(records)
    out: dict[str, Callable[[], Figure]] = {"seconds": partial(seconds_figure, records)}
    fair = on_common_folds(records)
    for metric in metrics:
        scores = collect_scores(fair, metric).complete()
        if _comparable(scores):
            test = nemenyi(scores.mean, scores.methods, greater_is_better=scores.greater_is_better)
            out[f"ranks-{metric}"] = partial(rank_figure, rank_diagram(test), title=metric)
    for dataset in dict.fromkeys(record.dataset for record in records):
        own = [record for record in records if record.dataset == dataset]  # all that a process is sent
        out[f"folds-{dataset}"] = partial(fold_figure, own, dataset, metrics=metrics)
    for (dataset, method), tried in candidates_by_cell(candidates).items():
        draw = partial(sensitivity_figure, tried, dataset, method, metrics=metrics)
        out[f"sensitivity-{dataset}-{method}"] = draw
    return out


def _file_name(name: str) -> str:
    """Names of data sets and methods come from protocols: nothing of them leads out of the folder."""
    return re.sub(r"[^\w.+-]+", "-", name).lstrip(".") or "figure"


def _write(path: Path, text: str) -> Path:
    """Write in one step, so that no half-written file is left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as draft:
        draft.write_text(text, encoding="utf-8")
    return path
