"""`bncc evaluate`: methods compared on somebody's data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bncc._interrupt import stop_with_care
from bncc.cli.methods import METHODS, check_methods, complete_methods
from bncc.cli.names import METRICS, starting_with
from bncc.cli.options import (
    BaseOption,
    DataArgument,
    DropOption,
    EngineOption,
    FeaturesOption,
    LabelsOption,
    MetricOption,
    SeparatorOption,
    TextOption,
)
from bncc.cli.output import JsonOption, QuietOption, Voice

if TYPE_CHECKING:
    from bncc.cli.comparing import Fold
    from bncc.cli.source import Source

__all__ = ["EPILOG", "evaluate"]

EPILOG = """Examples:

bncc evaluate photos.csv --labels -4

bncc evaluate yeast --methods br,cc,bncc,ecc --folds 10

bncc evaluate emotions --own-split --methods bncc,recommended --json"""


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
    repeats: Annotated[int, typer.Option(min=1, help="How often to shuffle and fold anew.")] = 1,
    own_split: Annotated[
        bool, typer.Option("--own-split", help="Train and test on the split that the data come with, instead of folds.")
    ] = False,
    base: BaseOption = "auto",
    metric: MetricOption = "example_f1",
    engine: EngineOption = "auto",
    text: TextOption = None,
    drop: DropOption = None,
    tag_separator: SeparatorOption = ",",
    features: FeaturesOption = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws folds and whatever methods draw.")] = 0,
    page: Annotated[Path | None, typer.Option("--page", help="Also write an HTML page with the results.")] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare methods by cross-validation on your data.

    Folds are stratified by labels. Whatever a method chooses (sigma, C, thresholds, the label network), it chooses
    inside the training rows of each fold, so that the figures are those of new rows.
    """
    from bncc.analysis.page import summarise_labels, summarise_results
    from bncc.cli.comparing import compare_methods, deal, show_comparison, summarise
    from bncc.cli.models import choose_base
    from bncc.cli.page import about_source, check_page, command_line, leave_page, reading_options, source_fingerprint
    from bncc.cli.source import Reading, read_source
    from bncc.datasets.files import counted
    from bncc.metrics import get_metric

    stop_with_care()
    voice = Voice(as_json, quiet)
    chosen = check_methods([*METHODS] if methods.strip() == "all" else methods.split(","))
    wanted = [get_metric(name.strip()).name for name in metrics.split(",") if name.strip()]
    get_metric(metric)
    if not wanted:
        raise ValueError("`--metrics` must name at least one metric, such as example_f1.")
    place = None if page is None else check_page(page, False)
    reading = Reading(labels, text or (), drop or (), tag_separator, features)
    source = read_source(data, reading)
    parts = _split(source) if own_split else deal(source, folds, repeats, seed)
    options = {"base": base, "metric": metric, "seed": seed, "engine": engine}
    records = compare_methods(source, chosen, parts, wanted, voice=voice, **options)  # type: ignore[arg-type]
    how = "its own split" if own_split else f"{folds} folds" + (f", {repeats} times" if repeats > 1 else "")
    size = f"{counted(source.n_rows, 'row')}, {counted(len(source.label_names), 'label')}"
    show_comparison(voice, records, f"{source.name}: {size}, {how}")
    facts = {"rows": source.n_rows, "labels": len(source.label_names), "base": choose_base(base, source)}
    settings = {"folds": 1 if own_split else folds, "repeats": repeats, "own_split": own_split, "seed": seed}
    shown = {"data": source.name, **facts, **settings, "metric": metric}
    written = None
    if place is not None:
        title = f"Methods on {source.name}"
        described = summarise_labels(source.label_matrix, title=title, label_names=source.label_names)
        made_by = {
            "command": command_line(context),
            "fingerprint": source_fingerprint(source),
            "reading": reading_options(reading),
            "methods": chosen,
            "metrics": wanted,
            "engine": engine,
        }
        written = leave_page(
            place, about_source(described, source), summarise_results(records, settings={**made_by, **shown})
        )
    voice.show(*([f"Wrote {written}: open it in a browser."] if written else []))
    voice.finish({**shown, "methods": summarise(records), "page": written})


def _split(source: Source) -> list[Fold]:
    if source.train is None or source.test is None:
        raise ValueError(f"{source.name!r} comes without a train and test part. Leave out `--own-split` for folds.")
    return [(0, 0, source.train, source.test)]
