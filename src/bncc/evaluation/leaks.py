"""Columns that give labels away: rows of one customer, patient or document, and ids that follow the labels.

Rows that share a value often share their labels too. Cross-validation that puts them into different folds then tests
on what was learned by heart, and promises more than new customers will show.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse

from bncc._checks import is_missing
from bncc._typing import CSR, Floats, Labels, Longs
from bncc.datasets import make_dataset
from bncc.datasets.column_table import number
from bncc.datasets.files import shorten
from bncc.evaluation.row_origin import group_numbers

__all__ = ["Leak", "LeakWarning", "find_leaks"]

#: Correlation of the labels of two rows from which on they are said to go together, and standard errors above chance.
_LEAST_CORRELATION = 0.1
_LEAST_ERRORS = 5.0
#: A column of groups has many values, with few rows each.
_LEAST_VALUES = 10
_MOST_ROWS_PER_VALUE = 50
_NAMED_LIKE_GROUP = re.compile(
    r"(?:^|[^a-z])(?:ids?|key|uuid|group|customer|client|patient|user|account|document|session|subject|visit|case)$"
)
_END_NUMBER = re.compile(r"(\d+)\D*$")


class LeakWarning(UserWarning):
    """A column of the table gives labels away."""


@dataclass(frozen=True)
class Leak:
    """A column by which rows that are tested are known from rows that are learned from.

    Attributes
    ----------
    column : str
    kind : {"group", "order"}
        Rows with the same value share labels; or rows next to each other, in the order of an id, do.
    correlation : float
        Of the labels of two such rows: 0 by chance, 1 if they always agree.
    rows_per_value : float
    """

    column: str
    kind: Literal["group", "order"]
    correlation: float
    rows_per_value: float

    def __str__(self) -> str:
        """What it means, and what to do."""
        if self.kind == "group":
            return (
                f"rows with the same {shorten(self.column)} share their labels (correlation {self.correlation:.2f}, "
                f"{self.rows_per_value:.1f} rows per value): scores of folds that divide them are too good for rows "
                f"with new values. Keep them together: `group={self.column}`."
            )
        return (
            f"rows next to each other by {shorten(self.column)} share their labels (correlation "
            f"{self.correlation:.2f}): its order gives them away, as rows sorted by label or over time do. Leave it "
            f"out, drop={self.column!r}, and if it follows time test on later rows: `time={self.column}`."
        )


def find_leaks(columns: Mapping[str, Iterable[object]], Y: Labels) -> list[Leak]:
    """Columns whose values give labels away, the worst first.

    The rule. A column of *groups* has at least 10 values, 2 to 50 rows for each on average, and holds words (or is
    named like an id). An *id* has another value in every row. For groups, two rows of one value are compared, for ids
    two rows next to each other in its order: if the correlation of their labels (the intraclass correlation, over all
    labels) is at least 0.1, and five standard errors above 0, the column gives labels away.

    Parameters
    ----------
    columns : mapping of names to cells
        A DataFrame does. Columns that are labels must not be there.
    Y : label matrix of shape (n_rows, n_labels)

    Examples
    --------
    >>> patients = np.repeat(np.arange(40), 5)
    >>> sick = (patients % 2)[:, None]
    >>> [leak.column for leak in find_leaks({"patient": [f"P{n}" for n in patients], "age": range(200)}, sick)]
    ['patient']
    """
    names = list(columns)
    labels = make_dataset(np.zeros((len(list(columns[names[0]])), 1)), Y).Y_sparse if names else None
    found = list[Leak]()
    for name in names:
        leak = None if labels is None else _leak(str(name), _listed(columns[name]), labels)
        if leak is not None:
            found.append(leak)
    return sorted(found, key=lambda leak: -leak.correlation)


def _listed(cells: Iterable[object]) -> list[object]:
    """Cells as Python's own objects; a column of pandas gives them at once, and not one by one."""
    listed: list[object] = cells.tolist() if hasattr(cells, "tolist") else list(cells)
    return listed


