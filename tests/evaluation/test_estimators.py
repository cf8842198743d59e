"""Estimators by name: parameters, bases, seeds, and nothing beyond the two packages."""

import pytest
from sklearn.linear_model import LogisticRegression

import bncc
from bncc.evaluation.estimators import build_estimator, takes_base


def test_seeds_engines_and_bases_go_where_they_are_taken():
    chain = build_estimator("ClassifierChain", {}, seed=3, engine="cpu")
    assert chain.random_state == 3
    assert isinstance(chain.estimator, bncc.KernelSVC)
    assert chain.estimator.engine == "cpu"
    assert build_estimator("ClassifierChain", {"random_state": 9}, seed=3).random_state == 9
    assert build_estimator("BNCC", {}, base=LogisticRegression(C=2.0)).estimator.C == 2.0


def test_some_methods_have_no_base():
    assert takes_base("BinaryRelevance")
    assert not takes_base("MLkNN")


@pytest.mark.parametrize(
    ("name", "params", "base", "message"),
    [
        ("BNC", {}, None, "no estimator is called 'BNC'; did you mean 'BNCC'"),
        ("Link", {}, None, "no estimator is called 'Link'"),
        ("os.system", {}, None, "no estimator is called 'os.system'; see bncc.__all__"),
        ("BNCC", {"max_child": 2}, None, "BNCC has no parameter 'max_child'; it has max_children"),
        ("BNCC", {"estimator": 1}, None, "BNCC has no parameter 'estimator'"),
        ("VotingClassifier", {}, None, "VotingClassifier cannot be made of that"),
        ("MLkNN", {}, LogisticRegression(), "MLkNN has no base classifier; leave `base` out"),
    ],
)
def test_what_is_wrong_is_said(name, params, base, message):
    with pytest.raises(ValueError, match=message):
        build_estimator(name, params, base=base)
