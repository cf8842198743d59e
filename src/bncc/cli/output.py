"""What commands print: tables for people or one JSON object for scripts, progress, warnings and errors.

Standard output carries the result alone; progress, warnings and errors go to standard error.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from bncc._interrupt import INTERRUPTED, STOPPED
from bncc.cli.paced_lines import paced_errors

__all__ = ["FrontDoor", "JsonOption", "QuietOption", "Voice", "console", "plain_table", "printable", "stderr"]

console = Console(highlight=False)
stderr = Console(stderr=True, highlight=False)

BAD_INPUT, UNEXPECTED = 2, 1
_MOST_IN_A_LINE, _MOST_IN_A_CELL = 4000, 200  # characters; names in data may have a million

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else, for scripts.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]

_OPTION_WORDS = {
    "`n_splits`": "`--folds`",
    "`n_folds`": "`--folds`",
    "engine='cpu'": "`--engine cpu`",
    "Names that hold commas go into a list: labels=['rain, heavy', 'wind'].": "For names that hold commas repeat the "
    "option: -l 'rain, heavy' -l wind.",
}
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


class FrontDoor(TyperGroup):
    """The root command: what goes wrong below becomes one line and an exit code, never a traceback.

    2: bad usage or input, 130: interrupted, 1: an error of this package (BNCC_TRACEBACK=1 shows where).
    """

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # type: ignore[assignment]
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                raise
            except KeyboardInterrupt:
                _complain(STOPPED)
                raise typer.Exit(INTERRUPTED) from None
            except (ValueError, OSError, ImportError) as error:
                if os.environ.get("BNCC_TRACEBACK"):
                    raise
                _complain(f"Error: {_as_options(_shortened(_words(error)))}")
                raise typer.Exit(BAD_INPUT) from None
            except MemoryError:
                if os.environ.get("BNCC_TRACEBACK"):
                    raise
                _complain("Error: there is not enough memory for this. Take fewer rows, or a machine with more.")
                raise typer.Exit(BAD_INPUT) from None
            except Exception as error:
                if os.environ.get("BNCC_TRACEBACK") or _is_of_typer(error):
                    raise
                _complain(f"Unexpected error, a fault of bncc: {type(error).__name__}: {error}")
                _complain("Run the command with BNCC_TRACEBACK=1 to see where, and report it with that.")
                raise typer.Exit(UNEXPECTED) from None


def _words(error: Exception) -> str:
    """What an error says; a full disk gets its remedy.

    >>> _words(OSError(errno.ENOSPC, "No space left on device", "out.csv"))
    "[Errno 28] No space left on device: 'out.csv'. The disk is full: make room, and run the command again."
    """
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{error}. The disk is full: make room, and run the command again."
    return str(error)


def _shortened(text: str, most: int = _MOST_IN_A_LINE) -> str:
    """The beginning of a text that would fill the screen.

    >>> _shortened("x" * 30, 20)
    'xxxxxxxxxxxxxxxxxxxx... (30 characters)'
    """
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def _as_options(message: str) -> str:
    """What Python calls `labels=`, by the name it has here.

    >>> _as_options("Name them with `labels=`, or leave it out: drop='id'.")
    "Name them with `--labels`, or leave it out: --drop 'id'."
    """
    names = (
        "labels|drop|features|text|category|number|date|part|base|metrics|folds|repeats|own_split|group|time|time_limit"
    )
    message = re.sub(r"`(group|time)=([^`]+)`", r"`--\1 \2`", message)
    message = re.sub(rf"`({names})=`", lambda option: f"`--{option[1].replace('_', '-')}`", message)
    message = re.sub(r"\bdrop=(['\"])", r"--drop \1", message)
    for in_python, as_option in _OPTION_WORDS.items():
        message = message.replace(in_python, as_option)
    return message


def _is_of_typer(error: Exception) -> bool:
    return hasattr(error, "exit_code")


def _complain(message: str) -> None:
    stderr.print(Text(printable(message, lines=True)), soft_wrap=True)


def _show_warning(message: Any, category: type[Warning], *_: Any) -> None:
    _complain(f"Warning: {_as_options(_shortened(str(message)))}")


def printable(text: str, *, lines: bool = False) -> str:
    """Text from data as it may be shown: control characters, which could steer a terminal, by their codes.

    >>> printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return _CONTROL.sub(lambda match: match[0] if lines and match[0] == "\n" else repr(match[0])[1:-1], text)


