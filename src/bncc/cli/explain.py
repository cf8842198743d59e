"""`bncc explain`: why rows got their labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bncc._interrupt import stop_with_care
from bncc.cli.options import DataArgument, FeaturesOption, LabelsOption
from bncc.cli.output import JsonOption, QuietOption, Voice

if TYPE_CHECKING:
    from bncc._typing import Rowwise
    from bncc.multilabel import LabelReasons, RowReasons

__all__ = ["EPILOG", "explain", "tell_reasons"]

EPILOG = """Examples:

bncc explain photos.bncc new.csv --row 3

bncc explain posts.bncc new.csv --row 0 --row 7 --why refund --background posts.csv

bncc explain photos.bncc new.csv --row 0 --effect total --json"""

# Fewer rows than these say little of what is usual.
_FEW_ROWS = 10


def explain(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file written by 'bncc fit'.")],
    data: DataArgument,
    row: Annotated[
        list[int] | None, typer.Option("--row", "-r", help="A row of DATA, counted from 0 (repeatable; 0 by default).")
    ] = None,
    why: Annotated[
        list[str] | None,
        typer.Option("--why", help="A label to explain (repeatable), or 'all'; by default those predicted."),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Reasons to tell of each label.")] = 5,
    effect: Annotated[
        str,
        typer.Option(
            "--effect",
            help="direct: labels predicted before are reasons of their own; total: features alone, with what they do "
            "through other labels.",
        ),
    ] = "direct",
    background: Annotated[
        str | None,
        typer.Option("--background", help="Data to compare with, such as those learned from; DATA by default."),
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", min=1, help="Rows that the model may be asked about, for one row explained.")
    ] = 5000,
    labels: LabelsOption = None,
    features: FeaturesOption = None,
    seed: Annotated[int, typer.Option(min=0, max=2**32 - 1, help="Draws the rows compared with, and the samples.")] = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say why rows got their labels: what each feature, and each other label, adds to the score.

    A score is compared with the mean score of other rows; the reasons are shares of the difference, which add up to it.
    They are exact for linear models, and sampled for others, with a standard error (±).
    """
    from bncc.cli.predict import check_notes
    from bncc.evaluation import Reading, read_features
    from bncc.multilabel import explain as explain_rows
    from bncc.multilabel import open_model

    stop_with_care()
    if effect not in ("direct", "total"):
        raise ValueError(f"`--effect` must be direct or total; got {effect!r}.")
    voice = Voice(as_json, quiet)
    saved = open_model(model)
    names = check_notes(saved, model)
    reading = Reading(labels, features=features)
    X = read_features(data, saved.notes["schema"], reading)
    rows = _check_rows(row or [0], X.shape[0], data)
    others = X if background is None else read_features(background, saved.notes["schema"], reading)
    _tell_of_few(voice, others.shape[0], background or data)
    with voice.progress("Explaining", len(rows)) as begin:
        begin(f"row {rows[0]}")
        found = explain_rows(
            saved.model,
            _take(X, rows),
            background=others,
            labels=_wanted(why, names),
            effect=effect,  # type: ignore[arg-type]
            budget=budget,
            random_state=seed,
            pulse=lambda done: begin(f"row {rows[done]}") if done < len(rows) else None,
        )
    told = [each.top(top) for each in found]
    for number, each in zip(rows, told, strict=True):
        tell_reasons(voice, each, number)
    facts = {"model": str(model), "data": data, "background": background or data, "effect": effect, "budget": budget}
    voice.finish(
        {**facts, "rows": [{**each.to_dict(), "row": number} for number, each in zip(rows, told, strict=True)]}
    )


def _check_rows(rows: Sequence[int], n_rows: int, data: str) -> list[int]:
    for row in rows:
        if not 0 <= row < n_rows:
            raise ValueError(f"`--row` must lie in 0 to {n_rows - 1}, since {data} has {n_rows} rows; got {row}.")
    return list(rows)


def _wanted(why: Sequence[str] | None, names: Sequence[str]) -> Sequence[str] | str | None:
    if not why:
        return None
    return "all" if list(why) == ["all"] and "all" not in names else list(why)


def _tell_of_few(voice: Voice, n_rows: int, data: str) -> None:
    if n_rows < 2:
        raise ValueError(f"{data} has one row alone, and nothing to compare it with. Add `--background` DATA.")
    if n_rows < _FEW_ROWS:
        voice.warn(f"rows are compared with the {n_rows} rows of {data} alone; `--background` names others.")


def _take(X: Rowwise, rows: Sequence[int]) -> Rowwise:
    import numpy as np

    from bncc._rows import take_rows

    return take_rows(X, np.asarray(rows))


def tell_reasons(voice: Voice, found: RowReasons, row: int) -> None:
    """A table for each label of a row: reasons, what the row holds, and what it adds to the score."""
    headings = ["reason", "row has", "adds"] if found.exact else ["reason", "row has", "adds", "±"]
    for each in found:
        said = "predicted" if each.predicted else "not predicted"
        lines = [line[: len(headings)] for line in _lines(each)]
        voice.rows(f"Row {row}, {each.name}: {said}", headings, lines)
        parts = f"features {each.from_features:+.2f}"
        parts += f", other labels {each.from_labels:+.2f}" if found.effect == "direct" else ""
        voice.show(f"score {each.score:+.2f} = {each.base:+.2f} before, {parts}")
    how = "Exact" if found.exact else f"Sampled ({found.n_asked:,} rows asked)"
    ways = "given labels predicted before" if found.effect == "direct" else "by features alone"
    voice.show(f"Before: the mean score of {found.n_compared} rows. {how}, {ways}.")


def _lines(each: LabelReasons) -> list[tuple[str, ...]]:
    lines: list[tuple[str, ...]] = [
        (reason.name, reason.shown, f"{reason.value:+.2f}", f"{reason.standard_error:.2f}") for reason in each.reasons
    ]
    return [*lines, ("all others", "", f"{each.rest:+.2f}", "")] if abs(each.rest) >= 0.005 else lines
