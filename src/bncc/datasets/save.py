"""Data sets to files, in any format that can be written: ARFF of Mulan and MEKA, tables, archives, sparse text."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path

from bncc.datasets.dataset import Dataset
from bncc.datasets.files import shorten
from bncc.datasets.formats import format_of, writers

__all__ = ["save"]

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def save(
    data: Dataset, path: str | os.PathLike[str], *, format: str | None = None, raw_names: bool = False
) -> list[Path]:
    """Write a data set and return the files written; ``.gz`` at the end packs them.

    Parameters
    ----------
    format : {"mulan", "meka", "csv", "parquet", "numpy", "libsvm", "extreme"} or None
        ``mulan``: an ARFF file, labels last, and an XML file beside it that names them. ``meka``: an ARFF file with
        the labels first and ``-C`` in the relation name. ``csv``: a line of names, features then labels, missing
        values empty; a tab separates columns if the path ends in ``.tsv``. ``parquet``: the same
        columns (needs pyarrow). ``numpy``: an archive of `X`, `Y` and names; for a sparse `X` two files that
        `scipy.sparse.load_npz` reads, the labels in ``NAME-labels.npz``. ``libsvm``: labels and ``number:value`` of
        what is not 0, features from 1. ``extreme``: the same with a line of sizes before it, all from 0, as the Extreme
        Classification repository has it. Neither keeps names, but for labels that are whole numbers in LIBSVM's. None
        takes the format that the suffix says, and mulan for ``.arff``.
    raw_names : bool
        In CSV, names and categories that a spreadsheet would run as a formula (those that begin with ``=``, ``+``,
        ``-``, ``@``, a tab or a line end, numbers aside) get an apostrophe before them, which `load` takes away
        again. True writes them as they are.

    A sparse `X` gives sparse ARFF. Values are written so that reading gives the same float64. Nominal features are
    written as such, with the texts that their numbers stand for (`Dataset.categories`). The split
    is not written: save the parts of `train_test` under names of their own.

    >>> from bncc.datasets import load, make_dataset
    >>> import tempfile
    >>> data = make_dataset([[0.5], [2.0]], [[1, 0], [0, 1]], feature_names=["a b"], label_names=["it's", "50%"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print([file.name for file in save(data, f"{folder}/toy.arff")])
    ...     print(load(f"{folder}/toy.arff").label_names)
    ['toy.arff', 'toy.xml']
    ("it's", '50%')
    """
    file = Path(path)
    by_suffix = format_of(file)
    if format:
        write = writers().get(format)
    else:
        write = None if by_suffix is None else by_suffix.write
    if write is None:
        raise ValueError(f"`format` must be one of {sorted(writers())}; got {format!r} for {file.name!r}.")
    if data.unknown is not None and write not in (writers()["csv"], writers()["parquet"]):
        raise ValueError(
            f"{file.name!r} cannot say which labels are unknown; save CSV, where their cells are empty, or Parquet."
        )
    _check_names(data)
    marks_names = "raw_names" in inspect.signature(write).parameters
    return write(data, file, raw_names=True) if raw_names and marks_names else write(data, file)


def _check_names(data: Dataset) -> None:
    names = [*data.feature_names, *data.label_names]
    both = sorted(set(data.feature_names) & set(data.label_names))
    if both:
        raise ValueError(f"a file cannot tell features and labels of the same name apart: {both[:5]}.")
    texts = [text for group in data.categories.values() for text in group]
    bad = [name for name in [data.name, *names, *texts] if _UNWRITABLE.search(name)]
    if bad:
        raise ValueError(
            f"names and categories must hold no control characters; got {', '.join(map(shorten, bad[:5]))}."
        )
