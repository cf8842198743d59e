"""`bncc evaluate`: methods compared on somebody's data."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bncc._interrupt import stop_with_care
from bncc.cli.learning_data import read_to_learn, telling_of_reading
from bncc.cli.names import METHODS, METRICS, complete_methods, starting_with
from bncc.cli.options import (
    BaseOption,
    CategoryOption,
    DataArgument,
    DateOption,
    DropOption,
    EngineOption,
    FeaturesOption,
    GroupOption,
    LabelsOption,
    MetricOption,
    NumberOption,
    SeparatorOption,
    TextOption,
    TimeOption,
    TotalTimeOption,
)
from bncc.cli.output import JsonOption, QuietOption, Voice

if TYPE_CHECKING:
    from bncc.analysis.leads import Lead
    from bncc.analysis.quality import QualitySummary
    from bncc.cli.why import Why
    from bncc.evaluation import EvaluationPlan, LabelledData, Reading, Record

__all__ = ["EPILOG", "evaluate"]

EPILOG = """Examples:

bncc evaluate photos.csv --labels -4

bncc evaluate yeast --methods br,cc,bncc,ecc --folds 10

bncc evaluate emotions --own-split --methods bncc,recommended --json"""

# Networks learned anew for the page, to see how often each edge comes back; of more labels that takes too long.
_RESAMPLES = 100
_MOST_RESAMPLED = 500
# Seconds that judging labels one by one takes for each cell (rows x labels x methods), and its most of a limit of time.
_JUDGING_SECONDS = 3e-6
_MOST_JUDGING = 0.25


def evaluate(
    context: typer.Context,
    data: DataArgument,
    labels: LabelsOption = None,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            "-m",
            help=f"Names with commas between them: {', '.join(METHODS)}; or 'all'.",
            autocompletion=complete_methods,
        ),
    ] = "br,cc,bncc,recommended",
    metrics: Annotated[
        str,
        typer.Option(
            "--metrics",
            help="Names with commas between them, of those in bncc.metrics.METRICS.",
            autocompletion=starting_with(METRICS),
        ),
    ] = "hamming_loss,example_f1,macro_f1,micro_f1",
    folds: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="How often to shuffle and fold anew.")] = 1,
    own_split: Annotated[
        bool, typer.Option("--own-split", help="Train and test on the split that the data come with, instead of folds.")
    ] = False,
    group: GroupOption = None,
    time: TimeOption = None,
    base: BaseOption = "auto",
    metric: MetricOption = "example_f1",
    engine: EngineOption = "auto",
    time_limit: TotalTimeOption = None,
    text: TextOption = None,
    category: CategoryOption = None,
    number: NumberOption = None,
    date: DateOption = None,
    drop: DropOption = None,
    tag_separator: SeparatorOption = None,
    features: FeaturesOption = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Draws folds and whatever methods draw.")] = 0,
    page: Annotated[Path | None, typer.Option("--page", help="Also write an HTML page with the results.")] = None,
    why: Annotated[
        bool,
        typer.Option("--why", help="Also say which columns matter to the best method, and why the worst rows failed."),
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare methods by cross-validation on your data.

    Folds are stratified by labels; with --group they keep rows that belong together in one fold, with --time they
    test on later rows than they learn from. Whatever a method chooses (sigma, C, thresholds, the label network), it
    chooses inside the training rows of each fold, so that the figures are those of new rows. Then come the
    labels that the best method predicts worst and best, with intervals.
    """
    stop_with_care()
    voice = Voice(as_json, quiet)
    with telling_of_reading(data, voice):
        from bncc.cli.page import check_page, command_line
        from bncc.evaluation import METHODS as known_methods
        from bncc.evaluation import EvaluationPlan, Reading

        plan = EvaluationPlan(
            methods=tuple(known_methods) if methods.strip() == "all" else methods.split(","),
            metrics=metrics.split(","),
            folds=folds,
            repeats=repeats,
            own_split=own_split,
            base=base,
            metric=metric,
            engine=engine,
            seed=seed,
            time_limit=time_limit,
            verbose=voice.tells,
        )
        page_path = None if page is None else check_page(page)
        reading = Reading(labels, text or (), drop or (), tag_separator, features, group=group, time=time)
        reading = replace(reading, category=category or (), number=number or (), date=date or (), warn_of_leaks=True)
        wanted = why or as_json or page_path is not None
        labelled = read_to_learn(data, reading, voice)
    _run(_Evaluation(labelled, reading, plan, page_path, command_line(context), wanted), voice)


@dataclass(frozen=True)
class _Evaluation:
    """What was asked for: which data, how they are compared, and where the page goes."""

    data: LabelledData
    reading: Reading
    plan: EvaluationPlan
    page: Path | None
    command: str
    why: bool


