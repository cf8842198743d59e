"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bncc.cli.names import BASES, BUNDLED, DATASETS, ENGINES, METRICS, MOST_KERNEL_ROWS, complete_files, starting_with

__all__ = [
    "BaseOption",
    "CategoryOption",
    "DataArgument",
    "DateOption",
    "DropOption",
    "EngineOption",
    "FeaturesOption",
    "GroupOption",
    "LabelsOption",
    "MetricOption",
    "NoPageOption",
    "NumberOption",
    "PageOption",
    "PartOption",
    "RawNamesOption",
    "SeparatorOption",
    "TextOption",
    "TimeLimitOption",
    "TimeOption",
    "TotalTimeOption",
]

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file (.arff, .csv, .tsv, .parquet, .jsonl, .svm, .mat, .npz), a folder with train and test files, or a "
        f"name from 'bncc data list' ({', '.join(BUNDLED)} need no file).",
        autocompletion=complete_files(sorted({*BUNDLED, *DATASETS})),
    ),
]
LabelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        "-l",
        help="Which columns are labels: names with commas between them, a count (-6: the last six, 6: the first six), "
        "one column of tags, or a Mulan XML file. Repeat the option for names that hold commas.",
    ),
]
TextOption = Annotated[
    list[str] | None,
    typer.Option("--text", help="Columns of free text, whatever is found: names with commas between them."),
]
CategoryOption = Annotated[
    list[str] | None, typer.Option("--category", help="Columns of categories, whatever is found, as --text.")
]
NumberOption = Annotated[
    list[str] | None, typer.Option("--number", help="Columns of numbers, whatever is found, as --text.")
]
DateOption = Annotated[list[str] | None, typer.Option("--date", help="Columns of dates, whatever is found, as --text.")]
DropOption = Annotated[
    list[str] | None,
    typer.Option("--drop", help="Columns that are neither feature nor label: names with commas between them."),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option(
        "--tag-separator",
        help="What stands between the tags in a column of tags; found by itself if not given.",
        show_default=False,
    ),
]
FeaturesOption = Annotated[
    str | None, typer.Option("--features", help="Name of the feature matrix in a .mat or .npz file.")
]
GroupOption = Annotated[
    str | None,
    typer.Option(
        "--group",
        metavar="COLUMN",
        help="The column that says what a row belongs to (a customer, a patient): its rows stay in one fold, also "
        "where settings and thresholds are chosen. It is no feature.",
    ),
]
TimeOption = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="COLUMN",
        help="The column that says when a row is from (numbers or dates): tests are on later rows. It is no feature.",
    ),
]
PartOption = Annotated[
    str, typer.Option("--part", help="Rows to use, where the data come with a split: all, train or test.")
]
BaseOption = Annotated[
    str,
    typer.Option(
        "--base",
        help="Classifier of each label: kernel (RBF SVM; sigma and C are searched) or linear (logistic regression); "
        f"auto takes linear for text and beyond {MOST_KERNEL_ROWS:,} rows, else kernel.",
        autocompletion=starting_with(BASES),
    ),
]
MetricOption = Annotated[
    str,
    typer.Option(
        "--metric",
        help="What sigma, C and thresholds are chosen for, such as example_f1, micro_f1, macro_f1, hamming_loss.",
        autocompletion=starting_with(METRICS),
    ),
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        min=0.1,
        max=1e9,
        help="Seconds for one fit of the recommended method; without it, as long as its bounds of work allow.",
        show_default=False,
    ),
]
TotalTimeOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        min=0.1,
        max=1e9,
        help="Seconds for all fits and tests together, reading aside. Methods take linear models where kernels would "
        "be too slow, and what would not be done in time is left out.",
        show_default=False,
    ),
]
EngineOption = Annotated[
    str,
    typer.Option(
        "--engine",
        help="Who solves kernel links: cpu, cuda (an NVIDIA GPU), or auto, the GPU where there is one and it pays.",
        autocompletion=starting_with(ENGINES),
    ),
]
PageOption = Annotated[
    Path, typer.Option("--page", help="The HTML page to write: one file that works offline, to look at and to keep.")
]
RawNamesOption = Annotated[
    bool,
    typer.Option(
        "--raw-names",
        help="In CSV, write names and texts as they are, also those that a spreadsheet would run as a formula; by "
        "default these get an apostrophe before them.",
    ),
]
NoPageOption = Annotated[bool, typer.Option("--no-page", help="Write no page.")]
