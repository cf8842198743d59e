"""The constructor for people who do not want to choose."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from bncc.datasets import load, make_scenes
from bncc.metrics import example_f1, get_scorer
from bncc.multilabel import BinaryRelevance, TunedThresholds, recommended_kernels
from bncc.svm import KernelSVC

DATA = make_scenes(400, noise=2.0, random_state=2)
X, Y = DATA.X, np.asarray(DATA.Y.toarray() if sparse.issparse(DATA.Y) else DATA.Y)
TRAIN, TEST = slice(0, 200), slice(200, 400)
QUICK = {"n_chains": 2, "sigma": [1.0, 4.0], "C": [1.0], "random_state": 0}


def test_it_beats_plain_svms():
    model = recommended_kernels(n_chains=3, random_state=0).fit(X[TRAIN], Y[TRAIN])
    plain = BinaryRelevance().fit(X[TRAIN], Y[TRAIN])
    assert example_f1(Y[TEST], model.predict(X[TEST])) > example_f1(Y[TEST], plain.predict(X[TEST])) + 0.01


def test_a_seed_settles_everything():
    first, again = (recommended_kernels(**QUICK).fit(X[TRAIN], Y[TRAIN]).decision_function(X[TEST]) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_the_metric_decides():
    for metric in ("macro_f1", "hamming_loss", "subset_accuracy"):
        model = recommended_kernels(metric, **QUICK).fit(X[TRAIN], Y[TRAIN])
        assert isinstance(model["search"].best_estimator_, TunedThresholds)
        assert model["search"].best_estimator_.metric == metric
        assert model.score(X[TEST], Y[TEST]) == pytest.approx(get_scorer(metric)(model, X[TEST], Y[TEST]))
    ranks = recommended_kernels("macro_auc", **QUICK).fit(X[TRAIN], Y[TRAIN])
    assert not isinstance(ranks["search"].best_estimator_, TunedThresholds)
    with pytest.raises(ValueError, match="There is no metric 'f1'"):
        recommended_kernels("f1")


def test_data_of_all_forms():
    model = recommended_kernels(**QUICK)
    dense = clone(model).fit(X[TRAIN], Y[TRAIN])
    thin = clone(model).fit(sparse.csr_array(X[TRAIN]), sparse.csr_array(Y[TRAIN]))
    frame = clone(model).fit(pd.DataFrame(X[TRAIN]), pd.DataFrame(Y[TRAIN], columns=list(DATA.label_names)))
    of_thin = thin.predict(sparse.csr_array(X[TEST]))
    assert type(of_thin) is sparse.csr_array
    for predicted in (of_thin.toarray(), frame.predict(pd.DataFrame(X[TEST]))):
        assert (predicted == dense.predict(X[TEST])).mean() > 0.99
    assert frame["search"].best_estimator_.label_names_ == tuple(DATA.label_names)


@pytest.mark.usefixtures("data_folder")
def test_a_real_set():
    data = load("flags")
    features = data.X.toarray() if sparse.issparse(data.X) else np.asarray(data.X)
    labels = data.Y.toarray() if sparse.issparse(data.Y) else np.asarray(data.Y)
    tuned = cross_val_score(recommended_kernels(**QUICK), features, labels, scoring=get_scorer("example_f1"), cv=3)
    plain = cross_val_score(
        BinaryRelevance(KernelSVC(sigma=4.0)), features, labels, scoring=get_scorer("example_f1"), cv=3
    )
    assert tuned.mean() > plain.mean() + 0.02
