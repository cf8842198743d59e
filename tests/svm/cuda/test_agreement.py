"""The device against the CPU engine on every real data set below 10,000 rows."""

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.preprocessing import MaxAbsScaler

from bncc.datasets import load
from bncc.svm import chain_links, cross_val_decisions, pack_labels, resolve_gamma, squared_distances
from bncc.svm.cuda import device

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
