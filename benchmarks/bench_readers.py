"""Reading ARFF files: seconds of `read_arff` against liac-arff and, for dense rows, against pandas' C parser alone.

The dense files are real ones, and one of 63 MB made up from yeast's rows, where the parser is all that counts. pandas
is told where the data start and only makes a float array of them: no header, no names, no check of declared values,
no labels. liac-arff reads that file only with ``--liac``, as it takes long.

Sparse text: 10^6 rows of 40 features and 5 labels, written here (600 MB) in the format of the Extreme Classification
repository and, the same without its size line, as a multi-label LIBSVM file. Each is read in a process of its own,
whose peak memory is set against that of the data set. scikit-learn's `load_svmlight_file` reads the LIBSVM file, too.
``--text`` runs this part alone; with ``--record`` the other rows stay as they were recorded.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import arff
import numpy as np
import pandas as pd
from harness import RECORDED, best_of, finish

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


SPARSE_ROWS = 1_000_000
READ_TEXT = """
import json, sys, time
from bncc.datasets import READER
def peak():  # ru_maxrss would begin with that of the process that started this one
    return next(1024 * int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
before, start = peak(), time.perf_counter()
data = READER(sys.argv[1], max_bytes=2**32)
seconds = time.perf_counter() - start
own = sum(a.nbytes for m in (data.X, data.Y_sparse) for a in (m.data, m.indices, m.indptr))
print(json.dumps([seconds, (peak() - before) / own, data.n_rows]))
"""
READ_BY_PEER = """
import sys, time
from sklearn.datasets import load_svmlight_file
start = time.perf_counter()
load_svmlight_file(sys.argv[1], multilabel=True, zero_based=True)
print(time.perf_counter() - start)
"""


def write_sparse_text(path: Path, n_rows: int) -> None:
    rng = np.random.default_rng(0)
    with path.open("w") as out:
        out.write(f"{n_rows} 100000 10000\n")
        for _ in range(0, n_rows, 1000):
            columns = (100_000 * rng.random((1000, 40)) ** 3).astype(int).tolist()
            labels = (10_000 * rng.random((1000, 5)) ** 2).astype(int).tolist()
            for row, values, tags in zip(columns, rng.random((1000, 40)).tolist(), labels, strict=True):
                cells = dict(zip(sorted(row), values, strict=True))
                out.write(",".join(map(str, sorted(set(tags)))))
                out.writelines(f" {column}:{value:.6f}" for column, value in cells.items())
                out.write("\n")


def sparse_text_rows(folder: Path) -> list[dict[str, object]]:
    sized, plain = folder / "large.txt", folder / "large.svm"
    write_sparse_text(sized, SPARSE_ROWS)
    with sized.open("rb") as source, plain.open("wb") as target:
        source.readline()
        shutil.copyfileobj(source, target)
    extreme, libsvm, peer = [], [], []
    for _ in range(2):  # in turns, so that what else the machine does hits all of them
        extreme.append(read_apart(READ_TEXT.replace("READER", "read_extreme"), sized))
        libsvm.append(read_apart(READ_TEXT.replace("READER", "read_libsvm"), plain))
        peer.append(read_apart(READ_BY_PEER, plain))
    ratio = {"faster than load_svmlight_file": min(peer) / min(libsvm)[0]}
    return [
        sparse_text_row("the Extreme Classification format", "read_extreme", sized, *min(extreme)),
        sparse_text_row("the LIBSVM format", "read_libsvm", plain, *min(libsvm)) | ratio,
    ]


def sparse_text_row(
    form: str, reader: str, path: Path, seconds: float, memory: float, n_rows: int
) -> dict[str, object]:
    megabytes = path.stat().st_size / 1e6
    return {
        "file": f"{n_rows:,} rows of text, {reader}",
        "kind": "sparse text",
        "format": form,
        "MB": megabytes,
        "seconds": seconds,
        "MB/s": megabytes / seconds,
        "peak memory / data set": memory,
    }


def read_apart(script: str, path: Path) -> Any:
    """What a script prints of a file, as JSON, in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    from os import environ

    if "--text" in sys.argv:
        with tempfile.TemporaryDirectory() as scratch:
            rows = sparse_text_rows(Path(scratch))
        recorded = json.loads((RECORDED / "readers.json").read_text())
        others = [row for row in recorded["rows"] if row["kind"] != "sparse text"]
        finish("readers", others + rows, **recorded["notes"])
        return
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
        rows += sparse_text_rows(Path(scratch))
    whole = best_of(lambda: [load(name) for name in catalogue()], repeats=1)[0]
    finish("readers", rows, all_twenty_sets_s=whole)


if __name__ == "__main__":
    main()
