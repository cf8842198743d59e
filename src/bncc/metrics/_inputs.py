"""Reading what the metrics are given: label matrices, scores, weights and options.

A dense label matrix becomes a boolean array, a sparse one stays sparse; everything else is an error that says
what, got and remedy.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from bncc._checks import as_label_matrix, sparse_frame, split_unknown
from bncc._typing import CSR, Array, Average, Bools, Floats, Labels, ScoreMatrix, Sparse, Weights, ZeroDivision

AVERAGES: tuple[Average | None, ...] = ("macro", "micro", "weighted", "example", None)


def read_labels(Y: Labels, argument: str) -> Bools | CSR:
    """A label matrix as a boolean array of shape (n_rows, n_labels), or as a csr_array if it came sparse."""
    values = _quick_boolean(Y)
    if values is not None:
        return values
    stored = Y if sparse.issparse(Y) else sparse_frame(Y)
    checked = as_label_matrix(Y if stored is None else stored, argument=argument, names=False).values
    return checked.toarray().astype(bool) if stored is None else checked.tocsr()


def read_truth(Y: Labels, argument: str = "Y_true") -> tuple[Bools | CSR, Bools | CSR | None]:
    """A label matrix as `read_labels` gives it, and where labels are unknown (NaN), in the same form; None if nowhere.

    A row or a matrix without any known label has nothing to compare with.
    """
    values = _quick_boolean(Y)
    if values is not None:
        return values, None
    known, unknown = split_unknown(Y)
    labels = read_labels(known, argument)
    if unknown is None:
        return labels, None
    if unknown.nnz == unknown.shape[0] * unknown.shape[1]:
        raise ValueError(f"`{argument}` must have at least one label that is known; got NaN everywhere.")
    return labels, unknown.toarray().astype(bool) if isinstance(labels, np.ndarray) else sparse.csr_array(unknown)


def weigh_known(unknown: Bools | CSR, weight: Floats | None) -> Floats:
    """Row weights that are 0 for rows without any known label."""
    has_known = np.asarray(unknown.sum(axis=1)).ravel() < unknown.shape[1]
    return has_known.astype(np.float64) if weight is None else np.where(has_known, weight, 0.0)


def dense_labels(labels: Bools | CSR) -> Bools:
    """What `read_labels` gives, or rows of it, as a boolean array."""
    return labels if isinstance(labels, np.ndarray) else labels.toarray().astype(bool)


def rank_known(scores: Floats, unknown: Bools) -> Floats:
    """Scores by their rank in the row, and unknown labels below all of them, whatever these are."""
    ranks = np.asarray(rankdata(scores, method="dense", axis=1), np.float64)
    return np.where(unknown, 0.0, ranks)


def read_sparse_scores(Y_score: Sparse) -> CSR:
    """Sparse scores as a csr_array; what is not stored scores below all that is."""
    if Y_score.dtype.kind not in "biuf" or Y_score.ndim != 2:
        raise ValueError(
            f"`Y_score` must be a 2-D matrix of numbers; got {Y_score.ndim} dimension(s) of dtype {Y_score.dtype}."
        )
    scores = sparse.csr_array(Y_score, dtype=np.float64, copy=True)
    scores.sum_duplicates()
    n_missing = int(np.isnan(scores.data).sum())
    if n_missing:
        raise ValueError(f"`Y_score` must hold numbers that can be ranked; got {n_missing} missing value(s) (NaN).")
    return scores


def _quick_boolean(Y: Labels) -> Bools | None:
    """A plain 0/1 array as booleans, without the detour over a sparse matrix; None where a closer look is due."""
    if not isinstance(Y, np.ndarray) or Y.ndim != 2 or Y.size == 0 or Y.dtype.kind not in "biuf":
        return None
    if isinstance(Y, np.ma.MaskedArray):
        return None
    if Y.dtype == np.bool_:
        return Y
    values = Y.astype(np.bool_)
    return values if np.array_equal(values, Y) else None


def check_columns(first: Labels, second: Labels | ScoreMatrix, argument: str) -> None:
    """Two DataFrames must name the same labels in the same order: columns are compared by position."""
    names, others = getattr(first, "columns", None), getattr(second, "columns", None)
    if names is None or others is None or list(names) == list(others):
        return
    if sorted(map(str, names)) == sorted(map(str, others)):
        raise ValueError(
            f"`Y_true` and `{argument}` have the same columns in another order. Use `{argument}[Y_true.columns]`."
        )
    missing = [str(name) for name in names if name not in set(others)]
    raise ValueError(f"`{argument}` must have the columns of `Y_true`; missing {missing[:5]}.")


def check_shapes(true_shape: tuple[int, ...], other_shape: tuple[int, ...], argument: str) -> None:
    """Both matrices must have the same rows and labels."""
    if true_shape != other_shape:
        raise ValueError(
            f"`Y_true` and `{argument}` must have the same shape (rows x labels); got {true_shape} and {other_shape}."
        )


def read_scores(Y_score: ScoreMatrix, argument: str = "Y_score") -> Floats:
    """Scores as a float array of shape (n_rows, n_labels).

    A list of (n_rows, 2) arrays, one per label, is what forests and `MultiOutputClassifier` return from
    `predict_proba`; the second column of each is taken.
    """
    if isinstance(Y_score, list) and Y_score and all(getattr(part, "ndim", 0) == 2 for part in Y_score):
        Y_score = _stack_probabilities(Y_score, argument)
    if sparse.issparse(Y_score):
        raise ValueError(f"`{argument}` must be dense, since every label of a row is ranked. Use `.toarray()`.")
    if np.ma.is_masked(Y_score):
        raise ValueError(f"`{argument}` must have a score in every cell; got masked ones. Fill them first.")
    try:
        values = np.asarray(Y_score.to_numpy() if hasattr(Y_score, "to_numpy") else Y_score)
        if values.dtype.kind == "c":
            raise TypeError("complex numbers have no order")
        scores = values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`{argument}` must be a rectangular matrix of numbers (rows x labels); got {error}."
        ) from error
    if scores.ndim != 2:
        raise ValueError(f"`{argument}` must be 2-D (rows x labels); got shape {scores.shape}.")
    n_missing = int(np.isnan(scores).sum())
    if n_missing:
        raise ValueError(f"`{argument}` must hold numbers that can be ranked; got {n_missing} missing value(s) (NaN).")
    return scores


def _stack_probabilities(parts: list[Array], argument: str) -> Floats:
    for label, part in enumerate(parts):
        if part.shape[1] != 2:
            raise ValueError(
                f"`{argument}` given as a list must hold (n_rows, 2) arrays; label {label} has {part.shape[1]} "
                "column(s). A label that was constant in training has one: build the (n_rows, n_labels) array "
                "from the classifier's `classes_` instead."
            )
    return np.column_stack([part[:, 1] for part in parts])


def read_weight(sample_weight: Weights | None, n_rows: int) -> Floats | None:
    """Row weights: one number per row, none negative, not all zero."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight, np.float64)
    if weight.shape != (n_rows,):
        raise ValueError(f"`sample_weight` must have one weight per row, shape ({n_rows},); got {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("`sample_weight` must hold finite numbers >= 0.")
    if not weight.any():
        raise ValueError("`sample_weight` must have at least one weight above 0; got zeros only.")
    return weight


def read_average(average: str | None) -> Average | None:
    """One of `AVERAGES`; scikit-learn's name "samples" is taken for "example"."""
    meant = "example" if average == "samples" else average
    for known in AVERAGES:
        if meant == known:
            return known
    raise ValueError(f"`average` must be 'macro', 'micro', 'weighted', 'example' or None; got {average!r}.")


def read_zero_division(zero_division: ZeroDivision) -> ZeroDivision:
    """ "empty", 0.0, 1.0 or NaN."""
    if zero_division == "empty":
        return "empty"
    if isinstance(zero_division, int | float | np.number) and (zero_division in (0, 1) or math.isnan(zero_division)):
        return float(zero_division)
    raise ValueError(
        "`zero_division` must be 'empty' (1 for a row with neither true nor predicted labels, else 0), 0.0, 1.0 or "
        f"nan (leave out of the average); got {zero_division!r}."
    )


def read_filler(zero_division: ZeroDivision) -> float:
    """What 0/0 counts where it is not that of a row: 0.0, 1.0 or NaN."""
    read = read_zero_division(zero_division)
    return 0.0 if read == "empty" else float(read)
