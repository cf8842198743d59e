import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from bncc import BNCC, BinaryRelevance
from bncc.datasets import make_scenes
from bncc.evaluation.tested_rows import Answers, answers_of

DATA = make_scenes(80)


@pytest.mark.parametrize(
    "model",
    [
        BNCC(LogisticRegression()),
        BinaryRelevance(),
        RandomForestClassifier(30, random_state=0),
        MultiOutputClassifier(LogisticRegression()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_answers_agree_with_each_other(model):
    answers = answers_of(model.fit(DATA.X, DATA.Y), DATA.X, np.arange(80), 10)
    assert (answers.predicted == np.asarray(model.predict(DATA.X))).all()
    assert ((answers.scores > 0) == answers.predicted).all()
    assert answers.probabilities.min() >= 0
    assert answers.probabilities.max() <= 1
    assert np.corrcoef(answers.probabilities.ravel(), DATA.Y.ravel())[0, 1] > 0.5


def test_what_is_given_is_not_asked_for_again():
    model = BinaryRelevance(LogisticRegression()).fit(DATA.X, DATA.Y)
    made = Answers(np.arange(80), np.zeros((80, 10), bool), np.ones((80, 10)), None)
    answers = answers_of(model, DATA.X, np.arange(80), 10, given=made)
    assert answers.predicted is made.predicted
    assert answers.scores is made.scores
    assert answers.probabilities is not None
