"""A table as a frozen record, and its renderings: Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass
from typing import TypeGuard

from bncc._spreadsheets import spreadsheet_text

__all__ = ["Cell", "Section", "Table"]

#: Marks of cells and how LaTeX writes them.
_LATEX_MARKS = {"↗": r"$\nearrow$", "↘": r"$\searrow$", "√": r"$^\surd$", "●": r"$\bullet$", "○": r"$\circ$"}
_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": "$-$",
    "σ": r"$\sigma$",
    "…": r"\dots{}",
    **_LATEX_MARKS,
}
_MISSING = "–"


@dataclass(frozen=True)
class Cell:
    """One cell: text or a number with, maybe, a standard deviation, emphasis and a mark.

    Attributes
    ----------
    value : float, str or None
        None and NaN are shown as a dash.
    std : float or None
    decimals : int
        Digits shown after the point.
    best : bool
        Shown in bold.
    mark : str
        Shown behind the value, such as an arrow.
    signed : bool
        Positive numbers get a plus.
    bounded : bool
        A number that rounds to zero is shown as below the smallest that does not, as p-values are.
    """

    value: float | str | None = None
    std: float | None = None
    decimals: int = 4
    best: bool = False
    mark: str = ""
    signed: bool = False
    bounded: bool = False

    @property
    def text(self) -> str:
        """Value and standard deviation as shown, without emphasis and mark.

        >>> Cell(0.12345, std=0.01).text, Cell(None).text, Cell(2e-7, bounded=True).text
        ('0.1235 ± 0.0100', '–', '<0.0001')
        """
        if isinstance(self.value, str):
            return self.value
        if not _is_known(self.value):
            return _MISSING
        shown = self._number(self.value, "+" if self.signed else "")
        return shown if not _is_known(self.std) else f"{shown} ± {self._number(self.std)}"

    def _number(self, value: float, sign: str = "") -> str:
        rounded = round(float(value), self.decimals) + 0.0  # minus zero becomes zero
        if self.bounded and rounded == 0:
            return f"<{10**-self.decimals:.{self.decimals}f}"
        return f"{rounded:{sign}.{self.decimals}f}"


@dataclass(frozen=True)
class Section:
    """Rows under one heading; the first cell of a row names it."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Table:
    """A table with rows in sections; one without a title is a plain run of rows.

    Attributes
    ----------
    title : str
    columns : tuple of str
        Heads of all columns, that of the row names first.
    sections : tuple of Section
    note : str
        What bold and marks mean.
    """

    title: str
    columns: tuple[str, ...]
    sections: tuple[Section, ...]
    note: str = ""

    def __post_init__(self) -> None:
        for section in self.sections:
            for row in section.rows:
                if len(row) != len(self.columns):
                    raise ValueError(f"A row of this table has {len(self.columns)} cells; got {len(row)}.")

    def to_markdown(self) -> str:
        """GitHub-flavoured Markdown, columns aligned in the source; title and note stay with the caller.

        >>> row = (Cell("yeast"), Cell(0.64), Cell(0.66, best=True, mark="↗"))
        >>> print(Table("MicF", ("Data set", "CC", "BNCC"), (Section("", (row,)),)).to_markdown())
        | Data set |     CC |         BNCC |
        |:---------|-------:|-------------:|
        | yeast    | 0.6400 | **0.6600** ↗ |
        """
        lines = [[_markdown(column) for column in self.columns]]
        for section in self.sections:
            if section.title:
                lines.append([f"**{_markdown(section.title)}**"] + [""] * (len(self.columns) - 1))
            lines += [[_markdown_cell(cell) for cell in row] for row in section.rows]
        widths = [max(3, *(len(line[i]) for line in lines)) for i in range(len(self.columns))]
        left = self._words()
        rule = [":" + "-" * (w + 1) if words else "-" * (w + 1) + ":" for w, words in zip(widths, left, strict=True)]
        shown = [
            [t.ljust(w) if words else t.rjust(w) for t, w, words in zip(line, widths, left, strict=True)]
            for line in lines
        ]
        rows = ["| " + " | ".join(line) + " |" for line in shown]
        return "\n".join([rows[0], "|" + "|".join(rule) + "|", *rows[1:]])

    def to_latex(self) -> str:
        """A LaTeX table in the manner of the package booktabs, with caption and note; text is escaped."""
        n = len(self.columns)
        body: list[str] = []
        for position, section in enumerate(self.sections):
            if section.title:
                body += ([r"\midrule"] if position else []) + [
                    rf"\multicolumn{{{n}}}{{l}}{{\textbf{{{_latex(section.title)}}}}} \\"
                ]
            body += [" & ".join(_latex_cell(cell) for cell in row) + r" \\" for row in section.rows]
        head = " & ".join(_latex(column) for column in self.columns) + r" \\"
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{_latex(self.title)}}}"]
        align = "".join("l" if words else "r" for words in self._words())
        lines += [rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule", *body]
        lines += [r"\bottomrule", r"\end{tabular}"]
        if self.note:
            lines += [rf"\par\smallskip{{\footnotesize {_latex(self.note)}}}"]
        return "\n".join([*lines, r"\end{table}"])

    def _words(self) -> list[bool]:
        """Which columns are words, to be set flush left: the first, and those whose cells all begin with a letter."""
        rows = [row for section in self.sections for row in section.rows]
        return [
            i == 0 or (bool(rows) and all(isinstance(row[i].value, str) and row[i].text[:1].isalpha() for row in rows))
            for i in range(len(self.columns))
        ]

    def to_csv(self, *, raw_names: bool = False) -> str:
        """Comma-separated values with full precision; standard deviations have columns of their own, marks none.

        Words that a spreadsheet would run as a formula get an apostrophe, unless `raw_names` says not to.
        """
        written = str if raw_names else spreadsheet_text
        titled = any(section.title for section in self.sections)
        rows = [row for section in self.sections for row in section.rows]
        spread = [any(_is_known(row[i].std) for row in rows) for i in range(len(self.columns))]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        head = [
            name
            for i, column in enumerate(self.columns)
            for name in ([column, f"{column} std"] if spread[i] else [column])
        ]
        writer.writerow((["section"] if titled else []) + [written(name) for name in head])
        for section in self.sections:
            for row in section.rows:
                line = [written(section.title)] if titled else []
                for cell, with_std in zip(row, spread, strict=True):
                    value = written(cell.value) if isinstance(cell.value, str) else _csv(cell.value)
                    line += [value] + ([_csv(cell.std)] if with_std else [])
                writer.writerow(line)
        return out.getvalue()


def _is_known(value: float | None) -> TypeGuard[float]:
    return value is not None and not math.isnan(value)


def _csv(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.10g}"


def _markdown(text: str) -> str:
    """Text that Markdown shows as it is: one line, no pipes, no markup."""
    out = " ".join(text.split())
    for character in "\\`*_[]|":
        out = out.replace(character, "\\" + character)
    return re.sub(r"<(?=[A-Za-z/!?])", "&lt;", out)


def _markdown_cell(cell: Cell) -> str:
    text = _markdown(cell.text)
    text = f"**{text}**" if cell.best else text
    return f"{text} {cell.mark}" if cell.mark else text


def _latex(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(character, character) for character in " ".join(text.split()))


def _latex_cell(cell: Cell) -> str:
    text = _latex(cell.text) if cell.text != _MISSING else "--"
    return (rf"\textbf{{{text}}}" if cell.best else text) + _latex(cell.mark)