def _leak(name: str, cells: Sequence[object], Y: CSR) -> Leak | None:
    known = np.flatnonzero([not is_missing(cell) and str(cell).strip() != "" for cell in cells])
    texts = [str(cells[row]) for row in known.tolist()]
    is_id = bool(_NAMED_LIKE_GROUP.search(name.lower()))
    if known.size < 2 * _LEAST_VALUES or (not is_id and all(number(text) is not None for text in texts)):
        return None
    values = group_numbers(texts)
    n_values = int(values.max(initial=-1)) + 1
    if n_values < _LEAST_VALUES:
        return None
    if n_values == known.size:
        order = _id_order(texts)
        return None if order is None else _judged(name, "order", *_neighbours(Y[known[order]]), 1.0)
    rows_per_value = known.size / n_values
    if not 1.2 <= rows_per_value <= _MOST_ROWS_PER_VALUE:
        return None
    return _judged(name, "group", *_within_values(Y[known], values), rows_per_value)


def _judged(
    name: str, kind: Literal["group", "order"], correlation: float, error: float, rows_per_value: float
) -> Leak | None:
    if correlation < _LEAST_CORRELATION or correlation < _LEAST_ERRORS * error:
        return None
    return Leak(name, kind, correlation, rows_per_value)


def _id_order(texts: Sequence[str]) -> Longs | None:
    """Rows in the order of the numbers that their ids end in; None where ids have none, as hashes and names."""
    ends = [_END_NUMBER.search(text) for text in texts]
    if any(end is None or len(end[1]) > 15 for end in ends):
        return None
    return np.argsort([int(end[1]) for end in ends if end is not None], kind="stable")


def _rates(Y: CSR) -> tuple[Floats, float]:
    """How often each label holds, and the variance of all labels together."""
    rates = np.asarray(Y.sum(axis=0), np.float64).ravel() / Y.shape[0]
    return rates, float((rates * (1 - rates)).sum())


def _within_values(Y: CSR, values: Longs) -> tuple[float, float]:
    """Correlation of labels between two rows of one value, over all such pairs, and its error by chance."""
    sizes = np.bincount(values).astype(np.float64)
    n_pairs = float((sizes * (sizes - 1) / 2).sum())
    rates, variance = _rates(Y)
    if variance == 0 or n_pairs == 0:
        return 0.0, 1.0
    rows = np.arange(len(values))
    sums = sparse.csr_array((np.ones(len(values)), (values, rows)), shape=(sizes.size, rows.size)) @ Y.astype(float)
    # Sum over pairs of (y - rate)(y' - rate), from counts alone: half of square of sums less sum of squares.
    counts = np.asarray(sums.sum(axis=0)).ravel()
    squares = np.asarray(sums.multiply(sums).sum(axis=0)).ravel()
    sized = np.asarray((sparse.diags_array(sizes) @ sums).sum(axis=0)).ravel()
    of_sums = squares - 2 * rates * sized + rates**2 * (sizes**2).sum()
    of_rows = counts - 2 * rates * counts + rates**2 * len(values)
    return float((of_sums - of_rows).sum() / 2 / n_pairs / variance), _error(rates, n_pairs)


def _neighbours(Y: CSR) -> tuple[float, float]:
    """Correlation of labels between a row and the next."""
    rates, variance = _rates(Y)
    n_pairs = Y.shape[0] - 1
    if variance == 0:
        return 0.0, 1.0
    both = np.asarray(Y[:-1].multiply(Y[1:]).sum(axis=0), np.float64).ravel()
    one = np.asarray(Y[:-1].sum(axis=0), np.float64).ravel() + np.asarray(Y[1:].sum(axis=0), np.float64).ravel()
    return float((both - rates * one + rates**2 * n_pairs).sum() / n_pairs / variance), _error(rates, n_pairs)


def _error(rates: Floats, n_pairs: float) -> float:
    """Standard error of a correlation over pairs, where labels are independent: the most that few labels allow."""
    weights = rates * (1 - rates)
    effective = weights.sum() ** 2 / (weights**2).sum() if weights.any() else 1.0
    return float(1.0 / np.sqrt(n_pairs * min(effective, 4.0)))
