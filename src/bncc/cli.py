"""The command line."""

from __future__ import annotations

import typer

import bncc

__all__ = ["app"]

app = typer.Typer(
    name="bncc", help="Multi-label learning with label networks.", no_args_is_help=True, add_completion=True
)


@app.callback()
def root() -> None:
    """Multi-label learning with label networks."""


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(bncc.__version__)
