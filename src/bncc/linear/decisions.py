"""Scores of new rows: for many problems at once, with labels that are known, or along a chain that decides them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from bncc._typing import CSR, Array, Integers
from bncc.linear.dense_scores import dense_scores
from bncc.linear.features import Features, prepare_features
from bncc.linear.solutions import Solutions
from bncc.linear.sparse_walks import sparse_walk

__all__ = ["decide", "walk"]

_BLOCK_BYTES = 64e6


def decide(
    solutions: Solutions, X: Any, labels: Any = None, *, problems: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Scores of rows: one column per problem, positive for the positives of its target.

    Parameters
    ----------
    solutions : Solutions
    X : array or sparse matrix of shape (n, n_features)
    labels : array or sparse matrix of shape (n, n_labels), default=None
        Known labels of these rows, for problems that see labels; None is none.
    problems : indices, default=None
        Which problems; None is all.

    >>> from bncc.linear import make_batch, solve
    >>> solutions = solve(make_batch([[-1.0], [1.0]], [0, 1], C=100.0), tol=1e-8)
    >>> decide(solutions, [[3.0]]).round(2).tolist()
    [[2.99]]
    """
    numbers = np.arange(len(solutions)) if problems is None else np.atleast_1d(np.asarray(problems, np.intp))
    features = _features_of(solutions, X)
    compiled = sparse_walk(solutions, features, numbers, np.full(numbers.size, -1)) if labels is None else None
    if compiled is not None:
        return compiled.scores()
    blocks = [scores for _, scores in _score_blocks(solutions, features, labels, numbers)]
    return np.concatenate([np.zeros((0, numbers.size)), *blocks])


def walk(solutions: Solutions, X: Any, problems: Sequence[int] | ArrayLike, writes: ArrayLike) -> NDArray[np.float64]:
    """Scores of rows along a chain: each problem sees the labels that were decided before it.

    Parameters
    ----------
    solutions : Solutions
    X : array or sparse matrix of shape (n, n_features)
    problems : sequence of int
        The links of the chain, in order.
    writes : sequence of int
        The label that each link decides (a score above 0 is a positive); -1 for none.

    Returns
    -------
    array of shape (n, n_links)

    >>> from bncc.linear import chain_context, make_batch, solve
    >>> Y = np.array([[0, 0], [1, 1]])
    >>> solutions = solve(make_batch([[-1.0], [1.0]], Y, labels=Y, context=chain_context([0, 1])))
    >>> (walk(solutions, [[-1.0], [1.0]], [0, 1], [0, 1]) > 0).astype(int).tolist()
    [[0, 0], [1, 1]]
    """
    links, written = (np.atleast_1d(np.asarray(numbers, np.intp)) for numbers in (problems, writes))
    n_labels = solutions.weights.shape[1] - solutions.n_features
    if links.shape != written.shape:
        raise ValueError(f"`writes` must have one label per link ({links.size}); got {written.size}.")
    if written.size and (written.min() < -1 or written.max() >= max(n_labels, 1)):
        raise ValueError(f"`writes` must lie in -1..{n_labels - 1}; got {written.min()}..{written.max()}.")
    features = _features_of(solutions, X)
    compiled = sparse_walk(solutions, features, links, written if n_labels else np.full(links.size, -1))
    if compiled is not None:
        return compiled.scores()
    hands_on = bool(n_labels) and bool((written >= 0).any())
    weights_of_positives = _later_weights(solutions, links, written) if hands_on else None
    blocks = []
    for _, scores in _score_blocks(solutions, features, None, links):
        if weights_of_positives is not None:
            _follow(scores, written >= 0, weights_of_positives)
        blocks.append(scores)
    return np.concatenate([np.zeros((0, links.size)), *blocks])


def _later_weights(solutions: Solutions, links: Integers, written: Integers) -> Array | CSR | None:
    """Line p: what a positive of link p adds to the links after it; None where it adds nothing."""
    of_labels = _part(solutions.weights, links, slice(solutions.n_features, None)).T
    if sparse.issparse(of_labels):
        writers = np.flatnonzero(written >= 0)  # lines of the others would take room, and are not read
        ones = np.ones(writers.size, of_labels.dtype)
        taken = sparse.csr_array((ones, (writers, written[writers])), (written.size, of_labels.shape[0]))
        lines = sparse.triu(taken @ sparse.csr_array(of_labels), k=1, format="csr")
        return lines if lines.nnz else None
    lines = np.triu(of_labels[np.maximum(written, 0)], k=1)
    return lines if lines.any() else None