def _run(asked: _Evaluation, voice: Voice) -> None:
    from bncc.analysis.best_models import BestModels
    from bncc.analysis.quality.compared import MOST_CELLS, KeptAnswers, best_method
    from bncc.cli.column_table import decision_rows, show_decisions
    from bncc.cli.quality_table import quality_result, show_quality
    from bncc.cli.score_table import lead_result, show_comparison, show_lead
    from bncc.cli.why import Why, tell_why
    from bncc.evaluation import choose_base, compare_methods, summarise_records
    from bncc.evaluation.comparing import deal_plan
    from bncc.tables import TableWarning

    plan, data = asked.plan, asked.data
    show_decisions(voice, data.decisions)
    models = BestModels(plan.metric) if asked.why else None
    started = perf_counter()
    n_tests = len(plan.methods) * sum(map(len, deal_plan(data, plan)))
    n_cells = len(plan.methods) * data.n_rows * len(data.label_names)
    kept, left_out = KeptAnswers() if n_cells <= MOST_CELLS else None, list[str]()
    with voice.progress("Cross-validation", n_tests) as begin:
        records = compare_methods(
            data,
            _before_judging(plan, n_cells),
            report=lambda *step: begin(_step(plan, *step)),
            keep=kept,
            keep_model=models,
            tell=left_out.append,
        )
    spent = perf_counter() - started
    for line in left_out:
        voice.warn(f"{line} (--time-limit).")
    show_comparison(voice, records, _title(data, plan))
    quality, lead = None, None
    if kept is not None and spent + _JUDGING_SECONDS * n_cells > _latest(plan):
        lead, kept = kept.lead(records, data.Y, plan.metric), None
        show_lead(voice, lead)
        left_out.append("labels are not judged one by one")
        voice.warn(f"{left_out[-1]} (--time-limit).")
    elif kept is None:
        voice.show(f"Labels are judged one by one up to {MOST_CELLS:,} cells (rows x labels x methods): not here.")
    else:
        lead = kept.lead(records, data.Y, plan.metric)
        show_lead(voice, lead)
        quality = kept.judge(data.Y, data.label_names, first=best_method(records, plan.metric))
        show_quality(voice, quality)
    worst = None if quality is None else [error.row for error in quality.methods[0].rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # rows that differ from those learned from were tested already
        why = Why() if models is None else tell_why(voice, models.settle(), data, spent, worst)
    settings = {
        "data": data.name,
        "rows": data.n_rows,
        "labels": len(data.label_names),
        "base": "linear" if any("the base is linear" in line for line in left_out) else choose_base(plan.base, data),
        "folds": 1 if plan.own_split else plan.folds,
        "repeats": plan.repeats,
        "own_split": plan.own_split,
        "group": asked.reading.group,
        "time": asked.reading.time,
        "seed": plan.seed,
        "metric": plan.metric,
    }
    page: str | None = None
    no_page: Exception | None = None
    try:
        page = None if asked.page is None else _leave_page(asked, data, records, settings, quality, lead, why)
    except (OSError, ValueError) as error:  # the results are there, whatever comes of the page
        no_page = error
    voice.show(*([f"Wrote {page}: open it in a browser."] if page else []))
    judged: dict[str, Any] = {"methods": summarise_records(records), "lead": lead_result(lead)}
    judged |= {"quality": None if quality is None else quality_result(quality)}
    judged |= {} if plan.time_limit is None else {"left_out": left_out}
    voice.finish({**settings, **decision_rows(data.decisions), **judged, **why.facts(), "page": page})
    if no_page is not None:
        raise no_page


def _before_judging(plan: EvaluationPlan, n_cells: int) -> EvaluationPlan:
    """The plan with what judging labels will leave of its limit."""
    if plan.time_limit is None:
        return plan
    kept = min(_JUDGING_SECONDS * n_cells, _MOST_JUDGING * plan.time_limit)
    return replace(plan, time_limit=plan.time_limit - kept)


def _latest(plan: EvaluationPlan) -> float:
    """Seconds that a comparison may end after, for a limit that is overrun by a tenth and a second at most."""
    return float("inf") if plan.time_limit is None else 1.1 * plan.time_limit + 1.0


def _step(plan: EvaluationPlan, method: str, repeat: int, fold: int) -> str:
    return f"{method}, fold {fold + 1}" + (f" of repeat {repeat + 1}" if plan.repeats > 1 else "")


def _title(data: LabelledData, plan: EvaluationPlan) -> str:
    from bncc.datasets.files import counted

    folds = f"{plan.folds} folds" + (f", {plan.repeats} times" if plan.repeats > 1 else "")
    folds += ", groups kept together" if data.groups is not None else ""
    folds += ", tested on later rows" if data.times is not None else ""
    size = f"{counted(data.n_rows, 'row')}, {counted(len(data.label_names), 'label')}"
    return f"{data.name}: {size}, {'its own split' if plan.own_split else folds}"


def _leave_page(
    asked: _Evaluation,
    data: LabelledData,
    records: Sequence[Record],
    settings: Mapping[str, Any],
    quality: QualitySummary | None,
    lead: Lead | None,
    why: Why,
) -> str | None:
    from bncc.analysis.page import summarise_labels, summarise_quality_part, summarise_results
    from bncc.cli.page import about_data, data_fingerprint, leave_page, reading_options

    labels = summarise_labels(
        data.known_labels,
        title=f"Methods on {data.name}",
        note=data.unknown_note,
        label_names=data.label_names,
        n_resamples=_RESAMPLES if len(data.label_names) <= _MOST_RESAMPLED else 0,
    )
    made_by = {
        "command": asked.command,
        "fingerprint": data_fingerprint(data),
        "reading": reading_options(asked.reading),
        "methods": list(asked.plan.methods),
        "metrics": list(asked.plan.metrics),
        "engine": asked.plan.engine,
    }
    drawn = [lead] if lead is not None and not lead.n_folds else []  # over folds the page finds it in the records
    parts = [about_data(labels, data), summarise_results(records, settings={**made_by, **settings}, leads=drawn)]
    if quality is not None:
        importance = () if why.importance is None else why.importance.entries
        parts.append(summarise_quality_part(quality, reasons=why.rows, importance=importance))
    return leave_page(asked.page, *parts)
