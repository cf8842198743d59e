"""Estimators by name: parameters, bases, seeds, and nothing beyond the two packages."""

from importlib.resources import files
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC

import bncc
from bncc.experiment import Method, ProtocolError, load_protocol
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


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("LogisticRegression", bncc.LogisticRegression),
        ("LinearSVC", bncc.LinearSVC),
        ("sklearn.LogisticRegression", LogisticRegression),
        ("sklearn.LinearSVC", LinearSVC),
        ("RidgeClassifier", RidgeClassifier),
        ("sklearn.RidgeClassifier", RidgeClassifier),
    ],
)
def test_linear_bases_are_ours_unless_scikit_learn_is_named(name, kind):
    params = {"alpha": 2.0} if kind is RidgeClassifier else {"C": 2.0}
    base = Method("M.base", name, params, None, {})
    chain = make_estimator(method("BNCC", base, max_children=1), "any", seed=0)
    assert type(chain.estimator) is kind
    assert {each: chain.estimator.get_params()[each] for each in params} == params
    assert chain.max_children == 1


def test_protocols_of_the_package_name_no_linear_base():
    """Their stores stay comparable, whatever a plain name means."""
    shipped = [Path(str(item)).stem for item in (files("bncc.experiment") / "protocols").iterdir()]
    assert "paper" in shipped
    for name in shipped:
        for each in load_protocol(name).methods:
            while each is not None:
                assert each.estimator.removeprefix("sklearn.") not in ("LinearSVC", "LogisticRegression")
                each = each.base


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
        (method("LinearSVC", dual=True), "LinearSVC has no parameter 'dual'; .* name 'sklearn.LinearSVC'"),
        (method("BNCC", method("LinearSVC", C=[0.1, 1.0])), r"C must be one number; got \[0.1, 1.0\]. .*per value"),
        (method("MLkNN", method("GaussianNB")), "has no base classifier"),
    ],
)
def test_what_is_wrong_is_said(wrong, message):
    with pytest.raises(ProtocolError, match=message):
        make_estimator(wrong, "any", seed=0)
