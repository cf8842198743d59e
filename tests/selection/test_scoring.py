import numpy as np
import pytest
from sklearn.metrics import make_scorer, recall_score

from bncc.selection.scoring import check_refit, chosen_by, read_scorers, takes_weights, values_of
from bncc.selection.tasks import Decided
from bncc.svm import KernelSVC

X, TRUTH = np.zeros((4, 1)), np.array([0, 1, 1, 1])
DECIDED = Decided(np.array([0, 1]), np.array([-1.0, 1.0, -1.0, 1.0]), np.array([0, 1, 0, 1]))


def test_scorers_are_one_or_several_by_name():
    assert callable(read_scorers(None, KernelSVC()))
    assert list(read_scorers(["f1", "accuracy"], KernelSVC())) == ["f1", "accuracy"]
    assert list(read_scorers({"mine": lambda model, X, y: 1.0}, KernelSVC())) == ["mine"]


def test_values_have_names():
    recall = make_scorer(recall_score)
    assert values_of("recall", recall, DECIDED, X, TRUTH) == {"recall": pytest.approx(2 / 3)}
    assert values_of("recall", recall, DECIDED, X, TRUTH, np.array([1, 1, 0, 1])) == {"recall": 1.0}
    several = values_of("score", lambda model, X, y: {"a": 1, "b": np.float32(2)}, DECIDED, X, TRUTH, np.ones(4))
    assert several == {"a": 1.0, "b": 2.0}


def test_scorers_of_probabilities_have_nothing_to_score():
    with pytest.raises(ValueError, match="The scorer 'mine' asks for probabilities"):
        values_of("mine", lambda model, X, y: model.predict_proba(X).sum(), DECIDED, X, TRUTH)
    with pytest.raises(AttributeError, match="other"):
        values_of("mine", lambda model, X, y: model.other, DECIDED, X, TRUTH)


def test_weights_are_for_scorers_that_take_them():
    assert takes_weights(make_scorer(recall_score))
    assert not takes_weights(lambda model, X, y: 1.0)


def test_a_refit_that_chooses():
    for refit in (True, False, np.bool_(True), len):
        check_refit(refit, None)
    for refit in (False, "f1", len):
        check_refit(refit, ["f1"])
    assert chosen_by(lambda results: np.int64(0), {"params": [{}]}) == 0


@pytest.mark.parametrize("index", [True, "0", None])
def test_what_is_no_number_of_a_candidate_is_refused(index):
    with pytest.raises(TypeError, match="`refit` must return the number of a candidate"):
        chosen_by(lambda results: index, {"params": [{}, {}]})
