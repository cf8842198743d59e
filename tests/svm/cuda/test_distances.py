import gc

import numpy as np
import pytest
from scipy import sparse

from bncc.svm import prepare_points, squared_distances
from bncc.svm.cuda import distances
from emulator import EmulatedDevice

rng = np.random.default_rng(0)
DENSE = rng.normal(size=(37, 6)) + 100.0
SPARSE = sparse.random_array((37, 400), density=0.01, rng=rng, format="csr")


@pytest.mark.parametrize("X", [DENSE, SPARSE], ids=["dense", "sparse"])
@pytest.mark.parametrize("block", [1 << 27, 100])
def test_held_distances_are_those_of_the_cpu(X, block, monkeypatch):
    monkeypatch.setattr(distances, "_BLOCK", block)
    points = prepare_points(X)
    source = distances.source_of_rows(EmulatedDevice(), points)
    assert source.define == 0
    np.testing.assert_allclose(source.fields["d2"], squared_distances(points).matrix, rtol=5e-6, atol=1e-6)
    assert (np.diag(source.fields["d2"]) == 0).all()


def test_blocks_keep_to_the_free_memory(monkeypatch):
    card = EmulatedDevice()
    assert distances._block(card) == (1 << 30) // 64
    monkeypatch.setattr(card, "free_memory", lambda: 1 << 40)
    assert distances._block(card) == 1 << 27
    monkeypatch.setattr(card, "free_memory", lambda: 0)
    points = prepare_points(DENSE)
    found = distances.cross_source(card, points, points).fields["d2"]
    np.testing.assert_allclose(found, squared_distances(points).matrix, rtol=5e-6, atol=1e-6)


@pytest.mark.parametrize("X", [DENSE, SPARSE], ids=["dense", "sparse"])
def test_duplicates_are_at_distance_zero(X):
    points = prepare_points(sparse.vstack([X, X]).tocsr() if sparse.issparse(X) else np.vstack([X, X]))
    d2 = distances.source_of_rows(EmulatedDevice(), points).fields["d2"]
    assert (np.diag(d2[:37, 37:]) == 0).all()


def test_new_rows():
    points = prepare_points(DENSE)
    found = distances.cross_source(EmulatedDevice(), points.like(DENSE[:5] + 1.0), points).fields["d2"]
    assert found.shape == (5, 37)
    np.testing.assert_allclose(np.diag(found), 6.0, rtol=1e-4)


@pytest.mark.parametrize(("X", "define"), [(DENSE, 1), (SPARSE, 2)], ids=["dense", "sparse"])
def test_points_stand_in_where_the_matrix_does_not_fit(X, define, monkeypatch):
    monkeypatch.setattr(distances, "_SHARE", 0.0)
    assert distances.source_of_rows(EmulatedDevice(), prepare_points(X)).define == define


def test_the_last_distances_are_kept_while_their_points_live():
    device, points = EmulatedDevice(), prepare_points(DENSE)
    first = distances.source_of_rows(device, points)
    assert distances.source_of_rows(device, points) is first
    assert distances.source_of_rows(EmulatedDevice(), points) is not first
    del points, first
    gc.collect()
    assert not distances._held
