"""Estimators by name: parameters, bases, seeds, and nothing beyond the two packages."""

import pytest
import sklearn.multioutput
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import bncc
from bncc.evaluation.estimators import build_estimator, takes_base


def test_seeds_engines_and_bases_go_where_they_are_taken():
    chain = build_estimator("ClassifierChain", {}, seed=3, engine="cpu")
    assert chain.random_state == 3
    assert isinstance(chain.estimator, bncc.KernelSVC)
    assert chain.estimator.engine == "cpu"
    assert build_estimator("ClassifierChain", {"random_state": 9}, seed=3).random_state == 9
    assert build_estimator("BNCC", {}, base=LogisticRegression(C=2.0)).estimator.C == 2.0


@pytest.mark.parametrize(("name", "theirs"), [("LinearSVC", LinearSVC), ("LogisticRegression", LogisticRegression)])
def test_plain_names_of_linear_classifiers_are_ours(name, theirs):
    ours = build_estimator(name, {"C": 2.0}, seed=3, engine="cpu")
    assert type(ours) is getattr(bncc, name)
    assert (ours.C, ours.engine) == (2.0, "cpu")
    other = build_estimator(f"sklearn.{name}", {"C": 2.0}, seed=3, engine="cpu")
    assert type(other) is theirs
    assert (other.C, other.random_state) == (2.0, 3)


def test_any_classifier_of_scikit_learn_may_be_named_as_such():
    assert type(build_estimator("sklearn.GaussianNB", {})) is type(build_estimator("GaussianNB", {})) is GaussianNB
    assert takes_base("sklearn.ClassifierChain")
    assert type(build_estimator("sklearn.ClassifierChain", {})) is sklearn.multioutput.ClassifierChain
    assert type(build_estimator("ClassifierChain", {})) is bncc.ClassifierChain


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
        ("sklearn.BNCC", {}, None, "no estimator is called 'sklearn.BNCC'"),
        ("sklearn.LinearSVD", {}, None, "did you mean 'sklearn.LinearSVC'"),
        ("LinearSVD", {}, None, "did you mean 'LinearSVC'"),
        ("LinearSVC", {"dual": True}, None, "no parameter 'dual'; it has C, loss, .*name 'sklearn.LinearSVC'"),
        ("LogisticRegression", {"solver": "saga"}, None, "That of scikit-learn has it: name 'sklearn.LogisticReg"),
        ("LinearSVC", {"sigma": 1}, None, r"no parameter 'sigma'; it has C, loss, [a-z_, ]*engine\.$"),
        ("BNCC", {"estimator": 1}, None, "BNCC has no parameter 'estimator'"),
        ("VotingClassifier", {}, None, "VotingClassifier cannot be made of that"),
        ("MLkNN", {}, LogisticRegression(), "MLkNN has no base classifier; leave `base` out"),
    ],
)
def test_what_is_wrong_is_said(name, params, base, message):
    with pytest.raises(ValueError, match=message):
        build_estimator(name, params, base=base)
