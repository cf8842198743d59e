"""What a fitted classifier answers on rows: labels, scores, and probabilities where it has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Classifier, Features, Floats, Rows
from bncc.multilabel.tuned_thresholds import label_scores

__all__ = ["Answers", "answers_of"]


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers on some rows.

    Attributes
    ----------
    rows : array of shape (n_tested,)
        Numbers of the rows.
    predicted : array of bool of shape (n_tested, n_labels)
    scores : array of float of that shape, or None
        Above 0 where a label would be predicted.
    probabilities : array of float of that shape, or None
    """

    rows: Rows
    predicted: Bools
    scores: Floats | None
    probabilities: Floats | None


def answers_of(model: Classifier, X: Features, rows: Rows, n_labels: int, *, given: Answers | None = None) -> Answers:
    """Ask a fitted multi-label classifier about rows; what is `given` already is not asked for again.

    >>> from bncc import BinaryRelevance
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, Y = [[0.0], [1.0], [2.0], [3.0]], [[0, 1], [0, 1], [1, 0], [1, 0]]
    >>> answers = answers_of(BinaryRelevance(LogisticRegression()).fit(X, Y), X, np.arange(4), 2)
    >>> answers.predicted.astype(int).tolist() == Y, bool(((answers.scores > 0) == answers.predicted).all())
    (True, True)
    """
    predicted = _labels(model, X, n_labels) if given is None else given.predicted
    has_probabilities = hasattr(model, "predict_proba")
    scores = None if given is None else given.scores
    if scores is None and (has_probabilities or hasattr(model, "decision_function")):
        scores = label_scores(model, X, n_labels)
    return Answers(rows, predicted, scores, _probabilities(model, X, scores) if has_probabilities else None)


def _labels(model: Classifier, X: Features, n_labels: int) -> Bools:
    said = model.predict(X)
    values = said.toarray() if hasattr(said, "toarray") else np.asarray(said)
    return np.asarray(values.reshape(-1, n_labels).astype(np.bool_))


def _probabilities(model: Classifier, X: Features, scores: Floats | None) -> Floats | None:
    """Probabilities of labels; where these are the scores already, without asking again."""
    if scores is not None and not hasattr(model, "decision_function"):
        return np.clip(scores + 0.5, 0.0, 1.0)  # `label_scores` takes away what is predicted from
    rates = model.predict_proba(X)
    if isinstance(rates, list):
        return None
    values = np.asarray(rates, np.float64)
    if scores is not None and values.shape[1] == 2 * scores.shape[1] == 2:
        values = values[:, 1:]
    return np.clip(values, 0.0, 1.0)
