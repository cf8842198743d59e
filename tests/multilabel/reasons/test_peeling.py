import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bncc.linear
from bncc import BNCC, BinaryRelevance, KernelSearchCV, TunedThresholds
from bncc.datasets import make_scenes
from bncc.multilabel.reasons.peeling import peel

DATA = make_scenes(120)
LINEAR = bncc.linear.LogisticRegression()
AROUND = {
    "plain": BNCC(LINEAR),
    "pipeline": make_pipeline(StandardScaler(), BNCC(LINEAR)),
    "thresholds": TunedThresholds(BNCC(LINEAR), how="per_label", cv=2),
    "thresholds on a pipeline": TunedThresholds(make_pipeline(StandardScaler(), BNCC(LINEAR)), cv=2),
    "search": KernelSearchCV(BinaryRelevance(), {"C": [1.0, 10.0]}, cv=2),
    "search of a pipeline": GridSearchCV(
        make_pipeline(StandardScaler(), BNCC(LINEAR)), {"bncc__estimator__C": [1.0]}, cv=2
    ),
    "another's": RandomForestClassifier(5, random_state=0),
    "another's of each label": MultiOutputClassifier(GaussianNB()),
}


def scores_of(peeled, X):
    every = np.arange(len(peeled.label_names))
    return peeled.scored.scores(X, (), every) - peeled.thresholds


@pytest.mark.parametrize("model", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("kind", ["array", "frame"])
def test_scores_inside_are_those_outside(model, kind):
    pd = pytest.importorskip("pandas")
    X = DATA.X if kind == "array" else pd.DataFrame(DATA.X, columns=list(DATA.feature_names))
    model.fit(X, DATA.Y)
    peeled = peel(model, X, X[:7])
    if hasattr(model, "decision_function"):
        expected = model.decision_function(X)
    else:
        expected = np.column_stack([part[:, 1] for part in model.predict_proba(X)]) - 0.5
    np.testing.assert_allclose(scores_of(peeled, peeled.X), expected, atol=1e-10)
    np.testing.assert_allclose(scores_of(peeled, peeled.compared), expected[:7], atol=1e-10)
    named = [origin.column for origin in peeled.origins]
    assert named == ([f"x{j}" for j in range(DATA.X.shape[1])] if kind == "array" else list(DATA.feature_names))


def test_one_row_of_numbers_is_a_matrix():
    model = BinaryRelevance(LINEAR).fit(DATA.X, DATA.Y)
    assert peel(model, DATA.X[3], None).X.shape == (1, DATA.X.shape[1])


def test_sparse_rows_stay_sparse():
    X = sparse.csr_array(np.where(DATA.X > 1, DATA.X, 0.0))
    peeled = peel(MultiOutputClassifier(LINEAR).fit(X, DATA.Y), X, None)
    assert peeled.X.format == "csr"
    assert peeled.scored.scores(peeled.X, (), np.array([1])).shape == (120, 1)


def test_what_cannot_be_explained_is_said():
    pd = pytest.importorskip("pandas")
    with pytest.raises(NotFittedError):
        peel(BNCC(), DATA.X, None)
    model = BinaryRelevance(LINEAR).fit(DATA.X, DATA.Y)
    with pytest.raises(ValueError, match="one row as a Series"):
        peel(model, pd.DataFrame(DATA.X).iloc[3], None)
    with pytest.raises(ValueError, match="features"):
        peel(model, DATA.X[:, :3], None)

    class Silent(BaseEstimator):
        def fit(self, X, y):
            self.fitted_ = True
            return self

        def predict(self, X):
            return np.zeros((len(X), 2))

    with pytest.raises(TypeError, match="gives no scores"):
        peel(Silent().fit(DATA.X, DATA.Y), DATA.X, None)
