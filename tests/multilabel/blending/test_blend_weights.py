import numpy as np

from bncc.metrics import get_metric
from bncc.multilabel.blending.blend_weights import blend_rates, choose_weights, weights_of_labels
from bncc.multilabel.blending.clock import OutOfTime
from bncc.multilabel.blending.selection_score import score_rates

RNG = np.random.default_rng(0)
TRUTH = RNG.random((400, 4)) < 0.3
GOOD = np.clip(TRUTH * 0.4 + 0.3 + RNG.normal(size=TRUTH.shape) * 0.2, 0.01, 0.99)
ALSO = np.clip(TRUTH * 0.4 + 0.3 + RNG.normal(size=TRUTH.shape) * 0.2, 0.01, 0.99)
NOISE = RNG.random(TRUTH.shape)


def value(blended, rows):
    return score_rates(get_metric("micro_f1"), blended - 0.5, TRUTH[rows])


def test_what_helps_gets_weight_and_noise_gets_none():
    weights = choose_weights([GOOD, NOISE, ALSO], value, 0)
    assert weights.sum() == 1.0
    assert weights[1] == 0
    assert min(weights[0], weights[2]) > 0.2
    everything = np.arange(len(TRUTH))
    blended = value(blend_rates([GOOD, NOISE, ALSO], weights[:, None]), everything)
    assert blended > max(value(GOOD, everything), value(ALSO, everything))


def test_one_family_has_all_the_weight_and_seeds_settle_it():
    assert choose_weights([NOISE], value, 0).tolist() == [1.0]
    first, again = (choose_weights([GOOD, ALSO], value, 3) for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_labels_move_to_the_family_that_knows_them():
    mixed = GOOD.copy()
    mixed[:, 0] = NOISE[:, 0]
    weights = weights_of_labels([GOOD, mixed], TRUTH, None, np.array([0.5, 0.5]))
    np.testing.assert_allclose(weights.sum(axis=0), 1.0)
    assert weights[0, 0] > 0.6
    np.testing.assert_allclose(weights[0, 1:], 0.5, atol=0.05)
    alone = weights_of_labels([GOOD, mixed], TRUTH, None, np.array([0.0, 1.0]))
    assert alone[0].tolist() == [0.0] * 4


def test_rows_without_weight_count_as_rows_left_out():
    mixed = GOOD.copy()
    mixed[:, 0] = NOISE[:, 0]
    known = RNG.random(TRUTH.shape) < 0.8
    weight, shared = np.where(np.arange(400) % 3 == 0, 0.0, 1.0), np.array([0.5, 0.5])
    kept = np.flatnonzero(weight)
    for seen in (None, known):
        weighted = weights_of_labels([GOOD, mixed], TRUTH, seen, shared, weight)
        without = weights_of_labels(
            [GOOD[kept], mixed[kept]], TRUTH[kept], None if seen is None else seen[kept], shared
        )
        np.testing.assert_allclose(weighted, without, rtol=1e-12)
        assert not np.allclose(weighted, weights_of_labels([GOOD, mixed], TRUTH, seen, shared))


def test_a_row_of_weight_two_counts_as_two_rows():
    weight, shared = np.where(np.arange(400) % 3 == 0, 2.0, 1.0), np.array([0.5, 0.5])
    twice = np.repeat(np.arange(400), weight.astype(int))
    np.testing.assert_allclose(
        weights_of_labels([GOOD, NOISE], TRUTH, None, shared, weight),
        weights_of_labels([GOOD[twice], NOISE[twice]], TRUTH[twice], None, shared),
    )


def test_parts_of_the_rows_are_of_whole_groups():
    seen, groups = [], np.random.default_rng(1).permutation(np.repeat(np.arange(100), 4))

    def noted(blended, rows):
        seen.append(rows)
        return value(blended, rows)

    choose_weights([GOOD, NOISE], noted, 0, groups=groups)
    assert len({tuple(rows) for rows in seen}) == 4
    for rows in seen:
        assert set(np.bincount(groups[rows], minlength=100)) == {0, 4}
        assert 250 < rows.size <= 267
    seen.clear()
    choose_weights([GOOD, NOISE], noted, 0, groups=np.zeros(400, int))
    assert {rows.size for rows in seen} == {400}


def test_when_the_time_is_over_what_was_selected_until_then_counts():
    left = [0]

    def timed(blended, rows):
        left[0] -= 1
        if left[0] < 0:
            raise OutOfTime("over")
        return value(blended, rows)

    assert choose_weights([NOISE, GOOD, ALSO], timed, 0, best=2).tolist() == [0.0, 0.0, 1.0]
    left[0] = 3
    assert choose_weights([NOISE, GOOD, ALSO], timed, 0).max() == 1.0
    left[0] = 10_000
    np.testing.assert_array_equal(
        choose_weights([NOISE, GOOD, ALSO], timed, 0), choose_weights([NOISE, GOOD, ALSO], value, 0)
    )
