"""Reading truth and prediction side by side: of the same rows, and with the same labels in the same columns.

Tags and dicts say which labels a row has, not in which column: these are brought together by name. A label that one
side alone knows is a label like any other, which the other side has in no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from bncc._checks import as_label_matrix, check_names, split_unknown
from bncc._label_forms import NamedLabels, names_columns, read_label_forms, read_two_forms
from bncc._typing import CSC, CSR, Bools, Floats, Labels, Longs, Rowwise, ScoreMatrix, Sparse, Weights
from bncc.metrics._inputs import (
    check_columns,
    check_shapes,
    dense_labels,
    rank_known,
    read_labels,
    read_scores,
    read_sparse_scores,
    read_truth,
    read_weight,
    weigh_known,
)

__all__ = ["Scored", "by_name", "in_columns", "read_pair", "read_ranked", "read_scored", "scores_by_name"]


class Scored(NamedTuple):
    """What every metric on scores begins with: labels, where they are unknown, scores, and row weights."""

    true: Bools | CSR
    unknown: Bools | CSR | None
    scores: Floats
    weight: Floats | None


def read_pair(Y_true: Labels, Y_pred: Labels) -> tuple[Bools | CSR, Bools | CSR | None, Bools | CSR]:
    """Truth, where it is unknown, and prediction: matrices of one shape, with the same labels in the same columns."""
    Y_true, Y_pred = by_name(Y_true, Y_pred)
    check_columns(Y_true, Y_pred, "Y_pred")
    (true, unknown), pred = read_truth(Y_true), read_labels(Y_pred, "Y_pred")
    check_shapes(true.shape, pred.shape, "Y_pred")
    return true, unknown, pred


def read_scored(
    Y_true: Labels, Y_score: ScoreMatrix, sample_weight: Weights | None, *, absent: float | None = None
) -> Scored:
    """Check labels and scores of the same shape; rows without any known label get weight 0.

    `absent` is as in `scores_by_name`.
    """
    Y_true, Y_score = scores_by_name(Y_true, Y_score, absent=absent)
    check_columns(Y_true, Y_score, "Y_score")
    (true, unknown), scores = read_truth(Y_true), read_scores(Y_score)
    check_shapes(true.shape, scores.shape, "Y_score")
    weight = read_weight(sample_weight, true.shape[0])
    return Scored(true, unknown, scores, weight if unknown is None else weigh_known(unknown, weight))


def read_ranked(
    Y_true: Labels, Y_score: ScoreMatrix | Sparse, sample_weight: Weights | None
) -> tuple[Bools | CSR, Floats | CSR, Floats | None]:
    """`read_scored` for metrics that look at the first labels of a row only; sparse scores stay sparse."""
    if not sparse.issparse(Y_score):
        true, unknown, scores, weight = read_scored(Y_true, Y_score, sample_weight)
        return true, scores if unknown is None else rank_known(scores, dense_labels(unknown)), weight
    Y_true, Y_score = scores_by_name(Y_true, Y_score)
    true, scores = read_labels(Y_true, "Y_true"), read_sparse_scores(Y_score)
    check_shapes(true.shape, scores.shape, "Y_score")
    return true, scores, read_weight(sample_weight, true.shape[0])


def by_name(Y_true: Labels, Y_pred: Labels, argument: str = "Y_pred") -> tuple[Labels, Labels]:
    """Truth and prediction with the same columns where they are tags or dicts; all else as it is.

    Columns are those of the truth, then labels that the prediction alone has. Where neither side has tags, columns are
    left to be compared by position.

    >>> [matrix.toarray().tolist() for matrix in by_name([["cat"], ["dog"]], [["dog"], ["eel"]])]
    [[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]]]
    """
    if _is_plain(Y_true) and _is_plain(Y_pred):
        return Y_true, Y_pred
    true, pred = read_two_forms(Y_true, Y_pred)
    if true is None and pred is None:
        return Y_true, Y_pred
    if true is None or pred is None:
        nameless, named = (Y_true, Y_pred) if true is None else (Y_pred, Y_true)
        if not names_columns(nameless):
            if names_columns(named):
                return _in_order(Y_true, true), _in_order(Y_pred, pred)
            raise _no_names("Y_true" if true is None else argument, argument if true is None else "Y_true")
        true = _named_columns(Y_true, "Y_true") if true is None else true
        pred = _named_columns(Y_pred, argument) if pred is None else pred
        _check_shared(true.names, pred.names, argument)
    names = _union(true.names, pred.names)
    return _placed(true, names), _placed(pred, names)


def scores_by_name(
    Y_true: Labels, Y_score: ScoreMatrix, argument: str = "Y_score", *, absent: float | None = None
) -> tuple[Labels, ScoreMatrix]:
    """Truth and scores with the same columns where the truth is tags or dicts; all else as it is.

    A label of the truth without a column of scores scores `absent`, by default below all that there are.

    >>> import pandas as pd
    >>> true, scores = scores_by_name([["cat"], ["dog"]], pd.DataFrame({"dog": [0.2, 0.9]}), absent=0.0)
    >>> true.toarray().tolist(), scores.tolist()
    ([[1, 0], [0, 1]], [[0.0, 0.2], [0.0, 0.9]])
    """
    true = None if _is_plain(Y_true) else read_label_forms(Y_true)
    if true is None:
        return Y_true, Y_score
    if not names_columns(Y_score) or not hasattr(Y_score, "columns"):
        if names_columns(Y_true):
            return _in_order(Y_true, true), Y_score
        raise _no_names(argument, "Y_true")
    values = read_scores(Y_score, argument)
    columns = check_names(tuple(Y_score.columns), values.shape[1], argument=f"columns of {argument}")
    _check_shared(true.names, columns, argument)
    names = _union(true.names, columns)
    lowest = np.nextafter(values.min(initial=0.0), -np.inf) if absent is None else absent
    scores: Floats = np.full((values.shape[0], len(names)), lowest)
    scores[:, _places(columns, names)] = values
    return _placed(true, names), scores


def in_columns(Y: Labels, names: Sequence[str]) -> Labels:
    """Tags and dicts as the columns of some labels, without the others; all else as it is.

    >>> in_columns([["cat"], ["dog", "eel"]], ["dog", "cat"]).toarray().tolist()
    [[0, 1], [1, 0]]
    """
    labels = None if _is_plain(Y) else read_label_forms(Y)
    if labels is None:
        return Y
    return sparse.csr_array(_placed(labels, _union(names, labels.names))[:, : len(names)])


def _is_plain(Y: Rowwise) -> bool:
    """Whether columns have no names but their places, without a look at the cells."""
    return sparse.issparse(Y) or (isinstance(Y, np.ndarray) and Y.ndim == 2)


def _in_order(Y: Labels, named: NamedLabels | None) -> Labels:
    """A dict of columns as a matrix; all else as it is."""
    return Y if named is None else _placed(named, named.names)


def _named_columns(Y: Labels, argument: str) -> NamedLabels:
    known, unknown = split_unknown(Y)
    checked = as_label_matrix(known, argument=argument)
    return NamedLabels(checked.values, unknown, checked.names or ())


def _union(names: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*names, *others]))


def _places(names: Sequence[str], columns: Sequence[str]) -> Longs:
    place = {name: number for number, name in enumerate(columns)}
    return np.array([place[name] for name in names], np.int64)


def _placed(labels: NamedLabels, names: Sequence[str]) -> CSR:
    """The labels with these columns; NaN where they are unknown."""
    places = _places(labels.names, names)
    placed = _moved(labels.positives, places, len(names))
    if labels.unknown is None:
        return placed
    lost = _moved(labels.unknown, places, len(names)).astype(np.float64)
    lost.data[:] = np.nan
    return sparse.csr_array(placed + lost)


def _moved(matrix: CSC, places: Longs, n_columns: int) -> CSR:
    stored = sparse.coo_array(matrix)
    return sparse.csr_array((stored.data, (stored.row, places[stored.col])), shape=(matrix.shape[0], n_columns))


def _check_shared(names: Sequence[str], columns: Sequence[str], argument: str) -> None:
    if set(names) & set(columns):
        return
    raise ValueError(
        f"`Y_true` and `{argument}` are compared by the names of labels, and have none in common; got "
        f"{list(names[:3])} and {list(columns[:3])}. Name the columns as the labels are called."
    )


def _no_names(argument: str, named: str) -> ValueError:
    return ValueError(
        f"`{named}` names its labels, and the columns of `{argument}` have no names to compare them by. Give both as "
        f"tags (`predict_tags`), `{argument}` as a DataFrame whose columns are called as the labels (as "
        f"`pd.DataFrame({argument}, columns=model.label_names_)`), or both as 0/1 matrices."
    )
