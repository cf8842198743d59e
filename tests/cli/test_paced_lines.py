"""Logs that stay short, and warnings that are never held back."""

import io
import sys

import pytest
from rich.console import Console

from bncc.cli import paced_lines
from bncc.cli.paced_lines import PacedLines, paced_errors


def spoken(monkeypatch, times, texts, seconds=5.0):
    clock = iter(times)
    now = [0.0]
    monkeypatch.setattr(paced_lines.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    lines = PacedLines(stream, seconds)
    for text in texts:
        now[0] = next(clock)
        lines.write(text)
    return stream.getvalue()


def test_a_line_comes_through_only_some_seconds_after_the_last(monkeypatch):
    said = spoken(monkeypatch, [0, 1, 4.9, 5, 6, 11], ["a\n", "b\n", "c\n", "d\n", "e\n", "f\n"])
    assert said == "a\nd\nf\n"


def test_lines_may_come_in_pieces_and_be_written_over(monkeypatch):
    said = spoken(monkeypatch, [0, 1, 10, 10], ["\r1 of 9  ", "\r2 of 9", "\r3 of 9", "\n"])
    assert said == "1 of 9\n2 of 9\n"


def test_what_the_console_says_is_not_held_back(capsys):
    console = Console(stderr=True)
    with paced_errors(console):
        for number in range(5):
            print(number, file=sys.stderr)
        console.print("a warning")
        console.print("another")
    print("after", file=sys.stderr)
    console.print("again")
    assert capsys.readouterr().err == "0\na warning\nanother\nafter\nagain\n"


def test_an_error_gives_standard_error_back():
    console, before = Console(stderr=True), sys.stderr
    with pytest.raises(ValueError, match="stop"), paced_errors(console):
        raise ValueError("stop")
    assert sys.stderr is before
    assert console.file is sys.stderr
