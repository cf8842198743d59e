import numpy as np
import pytest
from scipy import sparse

from bncc.svm import (
    context_mask,
    cross_distances,
    keep_support,
    make_batch,
    pack_labels,
    solve,
    squared_distances,
    walk,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4)) * 3
Y = (X[:, :3] > 2.0).astype(int)
NEW = rng.normal(size=(20, 4)) * 3


@pytest.mark.parametrize("container", [np.asarray, lambda x: sparse.csr_array(np.where(np.abs(x) > 3.5, x, 0.0))])
def test_a_model_decides_as_the_batch_it_came_from(container):
    batch = make_batch(
        squared_distances(container(X)),
        np.where(Y.T > 0, 1, -1),
        gamma=0.1,
        C=2.0,
        words=pack_labels(Y),
        context=np.stack([context_mask(range(j), 3) for j in range(3)]),
    )
    solutions = solve(batch)
    model = keep_support(batch, solutions)
    assert model.batch.n_rows == np.unique(solutions.support).size < 90
    d2 = cross_distances(batch.distances.points, container(NEW))
    expected = walk(batch, solutions, d2, [range(3)], writes=[range(3)])[0]
    for cache_size in (2000.0, 0.001):
        got = model.decide(container(NEW), [range(3)], writes=[range(3)], cache_size=cache_size)[0]
        np.testing.assert_allclose(got, expected, atol=1e-5)
    assert model.decide(container(NEW)[:0], [range(3)])[0].shape == (0, 3)
    known = pack_labels(np.ones((20, 3), int))
    given = model.decide(container(NEW), [[2]], words=known, cache_size=0.001)[0]
    np.testing.assert_allclose(given, walk(batch, solutions, d2, [[2]], words=known)[0], atol=1e-5)


def test_states_are_decided_as_rows_with_known_labels(engine):
    context = np.stack([context_mask(range(j), 3) for j in range(3)])
    targets = np.where(Y.T > 0, 1, -1)
    batch = make_batch(squared_distances(X), targets, gamma=0.1, C=2.0, words=pack_labels(Y), context=context)
    model = keep_support(batch, solve(batch))
    rows, labels = np.array([4, 0, 4, 4, 19]), rng.integers(0, 2, (5, 3))
    for cache_size in (2000.0, 0.001):
        decide = model.states(NEW, cache_size=cache_size, engine=engine)
        for problem in range(3):
            expected = model.decide(NEW[rows], [[problem]], words=pack_labels(labels), engine="numpy")[0][:, 0]
            np.testing.assert_allclose(decide(problem, rows, pack_labels(labels)), expected, atol=1e-5)
    assert decide(0, rows[:0], pack_labels(labels[:0])).shape == (0,)


@pytest.mark.parametrize(
    ("problems", "options", "message"),
    [
        ([[3]], {}, r"`problems` must lie in 0\.\.2; got 3\.\.3"),
        ([[-1]], {}, r"`problems` must lie in 0\.\.2"),
        ([[0, 1]], {"writes": [[1]]}, "`writes` must have the shape"),
        ([[0]], {"writes": [[32]]}, r"`writes` must lie in -1\.\.31; got 32\.\.32"),
        ([[0]], {"writes": [[-2]]}, r"`writes` must lie in -1\.\.31; got -2\.\.-2"),
        ([[0]], {"words": np.zeros((1, 7), np.uint32)}, r"`words` must have shape \(1, 20\)"),
        ([[0]], {"words": np.zeros((2, 20), np.uint32)}, r"`words` must have shape \(1, 20\)"),
    ],
)
def test_chains_that_do_not_fit_the_model_are_refused(engine, problems, options, message):
    batch = make_batch(squared_distances(X), np.where(Y.T > 0, 1, -1), gamma=0.1, C=2.0, words=pack_labels(Y))
    model = keep_support(batch, solve(batch, engine="numpy"))
    with pytest.raises(ValueError, match=message):
        model.decide(NEW, problems, engine=engine, **options)
