"""`bncc fit`: learn a model and keep it in a file."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bncc._interrupt import stop_with_care
from bncc.cli.learning_data import read_to_learn, telling_of_reading
from bncc.cli.names import METHODS, complete_methods
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
    PartOption,
    SeparatorOption,
    TextOption,
    TimeLimitOption,
    TimeOption,
)
from bncc.cli.output import JsonOption, QuietOption, Voice

__all__ = ["EPILOG", "fit"]

EPILOG = """Examples:

bncc fit photos.csv --labels -4 -o photos.bncc

bncc fit posts.csv --labels tags --text body -o posts.bncc

bncc fit emotions --part train --method bncc -o emotions.bncc"""


def fit(
    data: DataArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.", show_default=False)],
    labels: LabelsOption = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"One of {', '.join(METHODS)}.", autocompletion=complete_methods)
    ] = "recommended",
    group: GroupOption = None,
    time_column: TimeOption = None,
    base: BaseOption = "auto",
    metric: MetricOption = "example_f1",
    engine: EngineOption = "auto",
    time_limit: TimeLimitOption = None,
    text: TextOption = None,
    category: CategoryOption = None,
    number: NumberOption = None,
    date: DateOption = None,
    drop: DropOption = None,
    tag_separator: SeparatorOption = None,
    features: FeaturesOption = None,
    part: PartOption = "all",
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Draws whatever the method draws.")] = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn a model from labelled data and keep it in a file.

    The file holds all that 'bncc predict' and Python's bncc.multilabel.load_model need: how columns become numbers,
    the classifiers, and the label names. Opening it runs no code.
    """
    stop_with_care()
    voice = Voice(as_json, quiet)
    with telling_of_reading(data, voice):
        from bncc.cli.column_table import decision_rows, show_decisions
        from bncc.cli.writing import check_output
        from bncc.datasets.files import counted
        from bncc.evaluation import Reading, build_pipeline, choose_base, chosen_engine, chosen_values, fit_rows
        from bncc.evaluation.methods import check_methods
        from bncc.metrics import get_metric
        from bncc.multilabel import save_model

        (method_name,) = check_methods([method])
        get_metric(metric)
        check_output(output, data)
        reading = Reading(labels, text or (), drop or (), tag_separator, features, group=group, time=time_column)
        reading = replace(reading, category=category or (), number=number or (), date=date or (), warn_of_leaks=True)
        labelled = read_to_learn(data, reading, voice).part(part)
    n_rows, label_names = labelled.n_rows, list(labelled.label_names)
    if n_rows < 3:
        raise ValueError(f"{labelled.name} has {counted(n_rows, 'row')}; to learn from them takes at least 3.")
    kind = "blend" if method_name == "recommended" and base == "auto" else choose_base(base, labelled)
    show_decisions(voice, labelled.decisions)
    start = time.perf_counter()
    with voice.progress("Learning", 1) as begin:
        begin(f"{method_name} on {labelled.name}")
        model = build_pipeline(
            labelled,
            method_name,
            base=base,
            metric=metric,
            random_state=seed,
            engine=engine,
            time_limit=time_limit,
            verbose=voice.tells,
        )
        fit_rows(model, labelled)
    seconds = time.perf_counter() - start
    facts = {"method": method_name, "base": kind, "metric": metric, "data": labelled.name, "rows": n_rows}
    save_model(model, output, notes={"schema": labelled.schema, "labels": label_names, **facts})
    solver = chosen_engine(model)
    engine_facts = {} if solver is None else {"engine": solver.name, "engine_reason": solver.reason}
    size = output.stat().st_size
    values = "".join(f", {name} {value:g}" for name, value in chosen_values(model).items())
    voice.show(
        f"Learned {method_name} ({kind}{values}) from "
        f"{counted(n_rows, 'row')} with {counted(len(label_names), 'label')} in {seconds:.1f} s.",
        *([] if solver is None else [f"Engine {solver.name}: {solver.reason}"]),
        f"Wrote {output} ({_size(size)}). Next: bncc predict {output} NEW-DATA -o predictions.csv",
    )
    learned = {**facts, **chosen_values(model), "labels": label_names, "seconds": seconds, **engine_facts}
    learned |= decision_rows(labelled.decisions)
    voice.finish({"model": str(output), "bytes": size, **learned})


def _size(n_bytes: int) -> str:
    """The size of a file.

    >>> _size(20_480), _size(3_400_000)
    ('20.5 kB', '3.4 MB')
    """
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{n_bytes / 1e3:.1f} kB"
