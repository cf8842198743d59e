import pytest

from bncc.cli.methods import METHODS, check_methods, complete_methods


def test_names_are_checked_and_completed():
    assert check_methods([" BR", "cc", "br"]) == ["br", "cc"]
    with pytest.raises(ValueError, match=r"there is no method 'xyz'\. There are recommended"):
        check_methods(["xyz"])
    assert complete_methods("br,bn") == ["br,bncc"]


def test_every_method_but_the_recommended_builds_an_estimator():
    from sklearn.base import is_classifier
    from sklearn.linear_model import LogisticRegression

    built = {name: build(LogisticRegression(), 0) for name, (_, build) in METHODS.items() if build is not None}
    assert set(METHODS) - set(built) == {"recommended"}
    assert all(map(is_classifier, built.values()))
