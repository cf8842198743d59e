"""Data sets from OpenML, fetched and cached by scikit-learn, then checked here.

Three checks: scikit-learn compares the file with the MD5 sum that OpenML states; the figures must be those of the
catalogue (OpenML's copies have other names and value codings than Mulan's files, so their bytes cannot be pinned);
and the fingerprint of the first fetch is kept beside the cache, so that a later one cannot differ unnoticed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Floats
from bncc.datasets.arff_data import fill_first_values
from bncc.datasets.catalogue import Entry, catalogue
from bncc.datasets.column_table import Column, ColumnTable, label_columns, table_to_dataset
from bncc.datasets.dataset import Dataset, fingerprint

if TYPE_CHECKING:
    from sklearn.utils import Bunch

__all__ = ["fetch", "fetchable", "is_fetched"]

_OTHERS = {"birds": 40588, "image": 40592, "langlog": 40593, "reuters": 40594, "slashdot": 40596}


def fetchable() -> dict[str, int]:
    """Names that `fetch` knows, with their numbers at OpenML.

    >>> fetchable()["yeast"]
    40597
    """
    known = {name: entry.openml for name, entry in catalogue().items() if entry.openml is not None}
    return dict(sorted({**known, **_OTHERS}.items()))


def fetch(name: str, *, cache: str | os.PathLike[str] | None = None, server: str | None = None) -> Dataset:
    """Fetch a data set from OpenML; the second time it comes from the cache.

    Parameters
    ----------
    name : one of `fetchable()`
    cache : folder; by default scikit-learn's data folder
    server : address to ask instead of OpenML's, such as a mirror; by default that in the environment variable
        BNCC_OPENML, if set. Each server has a cache of its own.
    """
    known = fetchable()
    if name not in known:
        raise ValueError(f"`name` must be a data set known at OpenML: {', '.join(known)}; got {name!r}.")
    server = server or os.environ.get("BNCC_OPENML")
    home = _cache_folder(cache, server)
    bunch = _download(name, known[name], home, server)
    entry = catalogue().get(name)
    data = _to_dataset(bunch, name, known[name], () if entry is None else tuple(entry.options.get("drop", ())))
    if entry is not None:
        _check_figures(data, entry)
    _check_fingerprint(data, _record(home, known[name]))
    return data


def is_fetched(name: str) -> bool:
    """Whether `fetch` has been here before and left this data set in the cache that it uses by default."""
    number = fetchable().get(name)
    return number is not None and _record(_cache_folder(None, os.environ.get("BNCC_OPENML")), number).is_file()


def _record(home: Path, number: int) -> Path:
    return home / "bncc" / f"{number}.sha256"


def _cache_folder(cache: str | os.PathLike[str] | None, server: str | None) -> Path:
    default = os.environ.get("SCIKIT_LEARN_DATA") or "~/scikit_learn_data"  # scikit-learn's own would be made here
    home = Path(cache) if cache is not None else Path(default).expanduser()
    return home if server is None else home / f"mirror-{hashlib.sha256(server.encode()).hexdigest()[:12]}"


def _download(name: str, data_id: int, home: Path, server: str | None) -> Bunch:
    from sklearn.datasets import fetch_openml  # imports pandas, which takes long and is needed nowhere else

    try:
        with _asking(server), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="A network error occurred")
            # Labels are taken as columns like the others: the targets that scikit-learn makes of a sparse file are not
            # set where a row leaves them out.
            return fetch_openml(
                data_id=data_id, data_home=str(home), target_column=None, as_frame=False, parser="liac-arff"
            )
    except OSError as error:
        files = f"put the files into the folder that BNCC_DATA names and use load({name!r}), or "
        raise ConnectionError(
            f"cannot fetch {name!r} from {server or 'OpenML'} ({error}). If this machine is offline, "
            f"{files if name in catalogue() else ''}copy the cache ({home}) from another one."
        ) from error
    except (KeyError, ValueError) as error:
        raise ValueError(f"the answer of {server or 'OpenML'} for {name!r} cannot be used: {error}") from error


class _Mirror(urllib.request.BaseHandler):
    """Sends what is meant for openml.org to another server."""

    handler_order = 50

    def __init__(self, server: str) -> None:
        self.server = server.rstrip("/")

    def _redirect(self, request: urllib.request.Request) -> object:
        if not (request.host or "").endswith("openml.org"):
            return None
        moved = urllib.request.Request(
            self.server + urlsplit(request.full_url).path, headers=dict(request.header_items())
        )
        moved.remove_header("Host")
        return self.parent.open(moved, timeout=request.timeout)

    https_open = http_open = _redirect


@contextlib.contextmanager
def _asking(server: str | None) -> Iterator[None]:
    """Within this, what is asked of OpenML is asked of `server`; scikit-learn has no setting for its address."""
    if server is None:
        yield
        return
    if urlsplit(server).scheme not in ("http", "https"):
        raise ValueError(f"`server` must be an http or https address; got {server!r}.")
    urllib.request.install_opener(urllib.request.build_opener(_Mirror(server)))
    try:
        yield
    finally:
        urllib.request.install_opener(None)


def _to_dataset(bunch: Bunch, name: str, data_id: int, drop: tuple[str, ...]) -> Dataset:
    columns = [
        Column(column, tuple(bunch.categories[column]) if column in bunch.categories else None)
        for column in bunch.feature_names
    ]
    X = sparse.csr_array(bunch.data) if sparse.issparse(bunch.data) else np.asarray(bunch.data)
    source = f"https://www.openml.org/d/{data_id}"
    table = ColumnTable(_decode_nominal(X, columns), tuple(columns), np.empty(0, np.int64), source)
    targets = bunch.details.get("default_target_attribute") or []
    labels = label_columns(table, targets.split(",") if isinstance(targets, str) else targets)
    return table_to_dataset(table, labels, drop=drop, name=name, source=source)


def _decode_nominal(X: Floats | CSR, columns: list[Column]) -> Floats | CSR:
    """scikit-learn gives the place in the declared list; bring it to the same codes as the ARFF reader."""
    out = X.copy()
    if sparse.issparse(X):
        by_column = sparse.csc_array(out)
        for j, column in enumerate(columns):
            part = slice(by_column.indptr[j], by_column.indptr[j + 1])
            by_column.data[part] = _recode(by_column.data[part], column)
        return fill_first_values(sparse.csr_array(by_column), columns, "OpenML")
    for j, column in enumerate(columns):
        out[:, j] = _recode(out[:, j], column)
    return out


def _recode(values: Floats, column: Column) -> Floats:
    if column.categories is None or not len(values):
        return values
    codes = np.append(column.codes, np.nan)
    return codes[np.where(np.isnan(values), len(codes) - 1, values).astype(np.int64)]


def _check_figures(data: Dataset, entry: Entry) -> None:
    figures, profile = entry.figures, data.profile
    measured = (
        data.n_rows,
        data.n_features,
        data.n_labels,
        round(profile.cardinality, 3),
        round(profile.mean_imbalance, 3),
    )
    expected = (
        figures.n_rows, figures.n_features, figures.n_labels, figures.cardinality, figures.mean_imbalance
    )  # fmt: skip
    if measured != expected:
        raise ValueError(
            f"OpenML's copy of {entry.name!r} has (N, d, M, Card, AvgIR) {measured}; the catalogue says {expected}. "
            "Load the original files instead."
        )


def _check_fingerprint(data: Dataset, record: Path) -> None:
    digest = fingerprint(data)
    if not record.exists():
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(digest + "\n")
        return
    if record.read_text().strip() != digest:
        raise ValueError(
            f"the values of {data.name!r} are not those of the first fetch. If OpenML has a new version on purpose, "
            f"remove {record} and fetch again."
        )
