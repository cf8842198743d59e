import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from bncc.datasets import FUNCTIONS, make_genes


def test_genes_are_drawn_by_their_seed_alone():
    first, again, other = make_genes(50, 3), make_genes(50, 3), make_genes(50, 4)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.Y, again.Y)
    assert (first.X != other.X).any()
    assert (first.label_names, first.n_features) == (FUNCTIONS.label_names, 32)


def test_functions_are_as_often_as_the_network_says():
    Y = make_genes(20_000, 1).Y
    metabolism, energy = Y[:, 0], Y[:, 1]
    assert metabolism.mean() == pytest.approx(0.40, abs=0.01)
    assert energy[metabolism == 0].mean() == pytest.approx(0.03, abs=0.01)
    assert 0 < Y[:, -1].mean() < 0.05, "one label is rare"


def test_curves_tell_functions_and_not_all():
    genes = make_genes(1500, 2)
    auc = [cross_val_score(LogisticRegression(C=0.1), genes.X, y, scoring="roc_auc", cv=3).mean() for y in genes.Y.T]
    assert 0.7 < np.mean(auc) < 0.95
