"""Walks in NumPy and double precision: the oracle of the tests, and for problems that were solved in double."""

from __future__ import annotations

import numpy as np

from bncc._typing import Floats, Floats32, Words
from bncc.svm.contexts import WORD
from bncc.svm.plain_smo import kernel_block
from bncc.svm.problems import Batch, Solutions
from bncc.svm.walk_plan import Walks

__all__ = ["walk_in_double"]


def walk_in_double(batch: Batch, solutions: Solutions, d2: Floats32 | Floats, walks: Walks) -> list[Floats]:
    """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""
    known = np.zeros((len(batch.words), d2.shape[0]), np.uint32) if walks.words is None else walks.words
    each = zip(walks.rows, walks.problems, walks.writes, strict=True)
    return [
        _walk_chain(batch, solutions, d2[rows], known[:, rows], list(zip(problems, writes, strict=True)))
        for rows, problems, writes in each
    ]


def _walk_chain(
    batch: Batch, solutions: Solutions, d2: Floats32 | Floats, words: Words, chain: list[tuple[np.int32, np.int32]]
) -> Floats:
    """Decisions of one chain of (problem, written label) for all rows of `d2`, their labels known beforehand."""
    labels = words.copy()
    out = np.zeros((d2.shape[0], len(chain)))
    for link, (problem, label) in enumerate(chain):
        solution = solutions[int(problem)]
        k = kernel_block(batch, int(problem), d2[:, solution.support], labels, solution.support)
        out[:, link] = k @ solution.coef + solution.bias
        if label >= 0:
            bit = np.uint32(1) << np.uint32(label % WORD)
            word = labels[label // WORD]
            labels[label // WORD] = np.where(out[:, link] > 0, word | bit, word & ~bit)
    return out
