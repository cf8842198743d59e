"""`bncc data`: the catalogue, data sets from OpenML, and files from one format to another."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bncc._interrupt import stop_with_care
from bncc.cli.names import FETCHABLE, starting_with
from bncc.cli.options import (
    DataArgument,
    DropOption,
    FeaturesOption,
    LabelsOption,
    RawNamesOption,
    SeparatorOption,
    TextOption,
)
from bncc.cli.output import JsonOption, QuietOption, Voice

if TYPE_CHECKING:
    from bncc.datasets import BundledSet
    from bncc.evaluation import LabelledData

__all__ = ["data"]

data = typer.Typer(no_args_is_help=True, help="List, describe, fetch and convert data sets.")


@data.command("list")
def list_sets(as_json: JsonOption = False, quiet: QuietOption = False) -> None:
    """List the data sets known by name, with their figures and where they are."""
    from bncc.datasets import available, bundled, catalogue, fetchable

    stop_with_care()
    voice = Voice(as_json, quiet)
    present = available() if os.environ.get("BNCC_DATA") else []
    online = fetchable()
    entries = [
        {
            "name": name,
            "title": entry.title,
            "rows": entry.figures.n_rows,
            "features": entry.figures.n_features,
            "labels": entry.figures.n_labels,
            "cardinality": entry.figures.cardinality,
            "mean_imbalance": entry.figures.mean_imbalance,
            "present": name in present,
            "bundled": name in bundled(),
            "openml": online.get(name),
        }
        for name, entry in catalogue().items()
    ]
    entries += [_bundled_entry(found) for name, found in bundled().items() if name not in catalogue()]
    entries.sort(key=lambda entry: not entry["bundled"])  # stable: those that need nothing come first
    entries += [{"name": name, "openml": number} for name, number in online.items() if name not in catalogue()]
    keys = ("name", "rows", "features", "labels", "cardinality", "mean_imbalance")
    rows = [[*(str(entry.get(key, "")) for key in keys), _where(entry)] for entry in entries]
    headings = ["name", "rows", "features", "labels", "card.", "imbalance", "where"]
    folder = os.environ.get("BNCC_DATA")
    caption = f"here: in {folder}" if folder else "others: set BNCC_DATA to the folder that holds your copies"
    voice.rows("Data sets", headings, rows, caption)
    voice.finish({"folder": folder, "sets": entries})


def _bundled_entry(found: BundledSet) -> dict[str, Any]:
    from bncc.evaluation import read_labelled

    data = read_labelled(found.name)
    keys = ("rows", "features", "labels", "cardinality", "mean_imbalance")
    rounded = {key: round(value, 3) if isinstance(value, float) else value for key, value in _facts(data).items()}
    figures = {key: rounded[key] for key in keys}
    return {"name": found.name, "title": found.title, **figures, "present": False, "bundled": True, "openml": None}


def _where(entry: dict[str, Any]) -> str:
    local = (["in the package"] if entry.get("bundled") else []) + (["here"] if entry.get("present") else [])
    return ", ".join(local + (["OpenML"] if entry.get("openml") else [])) or "-"


@data.command(epilog="Example:\n\nbncc data info photos.csv --labels -4")
def info(
    source: DataArgument,
    labels: LabelsOption = None,
    text: TextOption = None,
    drop: DropOption = None,
    tag_separator: SeparatorOption = None,
    features: FeaturesOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Describe a data set: its size, how many labels rows have, how uneven labels are, and its split."""
    from bncc.evaluation import Reading, read_labelled

    stop_with_care()
    voice = Voice(as_json, quiet)
    labelled = read_labelled(source, Reading(labels, text or (), drop or (), tag_separator, features))
    facts = _facts(labelled)
    voice.rows(labelled.name, ["", ""], [(key.replace("_", " "), _shown(value)) for key, value in facts.items()])
    voice.finish({**facts, "label_names": list(labelled.label_names)})


