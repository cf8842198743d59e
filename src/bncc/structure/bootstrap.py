"""How often an edge comes back when the network is learned again from rows drawn anew."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy import sparse

from bncc._threads import n_threads
from bncc._typing import Floats, Longs, Random
from bncc.labels import LabelCounts
from bncc.structure.learn import learn_network
from bncc.structure.recipe import Recipe

__all__ = ["bootstrap_shares", "resample"]

_AT_A_TIME = 64


def bootstrap_shares(
    counts: LabelCounts,
    recipe: Recipe,
    edges: Sequence[tuple[int, int]],
    *,
    n_resamples: int = 100,
    random_state: Random = 0,
    n_jobs: int | None = None,
) -> Floats:
    """The share of resamples whose network joins the two labels of each edge, either way round.

    Each resample has as many rows as there are, drawn with replacement (Friedman, Goldszmidt and Wyner, 1999).
    """
    random = np.random.default_rng(random_state)
    rows = sparse.csr_array(counts.matrix)
    seeds = random.integers(2**63, size=n_resamples)

    def comes_back(seed: int) -> list[bool]:
        drawn = np.random.default_rng(seed).integers(counts.n_rows, size=counts.n_rows)
        found = _learn_again(resample(rows, drawn), recipe)
        return [(parent, child) in found or (child, parent) in found for parent, child in edges]

    times = np.zeros(len(edges))
    with ThreadPoolExecutor(n_threads(n_jobs)) as workers:
        try:
            for start in range(0, n_resamples, _AT_A_TIME):
                for back in workers.map(comes_back, seeds[start : start + _AT_A_TIME].tolist()):
                    times += back
        except BaseException:
            workers.shutdown(wait=False, cancel_futures=True)  # whoever stops it does not wait for what was queued
            raise
    return times / max(n_resamples, 1)


def resample(rows: sparse.csr_array, drawn: Longs) -> LabelCounts:
    """Counts of the drawn rows of a checked label matrix."""
    matrix = rows[np.sort(drawn)].tocsc()
    return LabelCounts(matrix, np.diff(matrix.indptr).astype(np.int64))


def _learn_again(counts: LabelCounts, recipe: Recipe) -> set[tuple[int, int]]:
    net = learn_network(
        counts,
        max_children=recipe.max_children,
        max_parents=recipe.max_parents,
        score=recipe.score,
        search=recipe.search,
        first_parent=recipe.first_parent,
        initial_order=recipe.initial_order,
        required=recipe.required,
        forbidden=recipe.forbidden,
    )
    return set(net.edges)
