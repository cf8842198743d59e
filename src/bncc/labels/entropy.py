"""Entropy, conditional entropy and the dependence degree (section 3.1 of the paper).

All logarithms are base 2, so that every entropy of a label lies in [0, 1]; ``0 log 0 = 0``. In every matrix the row
is the child and the column the parent: ``dependence(Y)[j, k]`` is I(l_k -> l_j), the weight of the edge from k to j.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from bncc._checks import check_pairs
from bncc._typing import Floats, Labels, Longs
from bncc.labels.counts import LabelCounts, count_labels

__all__ = [
    "conditional_entropy",
    "dependence",
    "dependence_of",
    "entropy",
    "mutual_information",
    "set_conditional_entropy",
    "set_dependence",
]

MAX_DENSE_LABELS = 20_000


def entropy(Y: Labels | LabelCounts) -> Floats:
    """Uncertainty of each label, H(l_j) (Eq. 5).

    >>> entropy([[1, 0], [1, 1], [0, 0], [0, 0]]).round(4).tolist()
    [1.0, 0.8113]
    """
    counts = count_labels(Y)
    n, c = counts.n_rows, counts.positives
    return _clip(_row_terms(c, n) + _row_terms(n - c, n), n)


def conditional_entropy(Y: Labels | LabelCounts) -> Floats:
    """Uncertainty of each label given each other one, H(l_j | l_k) (Eq. 6): row j, column k.

    >>> conditional_entropy([[0, 0]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 3).round(4).tolist()
    [[0.0, 0.6897], [0.6, 0.0]]
    """
    counts = count_labels(Y)
    _check_dense(counts)
    both = counts.pairs.toarray().astype(np.int64)
    c = counts.positives
    return pair_entropies(counts.n_rows, c[:, None], c[None, :], both)


def dependence(Y: Labels | LabelCounts) -> Floats:
    """Dependence degree I(l_k -> l_j) = 1 - H(l_j | l_k) (Eq. 7): row = child j, column = parent k, diagonal 1."""
    return 1.0 - conditional_entropy(Y)


def dependence_of(Y: Labels | LabelCounts, pairs: Iterable[tuple[int, int]]) -> Floats:
    """Dependence degree of chosen (child, parent) pairs, without an (M, M) array.

    >>> dependence_of([[0, 0]] * 4 + [[1, 0]] * 3 + [[1, 1]] * 3, [(0, 1), (1, 0)]).round(4).tolist()
    [0.3103, 0.4]
    """
    counts = count_labels(Y)
    indices = np.asarray(list(pairs), np.int64)
    child, parent = check_pairs(
        indices, counts.n_labels, argument="pairs", members="(child, parent)", what="hold label indices"
    ).T
    both = counts.pair_counts(child, parent)
    return 1.0 - pair_entropies(counts.n_rows, counts.positives[child], counts.positives[parent], both)


def mutual_information(Y: Labels | LabelCounts, label: int) -> Floats:
    """Mutual information of one label with every label, H(l_j) - H(l_j | l_k) over all k."""
    counts = count_labels(Y)
    _check_labels(counts, [label])
    both = counts.pairs[[label]].toarray().ravel().astype(np.int64)
    c = counts.positives
    given = pair_entropies(counts.n_rows, np.full_like(c, c[label]), c, both)
    return np.maximum(entropy(counts)[label] - given, 0.0)


def set_conditional_entropy(Y: Labels | LabelCounts, child: int, parents: Sequence[int]) -> float:
    """Uncertainty of a label given a set of labels, H(l_j | L*) (Eq. 8), over the configurations that occur."""
    counts = count_labels(Y)
    index = np.asarray([*parents, child], np.int64)
    _check_labels(counts, index.tolist())
    if len(set(index.tolist())) != index.size:
        raise ValueError(f"`parents` must be distinct and leave out the child {child}; got {list(parents)}.")
    columns = counts.matrix[:, index].toarray()
    _, configuration = np.unique(columns[:, :-1], axis=0, return_inverse=True)
    total = np.bincount(configuration.ravel())
    ones = np.bincount(configuration.ravel()[columns[:, -1] == 1], minlength=total.size)
    terms = _row_terms(ones, total) + _row_terms(total - ones, total)
    return float(_clip(terms.sum(keepdims=True), counts.n_rows)[0])


def set_dependence(Y: Labels | LabelCounts, child: int, parents: Sequence[int]) -> float:
    """Dependence degree of a label on a set of labels, I(L* -> l_j) = 1 - H(l_j | L*) (Eq. 9).

    >>> set_dependence([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], child=2, parents=[0, 1])
    1.0
    """
    return 1.0 - set_conditional_entropy(Y, child, parents)


def pair_entropies(n: int, child: Longs, parent: Longs, both: Longs) -> Floats:
    """H(child | parent) from the rows N and those with the child, with the parent and with both; arrays broadcast."""
    only_child, only_parent = child - both, parent - both
    neither = n - child - parent + both
    terms = _row_terms(both, parent) + _row_terms(only_parent, parent)
    terms = terms + _row_terms(only_child, n - parent) + _row_terms(neither, n - parent)
    return _clip(terms, n)


def _row_terms(part: Longs, whole: Longs | int) -> Floats:
    """``part * log2(whole / part)``, 0 where part is 0 or all of the whole."""
    rows = np.asarray(part, np.float64)
    ratio = np.divide(rows, whole, out=np.ones_like(rows), where=rows > 0)
    return -rows * np.log2(ratio)


def _clip(terms: Floats, n: int) -> Floats:
    # Rounding may leave an entropy a few ulps outside its bounds; 0.0 also turns -0.0 into 0.0.
    return np.asarray(np.clip(terms / n, 0.0, 1.0) + 0.0)


def _check_labels(counts: LabelCounts, labels: Sequence[int]) -> None:
    outside = [label for label in labels if not 0 <= label < counts.n_labels]
    if outside:
        raise ValueError(f"Labels must lie in 0..{counts.n_labels - 1}; got {outside}.")


def _check_dense(counts: LabelCounts) -> None:
    if counts.n_labels > MAX_DENSE_LABELS:
        raise ValueError(
            f"The full matrix is offered up to {MAX_DENSE_LABELS:,} labels; got {counts.n_labels:,}. "
            "Use `dependence_of(Y, pairs)` for the pairs you need."
        )
