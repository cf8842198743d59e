import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from bncc.datasets import load
from bncc.multilabel import MLkNN, neighbours
from bncc.multilabel.neighbours import nearest_rows


def by_definition(rows, X, k):
    distance = cdist(rows if X is None else X, rows, "sqeuclidean").round(9)
    if X is None:
        np.fill_diagonal(distance, np.inf)
    return np.argsort(distance, axis=1, kind="stable")[:, :k]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 60),
    d=st.sampled_from([1, 2, 20]),
    values=st.sampled_from([1, 2, 4]),
    form=st.sampled_from([np.asarray, sparse.csr_array]),
    own=st.booleans(),
    cells=st.sampled_from([1, 200, 1 << 22]),
)
def test_ties_go_to_the_lowest_rows(seed, n, d, values, form, own, cells):
    rng = np.random.default_rng(seed)
    rows, X = rng.integers(0, values, (n, d)) * 0.1, None if own else rng.integers(0, values, (7, d)) * 0.1
    k = int(rng.integers(1, n if own else n + 1))
    search = NearestNeighbors().fit(form(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "_CELLS", cells)
        found = nearest_rows(search, form(rows), None if own else form(X), k)
    np.testing.assert_array_equal(np.sort(found), np.sort(by_definition(rows, X, k)))


def test_scores_do_not_depend_on_the_number_of_threads(data_folder):
    """Genbase has features of two values, and most rows have more equally near ones than are asked for."""
    data = load(data_folder / "genbase")
    scores = []
    for threads in (1, 2, 7):
        with threadpool_limits(threads):
            scores.append(MLkNN().fit(data.X[:500], data.Y[:500]).predict_proba(data.X[500:]))
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])


def test_far_fewer_distinct_rows_than_neighbours():
    rows = np.zeros((3000, 2))
    found = nearest_rows(NearestNeighbors().fit(rows), rows, rows[:2], 4)
    assert np.sort(found).tolist() == [[0, 1, 2, 3]] * 2
