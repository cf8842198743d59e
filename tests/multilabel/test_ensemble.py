import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from bncc.datasets import make_scenes
from bncc.multilabel import ClassifierChain, EnsembleClassifierChain
from bncc.svm import KernelSVC

DATA = make_scenes(200, random_state=3)
X, Y = DATA.X, DATA.Y


@pytest.mark.parametrize("base", [LogisticRegression(), KernelSVC(C=10.0, sigma=3.0)])
@pytest.mark.parametrize("aggregate", ["mean", "votes"])
def test_combines_single_chains(base, aggregate):
    model = EnsembleClassifierChain(base, n_chains=4, aggregate=aggregate, random_state=0).fit(X, Y)
    assert len(set(model.orders_)) == 4
    parts = [ClassifierChain(base, order=order).fit(X, Y).decision_function(X) for order in model.orders_]
    squashed = [2 * expit(part) - 1 if aggregate == "mean" else np.sign(part) for part in parts]
    assert model.decision_function(X) == pytest.approx(np.mean(squashed, axis=0), abs=2e-3)


def test_rows_can_be_drawn():
    model = EnsembleClassifierChain(LogisticRegression(), n_chains=3, max_samples=0.5, random_state=0).fit(X, Y)
    again = EnsembleClassifierChain(LogisticRegression(), n_chains=3, max_samples=0.5, random_state=0).fit(X, Y)
    whole = EnsembleClassifierChain(LogisticRegression(), n_chains=3, random_state=0).fit(X, Y)
    assert np.array_equal(model.decision_function(X), again.decision_function(X))
    assert not np.allclose(model.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize("base", [LogisticRegression(), KernelSVC(C=10.0, sigma=3.0)])
def test_features_can_be_drawn(base):
    model = EnsembleClassifierChain(base, n_chains=2, max_features=0.5, random_state=0).fit(X, Y)
    seen = {id(columns): columns for columns in model._solved.features}
    assert [columns.size for columns in seen.values()] == [12, 12]
    parts = []
    for order, columns in zip(model.orders_, seen.values(), strict=True):
        chain = ClassifierChain(base, order=order).fit(X[:, columns], Y)
        parts.append(2 * expit(chain.decision_function(X[:, columns])) - 1)
    assert model.decision_function(X) == pytest.approx(np.mean(parts, axis=0), abs=2e-3)
    rates = model.predict_proba(X)
    assert ((rates > 0) & (rates < 1)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aggregate": "median"}, "'mean' or 'votes'"),
        ({"n_chains": 0}, "n_chains"),
        ({"max_samples": 1.5}, "max_samples"),
        ({"max_features": 0}, "max_features"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        EnsembleClassifierChain(LogisticRegression(), **options).fit(X, Y)
