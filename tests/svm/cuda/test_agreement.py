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
@pytest.mark.parametrize("name", SETS)
def test_labels_are_those_of_the_cpu(name, data_folder):
    if reason := device.missing():
        pytest.skip(reason)
    same = (chain_decisions(name, "cpu") > 0) == (chain_decisions(name, "cuda") > 0)
    assert same.mean() >= 0.9995
