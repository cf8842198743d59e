from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold as ReferenceKFold
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from bncc.datasets import load
from bncc.datasets.splits import (
    MultilabelStratifiedKFold,
    MultilabelStratifiedShuffleSplit,
    RepeatedMultilabelStratifiedKFold,
    multilabel_train_test_split,
)
from bncc.datasets.stratification import assign_folds
from label_folds import counts_of, power_law, small_label_matrices

SPLITTERS = [
    MultilabelStratifiedKFold(3, random_state=0),
    RepeatedMultilabelStratifiedKFold(3, 2, random_state=0),
    MultilabelStratifiedShuffleSplit(3, test_size=0.3, random_state=0),
]


Y = power_law(120, 8)
X = np.random.default_rng(1).random((120, 3))


def by_name(splitter):
    return type(splitter).__name__


def folds_of(splitter, Y, groups=None):
    out = np.full(len(Y), -1)
    for fold, (_, test) in enumerate(splitter.split(Y, Y, groups)):
        assert (out[test] == -1).all()
        out[test] = fold
    return out


# the splitters


@pytest.mark.parametrize("splitter", SPLITTERS, ids=by_name)
def test_train_and_test_are_disjoint_sorted_rows(splitter):
    parts = list(splitter.split(X, Y))
    assert len(parts) == splitter.get_n_splits(X, Y)
    for train, test in parts:
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(Y)
        assert (np.diff(train) > 0).all()
        assert (np.diff(test) > 0).all()


@settings(max_examples=40, deadline=None)
@given(small_label_matrices, st.integers(2, 4), st.integers(0, 5))
def test_k_folds_are_a_partition_of_even_sizes(Y, n_splits, seed):
    folds = folds_of(MultilabelStratifiedKFold(n_splits, random_state=seed), Y)
    sizes = np.bincount(folds, minlength=n_splits)
    assert (folds >= 0).all()
    assert sizes.max() - sizes.min() <= 1


def test_repeats_are_different_partitions():
    parts = [test.tolist() for _, test in RepeatedMultilabelStratifiedKFold(4, 3, random_state=0).split(X, Y)]
    repeats = [parts[start : start + 4] for start in (0, 4, 8)]
    for folds in repeats:
        assert sorted(row for fold in folds for row in fold) == list(range(len(Y)))
    assert repeats[0] != repeats[1] != repeats[2]


def same(first, second):
    return all(
        np.array_equal(a, b) for one, two in zip(first, second, strict=True) for a, b in zip(one, two, strict=True)
    )


@pytest.mark.parametrize("splitter", SPLITTERS, ids=by_name)
def test_seeds(splitter):
    again = clone(splitter, safe=False)
    assert again is not splitter
    assert repr(again) == repr(splitter)
    assert same(splitter.split(X, Y), again.split(X, Y))
    assert same(splitter.split(X, Y), splitter.split(X, Y))
    again.random_state = 1
    assert not same(splitter.split(X, Y), again.split(X, Y))
    again.random_state = np.random.RandomState(0)
    assert same(splitter.split(X, Y), again.split(X, Y))
    assert not same(splitter.split(X, Y), again.split(X, Y))  # the generator has moved on


def test_without_shuffle_folds_depend_on_the_data_alone():
    splitter = MultilabelStratifiedKFold(3, shuffle=False)
    np.random.seed(0)  # noqa: NPY002 (the global state must not matter)
    first = folds_of(splitter, Y)
    np.random.seed(1)  # noqa: NPY002
    np.testing.assert_array_equal(folds_of(splitter, Y), first)


def test_x_is_not_needed():
    assert same(SPLITTERS[0].split(None, Y), SPLITTERS[0].split(X, Y))


def test_repr():
    assert repr(MultilabelStratifiedKFold(4, random_state=1)) == (
        "MultilabelStratifiedKFold(n_splits=4, random_state=1, shuffle=True)"
    )


@pytest.mark.parametrize("size", [{"test_size": 30}, {"test_size": 0.25}, {"train_size": 90}, {"train_size": 0.75}, {}])
def test_shuffle_split_sizes(size):
    splitter = MultilabelStratifiedShuffleSplit(2, random_state=0, **size)
    n_test = 30 if size else 12
    for train, test in splitter.split(X, Y):
        assert (len(train), len(test)) == (120 - n_test, n_test)
        np.testing.assert_allclose(Y[test].sum(axis=0), Y.sum(axis=0) * n_test / 120, atol=1.01)