def plain_table(title: str, caption: str | None = None) -> Table:
    """An empty table in the look of this command line."""
    return Table(
        title=Text(title),
        caption=None if caption is None else Text(caption),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


@dataclass(frozen=True)
class Voice:
    """Who is listening: a person, a script (`as_json`), or nobody (`quiet`)."""

    as_json: bool = False
    quiet: bool = False

    @property
    def tells(self) -> int:
        """Whether long work tells on standard error what it is at, as `verbose` of estimators."""
        return int(not (self.as_json or self.quiet))

    def show(self, *things: Any) -> None:
        """Print for a person; plain strings are taken as they are, without markup."""
        if self.as_json or self.quiet:
            return
        for thing in things:
            text = _shortened(printable(thing, lines=True)) if isinstance(thing, str) else thing
            console.print(Text(text) if isinstance(text, str) else text)

    def warn(self, message: str) -> None:
        """Say on standard error what may be wrong with the result."""
        if not self.quiet:
            _complain(f"Warning: {_as_options(_shortened(str(message)))}")

    def rows(self, title: str, headings: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> None:
        """Print a table for a person: numbers (and what holds them) to the right, words to the left."""
        table = plain_table(_shortened(printable(title)), _shortened(printable(caption)) or None)
        for column, heading in enumerate(headings):
            words = column == 0 or any(isinstance(row[column], str) and not _is_number(row[column]) for row in rows)
            table.add_column(_shown(heading), justify="left" if words else "right")
        for row in rows:
            table.add_row(*(cell if isinstance(cell, Text) else _shown(cell) for cell in row))
        self.show(table)

    def finish(self, result: Mapping[str, Any]) -> None:
        """Print the result for a script."""
        if self.as_json and sys.stdout is not None:  # None where a shell closed it
            text = json.dumps(_plain(result), ensure_ascii=False, allow_nan=False)
            # Bytes of a file's name that are no text cannot be written; JSON takes their codes.
            sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")

    @contextmanager
    def waiting(self, what: str, *, long: bool) -> Iterator[None]:
        """Say on standard error what is being done, at once: on a terminal until it ends, in a log if it is `long`."""
        if self.as_json or self.quiet:
            yield
        elif stderr.is_terminal:
            with stderr.status(printable(what)):
                yield
        else:
            if long:
                sys.stderr.write(printable(what) + "\n")
                sys.stderr.flush()
            yield

    @contextmanager
    def progress(self, what: str, total: int) -> Iterator[Callable[[str], None]]:
        """A bar on standard error, a line now and then in a log; call the result when a step begins, with its name."""
        if self.as_json or self.quiet:
            yield lambda step: None  # no bar at all: one that is disabled leaves an empty line with rich before 14.3
            return
        if not stderr.is_terminal and total == 1:
            with paced_errors(stderr):
                yield lambda step: None
            return
        if not stderr.is_terminal:
            numbers = iter(range(1, total + 1))

            def log(step: str) -> None:
                sys.stderr.write(printable(f"{what}: {step} ({next(numbers, total)} of {total})") + "\n")
                sys.stderr.flush()

            with paced_errors(stderr):
                yield log
            return
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=stderr, transient=True) as bar:
            task = bar.add_task(what, total=total)
            started = False

            def begin(step: str) -> None:
                nonlocal started
                bar.update(task, advance=1 if started else 0, description=printable(f"{what}: {step}"))
                started = True

            yield begin


def _shown(cell: object) -> Text:
    return Text(_shortened(printable(str(cell)), _MOST_IN_A_CELL))


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"[-+.\d]*", text))


def _plain(value: Any) -> Any:
    """What JSON can hold; a number that is none becomes null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