def _follow(scores: NDArray[np.float64], writes: NDArray[np.bool_], weights_of_positives: Array | CSR) -> None:
    """Go from one positive of each row to the next, in place; most links are negative, and cost nothing here."""
    ahead = (scores > 0) & writes
    rows = np.arange(len(scores))
    while rows.size:
        reached = ahead[rows].argmax(axis=1)
        found = ahead[rows, reached]
        rows, reached = rows[found], reached[found]
        ahead[rows, reached] = False
        if not isinstance(weights_of_positives, np.ndarray):
            changed, columns, values = _entries(weights_of_positives, rows, reached)
            scores[changed, columns] += values
            ahead[changed, columns] = (scores[changed, columns] > 0) & writes[columns]
        else:
            scores[rows] += weights_of_positives[reached]
            ahead[rows] = (scores[rows] > 0) & writes & (np.arange(writes.size) > reached[:, None])


def _entries(lines: CSR, rows: Integers, numbers: Integers) -> tuple[Integers, Integers, Array]:
    """Entries of some lines of a CSR matrix: the row that each belongs to, its column and its value."""
    counts = lines.indptr[numbers + 1] - lines.indptr[numbers]
    ends = np.cumsum(counts)
    places = np.repeat(lines.indptr[numbers] - ends + counts, counts) + np.arange(ends[-1] if ends.size else 0)
    return np.repeat(rows, counts), lines.indices[places], lines.data[places]


def _features_of(solutions: Solutions, X: Any) -> Features:
    features = prepare_features(X)
    if features.n_features != solutions.n_features:
        raise ValueError(f"X must have {solutions.n_features} features, as in training; got {features.n_features}.")
    return features


def _score_blocks(
    solutions: Solutions, features: Features, labels: Any, problems: Integers
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Scores of some rows after the other, so that no more than a bounded part is held twice."""
    known = None if labels is None else sparse.csr_array(labels, dtype=np.float64)
    n_labels = solutions.weights.shape[1] - solutions.n_features
    if known is not None and known.shape != (features.n_rows, n_labels):
        raise ValueError(f"`labels` must have shape {(features.n_rows, n_labels)}; got {known.shape}.")
    of_labels = _transposed(_part(solutions.weights, problems, slice(solutions.n_features, None)))
    step = max(1, int(_BLOCK_BYTES / (8 * max(problems.size, 1))))
    score = _score_by_features(solutions, features, problems)
    for first in range(0, features.n_rows, step):
        scores = score(first, first + step)
        if known is not None and n_labels:
            scores = scores + _dense(known[first : first + step] @ of_labels)
        yield first, scores


def _score_by_features(
    solutions: Solutions, features: Features, problems: Integers
) -> Callable[[int, int], NDArray[np.float64]]:
    """What scores some rows by their features and the bias."""
    compiled = dense_scores(solutions, features, problems)
    if compiled is not None:
        return compiled.of_rows
    rows, bias = features.matrix(), solutions.bias[problems]
    weights = _transposed(_part(solutions.weights, problems, slice(0, solutions.n_features)))
    return lambda first, end: np.asarray(_dense(rows[first:end] @ weights), np.float64) + bias


def _part(weights: Any, problems: Integers, columns: slice) -> Any:
    if problems.size == weights.shape[0] and (problems == np.arange(problems.size)).all():
        return weights[:, columns]
    # Of sparse weights the problems first, which lie together; of dense ones the columns, which cost nothing.
    return weights[problems][:, columns] if sparse.issparse(weights) else weights[:, columns][problems]


def _transposed(weights: Any) -> Any:
    return sparse.csr_array(weights.T) if sparse.issparse(weights) else np.ascontiguousarray(weights.T)


def _dense(product: Any) -> Any:
    return product.toarray() if sparse.issparse(product) else product
