import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load, make_scenes
from bncc.multilabel import BinaryRelevance
from bncc.svm import KernelSVC


@pytest.mark.parametrize("name", ["emotions", "yeast", "scene"])
def test_equals_scikit_learns_multi_output(data_folder, name):
    data = load(name)
    half = data.n_rows // 2
    for base in (DecisionTreeClassifier(max_depth=4, random_state=0), LogisticRegression(C=0.01, max_iter=500)):
        ours = BinaryRelevance(base).fit(data.X[:half], data.Y[:half])
        theirs = MultiOutputClassifier(base).fit(data.X[:half], data.Y[:half])
        assert np.array_equal(ours.predict(data.X[half:]), theirs.predict(data.X[half:]))


def test_the_engine_equals_one_svc_per_label():
    data = make_scenes(150)
    for weight in (None, "balanced"):
        ours = BinaryRelevance(KernelSVC(C=5.0, sigma=2.0, tol=1e-5, class_weight=weight)).fit(data.X, data.Y)
        theirs = MultiOutputClassifier(SVC(C=5.0, gamma=0.125, tol=1e-5, class_weight=weight)).fit(data.X, data.Y)
        assert np.array_equal(ours.predict(data.X), theirs.predict(data.X))