def test_shuffle_split_may_leave_rows_out():
    train, test = next(MultilabelStratifiedShuffleSplit(1, train_size=0.5, test_size=0.25, random_state=0).split(X, Y))
    assert (len(train), len(test)) == (60, 30)
    assert not set(train) & set(test)


# groups


@settings(max_examples=60, deadline=None)
@given(small_label_matrices, st.integers(2, 3), st.integers(0, 5), st.data())
def test_groups_are_never_parted_and_no_fold_is_empty(Y, n_splits, seed, data):
    groups = data.draw(st.lists(st.sampled_from("abcdefg"), min_size=len(Y), max_size=len(Y)))
    splitter = MultilabelStratifiedKFold(n_splits, random_state=seed)
    if len(set(groups)) < n_splits:
        with pytest.raises(ValueError, match="at most the number of groups"):
            splitter.split(Y, Y, groups)
        return
    folds = folds_of(splitter, Y, groups)
    assert set(folds) == set(range(n_splits))
    for group in set(groups):
        assert len({fold for fold, name in zip(folds, groups, strict=True) if name == group}) == 1


@pytest.mark.parametrize("splitter", SPLITTERS, ids=by_name)
def test_every_splitter_keeps_groups(splitter):
    groups = np.arange(120) // 4
    for train, test in splitter.split(X, Y, groups):
        assert not set(groups[train]) & set(groups[test])


def test_groups_of_one_row_are_rows():
    folds = folds_of(MultilabelStratifiedKFold(4, random_state=0), Y, [f"row {i}" for i in range(120)])
    sizes = np.bincount(folds)
    assert sizes.max() - sizes.min() <= 1


def test_small_groups_are_far_better_balanced_than_without_labels():
    Y, groups = power_law(3000, 20), np.arange(3000) // 3
    deviation = {}
    for splitter in (MultilabelStratifiedKFold(5, random_state=0), GroupKFold(5)):
        folds = folds_of(splitter, Y, groups)
        assert np.bincount(folds).tolist() == [600] * 5
        deviation[by_name(splitter)] = np.abs(counts_of(folds, Y, 5) - Y.sum(axis=0) / 5).mean()
    assert deviation["MultilabelStratifiedKFold"] < deviation["GroupKFold"] / 3


# one-dimensional targets and consumers


@pytest.mark.parametrize("kind", ["int", "bool", "str", "float", "series"])
def test_classes_in_one_dimension(kind):
    y = np.repeat([0, 1], [33, 12])
    make = {
        "int": lambda: y,
        "bool": lambda: y > 0,
        "str": lambda: np.array(["no", "yes"])[y],
        "float": lambda: y * 1.0,
        "series": lambda: pd.Series(y),
    }
    folds = folds_of(MultilabelStratifiedKFold(3, random_state=0), make[kind]())
    for fold in range(3):
        assert y[folds == fold].sum() == 4
        assert (folds == fold).sum() == 15


