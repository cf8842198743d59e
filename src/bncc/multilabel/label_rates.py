"""Probabilities of labels from any multi-label classifier with `predict_proba`, in one form."""

from __future__ import annotations

import numpy as np

from bncc._typing import Array, Classifier, Features, Floats

__all__ = ["label_rates"]


def label_rates(estimator: Classifier, X: Features, n_labels: int) -> Floats:
    """Probabilities (n_rows, n_labels) that labels hold, of a fitted classifier of this package or of scikit-learn's.

    The latter may give a list with one array per label, of one column where a label was constant in training; for a
    single label, both classes.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [[0, 1], [1, 1]])
    >>> label_rates(tree, [[1.0]], 2).tolist()
    [[1.0, 1.0]]
    """
    rates = estimator.predict_proba(X)
    if isinstance(rates, list):
        rates = np.column_stack(
            [_second_class(part, classes) for part, classes in zip(rates, estimator.classes_, strict=True)]
        )
    elif n_labels == 1 and rates.shape[1] == 2:
        rates = rates[:, 1:]
    return np.asarray(rates, np.float64)


def _second_class(rates: Floats, classes: Array) -> Floats:
    """Probability that a label holds; where it was constant in training there is one column only."""
    return rates[:, 1] if rates.shape[1] == 2 else np.full(len(rates), float(classes[0]))
