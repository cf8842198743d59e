"""Predictions as quality is measured on them: what is true, known, scored and predicted, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bncc._label_forms import read_label_forms
from bncc._typing import Bools, Floats, Labels, Longs, ScoreMatrix
from bncc.metrics._inputs import check_columns, check_shapes, dense_labels, read_labels, read_scores, read_truth
from bncc.metrics._pairs import by_name, scores_by_name

__all__ = ["Predictions", "read_predictions"]


@dataclass(frozen=True, eq=False)
class Predictions:
    """What was predicted for rows whose labels are known, at least in part; arrays of shape (n_rows, n_labels).

    Attributes
    ----------
    known, truth, predicted : arrays of bool
        `truth` and `predicted` are False where the truth is not known.
    scores : array of float or None
        None where there are no scores: then only `predicted` is judged.
    probabilities : array of float or None
        Probabilities of the labels, for calibration.
    thresholds : array of shape (n_labels,)
        A label is predicted where its score is above.
    rows : array of int of shape (n_rows,)
        What each row is called.
    """

    known: Bools
    truth: Bools
    predicted: Bools
    scores: Floats | None
    probabilities: Floats | None
    thresholds: Floats
    rows: Longs

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.truth.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.truth.shape[1])


def read_predictions(
    Y_true: Labels,
    Y_score: ScoreMatrix | None = None,
    *,
    Y_pred: Labels | None = None,
    probabilities: ScoreMatrix | None = None,
    thresholds: ArrayLike | None = None,
    unknown: ArrayLike | None = None,
    rows: ArrayLike | None = None,
) -> Predictions:
    """Check predictions of any multi-label classifier.

    Parameters
    ----------
    Y_true : array, sparse matrix or DataFrame of 0/1; NaN or masked where a label is not known
    Y_score : array, DataFrame, or the list that forests give, default=None
        Probabilities or decision values; None where there is `Y_pred` alone.
    Y_pred : label matrix, default=None
        What was predicted; by default the labels whose score is above the threshold.
    probabilities : as `Y_score`, default=None
        Where the scores are none; scores within 0 and 1 are taken for probabilities.
    thresholds : float or array of shape (n_labels,), default=None
        By default 0.5 for probabilities and 0 for decision values.
    unknown : array of bool of the shape of `Y_true`, default=None
        True where the truth is not known, beside NaN.
    rows : array of int, default=None
        Numbers of the rows; by default they are counted from 0.

    >>> found = read_predictions([[1, 0], [1, float("nan")]], [[0.9, 0.2], [0.4, 0.8]])
    >>> found.predicted.tolist(), found.known.tolist()
    ([[True, False], [False, False]], [[True, True], [True, False]])
    """
    truth, known = _read_truth(Y_true, unknown)
    if Y_score is None and Y_pred is None:
        raise ValueError("`Y_score` or `Y_pred` must be given; got neither.")
    scores = None if Y_score is None else _read_scores(Y_true, Y_score, truth.shape, "Y_score")
    likely: Floats | None
    if probabilities is not None:
        likely = _read_probabilities(Y_true, probabilities, truth.shape)
    else:
        likely = scores if scores is not None and _within_unit(scores) else None
    cuts = _read_thresholds(thresholds, truth.shape[1], 0.5 if likely is scores and scores is not None else 0.0)
    predicted = _read_predicted(Y_true, Y_pred, truth.shape) if Y_pred is not None else _above(scores, cuts)
    numbers = np.arange(truth.shape[0]) if rows is None else np.asarray(rows, np.int64)
    if numbers.shape != truth.shape[:1]:
        raise ValueError(f"`rows` must number the {truth.shape[0]} rows; got shape {numbers.shape}.")
    return Predictions(known, truth & known, predicted & known, scores, likely, cuts, numbers)


def _read_truth(Y_true: Labels, unknown: ArrayLike | None) -> tuple[Bools, Bools]:
    masked = None
    if isinstance(Y_true, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(Y_true)
        Y_true = Y_true.filled(0)
    labels, missing = read_truth(Y_true)
    truth = dense_labels(labels)
    known = np.ones(truth.shape, np.bool_) if missing is None else ~dense_labels(missing)
    if masked is not None:
        known = known & ~masked
    if unknown is not None:
        hidden = np.asarray(unknown)
        if hidden.dtype != np.bool_ or hidden.shape != truth.shape:
            wanted = f"`unknown` must be booleans of shape {truth.shape}"
            raise ValueError(f"{wanted}; got {hidden.dtype} of shape {hidden.shape}.")
        known = known & ~hidden
    if not known.any():
        raise ValueError("`Y_true` must have at least one label that is known; got none.")
    return truth, known


def _read_scores(Y_true: Labels, Y_score: ScoreMatrix, shape: tuple[int, ...], argument: str) -> Floats:
    if hasattr(Y_score, "columns"):
        Y_score = scores_by_name(Y_true, Y_score, argument)[1]
    check_columns(Y_true, Y_score, argument)
    scores = read_scores(Y_score, argument)
    check_shapes(shape, scores.shape, argument)
    return scores


def _read_probabilities(Y_true: Labels, probabilities: ScoreMatrix, shape: tuple[int, ...]) -> Floats:
    likely = _read_scores(Y_true, probabilities, shape, "probabilities")
    if not _within_unit(likely):
        ends = f"{likely.min():.3g} to {likely.max():.3g}"
        raise ValueError(
            f"`probabilities` must lie within 0 and 1; got {ends}. Hand decision values over as `Y_score`."
        )
    return likely


def _read_predicted(Y_true: Labels, Y_pred: Labels, shape: tuple[int, ...]) -> Bools:
    if read_label_forms(Y_pred) is not None:
        Y_pred = by_name(Y_true, Y_pred)[1]
    check_columns(Y_true, Y_pred, "Y_pred")
    predicted = dense_labels(read_labels(Y_pred, "Y_pred"))
    check_shapes(shape, predicted.shape, "Y_pred")
    return predicted


def _read_thresholds(thresholds: ArrayLike | None, n_labels: int, usual: float) -> Floats:
    values = np.asarray(usual if thresholds is None else thresholds, np.float64)
    if values.shape not in ((), (n_labels,)) or not np.isfinite(values).all():
        raise ValueError(
            f"`thresholds` must be one finite number, or one per label ({n_labels}); got shape {values.shape}."
        )
    return np.broadcast_to(values, (n_labels,)).copy()


def _within_unit(scores: Floats) -> bool:
    return bool(scores.size) and bool(scores.min() >= 0) and bool(scores.max() <= 1)


def _above(scores: Floats | None, thresholds: Floats) -> Bools:
    if scores is None:
        raise ValueError("`Y_score` must be given where `Y_pred` is not.")
    return np.asarray(scores > thresholds)
