"""Quality of any scikit-learn estimator on rows that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sklearn.base import clone

from bncc._checks import as_label_matrix, split_unknown
from bncc._rows import take_rows
from bncc._typing import Bools, Classifier, Features, Floats, Fold, Labels, Longs, Rowwise, Signs, Splitter
from bncc.analysis.quality.predictions import Predictions, read_predictions
from bncc.analysis.quality.summary import QualitySummary, summarise_methods
from bncc.datasets import MultilabelStratifiedKFold
from bncc.evaluation.tested_rows import Answers, answers_of

__all__ = ["cross_val_quality", "predictions_of"]


def cross_val_quality(
    estimators: Classifier | Mapping[str, Classifier],
    X: Features,
    Y: Labels,
    *,
    cv: Splitter = 5,
    label_names: Sequence[str] | None = None,
    random_state: int = 0,
    confidence: float = 0.95,
) -> QualitySummary:
    """Judge estimators out of fold: every row by a clone that was fitted without it.

    Parameters
    ----------
    estimators : multi-label classifier of scikit-learn or of this package, or mapping of names to them
        Each with `decision_function` or `predict_proba`, or at least `predict`.
    X : array, sparse matrix or DataFrame
    Y : label matrix of shape (n_rows, n_labels); NaN where a label is not known, if the estimators take that
    cv : int, splitter, pairs of rows, or "prefit", default=5
        A number of folds stratified by labels; "prefit" judges estimators as they are fitted, on `X`, which must then
        hold new rows.
    random_state : int, default=0
        Deals the folds.

    Returns
    -------
    QualitySummary

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.multioutput import MultiOutputClassifier
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(200)
    >>> summary = cross_val_quality(MultiOutputClassifier(LogisticRegression()), data.X, data.Y, cv=3)
    >>> summary.n_rows, len(summary.methods[0].labels)
    (200, 10)
    """
    named = estimators if isinstance(estimators, Mapping) else {type(estimators).__name__: estimators}
    matrix = as_label_matrix(split_unknown(Y)[0], label_names=label_names)
    names = matrix.names or [str(label) for label in range(matrix.n_labels)]
    folds = _folds(cv, matrix.values.toarray(), X, random_state)
    predictions = {
        name: predictions_of(_answers(estimator, X, Y, folds, matrix.n_labels), Y) for name, estimator in named.items()
    }
    return summarise_methods(predictions, names, confidence=confidence)


def predictions_of(answers: Sequence[Answers], Y: Labels) -> Predictions:
    """What was answered on parts of the rows, as predictions of all rows that were tested, in order.

    `Y` holds the labels of all rows. Where one part has no scores (or probabilities), none has.
    """
    tested = np.concatenate([part.rows for part in answers])
    order = np.argsort(tested, kind="stable")
    return read_predictions(
        take_rows(Y, tested[order]),
        _joined([part.scores for part in answers], order),
        Y_pred=_joined([part.predicted for part in answers], order),
        probabilities=_joined([part.probabilities for part in answers], order),
        thresholds=0.0,
        rows=tested[order],
    )


def _answers(
    estimator: Classifier, X: Features, Y: Labels, folds: Sequence[Fold] | None, n_labels: int
) -> list[Answers]:
    if folds is None:
        rows = np.arange(as_label_matrix(split_unknown(Y)[0]).n_rows)
        return [answers_of(estimator, X, rows, n_labels)]
    tested = np.concatenate([test for _, test in folds])
    if np.unique(tested).size != tested.size:
        raise ValueError("`cv` must test every row at most once; got folds that test rows again. Call once per repeat.")
    parts = []
    for train, test in folds:
        fitted = clone(estimator).fit(take_rows(X, train), take_rows(Y, train))
        parts.append(answers_of(fitted, take_rows(X, test), test, n_labels))
    return parts


def _folds(cv: Splitter, truth: Signs, X: Features, random_state: int) -> list[Fold] | None:
    if isinstance(cv, str):
        if cv != "prefit":
            raise ValueError(f'`cv` must be a number of folds, a splitter, pairs of rows or "prefit"; got {cv!r}.')
        return None
    if isinstance(cv, int):
        cv = MultilabelStratifiedKFold(cv, random_state=random_state)
    if not hasattr(cv, "split"):
        return [(np.asarray(train), np.asarray(test)) for train, test in cv]
    return list(cv.split(X, truth))


def _joined(parts: Sequence[Floats | Bools | None], order: Longs) -> Rowwise:
    whole = [part for part in parts if part is not None]
    return np.concatenate(whole)[order] if len(whole) == len(parts) else None
