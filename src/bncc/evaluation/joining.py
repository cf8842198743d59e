"""A training and a test part as one set of rows that remembers which are which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from bncc.datasets.files import shorten
from bncc.evaluation.labelled import LabelledData, MatrixSchema

__all__ = ["join_parts"]


def join_parts(train: LabelledData, test: LabelledData, *, open_labels: bool = False) -> LabelledData:
    """Both parts, training rows first.

    With `open_labels` a part names only the labels that occur in it, and one that the other lacks is 0 there; else
    both must have the same labels.
    """
    if train.schema["kind"] == "table":
        X, joined = _concat([train.X, test.X]), train
    else:
        X, joined = _stack(train, test)
    odd = sorted(set(train.label_names) ^ set(test.label_names))
    if odd and not open_labels:
        raise ValueError(f"{train.name} and {test.name} must have the same labels; only one has {shorten(odd[0])}.")
    names = list(dict.fromkeys([*train.label_names, *test.label_names]))
    # A label that one part does not name is 0 there; an unknown one stays unknown.
    Y = _concat([part.Y.reindex(columns=names, fill_value=0) for part in (train, test)])
    Y = Y if train.has_unknown or test.has_unknown else Y.astype(np.int8)
    rows = np.arange(len(Y))
    groups = None if train.groups is None or test.groups is None else [*train.groups, *test.groups]
    times = None if train.times is None or test.times is None else np.concatenate([train.times, test.times])
    n_train = train.n_rows
    return replace(joined, X=X, Y=Y, train=rows[:n_train], test=rows[n_train:], groups=groups, times=times)


def _concat(frames: Sequence[Any]) -> Any:
    import pandas as pd

    return pd.concat(frames, ignore_index=True)


def _stack(train: LabelledData, test: LabelledData) -> tuple[Any, LabelledData]:
    """Both matrices as one, and the training part with the names of all features."""
    schemas = [_matrix_schema(part) for part in (train, test)]
    names = [schema["features"] for schema in schemas]
    if schemas[0]["categories"] != schemas[1]["categories"]:
        raise ValueError("the train and test files declare different categories for their features.")
    if names[0] == names[1]:
        X = (sparse.vstack if sparse.issparse(train.X) else np.vstack)([train.X, test.X])
        return (sparse.csr_array(X) if sparse.issparse(X) else X), train
    longest = max(names, key=len)
    if not sparse.issparse(train.X) or any(longest[: len(each)] != each for each in names):
        raise ValueError(
            f"the train and test files must have the same features; got {len(names[0])} and {len(names[1])}."
        )
    widened = [sparse.csr_array((m.data, m.indices, m.indptr), (m.shape[0], len(longest))) for m in (train.X, test.X)]
    schema: MatrixSchema = {**schemas[0], "features": longest}
    return sparse.csr_array(sparse.vstack(widened)), replace(train, schema=schema)


def _matrix_schema(data: LabelledData) -> MatrixSchema:
    if data.schema["kind"] != "matrix":
        raise ValueError(f"{data.name} is a table, and the part beside it a matrix of numbers; give both alike.")
    return data.schema
