import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from bncc.analysis import residual_dependence


def through_features_alone(seed, n_rows=600, n_labels=5, shift=0.0):
    """Labels that depend on each other only through X, and their probabilities out of fold."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n_rows, 3))
    weights = random.standard_normal((3, n_labels))
    Y = (random.random((n_rows, n_labels)) < 1 / (1 + np.exp(-(X @ weights + shift)))).astype(int)
    return X, Y


def out_of_fold(X, Y):
    columns = [
        cross_val_predict(LogisticRegression(), X, Y[:, label], cv=4, method="predict_proba")[:, 1]
        for label in range(Y.shape[1])
    ]
    return np.column_stack(columns)


def test_dependence_through_the_features_is_explained():
    p_values, plain = [], []
    for seed in range(25):
        X, Y = through_features_alone(seed)
        found = residual_dependence(Y, out_of_fold(X, Y))
        p_values += [pair.p_value for pair in found.pairs()]
        plain += [abs(pair.correlation) for pair in found.pairs()]
    assert np.mean(plain) > 0.1  # as they are, they depend
    assert kstest(p_values, "uniform").pvalue > 0.01


def test_a_direct_link_is_found_and_only_it():
    random = np.random.default_rng(1)
    X, Y = through_features_alone(3, n_rows=1500)
    copies = random.random(1500) < 0.3
    Y[copies, 4] = Y[copies, 0]
    found = residual_dependence(Y, out_of_fold(X, Y), label_names=list("abcde")).pairs(alpha=0.01)
    assert [(pair.first, pair.second) for pair in found] == [(0, 4)]
    assert found[0].residual_correlation > 0.1


def test_rare_labels_are_not_called_dependent():
    false, pairs = 0, 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        rates = random.uniform(0.002, 0.02, 12)
        Y = (random.random((800, 12)) < rates).astype(int)
        found = residual_dependence(Y, np.tile(rates, (800, 1)))
        false += len(found.pairs(alpha=0.05)) > 0
        pairs += sum(pair.p_value <= 0.01 for pair in found.pairs())
    assert false <= 6
    assert pairs <= 40 * 66 * 0.02


def test_probabilities_that_are_too_sure_are_forgiven():
    p_values = []
    for seed in range(15):
        X, Y = through_features_alone(seed, n_labels=4)
        p = out_of_fold(X, Y)
        sharper = 1 / (1 + (p / (1 - p)) ** -1.3)
        p_values += [pair.p_value for pair in residual_dependence(Y, sharper).pairs()]
    assert np.mean(np.array(p_values) < 0.01) < 0.05


def test_the_table_is_symmetric_and_ranked():
    X, Y = through_features_alone(0)
    found = residual_dependence(Y, out_of_fold(X, Y))
    for matrix in (found.correlation, found.residual_correlation, found.p_value, found.corrected_p_value):
        np.testing.assert_allclose(matrix, matrix.T)
    assert (found.corrected_p_value >= found.p_value - 1e-12).all()
    ranked = [pair.p_value for pair in found.pairs()]
    assert ranked == sorted(ranked)


def test_mistakes():
    with pytest.raises(ValueError, match="shape of `Y`"):
        residual_dependence([[1, 0]], [[0.5]])
    with pytest.raises(ValueError, match=r"0\.\.1"):
        residual_dependence([[1, 0]], [[0.5, float("nan")]])
