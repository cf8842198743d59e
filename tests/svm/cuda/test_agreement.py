"""The device against the CPU engine: every real data set below 10,000 rows, and what these do not reach."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import KFold
from sklearn.preprocessing import MaxAbsScaler

from bncc.datasets import load
from bncc.svm import (
    chain_links,
    cross_val_decisions,
    keep_support,
    make_batch,
    pack_labels,
    resolve_gamma,
    solve,
    squared_distances,
)
from bncc.svm.cuda import device, distances

SETS = [
    "bibtex",
    "chd49",
    "education",
    "emotions",
    "enron",
    "eukaryotego",
    "flags",
    "genbase",
    "gnegativego",
    "gpositivego",
    "humango",
    "humanpseaac",
    "medical",
    "plantgo",
    "scene",
    "virusgo",
    "waterquality",
    "yeast",
]


def chain_decisions(name, engine):
    """Ten folds of a chain in the order of the labels, C = 100, sigma from the variance of the features."""
    data = load(name)
    X = MaxAbsScaler().fit_transform(data.X)
    Y = data.Y_sparse.toarray()
    folds = list(KFold(10, shuffle=True, random_state=0).split(Y))
    n_labels = Y.shape[1]
    return cross_val_decisions(
        squared_distances(X),
        np.where(Y.T > 0, 1, -1),
        chain_links(np.arange(n_labels), n_labels),
        folds,
        gamma=resolve_gamma(X),
        C=100.0,
        words=pack_labels(Y),
        engine=engine,
    )[0, 0]


@pytest.mark.gpu
@pytest.mark.slow
def test_labels_are_those_of_the_cpu(data_folder):
    """At least 99.95 % of all labels over all sets.

    A small set alone may fall below that: both engines stop within the tolerance of 1e-3, so a decision closer to 0 may
    take either sign, and the rest of the row's chain follows it. One decision on chd49 is -9.5e-5; with the other sign
    two later labels of its row turn as well, which makes 3 of 3,330.
    """
    if reason := device.missing():
        pytest.skip(reason)
    same = {name: (chain_decisions(name, "cpu") > 0) == (chain_decisions(name, "cuda") > 0) for name in SETS}
    assert np.concatenate([part.ravel() for part in same.values()]).mean() >= 0.9995
    assert {name: part.mean() for name, part in same.items() if part.mean() < 0.998} == {}


def both_decide(X, n_known):
    """Decisions of two problems, solved on the CPU and on the device, for rows that neither learned from."""
    if reason := device.missing():
        pytest.skip(reason)
    rng = np.random.default_rng(1)
    Y = (X @ rng.normal(size=(X.shape[1], 2)) + 0.3 * rng.normal(size=(X.shape[0], 2)) > 0.2).astype(int)
    batch = make_batch(
        squared_distances(X),
        np.where(Y.T > 0, 1, -1),
        gamma=0.1,
        C=5.0,
        rows=[np.arange(n_known)],
        words=pack_labels(Y),
        context=np.array([[0], [1]], np.uint32),
    )
    for engine in ("cpu", "cuda"):
        solutions = solve(batch, engine=engine, tol=1e-4)
        assert (solutions.status == 0).all()
        yield keep_support(batch, solutions).decide(X[n_known:], [[0], [1]], engine=engine)


@pytest.mark.gpu
def test_a_problem_that_registers_do_not_hold():
    n_known = device.CupyDevice.variants[-1].capacity + 1000
    X = np.random.default_rng(0).normal(size=(n_known + 200, 4))
    expected, found = both_decide(X, n_known)
    np.testing.assert_allclose(found, expected, atol=5e-3)


@pytest.mark.gpu
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_distances_that_are_formed_when_they_are_read(kind, monkeypatch):
    monkeypatch.setattr(distances, "_SHARE", 0.0)
    X = np.random.default_rng(0).normal(size=(2200, 12))
    if kind == "sparse":
        X = sparse.csr_array(np.where(np.abs(X) > 1.8, X, 0.0))
    expected, found = both_decide(X, 2000)
    np.testing.assert_allclose(found, expected, atol=5e-3)