@pytest.mark.parametrize("splitter", SPLITTERS, ids=by_name)
def test_consumers(splitter):
    classifier = KNeighborsClassifier()
    scores = cross_val_score(classifier, X, Y, cv=splitter)
    assert scores.shape == (splitter.get_n_splits(),)
    assert np.isfinite(scores).all()
    search = GridSearchCV(classifier, {"n_neighbors": [1, 3]}, cv=splitter).fit(X, Y, groups=np.arange(120) // 2)
    assert search.n_splits_ == splitter.get_n_splits()
    assert cross_val_score(classifier, X, Y[:, 0], cv=splitter).shape == scores.shape


def test_groups_through_metadata_routing():
    groups = np.arange(120) // 4
    with sklearn.config_context(enable_metadata_routing=True):
        scores = cross_val_score(KNeighborsClassifier(), X, Y, cv=SPLITTERS[0], params={"groups": groups})
    np.testing.assert_allclose(scores, cross_val_score(KNeighborsClassifier(), X, Y, cv=SPLITTERS[0], groups=groups))


# train and test


def test_train_test_split_keeps_types_and_rows_together():
    frame = pd.DataFrame({"row": np.arange(120)}, index=np.arange(120) + 1000)
    parts = multilabel_train_test_split(X, frame, sparse.coo_array(Y), list(range(120)), Y, random_state=0)
    X_train, X_test, frame_train, frame_test, S_train, S_test, rows_train, rows_test, Y_train, Y_test = parts
    assert len(X_test) == 30
    assert sorted(rows_train + rows_test) == list(range(120))
    for rows, x, f, s, y in (
        (rows_train, X_train, frame_train, S_train, Y_train),
        (rows_test, X_test, frame_test, S_test, Y_test),
    ):
        np.testing.assert_array_equal(X[rows], x)
        assert f["row"].tolist() == rows
        np.testing.assert_array_equal(s.toarray(), Y[rows])
        np.testing.assert_array_equal(y, Y[rows])
    np.testing.assert_allclose(Y_test.sum(axis=0), Y.sum(axis=0) / 4, atol=1)


def test_train_test_split_options():
    first = multilabel_train_test_split(X, stratify=Y, test_size=20, random_state=5)
    again = multilabel_train_test_split(X, stratify=Y, test_size=20, random_state=5)
    np.testing.assert_array_equal(first[1], again[1])
    assert len(first[1]) == 20
    groups = np.arange(120) // 6
    train, test, _, _ = multilabel_train_test_split(groups, Y, groups=groups, random_state=0)
    assert not set(train) & set(test)


# errors


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda: MultilabelStratifiedKFold(121).split(X, Y), r"at most the number of rows \(120\); got 121"),
        (lambda: MultilabelStratifiedKFold(1).split(X, Y), "`n_splits` must be a whole number >= 2; got 1"),
        (lambda: MultilabelStratifiedKFold(2.0).split(X, Y), "whole number >= 2; got 2.0"),
        (lambda: MultilabelStratifiedKFold(3, shuffle=False, random_state=0).split(X, Y), "no effect"),
        (lambda: MultilabelStratifiedKFold(3).split(X), "`y` is missing"),
        (lambda: MultilabelStratifiedKFold(3).split(X[:5], Y), "same number of rows; got 5 and 120"),
        (lambda: MultilabelStratifiedKFold(3).split(X, Y * 2), "`y` must hold 0/1"),
        (lambda: MultilabelStratifiedKFold(3).split(X, X[:, 0]), "no classes"),
        (lambda: MultilabelStratifiedKFold(3).split([], []), "at least one row"),
        (lambda: MultilabelStratifiedKFold(3).split(X, Y, [1, 2]), r"shape \(120,\); got \(2,\)"),
        (lambda: MultilabelStratifiedKFold(3).split(X, Y, np.full(120, np.nan)), "missing values"),
        (lambda: RepeatedMultilabelStratifiedKFold(3, 0).split(X, Y), "`n_repeats` must be"),
        (lambda: next(MultilabelStratifiedShuffleSplit(test_size=1.5).split(X, Y)), "`test_size` must be a share"),
        (lambda: next(MultilabelStratifiedShuffleSplit(test_size=True).split(X, Y)), "`test_size` must be a share"),
        (lambda: next(MultilabelStratifiedShuffleSplit(test_size=0.6, train_size=0.6).split(X, Y)), "at most 120 rows"),
        (lambda: next(MultilabelStratifiedShuffleSplit(test_size=120).split(X, Y)), "rows on both sides"),
        (lambda: next(MultilabelStratifiedShuffleSplit().split(X, Y, np.ones(120))), "too few or too large"),
        (lambda: multilabel_train_test_split(), "at least one array"),
        (lambda: multilabel_train_test_split(X[:3], Y), r"got \[3, 120\]"),
        (lambda: assign_folds(Y, []), "at least one fold"),
        (lambda: assign_folds(Y, [1, 0]), "`shares` must be a whole number >= 1; got 0"),
    ],
)  # fmt: skip
def test_errors(run, message):
    with pytest.raises(ValueError, match=message):
        run()


# balance against the reference package


def assert_no_worse_than_the_reference(Y, seeds):
    gaps, deviation = {}, {}
    for name, kind in {"bncc": MultilabelStratifiedKFold, "reference": ReferenceKFold}.items():
        folds = [folds_of(kind(n_splits=10, shuffle=True, random_state=seed), Y) for seed in seeds]
        gaps[name] = sum((counts_of(part, Y, 10) == 0).sum() for part in folds)
        shares = [counts_of(part, Y, 10) / np.bincount(part)[:, None] for part in folds]
        deviation[name] = np.mean([np.abs(part - Y.mean(axis=0)).mean() for part in shares])
    assert gaps["bncc"] <= gaps["reference"]
    assert deviation["bncc"] <= deviation["reference"] * (1 + 1e-9)


