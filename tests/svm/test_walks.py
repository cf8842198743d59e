import pickle
from dataclasses import replace

import numpy as np
import pytest

from bncc.svm import (
    context_mask,
    cross_distances,
    make_batch,
    native,
    pack_labels,
    solve,
    squared_distances,
    walk,
    walk_known,
)
from oracles.kernels import kernel

needs_extension = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")

rng = np.random.default_rng(0)
X = rng.normal(size=(70, 4))
NEW = rng.normal(size=(45, 4))
Y = (X @ rng.normal(size=(4, 40)) > 0.2).astype(int)
ORDER = rng.permutation(40)
BATCH = make_batch(
    squared_distances(X),
    np.where(Y.T > 0, 1, -1),
    target=ORDER,
    gamma=0.3,
    C=5.0,
    words=pack_labels(Y),
    context=np.stack([context_mask(ORDER[:place], 40) for place in range(40)]),
)
SOLUTIONS = solve(BATCH)
D2 = cross_distances(BATCH.distances.points, NEW)


def by_definition(x):
    """A chain for one row, straight from its definition."""
    labels, out = np.zeros(40, int), []
    for place, label in enumerate(ORDER):
        s = SOLUTIONS[place]
        terms = [c * kernel(x, X[r], labels, Y[r], ORDER[:place], 0.3) for r, c in zip(s.support, s.coef, strict=True)]
        out.append(sum(terms) + s.bias)
        labels[label] = out[-1] > 0
    return out


def test_a_chain_reads_its_own_predictions(engine):
    got = walk(BATCH, SOLUTIONS, D2, [np.arange(40)], writes=[ORDER], engine=engine)[0]
    assert got.shape == (45, 40)
    for row in (0, 7, 44):
        np.testing.assert_allclose(got[row], by_definition(NEW[row]), atol=1e-4)


def test_walks_have_rows_of_their_own(engine):
    whole = walk(BATCH, SOLUTIONS, D2, [np.arange(40)], writes=[ORDER], engine=engine)[0]
    parts = walk(
        BATCH, SOLUTIONS, D2, [np.arange(40)] * 3, writes=[ORDER] * 3, rows=[[5, 1], [], range(45)], engine=engine
    )
    np.testing.assert_allclose(parts[0], whole[[5, 1]], atol=1e-9)
    assert parts[1].shape == (0, 40)
    np.testing.assert_allclose(parts[2], whole, atol=1e-9)


def test_known_labels_are_context_and_a_link_may_overwrite_them(engine):
    known = pack_labels(np.ones((45, 40), int))
    given = walk(BATCH, SOLUTIONS, D2, [[39]], words=known, engine=engine)[0]
    fresh = walk(BATCH, SOLUTIONS, D2, [[39]], engine=engine)[0]
    assert np.abs(given - fresh).max() > 1e-3
    chain = walk(BATCH, SOLUTIONS, D2, [np.arange(40)], writes=[ORDER], words=known, engine=engine)[0]
    np.testing.assert_array_equal(chain, walk(BATCH, SOLUTIONS, D2, [np.arange(40)], writes=[ORDER], engine=engine)[0])


@needs_extension
def test_engines_and_threads_agree():
    arguments = (BATCH, SOLUTIONS, D2, [np.arange(40)])
    one = walk(*arguments, writes=[ORDER], n_jobs=1)[0]
    np.testing.assert_array_equal(one, walk(*arguments, writes=[ORDER], n_jobs=4)[0])
    np.testing.assert_allclose(one, walk(*arguments, writes=[ORDER], engine="numpy")[0], atol=1e-4)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"d2": D2[:, :3]}, r"one column per row of the batch \(70\)"),
        ({"problems": [[40]]}, r"`problems` must lie in 0\.\.39"),
        ({"writes": [[1, 2]]}, "`writes` must have the shape"),
        ({"writes": [[64]]}, r"`writes` must lie in -1\.\.63"),
        ({"rows": [[45]]}, r"`rows` must lie in 0\.\.44"),
        ({"rows": [[1], [2]]}, r"one entry per walk \(1\)"),
        ({"words": np.zeros((1, 45), np.uint32)}, r"`words` must have shape \(2, 45\)"),
    ],
)
def test_errors_say_what_is_wrong(change, message):
    given = {"d2": D2, "problems": [[0]]} | change
    with pytest.raises(ValueError, match=message):
        walk(BATCH, SOLUTIONS, given.pop("d2"), given.pop("problems"), **given)


def test_solutions_must_be_those_of_the_batch():
    other = make_batch(BATCH.distances, BATCH.targets[0], gamma=1.0, C=1.0)
    with pytest.raises(ValueError, match="those of the batch"):
        walk(BATCH, solve(other), D2, [[0]])


