"""How likely it is that a true label was recorded: rare labels are missed more often than frequent ones."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from bncc._checks import split_unknown
from bncc._typing import Array, Floats, Labels
from bncc.metrics._inputs import read_labels

__all__ = ["label_propensities", "read_propensities"]


def label_propensities(Y: Labels, *, A: float = 0.55, B: float = 1.5) -> Floats:
    """Propensity of each label from the labels of the training rows (Jain, Prabhu and Varma 2016).

    ``p = 1 / (1 + C exp(-A log(n + B)))`` with ``n`` the rows that have the label and ``C = (log N - 1) (B + 1)^A``
    for N rows. `A` and `B` belong to the data set: 0.55 and 1.5 are those used where none are known; the Extreme
    Classification repository takes A = 0.5, B = 0.4 for Wikipedia and A = 0.6, B = 2.6 for Amazon. With fewer than
    three rows C would be negative, and every propensity is 1.

    >>> label_propensities([[1, 0], [1, 1], [1, 0], [1, 0]]).round(3).tolist()
    [0.8, 0.721]
    """
    if not (np.isfinite(A) and np.isfinite(B) and A >= 0 and B > 0):
        raise ValueError(f"`A` must be a number >= 0 and `B` one above 0; got A={A!r}, B={B!r}.")
    labels = read_labels(Y, "Y")
    rows_with_label = np.asarray(sparse.csr_array(labels).sum(axis=0), np.float64).ravel()
    C = max(0.0, np.log(labels.shape[0]) - 1.0) * (B + 1.0) ** A
    return 1.0 / (1.0 + C * np.exp(-A * np.log(rows_with_label + B)))


def read_propensities(propensities: Array | None, Y_true: Labels, n_labels: int) -> Floats:
    """Propensities as the caller gave them, checked; those of `Y_true` if none are given."""
    if propensities is None:
        if split_unknown(Y_true)[1] is not None:
            raise ValueError(
                "`Y_true` has labels that are not known (NaN), and propensities are counted on known ones. Give those "
                "of the training rows: `propensities=label_propensities(Y_train)`."
            )
        return label_propensities(Y_true)
    values = np.asarray(propensities, np.float64)
    if values.shape != (n_labels,):
        raise ValueError(f"`propensities` must have one number per label, shape ({n_labels},); got {values.shape}.")
    if not ((values > 0) & (values <= 1)).all():
        raise ValueError("`propensities` must lie above 0 and not above 1. Use `label_propensities(Y_train)`.")
    return values
