import numpy as np
import pytest
from scipy import sparse

from bncc import learn_network
from bncc.structure import unknown_labels
from bncc.structure.unknown_labels import fill_unknown


def split(Y):
    lost = np.isnan(Y)
    return sparse.csc_array((Y == 1).astype(np.int8)), sparse.csc_array(lost.astype(np.int8))


def made_labels(n_rows=3000, seed=0):
    """Four labels: two that go together, one that is there if exactly one of them is, and one by itself."""
    random = np.random.default_rng(seed)
    a = random.random(n_rows) < 0.5
    b = a ^ (random.random(n_rows) < 0.3)
    return np.column_stack([a, b, a ^ b, random.random(n_rows) < 0.2]).astype(float), random


def climb(Y):
    return learn_network(Y, search="hill_climbing", score="bic")


def test_known_cells_stay_and_nothing_is_drawn_without_need():
    Y, random = made_labels(300)
    positives, unknown = split(Y)
    assert fill_unknown(positives, None, climb) is positives
    assert fill_unknown(positives, unknown, climb) is positives
    lost = np.where(random.random(Y.shape) < 0.3, np.nan, Y)
    filled = fill_unknown(*split(lost), climb).toarray()
    assert set(np.unique(filled)) == {0, 1}
    assert np.array_equal(filled[~np.isnan(lost)], lost[~np.isnan(lost)])


def test_cells_are_drawn_from_what_the_others_say():
    Y, random = made_labels()
    lost = Y.copy()
    lost[random.random(len(Y)) < 0.4, 2] = np.nan  # the exclusive or: no pair of labels tells it
    filled = fill_unknown(*split(lost), climb).toarray()
    drawn = np.isnan(lost[:, 2])
    assert (filled[drawn, 2] == Y[drawn, 2]).mean() > 0.95


def test_the_frequency_of_labels_is_that_of_known_rows():
    Y, random = made_labels()
    lost = Y.copy()
    lost[random.random(len(Y)) < 0.5, 3] = np.nan
    filled = fill_unknown(*split(lost), climb).toarray()
    assert filled[:, 3].mean() == pytest.approx(np.nanmean(lost[:, 3]), abs=0.02)


def test_the_draw_is_that_of_its_seed():
    Y, random = made_labels(200)
    parts = split(np.where(random.random(Y.shape) < 0.3, np.nan, Y))
    first, same, other = (fill_unknown(*parts, climb, random_state=seed).toarray() for seed in (0, 0, 1))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_too_many_cells_are_drawn_by_frequency_alone(monkeypatch):
    monkeypatch.setattr(unknown_labels, "_MOST_CELLS", 10)
    Y, random = made_labels()
    lost = np.where(random.random(Y.shape) < 0.3, np.nan, Y)
    filled = fill_unknown(*split(lost), climb).toarray()
    assert np.array_equal(filled[~np.isnan(lost)], lost[~np.isnan(lost)])
    np.testing.assert_allclose(filled.mean(axis=0), np.nanmean(lost, axis=0), atol=0.02)


def test_a_label_that_is_never_known_is_drawn_all_the_same():
    Y = np.array([[1.0, np.nan], [0.0, np.nan]] * 10)
    filled = fill_unknown(*split(Y), climb).toarray()
    assert np.array_equal(filled[:, 0], Y[:, 0])
    assert 0 < filled[:, 1].mean() < 1
