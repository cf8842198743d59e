"""Models that were read work alone, and are written again as what they were."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import FeatureUnion
from sklearn.preprocessing import StandardScaler

from bncc.datasets import make_scenes
from bncc.multilabel import load_model, save_model

DATA = make_scenes(60, random_state=0)
X, Y = DATA.X[:, :6], np.asarray(DATA.Y)[:, :4]


def kept(model, folder):
    save_model(model, folder / "model.bncc")
    return load_model(folder / "model.bncc")


@pytest.mark.parametrize(
    "model",
    [
        FeatureUnion([("a", StandardScaler())], n_jobs=2),
        ColumnTransformer([("a", StandardScaler(), [0])], n_jobs=2),
        MultiOutputClassifier(LogisticRegression(), n_jobs=2),
        BaggingClassifier(n_estimators=2, n_jobs=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_that_was_read_starts_no_processes(model, tmp_path):
    read = kept(model.fit(X, Y[:, 0] if isinstance(model, BaggingClassifier) else Y), tmp_path)
    assert read.n_jobs is None
    assert type(kept(read, tmp_path)) is type(read)
