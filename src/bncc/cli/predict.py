"""`bncc predict`: labels and scores for other rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bncc._atomic import written_whole
from bncc._interrupt import stop_with_care
from bncc._spreadsheets import spreadsheet_text
from bncc.cli.options import DataArgument, FeaturesOption, LabelsOption, RawNamesOption
from bncc.cli.output import JsonOption, QuietOption, Voice

if TYPE_CHECKING:
    from pandas import DataFrame

    from bncc.multilabel.model_files import SavedModel
    from bncc.tables import Surprise

__all__ = ["EPILOG", "check_notes", "predict"]

EPILOG = """Examples:

bncc predict photos.bncc new.csv -o predictions.csv

bncc predict posts.bncc new.parquet -o predictions.parquet --keep id"""


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file written by 'bncc fit'.")],
    data: DataArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The .csv, .tsv or .parquet file to write.", show_default=False)
    ],
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Probabilities instead of scores, where the method has them.")
    ] = False,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", help="A column of DATA to copy, such as an identifier (repeatable).")
    ] = None,
    labels: LabelsOption = None,
    features: FeaturesOption = None,
    raw_names: RawNamesOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Predict the labels of other rows with a model file.

    The output has a 0/1 column per label, under its name, and a column NAME_score: above 0 where the label is
    predicted, larger where the model is surer. DATA needs the model's features, by name; labels need not be there.
    """
    from bncc.cli.writing import check_output
    from bncc.datasets.files import counted, plain_suffix, shorten
    from bncc.evaluation import Reading, read_features
    from bncc.multilabel import open_model
    from bncc.tables import TableWarning

    stop_with_care()
    voice = Voice(as_json, quiet)
    if plain_suffix(output) not in (".csv", ".tsv", ".parquet"):  # what `_write` knows
        raise ValueError(f"`--output` must end in .csv, .tsv or .parquet; got {output.name!r}.")
    check_output(output, model, data)
    saved = open_model(model)
    names = check_notes(saved, model)
    copied = _kept(data, keep or ())
    X = read_features(data, saved.notes["schema"], Reading(labels, features=features))
    surprises = _surprises(saved.model, X)
    for each in surprises:
        voice.warn(f"column {shorten(each.column)} {each.what}: {each.rows} of {each.n_rows} rows.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)  # told above
        table = _answers(saved.model, X, names, copied, probabilities)
    _write(table, output, raw_names=raw_names)
    positives = {str(name): int(count) for name, count in table[names].sum().items()}
    voice.rows(f"Predicted {counted(len(table), 'row')}", ["label", "rows"], _most(positives), f"written to {output}")
    facts = {"output": str(output), "rows": len(table), "columns": list(table), "positives": positives}
    unknown = {each.column: each.rows for each in surprises if "levels" in each.what}
    told = [{"column": each.column, "what": each.what, "rows": each.rows} for each in surprises]
    voice.finish({**facts, "unknown_categories": unknown, "warnings": told})


def check_notes(saved: SavedModel, file: Path) -> list[str]:
    """Label names; the notes are from a file, so they may be anything."""
    from bncc.tables.decisions import GOES_TO

    schema, names = saved.notes.get("schema"), saved.notes.get("labels")
    fine = isinstance(schema, dict) and _are_names(names) and hasattr(saved.model, "predict")
    if fine and schema is not None and schema.get("kind") == "table":
        columns = schema.get("columns")
        fine = isinstance(columns, dict) and set(map(str, columns.values())) <= set(GOES_TO)
    elif fine and schema is not None:
        # A feature that stands twice would be read twice, however many categories it has.
        fine = schema.get("kind") == "matrix" and _are_names(schema.get("features"))
        fine = fine and _are_categories(schema.get("categories"))
    if not fine or names is None:
        raise ValueError(
            f"{file} does not say how to read data: it was not written by 'bncc fit'. Use it from Python, with "
            "bncc.multilabel.load_model."
        )
    return names


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _are_names(values: object) -> bool:
    """Whether something is a list of texts, each of them once."""
    return isinstance(values, list) and _are_texts(values) and len(set(values)) == len(values)


def _are_categories(values: object) -> bool:
    return isinstance(values, dict) and all(map(_are_texts, values.values()))


def _kept(data: str, keep: Sequence[str]) -> Any:
    from bncc.datasets.files import shorten, which_columns
    from bncc.datasets.frames import column_names, is_frame, read_table

    if not keep:
        return None
    if not is_frame(data):
        raise ValueError(f"`--keep` is for .csv, .tsv and .parquet files; got {data!r}.")
    known = column_names(data)
    absent = [name for name in keep if name not in known]
    if absent:
        raise ValueError(f"{data}: no column is named {shorten(absent[0])}. {which_columns(known, absent[0])}")
    return read_table(data, columns=keep)


def _surprises(model: Any, X: Any) -> Sequence[Surprise]:
    """What is odd about the columns of a table; a matrix of numbers is what it is."""
    first = model.steps[0][1] if hasattr(model, "steps") else model
    return first.surprises(X) if hasattr(first, "surprises") else ()


def _answers(model: Any, X: Any, names: Sequence[str], copied: Any, probabilities: bool) -> Any:
    import numpy as np
    import pandas as pd

    from bncc.datasets.files import shorten
    from bncc.multilabel.tuned_thresholds import label_scores

    if probabilities and not hasattr(model, "predict_proba"):
        raise ValueError("this model gives no probabilities; leave out `--probabilities` for scores.")
    predicted = np.asarray(model.predict(X))
    predicted = predicted[:, None] if predicted.ndim == 1 else predicted
    if predicted.shape[1:] != (len(names),):
        raise ValueError(
            f"the model answers with {predicted.shape[1:]} for a row, and its file names {len(names)} "
            "labels: it was not written by 'bncc fit'. Use it from Python, with bncc.multilabel.load_model."
        )
    scores = model.predict_proba(X) if probabilities else label_scores(model, X, len(names))
    suffix = _suffix("probability" if probabilities else "score", names)
    scored = [f"{name}{suffix}" for name in names]
    tables = [
        *([] if copied is None else [pd.DataFrame({name: copied[name] for name in copied})]),
        pd.DataFrame(predicted.astype(np.int8), columns=list(names)),
        pd.DataFrame(np.asarray(scores)[:, : len(names)], columns=scored),
    ]
    made = {*names, *scored}
    if clash := [name for name in (() if copied is None else copied) if name in made]:
        raise ValueError(f"two columns of the output would be named {shorten(clash[0])}; leave it out of `--keep`.")
    return pd.concat(tables, axis=1)


def _suffix(word: str, names: Sequence[str]) -> str:
    """What stands behind the name of a label for its score: a label may itself be called so.

    >>> _suffix("score", ["a", "b"]), _suffix("score", ["a", "a_score", "a__score"])
    ('_score', '___score')
    """
    ends: dict[str, set[int]] = {}  # underscores at the end of names, by what stands before them
    for name in names:
        ends.setdefault(name.rstrip("_"), set()).add(len(name) - len(name.rstrip("_")))
    stems = [name.removesuffix(word) for name in names if name.endswith(word)]
    between = [(len(stem) - len(stem.rstrip("_")), ends.get(stem.rstrip("_"), ())) for stem in stems]
    taken = {longer - shorter for longer, several in between for shorter in several}
    return "_" * next(number for number in count(1) if number not in taken) + word


def _write(table: DataFrame, output: Path, *, raw_names: bool) -> None:
    import csv

    from bncc.datasets.files import plain_suffix

    with written_whole(output) as draft:
        if plain_suffix(output) == ".parquet":
            table.to_parquet(draft, index=False)
        else:
            packed = "gzip" if output.suffix.lower() == ".gz" else None
            separator = "\t" if plain_suffix(output) == ".tsv" else ","
            safe = table if raw_names else _for_spreadsheets(table)
            # The csv module leaves a carriage return without quotes, and readers take it for the end of the row.
            quoting = csv.QUOTE_ALL if _holds_carriage_return(table) else csv.QUOTE_MINIMAL
            safe.to_csv(draft, index=False, sep=separator, compression=packed, quoting=quoting)


def _texts(table: DataFrame) -> list[str]:
    return [name for name, dtype in table.dtypes.items() if dtype.kind not in "biuf"]


def _for_spreadsheets(table: DataFrame) -> DataFrame:
    """Names and texts as they may stand in a CSV file."""
    cells = {name: table[name].map(spreadsheet_text, na_action="ignore") for name in _texts(table)}
    return table.assign(**cells).rename(columns=spreadsheet_text)


def _holds_carriage_return(table: DataFrame) -> bool:
    return any("\r" in name for name in table) or any(
        "\r" in text for name in _texts(table) for text in table[name].dropna()
    )


def _most(positives: dict[str, int]) -> list[tuple[str, int]]:
    ranked = sorted(positives.items(), key=lambda item: -item[1])
    return [*ranked[:20], *([("...", len(ranked) - 20)] if len(ranked) > 20 else [])]
