"""Inference against enumeration of the joint distribution, which a random table of conditionals defines."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.multilabel import decode
from oracles.decode import all_sets, expected_f1, joint_probability


def random_chain(n_labels, n_rows, seed, certain=False):
    """A chain as a table: the conditional of a label depends on the row and on all labels before it."""
    random = np.random.default_rng(seed)
    order = random.permutation(n_labels)
    table = random.random((n_labels, n_rows, 2**n_labels))
    if certain:
        table = np.where(random.random(table.shape) < 0.3, table.round(), table)

    def answer(place, rows, known):
        before = known[:, order[:place]].astype(np.int64) @ (1 << np.arange(place))
        return table[place, rows, before]

    return answer, tuple(order.tolist())


chains = st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(0, 10**6), st.booleans())


@settings(max_examples=40, deadline=None)
@given(chains)
def test_exhaustive_is_the_joint(case):
    answer, order = random_chain(*case)
    joint = decode.exhaustive_joint(answer, order, case[1])
    for row in range(case[1]):
        sets, probability = joint_probability(answer, order, row)
        places = joint.labels[row] @ (1 << np.arange(len(order))[::-1])
        assert sorted(places) == list(range(len(sets)))
        np.testing.assert_allclose(joint.weight[row], probability[places], atol=1e-12)
        np.testing.assert_allclose(np.exp(joint.log_probability[row]), probability[places], atol=1e-12)
        np.testing.assert_allclose(joint.marginal[row], probability @ sets, atol=1e-12)
        best = decode.mode(joint)[row].astype(int) @ (1 << np.arange(len(order))[::-1])
        assert probability[best] == pytest.approx(probability.max())


@settings(max_examples=20, deadline=None)
@given(chains, st.integers(0, 3))
def test_wide_beam_is_exhaustive(case, more):
    answer, order = random_chain(*case)
    exact = decode.exhaustive_joint(answer, order, case[1])
    beam = decode.beam_joint(answer, order, case[1], 2 ** len(order) + more)
    for name in ("labels", "log_probability", "weight", "marginal"):
        np.testing.assert_array_equal(getattr(beam, name), getattr(exact, name))


@settings(max_examples=30, deadline=None)
@given(chains, st.integers(1, 8))
def test_beam_keeps_true_probabilities_of_distinct_sets(case, width):
    answer, order = random_chain(*case)
    joint = decode.beam_joint(answer, order, case[1], width)
    assert joint.labels.shape[1] == min(width, 2 ** len(order))
    for row in range(case[1]):
        _, probability = joint_probability(answer, order, row)
        places = joint.labels[row] @ (1 << np.arange(len(order))[::-1])
        assert len(set(places)) == len(places)
        np.testing.assert_allclose(np.exp(joint.log_probability[row]), probability[places], atol=1e-12)
        assert joint.weight[row].sum() == pytest.approx(1)


@settings(max_examples=20, deadline=None)
@given(chains)
def test_beam_of_one_is_greedy(case):
    answer, order = random_chain(*case)
    joint = decode.beam_joint(answer, order, case[1], 1)
    known = np.zeros((case[1], len(order)), np.int8)
    for place, label in enumerate(order):
        known[:, label] = answer(place, np.arange(case[1]), known) > 0.5
    np.testing.assert_array_equal(joint.labels[:, 0], known)
    np.testing.assert_array_equal(decode.mode(joint), known.astype(bool))


@pytest.mark.parametrize("zero_division", [0.0, 1.0])
@settings(max_examples=40, deadline=None)
@given(case=chains)
def test_f1_is_the_best_of_all_sets(zero_division, case):
    answer, order = random_chain(*case)
    chosen = decode.best_f1(decode.exhaustive_joint(answer, order, case[1]), zero_division=zero_division)
    for row in range(case[1]):
        sets, probability = joint_probability(answer, order, row)
        values = [expected_f1(sets, probability, guess, zero_division) for guess in all_sets(len(order))]
        found = expected_f1(sets, probability, chosen[row], zero_division)
        assert found == pytest.approx(max(values), abs=1e-10)


def test_f1_on_sets_that_repeat():
    labels = np.array([[[1, 1, 0], [1, 1, 0], [0, 0, 0]]], np.int8)
    weight = np.array([[0.3, 0.3, 0.4]])
    joint = decode.Joint(labels, np.log(weight), weight, weight @ labels[0])
    assert decode.best_f1(joint).tolist() == [[True, True, False]]
    assert decode.best_f1(joint, zero_division=0.0).tolist() == [[True, True, False]]


def test_f1_prefers_the_empty_set_only_where_it_counts():
    labels = np.array([[[0, 0], [1, 0]]], np.int8)
    weight = np.array([[0.8, 0.2]])
    joint = decode.Joint(labels, np.log(weight), weight, weight @ labels[0])
    assert decode.best_f1(joint).tolist() == [[False, False]]
    assert decode.best_f1(joint, zero_division=0.0).tolist() == [[True, False]]


@pytest.mark.parametrize("seed", range(3))
def test_sampling_converges(seed):
    answer, order = random_chain(4, 3, seed)
    exact = decode.exhaustive_joint(answer, order, 3)
    errors = []
    for n_samples in (50, 20000):
        points = decode.draw_points(n_samples, 4, np.random.RandomState(seed))
        joint = decode.sampled_joint(answer, order, 3, points)
        errors.append(np.abs(joint.marginal - exact.marginal).max())
        np.testing.assert_allclose(joint.weight.sum(axis=1), 1)
    assert errors[1] < 0.01
    assert errors[1] < errors[0]
    # With every set drawn, the mode is found, and shares among the samples agree too.
    np.testing.assert_array_equal(decode.mode(joint), decode.mode(exact))
    np.testing.assert_allclose(np.einsum("rs,rsl->rl", joint.weight, joint.labels), exact.marginal, atol=0.02)


@settings(max_examples=20, deadline=None)
@given(chains, st.integers(1, 20))
def test_sampled_mode_is_at_least_the_greedy_one(case, n_samples):
    answer, order = random_chain(*case)
    points = decode.draw_points(n_samples, case[0], np.random.RandomState(case[2]))
    joint = decode.sampled_joint(answer, order, case[1], points)
    greedy = decode.beam_joint(answer, order, case[1], 1)
    np.testing.assert_array_equal(joint.labels[:, 0], greedy.labels[:, 0])
    assert (joint.log_probability.max(axis=1) >= greedy.log_probability[:, 0]).all()


def test_sampling_a_row_does_not_depend_on_the_others():
    answer, order = random_chain(4, 5, 0)
    points = decode.draw_points(30, 4, np.random.RandomState(0))
    whole = decode.sampled_joint(answer, order, 5, points)
    alone = decode.sampled_joint(lambda place, rows, known: answer(place, rows + 3, known), order, 1, points)
    np.testing.assert_array_equal(whole.labels[3:4], alone.labels)
    np.testing.assert_array_equal(whole.marginal[3:4], alone.marginal)


def test_ask_once_asks_equal_states_once():
    calls = []

    def answer(place, rows, known):
        calls.append(len(rows))
        return rows * 0.1 + known[:, 1] * 0.05

    asked = decode.ask_once(answer, [(1,)])
    rows = np.array([0, 1, 0, 1, 0])
    known = np.array([[0, 1], [0, 1], [1, 1], [0, 0], [0, 0]], np.int8)
    np.testing.assert_array_equal(asked(0, rows, known), rows * 0.1 + known[:, 1] * 0.05)
    assert calls == [4]


def test_too_many_labels():
    with pytest.raises(ValueError, match=r"limited to 15 labels.*got 16\. Use 'beam'"):
        decode.exhaustive_joint(lambda *_: np.zeros(1), range(16), 1)


def test_sizes_of_sets_may_be_looked_at_in_parts(monkeypatch):
    random = np.random.default_rng(0)
    labels, weight = (random.random((6, 9, 11)) < 0.4).astype(np.int8), random.dirichlet(np.ones(9), 6)
    joint = decode.Joint(labels, np.log(weight), weight, np.einsum("rs,rsl->rl", weight, labels))
    whole = decode.best_f1(joint)
    monkeypatch.setattr(decode, "_SIZES", 2)
    assert whole.any()
    assert (decode.best_f1(joint) == whole).all()


def test_the_best_f1_of_many_labels_takes_little_memory():
    joint = decode.Joint(np.ones((1, 2, 2000), np.int8), np.zeros((1, 2)), np.full((1, 2), 0.5), np.ones((1, 2000)))
    tracemalloc.start()
    assert decode.best_f1(joint).all()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**25
