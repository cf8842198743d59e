"""`bncc experiment`: run a study, stop it, resume it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars

from bncc.cli.output import console, plain_table
from bncc.experiment import (
    WHOLE,
    Progress,
    ProtocolError,
    Store,
    StoreError,
    Task,
    dask_executor,
    load_protocol,
    run_study,
)

__all__ = ["experiment"]

experiment = typer.Typer(no_args_is_help=True, help="Run a study from a protocol; stop and resume it as you like.")


@experiment.command()
def run(
    protocol: Annotated[str, typer.Argument(help="A TOML file, or 'paper' or 'quick', which come with the package.")],
    store: Annotated[
        Path | None, typer.Option("--store", "-s", help="Where results are kept; default: NAME.sqlite here.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler that runs the tasks, as tcp://host:8786.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress display.")] = False,
) -> None:
    """Run what is missing of a study. Every finished part is stored: stop with Ctrl-C, run again to resume."""
    try:
        study = load_protocol(protocol)
        path = store or Path(f"{study.name}.sqlite")
        with (
            nullcontext() if cluster is None else dask_executor(cluster) as executor,
            nullcontext() if quiet else _display() as report,
        ):
            last = run_study(study, path, executor=executor, report=report)
    except (ProtocolError, StoreError, OSError, ImportError) as error:
        console.print(f"[red]error:[/red] {error}", soft_wrap=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        console.print(f"Stopped; finished parts are in {path}. Run the same command again to go on.")
        raise typer.Exit(130) from None
    for failure in last.failures:
        console.print(f"[red]failed:[/red] {_words(failure.task)}: {failure.message}", soft_wrap=True)
    if not quiet:
        _summary(path)
    raise typer.Exit(1 if last.failures else 0)


@contextmanager
def _display() -> Iterator[Any]:
    """A live line of bars: what runs, what is done, time left."""
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}", style="cyan"),
        TextColumn("{task.fields[now]}", style="dim"),
        console=console,
    )
    bar = bars.add_task("study", total=None, left="", now="")
    with Live(bars, console=console, refresh_per_second=5):

        def report(progress: Progress) -> None:
            left = "" if progress.seconds_left is None else f"{_clock(progress.seconds_left)} left"
            now = ", ".join(map(_words, progress.running[:3]))
            if len(progress.running) > 3:
                now += f" and {len(progress.running) - 3} more"
            if progress.solved:
                now += f": {progress.solved:,} problems"
            bars.update(bar, total=progress.total, completed=progress.done, left=left, now=now)

        yield report


def _words(task: Task) -> str:
    part = "sigma" if task.repeat == WHOLE else f"repeat {task.repeat + 1}"
    return f"{task.dataset} {task.method} {part}"


def _clock(seconds: float) -> str:
    whole = round(seconds)
    return (
        f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
        if whole >= 3600
        else f"{whole // 60}:{whole % 60:02d}"
    )


def _summary(path: Path) -> None:
    """Mean of each metric by data set and method."""
    with Store.read(path) as store:
        records, metrics = store.records(), store.metrics
    table = plain_table(f"Means over folds ({path})")
    for heading in ("data set", "method", "folds"):
        table.add_column(heading)
    for metric in metrics:
        table.add_column(metric, justify="right")
    groups: dict[tuple[str, str], list[Any]] = {}
    for record in records:
        groups.setdefault((record.dataset, record.method), []).append(record.scores)
    for (dataset, method), scores in groups.items():
        means = [f"{sum(s[metric] for s in scores) / len(scores):.4f}" for metric in metrics]
        table.add_row(dataset, method, str(len(scores)), *means)
    console.print(table)
