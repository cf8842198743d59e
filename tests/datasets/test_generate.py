import numpy as np
import pytest
from scipy import sparse

from bncc import learn_network
from bncc.datasets import SCENES, TrueNetwork, make_features, make_network_data, make_power_law_labels, make_scenes


def test_labels_follow_the_probabilities():
    Y = SCENES.sample(60_000, random_state=0)
    for child, (group, rates) in enumerate(zip(SCENES.parents, SCENES.probabilities, strict=True)):
        configuration = Y[:, list(group)].astype(int) @ (1 << np.arange(len(group)))
        for code, rate in enumerate(rates):
            rows = configuration == code
            assert Y[rows, child].mean() == pytest.approx(rate, abs=0.03)


def test_seeds_are_respected():
    first, again, other = make_scenes(100), make_scenes(100), make_scenes(100, random_state=1)
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.Y, again.Y)
    assert not np.array_equal(first.Y, other.Y)
    one = make_power_law_labels(50, 20, random_state=3)
    assert np.array_equal(one.toarray(), make_power_law_labels(50, 20, random_state=3).toarray())


def test_features_depend_on_the_labels():
    quiet = make_network_data(SCENES, 300, noise=0.0, random_state=0)
    _, sets = np.unique(quiet.Y, axis=0, return_inverse=True)
    assert len(np.unique(quiet.X.round(9), axis=0)) == sets.max() + 1  # without noise, labels settle the features
    assert make_features(np.zeros((3, 2), np.int8), n_features=5, noise=0.0).tolist() == np.zeros((3, 5)).tolist()


def test_the_network_is_found_again():
    """With enough rows nearly every true edge is found, in one direction or the other."""
    net = learn_network(SCENES.sample(20_000, random_state=0), max_children=None)
    found = {frozenset(edge) for edge in net.edges}
    true = {frozenset((parent, child)) for child, group in enumerate(SCENES.parents) for parent in group}
    assert len(true & found) >= len(true) - 1


def test_power_law_labels():
    Y = make_power_law_labels(20_000, 300, random_state=0)
    assert sparse.issparse(Y)
    assert set(np.unique(Y.data)) == {1}
    counts = np.asarray(Y.sum(axis=0)).ravel()
    assert counts[:10].mean() > 10 * counts[-50:].mean()
    assert Y.nnz / 20_000 == pytest.approx(5, rel=0.01)


@pytest.mark.parametrize(
    ("n_rows", "n_labels", "cardinality", "companions"),
    [(2000, 100, 5, 0.5), (2000, 5, 5, 0.5), (2000, 5, 5, 0.0), (500, 60, 40, 2.0), (20_000, 10, 0.1, 0.5)],
)
def test_power_law_labels_meet_the_cardinality(n_rows, n_labels, cardinality, companions):
    Y = make_power_law_labels(n_rows, n_labels, cardinality=cardinality, companions=companions, random_state=0)
    assert Y.nnz / n_rows == pytest.approx(cardinality, rel=0.01)
    assert Y.has_canonical_format


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parents": ((1,), ())}, "before it"),
        ({"probabilities": ((0.5,), (0.5,))}, "needs 2 probabilities"),
        ({"probabilities": ((0.5,), (0.5, 1.5))}, "needs 2 probabilities"),
        ({"probabilities": ((0.5,),)}, "one entry per label"),
        ({"label_names": ("a",)}, "one name per label"),
    ],
)
def test_bad_networks(change, message):
    sound = {"parents": ((), (0,)), "probabilities": ((0.5,), (0.1, 0.9)), "label_names": ("a", "b")}
    with pytest.raises(ValueError, match=message):
        TrueNetwork(**{**sound, **change})


def test_bad_power_law():
    with pytest.raises(ValueError, match="cardinality"):
        make_power_law_labels(10, 3, cardinality=5)
