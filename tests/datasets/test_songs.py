import numpy as np
import pytest

from bncc import learn_network
from bncc.datasets import MOODS, make_songs


def test_songs_are_drawn_by_their_seed_alone():
    first, again, other = make_songs(50, 3), make_songs(50, 3), make_songs(50, 4)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.Y, again.Y)
    assert (first.X != other.X).any()
    assert first.label_names == MOODS.label_names


def test_moods_are_as_often_as_the_network_says():
    songs = make_songs(20_000, 1)
    assert songs.Y[:, 0].mean() == pytest.approx(0.45, abs=0.01)
    angry = songs.Y[:, 1][songs.Y[:, 0] == 1]
    assert angry.mean() == pytest.approx(0.03, abs=0.01)


def test_sounds_tell_moods_and_units_are_plausible():
    songs = make_songs(5000, 2)
    column = dict(zip(songs.feature_names, songs.X.T, strict=True))
    mood = dict(zip(songs.label_names, songs.Y.T, strict=True))
    assert column["tempo (beats per minute)"][mood["angry"] == 1].mean() > 118
    assert column["loudness (dB)"][mood["quiet"] == 1].mean() < -14
    assert column["share of major chords"][mood["happy"] == 1].mean() > 0.56
    assert np.quantile(column["tempo (beats per minute)"], 0.02) > 60


def test_the_network_is_found_back():
    net = learn_network(make_songs(4000, 5).Y, label_names=MOODS.label_names, max_children=None)
    joined = {frozenset(edge) for edge in net.edges}
    assert {frozenset({0, 1}), frozenset({1, 4}), frozenset({3, 4})} <= joined
