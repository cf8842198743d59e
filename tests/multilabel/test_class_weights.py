import numpy as np
import pytest

from bncc import BinaryRelevance, KernelSVC, LinearSVC, LogisticRegression
from bncc.multilabel.class_weights import factors_of_classes

X = np.random.default_rng(0).standard_normal((60, 4))
Y = (X[:, :2] > 0).astype(int)


def test_factors_by_class():
    assert factors_of_classes("balanced", np.arange(2), np.array([0, 1, 1, 1])).tolist() == [2.0, pytest.approx(2 / 3)]
    assert factors_of_classes(None, np.arange(3), np.arange(3)).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match=r"`class_weight` must be .* or None; got 'heavy'"):
        factors_of_classes("heavy", np.arange(2), np.arange(2))


@pytest.mark.parametrize("base", [LinearSVC(), LogisticRegression(), KernelSVC(), KernelSVC(approximation="nystroem")])
@pytest.mark.parametrize(
    ("class_weight", "y"),
    [
        ({"yes": 5, "no": 1}, np.where(Y > 0, "yes", "no")),
        ({"a": 5}, np.where(Y[:, 0] > 0, "a", "b")),
        ({"a": 5}, np.array(list("abc"))[Y.sum(axis=1)]),
    ],
)
def test_weights_by_other_values_than_those_of_links_are_told(base, class_weight, y):
    with pytest.raises(ValueError, match=r"by the classes of the links, \[0, 1\]; got {'.*: write {0: \.\.\., 1: "):
        BinaryRelevance(base.set_params(class_weight=class_weight)).fit(X, y)


def test_places_serve_whatever_the_values():
    base = LinearSVC(class_weight={0: 1.0, 1: 5.0})
    expected = BinaryRelevance(base).fit(X, Y).predict(X)
    predicted = BinaryRelevance(base).fit(X, np.where(Y > 0, "yes", "no")).predict(X)
    assert np.array_equal(predicted == "yes", expected > 0)


@pytest.mark.parametrize("base", [LinearSVC(), LogisticRegression(), KernelSVC(), KernelSVC(approximation="nystroem")])
@pytest.mark.parametrize("class_weight", ["bal", [1, 2]])
def test_what_is_no_class_weight_is_told_alone_and_in_links(base, class_weight):
    base.set_params(class_weight=class_weight)
    for model, y in ((base, Y[:, 0]), (BinaryRelevance(base), Y)):
        with pytest.raises(ValueError, match=r"`class_weight` must be \"balanced\", a dict such as .*, or None; got "):
            model.fit(X, y)
