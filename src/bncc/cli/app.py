"""The root of the command line: its options, and the list of commands."""

from __future__ import annotations

from typing import Annotated

import typer

import bncc
from bncc.cli import analyse, evaluate, explain, fit, predict
from bncc.cli.data import data
from bncc.cli.demo import demo
from bncc.cli.experiment import experiment
from bncc.cli.output import FrontDoor, console

__all__ = ["app"]

EPILOG = """First steps:

bncc demo

bncc analyse photos.csv --labels -4

bncc fit photos.csv --labels -4 -o photos.bncc

bncc predict photos.bncc new.csv -o predictions.csv

Completion for your shell: bncc --install-completion"""

app = typer.Typer(
    name="bncc",
    cls=FrontDoor,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo)
app.command(epilog=analyse.EPILOG)(analyse.analyse)
app.command(epilog=fit.EPILOG)(fit.fit)
app.command(epilog=predict.EPILOG)(predict.predict)
app.command(epilog=explain.EPILOG)(explain.explain)
app.command(epilog=evaluate.EPILOG)(evaluate.evaluate)
app.add_typer(experiment, name="experiment")
app.add_typer(data, name="data")


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
    """Multi-label learning with label networks: analyse labels, learn models, predict, and compare methods."""
