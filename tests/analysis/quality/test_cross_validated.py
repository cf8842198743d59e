import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.multioutput import ClassifierChain as ScikitChain
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier

from bncc import BNCC, BinaryRelevance
from bncc.analysis.quality import cross_val_quality
from bncc.datasets import make_scenes

DATA = make_scenes(150)
LOGISTIC = LogisticRegression()


class Silent(ClassifierMixin, BaseEstimator):
    """Predicts, and says no more."""

    def fit(self, X, Y):
        self.share_ = np.asarray(Y).mean(axis=0)
        return self

    def predict(self, X):
        return np.tile(self.share_ > 0.3, (len(X), 1)).astype(int)


@pytest.mark.parametrize(
    "estimator",
    [
        MultiOutputClassifier(LOGISTIC),
        ScikitChain(LOGISTIC),
        RandomForestClassifier(20, random_state=0),
        KNeighborsClassifier(),
        MultiOutputClassifier(RidgeClassifier()),
        DummyClassifier(),
        BNCC(LOGISTIC),
        BinaryRelevance(LOGISTIC),
        Silent(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_any_estimator_is_judged_on_rows_it_has_not_seen(estimator):
    folds = list(KFold(3).split(DATA.X))
    (quality,) = cross_val_quality(estimator, DATA.X, DATA.Y, cv=folds).methods
    said = np.vstack([estimator.fit(DATA.X[train], DATA.Y[train]).predict(DATA.X[test]) for train, test in folds])
    Y = np.asarray(DATA.Y)
    tp = (said * Y).sum(axis=0)
    for j, label in enumerate(quality.labels):
        assert (label.support, label.predicted) == (Y[:, j].sum(), said[:, j].sum())
        if label.f1.value is not None:
            assert label.f1.value == pytest.approx(2 * tp[j] / (Y[:, j].sum() + said[:, j].sum()))
    scored = hasattr(estimator, "decision_function") or hasattr(estimator, "predict_proba")
    assert len(quality.curves) == (10 if scored else 0)
    for label, curve in zip(quality.labels, quality.curves, strict=False):
        assert curve.tp[curve.current] + curve.fp[curve.current] == label.predicted


def test_several_estimators_stand_beside_each_other():
    models = {"br": BinaryRelevance(LOGISTIC), "none": DummyClassifier(strategy="constant", constant=[0] * 10)}
    summary = cross_val_quality(models, DATA.X, DATA.Y, cv=2, label_names=DATA.label_names)
    assert [quality.method for quality in summary.methods] == ["br", "none"]
    assert summary.label_names == DATA.label_names
    assert summary.strengths[0].right_alone > summary.strengths[1].right_alone
    assert cross_val_quality(models, DATA.X, DATA.Y, cv=2, label_names=DATA.label_names) == summary


def test_unknown_labels_are_left_out():
    Y = np.asarray(DATA.Y, float)
    Y[::3, 0] = np.nan
    (quality,) = cross_val_quality(BinaryRelevance(LOGISTIC), DATA.X, Y, cv=3).methods
    assert quality.labels[0].known == 100
    assert quality.labels[1].known == 150


def test_a_fitted_estimator_is_judged_as_it_is():
    model = BinaryRelevance(LOGISTIC).fit(DATA.X[:100], DATA.Y[:100])
    summary = cross_val_quality(model, DATA.X[100:], DATA.Y[100:], cv="prefit")
    assert summary.n_rows == 50
    said = model.predict(DATA.X[100:])
    assert [label.predicted for label in summary.methods[0].labels] == np.asarray(said).sum(axis=0).tolist()


def test_mistakes_are_told():
    with pytest.raises(ValueError, match="or \"prefit\"; got 'fitted'"):
        cross_val_quality(BNCC(LOGISTIC), DATA.X, DATA.Y, cv="fitted")
    twice = [(np.arange(50), np.arange(50, 150)), (np.arange(50), np.arange(50, 150))]
    with pytest.raises(ValueError, match="test every row at most once"):
        cross_val_quality(BNCC(LOGISTIC), DATA.X, DATA.Y, cv=twice)
