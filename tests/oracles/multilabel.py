"""Multi-label methods written straight from their definitions, with plain loops over rows, labels and classifiers.

Y is a 0/1 array without unknown entries; a base classifier is cloned for each problem. A problem whose rows have one
class answers that class.
"""

import numpy as np
from sklearn.base import clone


def fit_binary(base, X, y):
    """A function from rows to decisions (above 0: class 1)."""
    if len(set(y)) < 2:
        return lambda rows: np.full(len(rows), 1.0 if len(y) and y[0] == 1 else -1.0)
    fitted = clone(base).fit(X, y)
    if hasattr(fitted, "decision_function"):
        return fitted.decision_function
    if hasattr(fitted, "predict_proba"):
        return lambda rows: fitted.predict_proba(rows)[:, 1] - 0.5
    return lambda rows: fitted.predict(rows) - 0.5


def calibrated_label_ranking(base, X, Y, test):
    """Votes of each label minus those of the calibration label."""
    n_labels = Y.shape[1]
    calibration = [fit_binary(base, X, Y[:, label]) for label in range(n_labels)]
    out = np.zeros((len(test), n_labels))
    votes = np.zeros((len(test), n_labels + 1))
    for label in range(n_labels):
        holds = calibration[label](test) > 0
        votes[holds, label] += 1
        votes[~holds, n_labels] += 1
    for first in range(n_labels):
        for second in range(first + 1, n_labels):
            rows = [row for row in range(len(X)) if Y[row, first] + Y[row, second] == 1]
            if not rows:
                votes[:, [first, second]] += 0.5
                continue
            wins = fit_binary(base, X[rows], Y[rows, first])(test) > 0
            votes[wins, first] += 1
            votes[~wins, second] += 1
    for label in range(n_labels):
        out[:, label] = votes[:, label] - votes[:, n_labels]
    return out
