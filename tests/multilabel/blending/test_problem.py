import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize

from blend_problems import problem_of
from bncc.metrics import get_metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.problem import BlendProblem, deal_held_out, rows_in_time
from bncc.multilabel.scaling import RangeScaler
from bncc.multilabel.targets import read_targets

RNG = np.random.default_rng(0)


def targets_of(n_rows, n_labels=3):
    return read_targets((RNG.random((n_rows, n_labels)) < 0.3).astype(int))


def test_few_rows_are_all_held_out_once():
    for n in (2, 3, 57):
        folds = deal_held_out(targets_of(n), None, limited=False)
        assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(n))
        assert all(np.intersect1d(train, test).size == 0 for train, test in folds)


def test_of_many_rows_a_part_is_held_out():
    ((train, test),) = deal_held_out(targets_of(20_000), None, limited=False)
    assert 0 < test.size <= 8000
    assert train.size + test.size == 20_000
    assert len(deal_held_out(targets_of(5000), None, limited=False)) == 5
    assert len(deal_held_out(targets_of(5000), None, limited=True)) == 1


def test_groups_stay_together():
    groups = np.arange(60) // 6
    for train, test in deal_held_out(targets_of(60), groups, limited=False):
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_missing_values_become_medians_and_say_so(make):
    X = RNG.random((30, 4))
    X[::3, 1] = np.nan
    targets = targets_of(30)
    problem = BlendProblem(
        TrainingRows(make(X), targets), deal_held_out(targets, None, limited=False), get_metric("MacF")
    )
    numbers = problem.numbers.X
    assert numbers.shape == (30, 5)
    assert np.isfinite(numbers.toarray() if sparse.issparse(numbers) else numbers).all()
    assert problem.tested.tolist() == list(range(30))
    assert problem.truth.sum() == targets.positives.sum()
    assert problem.sets is None


def test_the_sets_are_there_for_exact_matches():
    targets = targets_of(40)
    folds = deal_held_out(targets, None, limited=False)
    problem = BlendProblem(TrainingRows(RNG.random((40, 2)), targets), folds, get_metric("subset_accuracy"))
    assert len(problem.sets) == len(np.unique(targets.positives.toarray(), axis=0))


@pytest.mark.parametrize(("n_columns", "share", "thin"), [(300, 0.02, True), (300, 0.5, False), (20, 0.02, False)])
def test_dense_features_that_are_nearly_all_zero_are_handled_as_sparse(n_columns, share, thin):
    rng = np.random.default_rng(0)
    features = rng.random((200, n_columns)) * (rng.random((200, n_columns)) < share)
    targets = read_targets(rng.integers(0, 2, (200, 3)).astype(float))
    rows = TrainingRows(features, targets, None)
    made = BlendProblem(rows, deal_held_out(targets, None, limited=False), get_metric("macro_auc")).numbers.X
    assert sparse.issparse(made) == thin
    scaled = made.toarray() if thin else made
    np.testing.assert_allclose(scaled, BlendProblem(rows, (), get_metric("macro_auc")).to_numbers.transform(features))


def test_with_a_limit_a_part_is_drawn_at_random_and_groups_stay_together():
    groups = np.arange(20_000) // 7
    ((train, test),) = deal_held_out(targets_of(20_000), groups, limited=True)
    assert train.size + test.size == 20_000
    assert np.intersect1d(groups[train], groups[test]).size == 0
    assert 4000 <= test.size < 4007
    assert np.ptp(test) > 15_000  # from all over the rows
    ((_, again),) = deal_held_out(targets_of(20_000), groups, limited=True)
    np.testing.assert_array_equal(test, again)
    ((_, wide),) = deal_held_out(targets_of(3000, 3000), None, limited=True)
    assert wide.size == 349  # a million cells


def test_with_a_limit_rows_are_bounded_by_the_numbers_in_them():
    assert rows_in_time(np.zeros((5, 4000))) == 20_000
    assert rows_in_time(np.zeros((5, 10))) == 2_000_000
    assert rows_in_time(sparse.eye_array(50, format="csr")) == 20_000_000


def test_likelihoods_count_known_labels_by_the_weight_of_their_row():
    labels = np.array([[1.0, 0.0], [np.nan, 1.0], [0.0, 1.0]] * 3)
    targets, weight = read_targets(labels), np.array([1.0, 2.0, 0.0] * 3)
    folds = deal_held_out(targets, None, limited=False)
    problem = BlendProblem(TrainingRows(labels, targets, weight), folds, get_metric("macro_auc"))
    rates = np.array([[0.5, 0.5], [0.9, 0.25], [0.1, 0.1]])
    expected = (2 * np.log(0.5) + 2 * np.log(0.25)) / 4
    assert problem.likelihood(rates, np.arange(3)) == pytest.approx(expected)


def lengths_of(rows):
    return np.sqrt(np.asarray(rows.X.multiply(rows.X).sum(axis=1)).ravel())


@pytest.mark.parametrize("length", [None, 3.0])
def test_of_many_sparse_rows_each_has_unit_length_and_words_keep_their_weights(length):
    X = sparse.random_array((300, 40), density=0.2, rng=np.random.default_rng(1), format="csr")
    X = X * np.linspace(1.0, 9.0, 40)
    X = sparse.csr_array(X)
    if length is not None:
        X = sparse.csr_array(normalize(X) * length)
    targets = targets_of(300)
    folds = deal_held_out(targets, None, limited=False)
    rows = TrainingRows(X, targets)
    made = BlendProblem(rows, folds[:1], get_metric("macro_auc")).numbers
    np.testing.assert_allclose(lengths_of(made), lengths_of(rows) > 0)
    kept = normalize(X) if length is not None else normalize(RangeScaler().fit_transform(X))
    np.testing.assert_allclose(made.X.toarray(), kept.toarray())
    assert np.ptp(lengths_of(BlendProblem(rows, folds, get_metric("macro_auc")).numbers)) > 0.1  # of few they stay


def test_groups_of_tested_rows_have_numbers():
    assert problem_of().group_of_tested is None
    names = np.array([f"g{number // 2}" for number in range(160)])
    problem = problem_of(groups=names, once=True)
    numbers = problem.group_of_tested
    assert numbers.size == problem.tested.size
    assert sorted(set(numbers)) == list(range(len(set(names[problem.tested]))))
    assert len(set(zip(numbers.tolist(), names[problem.tested].tolist(), strict=True))) == len(set(numbers.tolist()))
