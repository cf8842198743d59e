"""Running the code blocks of a Markdown page, from top to bottom, as a reader would.

- `python` blocks share one namespace; those with `>>>` are doctests, and what they show must come out.
- `console` blocks: lines after `$ ` are run by a shell, what follows must come out (`...` stands for anything; nothing
  shown is nothing compared), and the exit status must be 0, or the one in `<!-- exit status 2 -->` above the block.
- A block below `<!-- file: NAME -->` is written to that file.
- A block below `<!-- not run: REASON -->` is left out, and listed by the test.
- `text` blocks and directives of the site are no code. Any other language is a mistake.

All happens in one empty folder per page.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_FENCE = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n+)?^(?P<fence>```+|~~~+)(?P<kind>[^\n]*)\n(?P<text>.*?)^(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it begins at, and the comment above it."""

    page: str
    line: int
    kind: str
    text: str
    mark: str

    @property
    def left_out(self) -> bool:
        return self.mark.startswith("not run: ")

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(path: Path) -> Iterator[Block]:
    """All fenced blocks of a page but directives of the site and `text` that is no file."""
    page = path.read_text(encoding="utf-8")
    for match in _FENCE.finditer(page):
        kind, mark = match["kind"].strip(), match["mark"] or ""
        if mark.startswith("file: ") or (kind != "text" and not kind.startswith("{")):
            line = page.count("\n", 0, match.start("fence")) + 1
            yield Block(path.name, line, kind, match["text"], mark)


def run_page(path: Path) -> int:
    """Run all blocks of a page in the current folder; gives how many."""
    names: dict[str, object] = {"__name__": "__main__"}
    count = 0
    for block in blocks_of(path):
        if block.left_out:
            continue
        count += 1
        if block.mark.startswith("file: "):
            Path(block.mark.removeprefix("file: ")).write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            _run_python(block, names)
        elif block.kind == "console":
            _run_console(block)
        else:
            raise AssertionError(
                f"{block}: a block must be python, console, text, a file or not run; got {block.kind!r}"
            )
    return count


def _run_python(block: Block, names: dict[str, object]) -> None:
    if ">>>" not in block.text:
        exec(compile("\n" * block.line + block.text, str(block), "exec"), names)
        return
    example = doctest.DocTestParser().get_doctest(block.text, {}, str(block), block.page, block.line)
    example.globs = names
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(example, out=said.append, clear_globs=False)
    assert not said, "".join(said)


def _run_console(block: Block) -> None:
    status = int(block.mark.removeprefix("exit status ")) if block.mark.startswith("exit status ") else 0
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        while command.endswith("\\"):
            more, _, expected = expected.partition("\n")
            command = f"{command[:-1]} {more.strip()}"
        done = subprocess.run(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
            env=_environment(),
            check=False,
        )
        said = f"{block}: $ {command}\nexit status {done.returncode}\n{done.stdout}"
        assert done.returncode == status, said
        assert not expected.strip() or shows(expected, done.stdout), said


def shows(expected: str, output: str) -> bool:
    """Whether an output is as shown: blanks and empty lines aside, and `...` for anything in a line, or any lines."""
    wanted, got = (
        [" ".join(line.split()) for line in text.splitlines() if line.strip()] for text in (expected, output)
    )
    parts = ["(.*\n)*" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n" for line in wanted]
    return re.fullmatch("".join(parts), "\n".join([*got, ""])) is not None


def _environment() -> dict[str, str]:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    warnings = ",".join(filter(None, ("error", os.environ.get("BNCC_DOC_WARNINGS"))))  # later ones count first
    return {**os.environ, "PATH": programs, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONWARNINGS": warnings}