def _facts(data: LabelledData) -> dict[str, Any]:
    import numpy as np
    from scipy import sparse

    from bncc.labels import profile_labels

    unknown = sparse.csr_array(np.isnan(data.known_labels).astype(np.int8)) if data.has_unknown else None
    profile = profile_labels(data.label_matrix, unknown)
    return {
        "name": data.name,
        "source": data.origin,
        "rows": data.n_rows,
        "features": int(data.X.shape[1]),
        "sparse": sparse.issparse(data.X),
        "labels": profile.n_labels,
        "cardinality": profile.cardinality,
        "density": profile.density,
        "mean_imbalance": profile.mean_imbalance,
        "label_sets": profile.n_label_sets,
        "unknown_labels": 0.0 if unknown is None else unknown.nnz / (data.n_rows * profile.n_labels),
        "train_rows": None if data.train is None else len(data.train),
        "test_rows": None if data.test is None else len(data.test),
    }


def _shown(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


@data.command("fetch", epilog="Example:\n\nbncc data fetch yeast -o yeast.arff")
def fetch_set(
    name: Annotated[
        str,
        typer.Argument(
            help="A name that 'bncc data list' shows as on OpenML.",
            autocompletion=starting_with(FETCHABLE),
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Also write it to this .arff, .csv, .parquet, .npz, .svm or .txt file."),
    ] = None,
    raw_names: RawNamesOption = False,
    cache: Annotated[Path | None, typer.Option(help="Folder of the cache; default: scikit-learn's.")] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fetch a data set from OpenML; the second time it comes from the cache."""
    from bncc.cli.writing import check_output
    from bncc.datasets import fetch, save
    from bncc.evaluation import as_labelled

    stop_with_care()
    voice = Voice(as_json, quiet)
    if output is not None:
        _check_suffix(output)
        check_output(output)
    with voice.progress("Fetching", 1) as begin:
        begin(name)
        dataset = fetch(name, cache=cache)
    written = [] if output is None else [str(file) for file in save(dataset, output, raw_names=raw_names)]
    voice.show(repr(dataset), *(f"Wrote {file}" for file in written))
    voice.finish({**_facts(as_labelled(dataset)), "files": written})


@data.command(epilog="Example:\n\nbncc data convert yeast.arff yeast.csv")
def convert(
    source: DataArgument,
    output: Annotated[
        Path, typer.Argument(help="The .arff, .csv, .tsv, .parquet, .npz, .svm or .txt file to write (.gz for text).")
    ],
    labels: LabelsOption = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="mulan (ARFF and XML), meka (ARFF), csv, parquet, numpy, libsvm or extreme; default: by the name."
        ),
    ] = None,
    drop: DropOption = None,
    tag_separator: SeparatorOption = None,
    features: FeaturesOption = None,
    raw_names: RawNamesOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Read a data set in one format and write it in another."""
    from bncc.cli.writing import check_output
    from bncc.datasets import save
    from bncc.datasets.files import plain_stem
    from bncc.evaluation import Reading, as_labelled
    from bncc.evaluation.reading import load_dataset

    stop_with_care()
    voice = Voice(as_json, quiet)
    _check_suffix(output, format)
    check_output(output, source)
    check_output(output.with_name(f"{plain_stem(output)}.xml"), *(name for name in labels or () if _is_xml(name)))
    dataset = load_dataset(source, Reading(labels, (), drop or (), tag_separator, features))
    written = [str(file) for file in save(dataset, output, format=format, raw_names=raw_names)]
    voice.show(repr(dataset), *(f"Wrote {file}" for file in written))
    voice.finish({**_facts(as_labelled(dataset)), "files": written})


def _is_xml(name: str) -> bool:
    return name.lower().endswith(".xml")


def _check_suffix(output: Path, format: str | None = None) -> None:
    from bncc.datasets.files import plain_suffix
    from bncc.datasets.formats import known_suffixes

    *others, last = known_suffixes(written=True)
    if format is None and plain_suffix(output) not in (*others, last):
        raise ValueError(
            f"the output must end in {', '.join(others)} or {last} (.gz allowed for text); got {output.name!r}."
        )
