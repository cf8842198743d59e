"""Data of a study: loaded, scaled and measured once per process, however many tasks use them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from scipy import sparse
from sklearn.preprocessing import StandardScaler

from bncc._typing import Rows
from bncc.datasets import Dataset, load
from bncc.datasets.dataset import fingerprint
from bncc.experiment.protocol import Scaling, StudyDataset
from bncc.multilabel.scaling import RangeScaler
from bncc.svm import Distances, squared_distances

__all__ = ["Facts", "Features", "facts_of", "features", "load_study_dataset"]


@dataclass(frozen=True)
class Facts:
    """What a store remembers of a data set; `fingerprint` tells whether it is still the same."""

    name: str
    n_rows: int
    n_features: int
    n_labels: int
    label_names: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, eq=False)
class Features:
    """Scaled features and the squared distances between all rows."""

    X: Any
    distances: Distances


def load_study_dataset(source: StudyDataset) -> Dataset:
    """The data set; the last two stay in memory."""
    return _load(source, _stamp(source))


def facts_of(source: StudyDataset) -> Facts:
    """Size, names and fingerprint of a data set."""
    return _facts(source, _stamp(source))


def _stamp(source: StudyDataset) -> tuple[Any, ...]:
    """Differs when a name means another folder, or a file was written again."""
    if source.path is None or not os.path.exists(source.path):
        return (os.environ.get("BNCC_DATA"),)
    status = os.stat(source.path)
    return (status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=2)
def _load(source: StudyDataset, stamp: tuple[Any, ...]) -> Dataset:
    options: dict[str, Any] = dict(source.options)
    return load(source.name) if source.path is None else load(source.path, **options)


@lru_cache(maxsize=64)
def _facts(source: StudyDataset, stamp: tuple[Any, ...]) -> Facts:
    data = _load(source, stamp)
    return Facts(source.name, data.n_rows, data.n_features, data.n_labels, tuple(data.label_names), fingerprint(data))


def features(source: StudyDataset, scaling: Scaling, train: Rows | None) -> Features:
    """Features and distances; with ``scaling.fit == "training"`` scaled by what these training rows show."""
    if scaling.fit == "all" or scaling.method == "none" or train is None:
        return _of_all_rows(source, _stamp(source), scaling)
    return _measure(load_study_dataset(source).X, scaling.method, train)


@lru_cache(maxsize=1)
def _of_all_rows(source: StudyDataset, stamp: tuple[Any, ...], scaling: Scaling) -> Features:
    return _measure(_load(source, stamp).X, scaling.method, None)


def _measure(X: Any, method: str, train: Rows | None) -> Features:
    if sparse.issparse(X):
        X = sparse.csr_array(X)
    seen = X if train is None else X[train]
    if method == "range":
        X = RangeScaler().fit(seen).transform(X)
    elif method == "standard":
        X = StandardScaler(with_mean=not sparse.issparse(X)).fit(seen).transform(X)
    return Features(X, squared_distances(X))
