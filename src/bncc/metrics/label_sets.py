"""Metrics on predicted label sets, the paper's four among them.

`Y_true` and `Y_pred` have shape (n_rows, n_labels); arrays, lists, DataFrames or sparse, which is never densified. A
`Comparison` may stand for both. NaN in `Y_true` stands for a label that is not known, which counts nowhere.

``zero_division`` says what an undefined ratio counts: "empty" (the default), 0.0, 1.0, or nan, which leaves it out of
the average. With "empty", a row with neither true nor predicted labels is right and counts 1 in averages over examples,
as in Mulan; any other 0/0 counts 0. scikit-learn counts such a row 0 (with a warning) unless told otherwise:
``zero_division=0.0`` gives its value, ``1.0`` that of its ``zero_division=1``. The paper's tables do not say what they
count; 0.0 comes closest to them, and is what `paper_scores` and the paper's protocol take.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bncc._typing import Floats, Labels, Weights, ZeroDivision
from bncc.metrics import binary
from bncc.metrics._inputs import check_shapes, dense_labels, read_labels
from bncc.metrics.averaging import averaged, mean_defined
from bncc.metrics.confusion import Comparison, compare, compare_dense, dense_margins

__all__ = [
    "example_f1",
    "example_f1_of_means",
    "example_jaccard",
    "example_precision",
    "example_recall",
    "hamming_loss",
    "macro_f1",
    "macro_jaccard",
    "macro_precision",
    "macro_recall",
    "micro_f1",
    "micro_jaccard",
    "micro_precision",
    "micro_recall",
    "paper_scores",
    "subset_accuracy",
    "weighted_f1",
    "weighted_jaccard",
    "weighted_precision",
    "weighted_recall",
]


def hamming_loss(
    Y_true: Labels | Comparison, Y_pred: Labels | None = None, *, sample_weight: Weights | None = None
) -> float:
    """Share of (row, label) cells that are wrong (HammingLoss of the paper); lower is better.

    >>> hamming_loss([[1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1]])
    0.16666666666666666
    """
    comparison = compare(Y_true, Y_pred, sample_weight=sample_weight)
    tp, fp, fn, tn = comparison.pooled
    if comparison.known is not None:
        return float((fp[0] + fn[0]) / (tp[0] + fp[0] + fn[0] + tn[0]))
    return float((fp[0] + fn[0]) / (comparison.total_weight * comparison.n_labels))


def subset_accuracy(
    Y_true: Labels | Comparison, Y_pred: Labels | None = None, *, sample_weight: Weights | None = None
) -> float:
    """Share of rows whose label set is predicted exactly.

    >>> subset_accuracy([[1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1]])
    0.5
    """
    comparison = compare(Y_true, Y_pred, sample_weight=sample_weight)
    _, fp, fn, _ = comparison.per_example
    return mean_defined((fp + fn == 0).astype(np.float64), comparison.row_weight)


# The paper's Fscore is a mean over rows of 2PR / (P + R). Two departures, both where that form reads 0/0: a row with
# no true positive but some label counts 0 (its limit); a row without any true or predicted label is undefined, and
# counts what `zero_division` says.
example_f1 = averaged(binary.f_beta, "example", name="example_f1")
macro_f1 = averaged(binary.f_beta, "macro", name="macro_f1")
micro_f1 = averaged(binary.f_beta, "micro", name="micro_f1")
weighted_f1 = averaged(binary.f_beta, "weighted", name="weighted_f1")

example_precision = averaged(binary.precision, "example", name="example_precision")
macro_precision = averaged(binary.precision, "macro", name="macro_precision")
micro_precision = averaged(binary.precision, "micro", name="micro_precision")
weighted_precision = averaged(binary.precision, "weighted", name="weighted_precision")

example_recall = averaged(binary.recall, "example", name="example_recall")
macro_recall = averaged(binary.recall, "macro", name="macro_recall")
micro_recall = averaged(binary.recall, "micro", name="micro_recall")
weighted_recall = averaged(binary.recall, "weighted", name="weighted_recall")

example_jaccard = averaged(binary.jaccard, "example", name="example_jaccard")
macro_jaccard = averaged(binary.jaccard, "macro", name="macro_jaccard")
micro_jaccard = averaged(binary.jaccard, "micro", name="micro_jaccard")
weighted_jaccard = averaged(binary.jaccard, "weighted", name="weighted_jaccard")


def example_f1_of_means(
    Y_true: Labels | Comparison,
    Y_pred: Labels | None = None,
    *,
    zero_division: ZeroDivision = "empty",
    sample_weight: Weights | None = None,
) -> float:
    """Harmonic mean of `example_precision` and `example_recall`, which is not the mean of the rows' F (`example_f1`).

    Some programs report this one. 0 where both means are 0.

    >>> example_f1_of_means([[1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1]])  # P = 1, R = 0.75
    0.8571428571428571
    """
    both = compare(Y_true, Y_pred, sample_weight=sample_weight)
    precision = float(example_precision(both, zero_division=zero_division))
    recall = float(example_recall(both, zero_division=zero_division))
    return 2.0 * precision * recall / (precision + recall) if precision + recall else 0.0


def paper_scores(Y_true: Labels, Y_pred: ArrayLike, *, zero_division: ZeroDivision = 0.0) -> dict[str, Floats | float]:
    """The paper's four metrics for a whole stack of predictions of the same rows (many sigmas, methods or orders).

    Parameters
    ----------
    Y_true : label matrix of shape (n_rows, n_labels)
    Y_pred : array of shape (..., n_rows, n_labels), 0/1 or bool
    zero_division : {0.0, 1.0, nan, "empty"}, default=0.0
        What comes closest to the paper's tables, unlike the default of the metrics themselves.

    Returns
    -------
    dict from "hamming_loss", "example_f1", "macro_f1", "micro_f1" to arrays of the leading shape of `Y_pred`
    (floats if it has none)

    >>> scores = paper_scores([[1, 0], [0, 1]], np.array([[[1, 0], [0, 1]], [[1, 1], [0, 1]]]))
    >>> scores["hamming_loss"].tolist()
    [0.0, 0.25]
    """
    true = dense_labels(read_labels(Y_true, "Y_true"))
    stack = np.asarray(Y_pred)
    if stack.ndim < 2:
        raise ValueError(f"`Y_pred` must have shape (..., n_rows, n_labels); got {stack.shape}.")
    check_shapes(true.shape, stack.shape[-2:], "Y_pred")
    lead, actual = stack.shape[:-2], dense_margins(true, None, None)
    out = np.empty((4, int(np.prod(lead))))
    for column, prediction in enumerate(stack.reshape(-1, *true.shape)):
        both = compare_dense(true, dense_labels(read_labels(prediction, "Y_pred")), actual=actual)
        f_scores = [metric(both, zero_division=zero_division) for metric in (example_f1, macro_f1, micro_f1)]
        out[:, column] = [hamming_loss(both), *f_scores]
    names = ("hamming_loss", "example_f1", "macro_f1", "micro_f1")
    return {name: row.reshape(lead) if lead else float(row[0]) for name, row in zip(names, out, strict=True)}
