import numpy as np
import pytest

from bncc.svm import Status, context_mask, make_batch, pack_labels, solve, squared_distances

D = squared_distances(np.arange(4.0).reshape(-1, 1))
Y = [-1, -1, 1, 1]


def test_what_is_given_once_holds_for_every_problem():
    batch = make_batch(D, [Y, Y[::-1]], gamma=[0.1, 1.0], C=3.0)
    assert len(batch) == 2
    assert batch.C.tolist() == [3.0, 3.0]
    assert batch.target.tolist() == [0, 1]
    assert batch.rows(1).tolist() == [0, 1, 2, 3]


def test_one_target_with_many_values_is_one_problem_each():
    batch = make_batch(D, Y, target=0, gamma=[0.1, 1.0, 2.0], C=1.0, rows=[[0, 2], [1, 2, 3]], row_set=[0, 1, 1])
    assert [batch.rows(p).size for p in range(3)] == [2, 3, 3]


def test_bounds_are_c_times_weight_on_the_rows_of_the_problem():
    batch = make_batch(D, Y, gamma=1.0, C=2.0, rows=[[0, 2, 3]], weights=[1.0, 1.0, 0.5, 0.0])
    assert batch.bounds(0).tolist() == [2.0, 0.0, 1.0, 0.0]


def test_an_empty_batch_is_solved():
    batch = make_batch(D, np.zeros((0, 4)), gamma=1.0, C=1.0)
    assert len(batch) == 0
    assert len(solve(batch)) == len(solve(batch, engine="numpy")) == 0


def test_solutions_read_like_a_sequence():
    solutions = solve(make_batch(D, [Y, Y[::-1]], gamma=1.0, C=1.0))
    assert len(list(solutions)) == 2
    assert solutions[1].status is Status.CONVERGED
    with pytest.raises(IndexError, match=r"0\.\.1"):
        solutions[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"targets": [0, 1, 1, 1]}, r"\+1 and -1; got \[0\]"),
        ({"targets": [1, -1]}, r"one column per row \(4\)"),
        ({"gamma": 0.0}, "`gamma` must be positive and finite; got 0.0"),
        ({"gamma": np.inf}, "`gamma` must be positive and finite; got inf"),
        ({"C": -1.0}, "`C` must be positive"),
        ({"kernel": "cosine"}, '"rbf" or "linear"; got \'cosine\''),
        ({"rows": [[]]}, "Row set 0 is empty"),
        ({"rows": [[0, 9]]}, r"0\.\.3; got 0\.\.9"),
        ({"rows": [[1, 1]]}, "without duplicates"),
        ({"rows": [[0.5, 1.0]]}, "row numbers; got dtype float64"),
        ({"row_set": 1}, r"`row_set` must lie in 0\.\.0"),
        ({"target": 7}, r"`target` must lie in 0\.\.0"),
        ({"gamma": [1.0, 2.0], "C": [1.0, 2.0, 3.0]}, r"one per problem \(3\)"),
        ({"weights": [1, 1, -1, 1]}, "not negative"),
        ({"weights": [1, 1, np.nan, 1]}, "finite"),
        ({"weights": [1, 1]}, "one column per row"),
        ({"weight": 3}, r"`weight` must lie in -1\.\.-1"),
        ({"words": np.zeros((1, 3), np.uint32)}, "`words` must have one column per row"),
        ({"context": np.zeros(2, np.uint32)}, r"0 word\(s\) per problem"),
        ({"group": 0, "gamma": [1.0, 2.0], "target": 0}, "same gamma and context"),
        ({"start": 0}, "earlier problem of the same group"),
        ({"start": [-1, 0], "group": 0, "target": [0, 1], "targets": [Y, Y]}, "same target"),
    ],
)
def test_errors_say_what_is_wrong(change, message):
    given = {"targets": Y, "gamma": 1.0, "C": 1.0} | change
    with pytest.raises(ValueError, match=message):
        make_batch(D, given.pop("targets"), **given)


def test_contexts_are_one_mask_per_problem():
    words = pack_labels(np.eye(4, dtype=int))
    batch = make_batch(D, [Y, Y], gamma=1.0, C=1.0, words=words, context=context_mask([1, 2], 4))
    assert batch.context.tolist() == [[6], [6]]
