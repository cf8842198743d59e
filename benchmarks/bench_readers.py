"""Reading ARFF files: seconds of `read_arff` against liac-arff and, for dense rows, against pandas' C parser alone.

The dense files are real ones, and one of 63 MB made up from yeast's rows, where the parser is all that counts. pandas
is told where the data start and only makes a float array of them: no header, no names, no check of declared values,
no labels. liac-arff reads that file only with ``--liac``, as it takes long.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import arff
import numpy as np
import pandas as pd
from harness import best_of, finish

from bncc.datasets import catalogue, load, numbers, read_arff
from bncc.datasets.arff_header import split_at_data
from bncc.datasets.files import read_lines_as_bytes

DENSE = ["emotions", "yeast", "scene", "waterquality", "genbase"]
SPARSE = ["medical", "enron", "humango", "eukaryotego", "humanpseaac", "bibtex", "delicious"]


def file_of(name: str, folder: Path) -> Path:
    entry = catalogue()[name]
    return folder / name / (entry.file or entry.parts[0])


def with_liac(path: Path, is_sparse: bool) -> float:
    start = time.perf_counter()
    with path.open(encoding="utf-8") as stream:
        arff.load(stream, return_type=arff.LOD if is_sparse else arff.DENSE)
    return time.perf_counter() - start


def with_pandas(path: Path) -> float:
    _, _, first_line = split_at_data(read_lines_as_bytes(path, 2**30), str(path))
    return best_of(lambda: pd.read_csv(path, header=None, skiprows=first_line - 1).to_numpy(np.float64), repeats=7)[0]


def without_pandas(path: Path, **options: object) -> float:
    numbers._pandas_serves, kept = lambda n_bytes: False, numbers._pandas_serves
    try:
        return best_of(lambda: read_arff(path, **options), repeats=7)[0]
    finally:
        numbers._pandas_serves = kept


def row(name: str, path: Path, is_sparse: bool, liac: bool = True, **options: object) -> dict[str, object]:
    megabytes = path.stat().st_size / 1e6
    seconds, _ = best_of(lambda: read_arff(path, **options), repeats=7)
    out = {
        "file": name,
        "kind": "sparse" if is_sparse else "dense",
        "MB": megabytes,
        "seconds": seconds,
        "MB/s": megabytes / seconds,
    }
    if not is_sparse and name != "genbase":
        out["without pandas s"] = without_pandas(path, **options)
        pandas_seconds = with_pandas(path)
        out |= {"pandas alone s": pandas_seconds, "times pandas": seconds / pandas_seconds}
    if liac:
        liac_seconds = with_liac(path, is_sparse)
        out |= {"liac-arff s": liac_seconds, "faster than liac": liac_seconds / seconds}
    return out


def large_file(folder: Path, target: Path, megabytes: int) -> None:
    content = (folder / "yeast" / "yeast.arff").read_bytes()
    at = content.lower().index(b"@data") + 6
    rows = content[at:].strip() + b"\n"
    target.write_bytes(content[:at] + rows * (megabytes * 10**6 // len(rows)))


def main() -> None:
    from os import environ

    folder = Path(environ["BNCC_DATA"])
    rows = []
    for name in DENSE + SPARSE:
        entry = catalogue()[name]
        options = dict(entry.options)
        if isinstance(options.get("labels"), str):
            options["labels"] = folder / name / options["labels"]
        rows.append(row(name, file_of(name, folder), name in SPARSE, **options))
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "large.arff"
        large_file(folder, path, 64)
        rows.append(row("yeast x 26", path, False, liac="--liac" in sys.argv, labels=-14))
    whole = best_of(lambda: [load(name) for name in catalogue()], repeats=1)[0]
    finish("readers", rows, all_twenty_sets_s=whole)


if __name__ == "__main__":
    main()