@pytest.mark.parametrize("cache_size", [2000.0, 0.01])  # in one block, and two rows at a time
def test_rows_of_the_batch_are_decided_as_new_rows(engine, cache_size):
    rows = np.array([3, 69, 0, 3, 12])
    d2 = BATCH.distances.block(rows)
    problems, writes = [np.arange(40), np.arange(40)[::-1]], [ORDER, ORDER[::-1]]
    for given in ({"writes": writes}, {"words": pack_labels(Y[rows])}):
        expected = walk(BATCH, SOLUTIONS, d2, problems, engine="numpy", **given)
        found = walk_known(BATCH, SOLUTIONS, rows, problems, cache_size=cache_size, engine=engine, **given)
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("rows", "given", "message"),
    [
        (np.arange(3), {"words": np.zeros((2, 4), np.uint32)}, r"`words` must have shape \(2, 3\)"),
        ([-1], {}, r"`rows` must lie in 0\.\.69; got -1"),
        ([70], {}, r"`rows` must lie in 0\.\.69; got 70"),
        ([1.5], {}, "`rows` must be row numbers; got an array of float64"),
        (np.arange(70) < 3, {}, "`rows` must be row numbers; got an array of bool"),
        ([0], {"writes": [[1, 2]]}, "`writes` must have the shape"),
    ],
)
def test_known_rows_that_do_not_fit_are_refused(engine, rows, given, message):
    with pytest.raises(ValueError, match=message):
        walk_known(BATCH, SOLUTIONS, rows, [[0]], engine=engine, **given)


def test_no_rows_no_walks_and_no_links(engine):
    assert walk_known(BATCH, SOLUTIONS, [], [[0, 1]], engine=engine).shape == (1, 0, 2)
    assert walk_known(BATCH, SOLUTIONS, [0, 1], np.zeros((0, 3), int), engine=engine).shape == (0, 2, 3)
    assert walk(BATCH, SOLUTIONS, D2, np.zeros((0, 1), int), words=pack_labels(Y[:45]), engine=engine) == []


def test_known_rows_in_parts_that_a_device_has_memory_for(monkeypatch):
    from bncc.svm.cuda import device, engine
    from emulator import EmulatedDevice

    monkeypatch.setattr(device, "_device", EmulatedDevice())
    parts = []
    blocks = engine.device_blocks
    monkeypatch.setattr(engine, "device_blocks", lambda *given: parts.extend(blocks(*given[:3], 5000)) or parts)
    rows = np.arange(0, 70, 3)
    found = walk_known(BATCH, SOLUTIONS, rows, [[0], [39]], words=pack_labels(Y[rows]), engine="cuda")
    assert len(parts) > 1
    expected = walk_known(BATCH, SOLUTIONS, rows, [[0], [39]], words=pack_labels(Y[rows]), engine="numpy")
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_solutions_of_another_batch_are_refused(engine):
    """As many problems and fewer rows: nothing but the token tells them apart."""
    again = make_batch(
        squared_distances(X), np.where(Y.T > 0, 1, -1), target=ORDER, gamma=0.3, C=5.0,
        words=pack_labels(Y), context=BATCH.context,
    )  # fmt: skip
    with pytest.raises(ValueError, match="they were found for another one"):
        walk(again, SOLUTIONS, D2, [[0]], engine=engine)
    with pytest.raises(ValueError, match="they were found for another one"):
        walk_known(again, SOLUTIONS, [0], [[0]], engine=engine)


def test_tokens_travel_with_pickles():
    batch, solutions = pickle.loads(pickle.dumps((BATCH, SOLUTIONS)))
    assert walk_known(batch, solutions, [0], [[0]]).shape == (1, 1, 1)


@pytest.mark.parametrize("n_words", [0, 1, 2, 3])
@pytest.mark.parametrize("n_support", [3, 27, 28, 29, 70])
def test_support_that_is_dense_is_read_row_by_row(engine, n_words, n_support):
    """From 28 of the 70 rows on, every row is read, with zeros for those that are no support."""
    labels = rng.integers(0, 2, (70, 32 * max(n_words, 1)))
    context = context_mask(np.arange(32 * n_words), labels.shape[1])[None]
    batch = make_batch(
        squared_distances(X),
        np.where(Y[:, :1].T > 0, 1, -1),
        gamma=0.3,
        C=5.0,
        words=pack_labels(labels),
        context=context,
    )
    support = np.sort(rng.choice(70, n_support, replace=False)).astype(np.int32)
    coef = rng.normal(size=n_support)
    solutions = replace(
        solve(batch), support=support, coef=coef, support_ptr=np.array([0, n_support]), bias=np.array([0.5])
    )
    known = rng.integers(0, 2, (45, labels.shape[1]))
    got = walk(batch, solutions, D2, [[0]], words=pack_labels(known), engine=engine)[0][:, 0]
    differing = (known[:, None, : 32 * n_words] != labels[None, support, : 32 * n_words]).sum(axis=2)
    expected = 0.5 + np.expm1(-0.3 * (D2[:, support] + differing)) @ coef
    np.testing.assert_allclose(got, expected, atol=1e-4)
