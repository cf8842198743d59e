"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bncc.cli.names import BASES, DATASETS, ENGINES, METRICS, MOST_KERNEL_ROWS, complete_files, starting_with

__all__ = [
    "BaseOption",
    "DataArgument",
    "DropOption",
    "EngineOption",
    "FeaturesOption",
    "LabelsOption",
    "MetricOption",
    "NoPageOption",
    "PageOption",
    "PartOption",
    "RawNamesOption",
    "SeparatorOption",
    "TextOption",
    "TimeLimitOption",
]

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A file (.arff, .csv, .tsv, .parquet, .svm, .mat, .npz), a folder with train and test files, or a name "
        "from 'bncc data list'.",
        autocompletion=complete_files(DATASETS),
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
    list[str] | None, typer.Option("--text", help="A column of free text, turned into TF-IDF weights (repeatable).")
]
DropOption = Annotated[
    list[str] | None, typer.Option("--drop", help="A column that is neither feature nor label (repeatable).")
]
SeparatorOption = Annotated[
    str, typer.Option("--tag-separator", help="What stands between the tags in a column of tags.")
]
FeaturesOption = Annotated[
    str | None, typer.Option("--features", help="Name of the feature matrix in a .mat or .npz file.")
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
        help="Seconds for one fit of the recommended method; without it, as long as its bounds of work allow.",
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
