"""The HTML page that commands leave behind."""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import typer

from bncc.analysis.page import Summary, join_summaries, write_page
from bncc.cli.writing import check_output
from bncc.datasets import fingerprint, make_dataset
from bncc.evaluation import LabelledData, Reading

__all__ = [
    "about_data",
    "check_page",
    "command_line",
    "data_fingerprint",
    "leave_page",
    "reading_options",
]


def check_page(page: Path, no_page: bool | None = None) -> Path | None:
    """Where the page goes, if anywhere; told before the work begins if it cannot go there.

    `no_page` is None for commands that write a page only where they are asked to.
    """
    if no_page:
        return None
    if page.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"`--page` must end in .html; got {page.name!r}.")
    try:
        check_output(page)
    except OSError as error:
        if no_page is None:
            raise
        raise OSError(f"{error} Or leave the page out: --no-page.") from None
    return page


def leave_page(page: Path | None, *summaries: Summary) -> str | None:
    """Write the page, if one is wanted, and return its path."""
    return None if page is None else str(write_page(join_summaries(*summaries), page))


def command_line(context: typer.Context) -> str:
    """What was typed, as a shell takes it: the options that were given, none of those that were not."""
    words = ["bncc", str(context.info_name)]
    for option in context.command.params:
        given = context.get_parameter_source(str(option.name))
        if given is None or given.name != "COMMANDLINE":
            continue
        value = context.params[str(option.name)]
        values = [str(entry) for entry in (value if isinstance(value, list | tuple) else [value])]
        if option.param_type_name == "argument":
            words += values
        elif getattr(option, "is_flag", False):
            words.append(option.opts[0])
        else:
            words += [word for entry in values for word in (option.opts[0], entry)]
    return shlex.join(words)


def reading_options(reading: Reading) -> dict[str, Any]:
    """The options by which DATA was read, where they are not the usual ones."""
    given = {field.name: (getattr(reading, field.name), field.default) for field in fields(reading)}
    for of_the_command in ("featureless", "warn_of_leaks"):  # not of whoever typed it
        del given[of_the_command]
    return {name: value for name, (value, default) in given.items() if value != default}


def data_fingerprint(data: LabelledData) -> str:
    """SHA-256 of values and names: of matrices as `bncc.datasets.fingerprint` has it, of tables as they are in CSV."""
    if data.schema["kind"] == "matrix":
        features, labels = data.schema["features"], data.label_names
        return fingerprint(make_dataset(data.X, data.label_matrix, feature_names=features, label_names=labels))
    digest = hashlib.sha256()
    for table in (data.X, data.Y):
        digest.update(table.to_csv(index=False, lineterminator="\n").encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def about_data(summary: Summary, data: LabelledData) -> Summary:
    """The summary with name, origin and number of features of what was read."""
    if summary.data is None:
        return summary
    known = replace(summary.data, name=data.name, source=data.origin, n_features=int(data.X.shape[1]))
    return replace(summary, data=known)
