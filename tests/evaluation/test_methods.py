import pytest

from bncc.evaluation.estimators import build_estimator
from bncc.evaluation.methods import METHODS, check_methods


def test_names_are_checked():
    assert check_methods([" BR", "cc", "br"]) == ("br", "cc")
    with pytest.raises(ValueError, match=r"there is no method 'xyz'\. There are recommended"):
        check_methods(["xyz"])
    with pytest.raises(ValueError, match=r"there is no method 'bncd'\. Did you mean bncc"):
        check_methods(["bncd"])
    with pytest.raises(ValueError, match="at least one method is needed"):
        check_methods([" "])


def test_every_method_but_the_recommended_builds_an_estimator():
    from sklearn.base import is_classifier

    built = {name: build_estimator(info.estimator, {}, seed=0) for name, info in METHODS.items() if info.estimator}
    assert set(METHODS) - set(built) == {"recommended"}
    assert all(map(is_classifier, built.values()))
