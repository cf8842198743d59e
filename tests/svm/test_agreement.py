"""Agreement with scikit-learn's SVC on real data."""

from __future__ import annotations

import os
import textwrap

import numpy as np
import pytest
from sklearn.multioutput import ClassifierChain
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from bncc.datasets import load
from bncc.svm import (
    chain_links,
    cross_distances,
    keep_support,
    make_batch,
    pack_labels,
    solve,
    squared_distances,
    walk,
)
from peak_memory import printed_alone

SIGMAS = 2.0 ** np.arange(-3, 10)


def real(name):
    data = load(name)
    X = np.asarray(data.X.toarray() if hasattr(data.X, "toarray") else data.X)
    if name == "emotions":
        X = MinMaxScaler().fit_transform(X)
    test = np.arange(len(X)) % 5 == 0
    return X[~test], data.Y[~test], X[test]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["emotions", "yeast", "scene"])
def test_decisions_and_objectives_over_the_whole_grid(name, data_folder):
    """Decisions within 5e-3, objectives within 1e-4, for sigma 2^-3 .. 2^9 and C 1 and 100, tolerances as they come."""
    X, Y, Z = real(name)
    label = int(np.argmin(np.abs(Y.mean(axis=0) - 0.3)))
    y = np.where(Y[:, label] > 0, 1, -1)
    gamma, C = np.tile(0.5 / SIGMAS**2, 2), np.repeat([1.0, 100.0], SIGMAS.size)
    batch = make_batch(squared_distances(X), y, target=0, gamma=gamma, C=C)
    solutions = solve(batch)
    decisions = np.array(walk(batch, solutions, cross_distances(batch.distances.points, Z), np.arange(26)[:, None]))
    for p in range(26):
        reference = SVC(C=C[p], gamma=gamma[p], cache_size=1000).fit(X, y)
        np.testing.assert_allclose(decisions[p, :, 0], reference.decision_function(Z), atol=5e-3)
        coef, rows = reference.dual_coef_[0], reference.support_
        d2 = batch.distances.matrix[np.ix_(rows, rows)].astype(np.float64)
        objective = 0.5 * coef @ np.expm1(-gamma[p] * d2) @ coef - np.abs(coef).sum()
        assert solutions.objective[p] == pytest.approx(objective, rel=1e-4)


@pytest.mark.parametrize(("name", "sigma"), [("emotions", 4.0), ("flags", 4.0), ("chd49", 8.0)])
def test_chains_predict_the_same_labels(name, sigma, data_folder):
    X, Y, Z = real(name)
    n_labels = Y.shape[1]
    order = np.random.default_rng(0).permutation(n_labels)
    links = chain_links(order, n_labels)
    batch = make_batch(
        squared_distances(X),
        np.where(Y.T > 0, 1, -1),
        target=links.target,
        gamma=0.5 / sigma**2,
        C=100.0,
        words=pack_labels(Y),
        context=links.context,
    )
    model = keep_support(batch, solve(batch))
    got = np.empty((len(Z), n_labels))
    got[:, order] = model.decide(Z, links.chains, writes=links.writes[links.chains])[0]
    expected = ClassifierChain(SVC(C=100.0, gamma=0.5 / sigma**2), order=order).fit(X, Y).predict(Z)
    assert ((got > 0) == expected).mean() >= 0.999


@pytest.mark.slow
def test_mediamill_works_in_little_memory(data_folder):
    """Kernel rows on demand: 39,516 rows, whose distances alone would take 6.2 GB, in 300 MB beside the data."""
    code = """
        import numpy as np
        from bncc.datasets import load
        from bncc.svm import make_batch, solve, squared_distances
        from peak_memory import peak
        data = load("mediamill")
        train = np.arange(data.n_rows) % 10 != 0
        X, y = data.X[train], np.where(data.Y_sparse[:, [67]].toarray().ravel()[train] > 0, 1, -1)
        before = peak()
        batch = make_batch(squared_distances(X, cache_size=300.0), y, gamma=0.5, C=1.0)
        solution = solve(batch, cache_size=300.0, max_iter=20_000)[0]
        print(solution.support.size, (peak() - before) / 1e6)
    """
    support, megabytes = map(float, printed_alone(textwrap.dedent(code)).split())
    assert support > 1000
    assert megabytes < 450


@pytest.mark.slow
def test_more_than_two_to_the_31_distances():
    """47,000 rows: the last rows lie beyond 2^31 elements, and give the same solution held and on demand."""
    available = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    if available < 12e9:
        pytest.skip("needs 12 GB of free memory")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(47_000, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=47_000) > 0, 1, -1)
    solutions = []
    for cache_size in (19_000.0, 300.0):
        distances = squared_distances(X, cache_size=cache_size)
        assert (distances.matrix is not None) == (cache_size > 1000)
        batch = make_batch(distances, y, gamma=0.5, C=1.0, rows=[np.arange(44_000, 47_000)])
        solutions.append(solve(batch, cache_size=cache_size)[0])
        del distances, batch
    np.testing.assert_array_equal(solutions[0].coef, solutions[1].coef)
    rows = np.arange(44_000, 47_000)
    assert SVC(gamma=0.5).fit(X[rows], y[rows]).n_support_.sum() == pytest.approx(solutions[0].support.size, abs=3)
