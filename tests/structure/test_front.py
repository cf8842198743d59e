import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc import LabelNetwork
from bncc.datasets import make_scenes
from bncc.structure import NetworkFront, network_front
from strategies import label_matrices


@pytest.fixture(scope="module")
def front():
    return network_front(make_scenes(300).Y)


@given(
    Y=label_matrices(max_labels=5),
    simplicity=st.sampled_from(["edges", "parameters"]),
    method=st.sampled_from(["exact", "sweep"]),
)
@settings(max_examples=30, deadline=None)
def test_both_objectives_rise_and_networks_hold_what_is_said_of_them(Y, simplicity, method):
    front = network_front(Y, simplicity=simplicity, method=method)
    assert (np.diff(front.cost) > 0).all()
    assert (np.diff(front.explained) > 0).all()
    assert 0 <= front.knee_place < len(front)
    for place, net in enumerate(front):
        assert net.parents == front.parents[place]
        sizes = [len(group) for group in net.parents]
        assert front.cost[place] == (sum(sizes) if simplicity == "edges" else sum(2**size for size in sizes))


def test_the_price_of_the_paper_picks_a_network_of_the_front(front):
    """With the paper's penalty per parameter, the best of the front is no worse than what its search finds."""
    from bncc import learn_network

    Y = make_scenes(300).Y
    by_parameters = network_front(Y, simplicity="parameters", method="exact", max_parents=3)
    price = np.log2(len(np.asarray(Y))) / 2
    found = learn_network(Y, search="hill_climbing", max_children=None, max_parents=3)
    assert (by_parameters.explained - price * by_parameters.cost).max() >= sum(found.scores) - 1e-3


def test_ends_knee_and_budgets(front):
    assert isinstance(front[0], LabelNetwork)
    assert front[0].edges == ()
    assert len(front[-1].edges) == front.cost[-1]
    line = front.explained[0] + (front.explained[-1] - front.explained[0]) * front.cost / front.cost[-1]
    assert front.knee_place == np.argmax(front.explained - line)
    assert front.knee().parents == front.parents[front.knee_place]
    assert len(front.within(5).edges) == 5
    with pytest.raises(ValueError, match="costs at most -1"):
        front.within(-1)


def test_a_front_without_dependence_is_the_network_without_edges():
    front = network_front([[1, 0], [1, 0], [1, 0]], label_names=["always", "never"])
    assert len(front) == 1
    assert front.knee().parents == ((), ())
    assert front.knee().label_names == ("always", "never")
    assert len(network_front([[1], [0]])) == 1


def test_held_out_bits_stop_rising_where_edges_learn_noise():
    Y = (np.random.default_rng(0).random((200, 6)) < 0.4).astype(int)
    assert network_front(Y).cost[-1] == 12
    assert network_front(Y, explains="held_out").cost[-1] <= 6


def test_names_of_a_frame_and_unknown_labels_are_read():
    frame = pd.DataFrame({"rain": [1.0, 1.0, 0.0, np.nan], "umbrella": [1.0, 1.0, 0.0, 0.0]})
    assert network_front(frame)[-1].label_names == ("rain", "umbrella")


def test_more_of_a_front_dominates_more(front):
    ends = front.explained[0], front.cost[-1]
    fewer = NetworkFront(
        front.explained[::3], front.cost[::3], front.parents[::3], "dependence", "edges", "sweep", front.counts
    )
    assert 0 < fewer.hypervolume(*ends) < front.hypervolume(*ends)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"explains": "bic"}, "`explains` must be 'dependence' or 'held_out'; got 'bic'"),
        ({"simplicity": "nodes"}, "`simplicity` must be 'edges' or 'parameters'"),
        ({"method": "magic"}, "`method` must be 'exact', 'sweep' or 'nsga2'"),
        ({"max_parents": -1}, "`max_parents` must be at least 0"),
        ({"explains": "held_out", "n_folds": 1}, "`n_folds` must be at least 2"),
        ({"method": "nsga2", "population_size": 1}, "`population_size` must be at least 2"),
    ],
)
def test_settings_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        network_front([[1, 0], [0, 1], [1, 1]], **options)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="up to 12 labels"):
        network_front(np.eye(13, dtype=int), method="exact")
    with pytest.raises(ValueError, match="up to 2,000 labels"):
        network_front(np.zeros((3, 2001), int))
