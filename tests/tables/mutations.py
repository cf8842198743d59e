"""Tables of tickets, broken in many ways, and what may come of reading them."""

import csv
import io
import json
import random
import warnings
from datetime import datetime

from bncc import TableFeatures, TableWarning
from bncc.datasets import make_tickets
from bncc.evaluation import Reading, build_pipeline, read_labelled

BASE = make_tickets(60, 11)
NUMBERS = ("account_age", "amount", "n_messages")
DATE_STYLES = (
    "%Y-%m-%d",
    "%Y-%m-%dT%H:%M:%SZ",
    "%d.%m.%Y %H:%M",
    "%m/%d/%Y",
    "%d %B %Y",
    "%b %d, %Y %I:%M %p",
    "%Y%m%d",
    "%a, %d %b %Y %H:%M:%S +0000",
)
NOTHING = ("", "NA", "n/a", "null", "?", "-", "None", "nan")
ODD_CELLS = (
    "???",
    "see below",
    "12 apples",
    "=1+1",
    "\u202e",
    "0x1f",
    "1e999",
    "2024-13-45",
    "{}",
    "é" * 50,
    "'",
    "-0",
)
ENCODINGS = ("utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16")
SEPARATORS = (",", ";", "\t", "|")


class Mutation:
    """A table, what was done to it, and columns whose kind is still certain."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        n_rows = self.random.choice((1, 2, 5, 20, 40, 60))
        start = self.random.randrange(0, 61 - n_rows)
        self.columns = {name: list(cells[start : start + n_rows]) for name, cells in BASE.items()}
        self.done = []
        self.certain = {"body": "text", "created": "date"} if n_rows >= 20 else {}
        for _ in range(self.random.randrange(1, 5)):
            change = self.random.choice(CHANGES)
            change(self)
            self.done.append(change.__name__)

    def some_column(self, *names):
        """One of these columns that is still there, or any but the tags."""
        there = [name for name in names if name in self.columns]
        return self.random.choice(there or [name for name in self.columns if name != "tags"])

    def touch(self, name, cells):
        self.columns[name] = cells
        self.certain.pop(name, None)


def flip_types(table):
    name = table.some_column()
    kinds = (
        lambda cell: table.random.choice(("yes", "no")),
        lambda cell: table.random.choice((True, False)),
        lambda cell: table.random.randrange(5),
        lambda cell: table.random.random(),
        lambda cell: str(cell),
        lambda cell: None,
        lambda cell: table.random.choice("abc"),
    )
    kind = table.random.choice(kinds)
    table.touch(name, [kind(cell) for cell in table.columns[name]])


def mix_types(table):
    name, share = table.some_column(), table.random.choice((0.02, 0.1, 0.3, 0.6))
    odd = [table.random.choice(ODD_CELLS) if table.random.random() < share else c for c in table.columns[name]]
    table.touch(name, odd)


def leave_gaps(table):
    name, word = table.some_column(), table.random.choice(NOTHING)
    table.touch(name, [word if table.random.random() < 0.4 else cell for cell in table.columns[name]])


def write_dates(table):
    style = table.random.choice(DATE_STYLES)
    moments = [datetime.strptime(str(cell), "%Y-%m-%d %H:%M") for cell in BASE["created"][: len(table.columns["tags"])]]
    table.columns["created"] = [moment.strftime(style) for moment in moments]


def write_numbers(table):
    name = table.some_column(*NUMBERS)
    styles = ("{:,.2f}", "${:.2f}", "{:.1f} %", "{:.2e}")
    style = table.random.choice(styles)
    cells = ["" if cell is None else style.format(float(cell)) for cell in _numbers(table, name)]
    if table.random.random() < 0.4:
        cells = [cell.replace(",", " ").replace(".", ",") for cell in cells]
    table.touch(name, cells)


def _numbers(table, name):
    return [cell if isinstance(cell, int | float) else None for cell in table.columns[name]]


def write_tags(table):
    mark = table.random.choice((", ", "|", " / ", ";", "json"))
    rows = [str(cell or "").split(";") for cell in BASE["tags"][: len(table.columns["tags"])]]
    table.columns["tags"] = [json.dumps(row) if mark == "json" else mark.join(row) for row in rows]


def rename(table):
    name = table.some_column()
    cells = table.columns.pop(name)
    table.certain.pop(name, None)
    table.columns[table.random.choice(("", "=x", "id", "a,b", "tags ", "body", "ü", "x" * 300))] = cells
    if "body" not in BASE or table.columns.get("body") is cells:
        table.certain.pop("body", None)


def repeat_column(table):
    table.columns["copy"] = list(table.columns[table.some_column()])


def drop_column(table):
    name = table.some_column()
    table.columns.pop(name)
    table.certain.pop(name, None)


CHANGES = (
    flip_types, mix_types, leave_gaps, write_dates, write_dates, write_numbers, write_tags, rename, repeat_column,
    drop_column,
)  # fmt: skip


def as_bytes(table):
    """The table as a file, which may be broken too: its encoding, its separators, rows that are too short or long."""
    draw = table.random
    out = io.StringIO()
    mark = draw.choices(SEPARATORS, (10, 1, 2, 1))[0]
    writer = csv.writer(out, delimiter=mark, lineterminator=draw.choice(("\n", "\r\n")))
    writer.writerow(table.columns)
    for row in zip(*table.columns.values(), strict=True):
        cells = ["" if cell is None else cell for cell in row]
        if draw.random() < 0.002:
            cells = cells[:-1] if draw.random() < 0.5 else [*cells, "more"]
        writer.writerow(cells)
    text = out.getvalue()
    if draw.random() < 0.03:
        at = draw.randrange(len(text))
        text = text[:at] + draw.choice(('"', "\0", "\n\n", mark)) + text[at:]
    encoding = draw.choices(ENCODINGS, (10, 2, 2, 1, 1))[0]
    return text.encode(encoding, "replace"), ".tsv" if mark == "\t" else ".csv"


def check_decisions(table, decisions):
    """Nothing is left unsaid, and text is text."""
    kinds = {each.column: each.read_as for each in decisions}
    assert all(each.why for each in decisions)
    for name, kind in table.certain.items():
        assert kinds.get(name) == kind, (name, kinds.get(name), table.done)
    for each in decisions:
        cells = [str(cell) for cell in table.columns.get(each.column, ()) if cell is not None]
        if each.read_as == "category" and cells and sum(len(cell.split()) for cell in cells) / len(cells) > 6:
            assert "text=" in each.why, (each, table.done)


def read_file(seed, folder):
    """Write a table, read it and learn from it: a reading, or an error in our words."""
    table = Mutation(seed)
    content, suffix = as_bytes(table)
    path = folder / f"t{suffix}"
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        try:
            data = read_labelled(path, Reading("tags"))
        except ValueError as error:
            return "refused" if len(str(error)) > 20 else f"no words for {table.done}"
        if not (set('\0"') & set(content.decode("latin-1"))):
            check_decisions(table, data.decisions)
        if data.n_rows >= 5:
            features = build_pipeline(data, "br", base="linear")[0]
            features.fit(data.X).transform(data.X)
    return "read"


def read_columns_in_memory(seed):
    """The same as a dict of columns, with Python's objects."""
    table = Mutation(seed)
    table.columns.pop("tags", None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        try:
            features = TableFeatures().fit(table.columns)
        except ValueError as error:
            return "refused" if "column" in str(error) else f"no words for {table.done}"
        check_decisions(table, features.decisions_)
        made = features.transform({name: cells[::-1] for name, cells in table.columns.items()})
        assert made.shape == (len(next(iter(table.columns.values()))), len(features.get_feature_names_out()))
    return "read"
