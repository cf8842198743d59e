"""Every estimator that the package offers, as it comes, passes scikit-learn's checks."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_classifier_multioutput, check_estimator

import bncc
from bncc.datasets import make_scenes
from bncc.multilabel import MonteCarloChain, RandomKLabelsets, TunedThresholds
from bncc.multilabel.base import MultilabelClassifier

ESTIMATORS = {
    name: member
    for name in bncc.__all__
    if inspect.isclass(member := getattr(bncc, name)) and issubclass(member, BaseEstimator)
}
MULTILABEL = [name for name, kind in ESTIMATORS.items() if issubclass(kind, MultilabelClassifier)]
# SVMs stop at a tolerance and calibrate on folds, ensembles and searches draw rows: repeated rows are no weights here.
NOT_WEIGHT_EQUIVALENT = {
    f"check_sample_weight_equivalence_on_{form}_data": "SVM-based or resampling" for form in ("dense", "sparse")
}
OF_SEVERAL_CLASSES = {
    "check_supervised_y_2d": "a column of classes is learned as it stands, a single y one class against the rest"
}

# Sets for example F1 are not what is more probable than not; for Hamming loss they are, and the check is made on that.
OF_DECISIONS = {"check_classifier_multioutput": "label sets are chosen for a metric, not at one half"}


def instance(name):
    kind = ESTIMATORS[name]
    if kind is TunedThresholds:
        return kind(bncc.BinaryRelevance(LogisticRegression()))
    if kind is bncc.KernelSearchCV:
        return kind(bncc.KernelSVC(), {"C": [1.0]}, cv=2)
    if kind is MonteCarloChain:
        return kind(n_swaps=2)
    return kind(n_sets=3) if kind is RandomKLabelsets else kind()


@pytest.mark.parametrize("name", MULTILABEL)
def test_sparse_labels_give_sparse_predictions(name):
    data = make_scenes(60, random_state=0)
    X, Y = data.X, np.asarray(data.Y)[:, :4]
    model = instance(name).set_params(**({"random_state": 0} if "random_state" in instance(name).get_params() else {}))
    expected = model.fit(X, Y).predict(X)
    predicted = model.fit(X, sparse.csr_array(Y)).predict(X)
    assert type(predicted) is sparse.csr_array
    assert np.array_equal(predicted.toarray(), expected)


def linear_instance(name):
    """The estimator over links whose weights are stored sparse; None where it has no links of a base."""
    base = bncc.LinearSVC(drop_below=0.1)
    model = instance(name)
    if "estimator" not in model.get_params():
        return None
    over_estimators = name in ("NetworkDecoder", "TunedThresholds")
    return model.set_params(estimator=bncc.BinaryRelevance(base) if over_estimators else base)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", [name for name in MULTILABEL if linear_instance(name) is not None])
def test_sparse_rows_and_sparse_weights_answer_as_dense_ones(name):
    random = np.random.default_rng(0)
    X = sparse.random_array((150, 40), density=0.15, rng=random, format="csr")
    Y = (X @ random.standard_normal((40, 5)) > 0.3).astype(int)
    seeded = {"random_state": 0} if "random_state" in linear_instance(name).get_params() else {}
    model, dense = (linear_instance(name).set_params(**seeded).fit(X, y) for y in (sparse.csr_array(Y), Y))
    scores, expected = dense.decision_function(X), dense.predict(X)
    assert np.array_equal(model.predict(X).toarray(), expected)
    for fitted in (model, dense):
        labels, highest = fitted.predict_top(X, 2)
        assert np.array_equal(labels, np.argsort(-scores, axis=1, kind="stable")[:, :2])
        assert np.array_equal(highest, np.take_along_axis(scores, labels, axis=1))


# Tables are read by the names of their columns: what is missing is a gap, and told; what is more is not looked at.
OF_TABLES = dict.fromkeys(
    ("check_n_features_in_after_fitting", "check_transformer_general"), "columns are found by name, others left alone"
) | dict.fromkeys(
    ("check_complex_data", "check_estimators_empty_data_messages", "check_fit2d_predict1d"),
    "cells of any kind are read, and errors speak of tables",
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_scikit_learn_checks(name):
    expected = NOT_WEIGHT_EQUIVALENT | (OF_SEVERAL_CLASSES if name == "BinaryRelevance" else {})
    if name == "TableFeatures":
        expected = OF_TABLES
    if name in ("Blend", "NetworkDecoder"):
        expected |= OF_DECISIONS
    results = check_estimator(instance(name), on_fail=None, expected_failed_checks=expected)
    failed = [(result["check_name"], str(result["exception"])) for result in results if result["status"] == "failed"]
    assert failed == []
    assert sum(result["status"] == "passed" for result in results) > (35 if name == "TableFeatures" else 40)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_blend_for_hamming_loss_decides_at_one_half(seed):
    check_classifier_multioutput("Blend", bncc.Blend("hamming_loss", random_state=seed))


@pytest.mark.slow
def test_a_decoder_for_hamming_loss_decides_at_one_half():
    check_classifier_multioutput("NetworkDecoder", bncc.NetworkDecoder(optimise="hamming"))