@pytest.mark.parametrize("shape", [(600, 12), (1500, 40)], ids=str)
def test_balance_of_synthetic_labels(shape):
    assert_no_worse_than_the_reference(power_law(*shape, seed=4), range(3))


@pytest.mark.parametrize("name", ["yeast", "enron", "medical", "education"])
@pytest.mark.usefixtures("data_folder")
def test_balance_of_real_labels(name):
    assert_no_worse_than_the_reference(load(name).Y, range(3))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["genbase", "bibtex", "delicious", "mediamill"])
@pytest.mark.usefixtures("data_folder")
def test_balance_of_large_real_label_matrices(name):
    assert_no_worse_than_the_reference(load(name).Y, range(2))


@pytest.mark.slow
@pytest.mark.parametrize("cardinality", [3.0, 10.0])
def test_balance_of_many_synthetic_rows(cardinality):
    assert_no_worse_than_the_reference(power_law(100_000, 100, cardinality), range(1))


class PolarsLike:
    """What the splits use of a polars DataFrame: no `iloc`, no `ndim`; rows are taken by an array of numbers."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.columns = [f"c{j}" for j in range(self.values.shape[1])]
        self.shape = self.values.shape

    def to_numpy(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __getitem__(self, rows):
        return PolarsLike(self.values[rows])


@pytest.mark.parametrize("library", ["stand-in", "polars"])
def test_frames_other_than_pandas(library):
    frame = PolarsLike if library == "stand-in" else pytest.importorskip("polars").DataFrame
    parts = multilabel_train_test_split(frame(X), frame(Y), random_state=0)
    expected = multilabel_train_test_split(X, Y, random_state=0)
    assert all(isinstance(part, frame) for part in parts)
    assert all(np.array_equal(part.to_numpy(), other) for part, other in zip(parts, expected, strict=True))
    splitter = MultilabelStratifiedKFold(3, random_state=0)
    for (_, test), (_, other) in zip(splitter.split(frame(X), frame(Y)), splitter.split(X, Y), strict=True):
        assert np.array_equal(test, other)


@pytest.mark.parametrize("format", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_every_sparse_format_is_split(format, kind):
    some_X, some_Y = X[:60], Y[:60]
    parts = multilabel_train_test_split(kind(some_X).asformat(format), kind(some_Y).asformat(format), random_state=0)
    expected = multilabel_train_test_split(some_X, some_Y, random_state=0)
    assert all(np.array_equal(part.toarray(), other) for part, other in zip(parts, expected, strict=True))


def test_columns_of_the_same_name_do_not_matter():
    frame = pd.DataFrame(Y, columns=["a"] * Y.shape[1])
    splitter = MultilabelStratifiedKFold(3, random_state=0)
    assert folds_of(splitter, frame).tolist() == folds_of(splitter, Y).tolist()


@pytest.mark.parametrize("splitter", SPLITTERS, ids=by_name)
def test_a_generator_seeds_the_shuffle(splitter):
    def splits(seed):
        chosen = clone(splitter) if hasattr(splitter, "get_params") else copy.copy(splitter)
        chosen.random_state = np.random.default_rng(seed)
        return [test.tolist() for _, test in chosen.split(X, Y)]

    assert splits(1) == splits(1) != splits(2)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (["a", None, "b"], r"`y` must give every row a class; got 1 missing value\(s\). Drop those rows"),
        ([1.0, np.nan, 2.0], r"got 1 missing value"),
        (pd.Series([1, None, 2], dtype="Int64"), r"got 1 missing value"),
        (np.array([1, "a", 2], object), "classes of one kind; got int, str"),
        ([[1], [0, 1], []], "rows of different lengths. Turn lists of labels into .* `MultiLabelBinarizer`"),
    ],
)
def test_targets_that_are_no_classes(targets, message):
    with pytest.raises(ValueError, match=message):
        MultilabelStratifiedKFold(2).split(np.zeros(3), targets)


def test_tags_and_unknown_labels_are_split():
    splitter = MultilabelStratifiedKFold(2, random_state=0)
    rows = [["a"], ["b", "c"], []] * 4
    tests = [test.tolist() for _, test in splitter.split(np.zeros(12), rows)]
    matrix = np.array([[1.0, 0, 0], [0, 1, 1], [0, 0, 0]] * 4)
    assert tests == [test.tolist() for _, test in splitter.split(np.zeros(12), matrix)]
    matrix[0, 1] = np.nan
    assert len(list(splitter.split(np.zeros(12), matrix))) == 2
