"""Estimators by name: parameters, bases, seeds, and nothing beyond the two packages."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

import bncc
from bncc.experiment import Method, ProtocolError
from bncc.experiment.method_estimators import make_estimator


def method(kind, base=None, on=None, **params):
    return Method("M", kind, params, base, on or {})


def test_parameters_exceptions_and_seeds():
    ensemble = method("EnsembleClassifierChain", n_chains=10, on={"big": {"n_chains": 5}})
    assert make_estimator(ensemble, "small", seed=3).n_chains == 10
    big = make_estimator(ensemble, "big", seed=3)
    assert (big.n_chains, big.random_state) == (5, 3)
    assert isinstance(big.estimator, bncc.KernelSVC)
    assert make_estimator(method("ClassifierChain", random_state=9), "any", seed=3).random_state == 9


def test_bases_of_scikit_learn():
    base = Method("M.base", "LogisticRegression", {"C": 2.0}, None, {})
    chain = make_estimator(method("BNCC", base, max_children=1), "any", seed=0)
    assert isinstance(chain.estimator, LogisticRegression)
    assert (chain.estimator.C, chain.max_children) == (2.0, 1)


def test_every_estimator_can_be_named():
    members = {name: getattr(bncc.multilabel, name) for name in bncc.multilabel.__all__}
    for name, member in members.items():
        if isinstance(member, type) and issubclass(member, BaseEstimator):
            assert type(make_estimator(method(name), "any", seed=0)).__name__ == name


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (method("BNC"), "no estimator is called 'BNC'; did you mean 'BNCC'"),
        (method("os.system"), "no estimator is called 'os.system'"),
        (method("BNCC", max_child=2), "BNCC has no parameter 'max_child'; it has max_children"),
        (method("BNCC", estimator="x"), "no parameter 'estimator'"),
        (method("VotingClassifier"), "VotingClassifier cannot be made of that"),
        (method("MLkNN", method("GaussianNB")), "has no base classifier"),
    ],
)
def test_what_is_wrong_is_said(wrong, message):
    with pytest.raises(ProtocolError, match=message):
        make_estimator(wrong, "any", seed=0)
