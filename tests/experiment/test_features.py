"""Features of a study: scaling without and with a look at test rows, and fingerprints."""

import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import make_dataset, save
from bncc.experiment.features import facts_of, features, load_study_dataset
from bncc.experiment.protocol import Scaling, StudyDataset


@pytest.fixture
def source(tmp_path):
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 3)) * [1, 10, 100]
    X[0] = [50, 500, 5000]
    save(make_dataset(X, (random.random((20, 2)) < 0.5).astype(int), name="drawn"), tmp_path / "drawn.csv")
    return StudyDataset("drawn", str(tmp_path / "drawn.csv"), (("labels", -2),))


def test_scaling_by_training_rows_alone(source):
    train = np.arange(1, 20)
    feats = features(source, Scaling("range", "training"), train)
    np.testing.assert_allclose(np.ptp(feats.X[train], axis=0), 1.0)
    assert np.ptp(feats.X, axis=0).min() > 5
    whole = features(source, Scaling("range", "all"), train)
    np.testing.assert_allclose(np.ptp(whole.X, axis=0), 1.0)


def test_other_scalings(source):
    raw = load_study_dataset(source).X
    assert features(source, Scaling("none", "training"), np.arange(5)).X is raw
    standard = features(source, Scaling("standard", "training"), np.arange(1, 20)).X
    np.testing.assert_allclose(standard[1:].mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(standard[1:].std(axis=0), 1.0)


def test_distances_are_those_of_the_scaled_features(source):
    feats = features(source, Scaling("range", "all"), None)
    expected = ((feats.X[:, None] - feats.X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(feats.distances.matrix, expected, atol=1e-5)
    assert features(source, Scaling("range", "all"), None) is feats


def test_sparse_features_stay_sparse(tmp_path):
    X = sparse.random_array((30, 8), density=0.3, rng=np.random.default_rng(0)).tocsr()
    save(make_dataset(X, np.eye(30, 2, dtype=int), name="sparse"), tmp_path / "sparse.arff")
    source = StudyDataset("sparse", str(tmp_path / "sparse.arff"), (("labels", -2),))
    for method in ("none", "range", "standard"):
        assert sparse.issparse(features(source, Scaling(method, "training"), np.arange(20)).X)


def test_facts(source):
    facts = facts_of(source)
    assert (facts.n_rows, facts.n_features, facts.n_labels) == (20, 3, 2)
    assert len(facts.fingerprint) == 64
