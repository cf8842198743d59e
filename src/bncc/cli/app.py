"""The root of the command line: its options, and the list of commands."""

from __future__ import annotations

from typing import Annotated

import typer

import bncc
from bncc.cli.demo import demo
from bncc.cli.experiment import experiment
from bncc.cli.output import console

__all__ = ["app"]

app = typer.Typer(name="bncc", no_args_is_help=True, add_completion=True, pretty_exceptions_enable=False)
app.command()(demo)
app.add_typer(experiment, name="experiment")


def _version(wanted: bool) -> None:
    if wanted:
        console.print(bncc.__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Multi-label learning with label networks."""
