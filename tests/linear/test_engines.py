import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris

from bncc.linear import Status, chain_context, engines, make_batch, native, prepare_features, solve
from bncc.linear.engines import _varies_by_little
from linear_problems import (
    LOSSES,
    check_solutions,
    design,
    gradient,
    interrupted_after,
    liblinear,
    objective,
    plain_objective,
    text_like,
    weights_of,
)
from peak_memory import printed_alone

needs_extension = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")
TEXT, LABELS = text_like(300, 200, 20)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("container", [sparse.csr_array, lambda X: X.toarray()], ids=["sparse", "dense"])
def test_solutions_satisfy_the_optimality_conditions(engine, container, loss, tol):
    batch = make_batch(container(TEXT), LABELS, loss=loss, C=np.geomspace(0.1, 3.0, 20))
    check_solutions(batch, solve(batch, tol=tol, engine=engine), tol)


def common_words(n_rows, n_features, n_words, n_labels):
    """Counts of words that are far from unit length and from one another's complement, and rare labels."""
    random = np.random.default_rng(0)
    words = np.minimum((n_features * random.power(0.5, (n_rows, n_words))).astype(int), n_features - 1)
    X = np.zeros((n_rows, n_features))
    X[np.arange(n_rows)[:, None], words] = 1.0
    scores = X @ random.normal(size=(n_features, n_labels)) + 2.0 * random.normal(size=(n_rows, n_labels))
    return X, scores > np.quantile(scores, 0.95, axis=0)


@needs_extension
@pytest.mark.parametrize("sees_labels", [False, True], ids=["plain", "chain"])
@pytest.mark.parametrize(
    ("container", "dtype", "tol"), [(sparse.csr_array, np.float32, 1e-3), (np.asarray, float, 1e-6)]
)
def test_problems_that_few_rows_decide_take_few_passes(container, dtype, tol, sees_labels):
    """Rows that lack a margin are few: Newton's method on their products saves nearly all passes over them."""
    X, Y = common_words(600, 300, 80, 16)
    chain = {"labels": sparse.csr_array(Y), "context": chain_context(np.arange(16))} if sees_labels else {}
    batch = make_batch(container(X.astype(dtype)), Y, class_weights=(1.0, np.linspace(0.5, 2.0, 16)), **chain)
    one, two = (solve(batch, tol=tol, n_jobs=n_jobs, engine="native") for n_jobs in (1, 2))
    check_solutions(batch, one, tol)
    assert (one.weights == two.weights).all()
    assert one.costs.updates.max() < (40 if tol == 1e-3 else 200)  # by descent and conjugate gradients alone: 210, 550


@pytest.mark.parametrize("loss", LOSSES)
def test_everything_at_once(engine, loss):
    """Contexts, row sets, weights of rows and classes, and more problems than lanes."""
    random = np.random.default_rng(1)
    rows = [np.flatnonzero(random.random(300) < share) for share in (0.5, 0.9)]
    weights = random.uniform(0, 2, (2, 300)) * (random.random((2, 300)) < 0.9)
    batch = make_batch(
        TEXT,
        LABELS,
        loss=loss,
        C=2.0,
        class_weights=(np.linspace(0.5, 1, 20), 3.0),
        intercept_scaling=2.0,
        rows=rows,
        row_set=np.arange(20) % 3 - 1,
        labels=sparse.csr_array(LABELS),
        context=chain_context(random.permutation(20)),
        weights=weights,
        weight=np.arange(20) % 3 - 1,
    )
    tol = 1e-6 if loss == "hinge" else 1e-9
    solutions = solve(batch, tol=tol, engine=engine)
    check_solutions(batch, solutions, tol)
    n_features = TEXT.shape[1]
    for problem in range(20):
        assert not solutions.weights[problem, n_features:][~batch.sees(problem)].any()
    twin = solve(batch, tol=tol, engine="numpy")
    np.testing.assert_allclose(solutions.objective, twin.objective, rtol=2 * tol)
    np.testing.assert_allclose(solutions.weights, twin.weights, atol=2e-2 if loss == "hinge" else 1e-3)


@given(st.integers(0, 10**6), st.sampled_from(LOSSES), st.sampled_from([1e-3, 1e-6]))
@settings(max_examples=25, deadline=None)
def test_the_twins_agree(seed, loss, tol):
    random = np.random.default_rng(seed)
    n_rows, n_features, n_targets = random.integers((2, 1, 1), (30, 8, 35))
    X = random.normal(size=(n_rows, n_features)) * (random.random((n_rows, n_features)) < random.uniform(0.2, 1))
    X = X.astype(np.float32 if seed % 3 == 0 else np.float64)
    Y = random.random((n_rows, n_targets)) < random.uniform(0.05, 0.95)
    batch = make_batch(sparse.csr_array(X) if seed % 2 else X, Y, loss=loss, C=10.0 ** random.uniform(-3, 0.5))
    solved = [solve(batch, tol=tol, engine=name, max_iter=1000) for name in ("auto", "numpy")]
    for solutions in solved:  # descent on the hinge loss may crawl
        check_solutions(batch, solutions, tol, may_stop=loss == "hinge")
    ended = (solved[0].status != Status.ITERATION_LIMIT) & (solved[1].status != Status.ITERATION_LIMIT)
    np.testing.assert_array_equal(solved[0].status[ended], solved[1].status[ended])
    np.testing.assert_allclose(solved[0].objective[ended], solved[1].objective[ended], rtol=2 * tol)
    for problem in np.flatnonzero(solved[0].status == Status.ONE_CLASS):
        assert solved[0].bias[problem] == solved[1].bias[problem]


@needs_extension
def test_labels_that_cannot_be_learned_take_few_passes():
    """Each lane has few rows of its own, and many epochs to go: alone they take a tenth of what they take together."""
    random = np.random.default_rng(1)
    X = sparse.random_array((6000, 2000), density=0.015, rng=random, format="csr").astype(np.float32)
    batch = make_batch(X, random.random((6000, 16)) < 0.02, C=100.0)
    solutions = solve(batch, tol=1e-3, engine="native")
    check_solutions(batch, solutions, 1e-3)
    assert solutions.costs.updates.max() < 100  # 500 by Newton's method on all lanes at a time


def hostile():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 5))
    y = X[:, 0] + 0.5 * random.normal(size=60) > 0
    yield "duplicate rows", np.repeat(X[:6], 10, axis=0), np.tile([0, 1], 30)
    yield "empty rows", np.where(np.arange(60)[:, None] % 2, X, 0.0), y
    yield "only empty rows", np.zeros((60, 5)), y
    yield "no features", np.zeros((60, 0)), y
    yield "one feature", X[:, :1], y
    yield "constant features", np.hstack([X, np.ones((60, 3))]), y
    yield "tiny features", X * 1e-20, y
    yield "huge features", X * 1e20, y
    yield "tiny and huge features", X * [1e-20, 1.0, 1e20, 1e10, 1e-10], y
    wide = sparse.random_array((60, 10**6), density=2e-5, rng=random, format="csr")
    yield "a million features", wide, y
    yield "one positive", X, np.arange(60) == 7
    yield "two rows", X[:2], [0, 1]


def told_by_liblinear(X, y, loss, C):
    """The objective where scikit-learn takes the data and says that it has converged; else None."""
    if X.shape[1] == 0:
        return None
    w, b, converged = liblinear(X, np.asarray(y), loss, C)
    return plain_objective(X, w, b, np.asarray(y), loss, C) if converged else None


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("case", list(hostile()), ids=lambda case: case[0])
def test_hostile_data(engine, case, loss, C):
    """Solved, or stopped at the limit of passes; never above what others find, never below a dual, never NaN."""
    name, X, y = case
    wide = name == "a million features" and C > 1 and loss != "hinge"
    if wide and engine != "native":
        pytest.skip("Newton's method without compiled code takes up to half a minute on so many columns")
    batch = make_batch(X, y, loss=loss, C=C)
    solutions = solve(batch, tol=1e-3, engine=engine, max_iter=300)
    other = solve(batch, tol=1e-6, engine="native" if wide else "numpy", max_iter=300)
    assert np.isfinite(solutions.weights).all()
    assert np.isfinite(solutions.bias).all()
    if batch.n_columns < 1000:
        value = objective(batch, 0, weights_of(batch, solutions, 0))
        # Single precision rounds margins, and C multiplies that.
        assert value == pytest.approx(solutions.objective[0], rel=1e-4 if C <= 1 else 1e-3)
    known = {"other": other.objective[0], "liblinear": None if wide else told_by_liblinear(X, y, loss, C)}
    known = {who: value for who, value in known.items() if value is not None}
    for value in known.values():  # a dual lies below every primal, wherever either side has stopped
        assert solutions.dual_objective[0] <= value * (1 + 1e-4)
    assert other.dual_objective[0] <= solutions.objective[0] * (1 + 1e-4)
    if other.status[0] != Status.CONVERGED:
        del known["other"]
    if solutions.status[0] == Status.CONVERGED:
        assert all(solutions.objective[0] <= value * (1 + 1.1e-3) for value in known.values())
        if "other" in known:
            assert solutions.objective[0] == pytest.approx(known["other"], rel=2e-3)
    if loss != "hinge":
        assert solutions.status[0] == Status.CONVERGED
        assert ("liblinear" in known) == (X.shape[1] > 0 and not wide)
    elif C <= 1 and "huge" not in name:
        assert solutions.status[0] == Status.CONVERGED
        assert "other" in known


def test_one_class(engine):
    X = np.random.default_rng(0).normal(size=(10, 2))
    Y = np.column_stack([np.ones(10), np.zeros(10), np.arange(10) < 5])
    solutions = solve(make_batch(X, Y), engine=engine)
    assert solutions.status.tolist() == [Status.ONE_CLASS, Status.ONE_CLASS, Status.CONVERGED]
    assert solutions.bias[:2].tolist() == [1.0, -1.0]
    assert not solutions.weights[:2].any()
    without_negatives = make_batch(X, Y[:, 2], class_weights=(0.0, 1.0))
    assert solve(without_negatives, engine=engine).status.tolist() == [Status.ONE_CLASS]
    of_weight = make_batch(X, Y[:, 2], weights=Y[:, 2])
    assert solve(of_weight, engine=engine).status.tolist() == [Status.ONE_CLASS]


def test_weights_of_zero_leave_rows_out(engine):
    kept = np.arange(300) % 3 > 0
    weighted = solve(make_batch(TEXT, LABELS[:, :4], weights=kept.astype(float)), tol=1e-9, engine=engine)
    less = solve(make_batch(TEXT[kept], LABELS[kept][:, :4]), tol=1e-9, engine=engine)
    subset = solve(make_batch(TEXT, LABELS[:, :4], rows=[np.flatnonzero(kept)]), tol=1e-9, engine=engine)
    np.testing.assert_allclose(weighted.weights, less.weights, atol=1e-4)
    np.testing.assert_allclose(weighted.weights, subset.weights, atol=1e-4)


def test_rows_far_on_the_wrong_side_still_pull(engine):
    """In single precision their curvature is 0, and their slope is not."""
    random = np.random.default_rng(334)
    X = random.normal(size=(60, 12)) * (random.random((60, 12)) < 0.4)
    y = random.integers(0, 2, 60)
    X[:, 0] += y
    batch = make_batch(X, y, C=1000.0, loss="logistic", weights=10.0 ** random.uniform(-4, 4, 60))
    found, exact = solve(batch, tol=1e-3, engine=engine), solve(batch, tol=1e-8, engine="numpy")
    assert found.status[0] == Status.CONVERGED
    assert found.objective[0] <= exact.objective[0] * (1 + 1e-3)
    assert found.dual_objective[0] <= exact.objective[0]


@pytest.mark.parametrize("loss", LOSSES)
def test_the_iteration_limit_is_kept(engine, loss):
    """Values are those of the weights that come back, wherever a solve has stopped."""
    batch = make_batch(TEXT, LABELS, loss=loss, C=10.0)
    solutions = solve(batch, tol=1e-12, max_iter=2, engine=engine)
    assert (solutions.status == Status.ITERATION_LIMIT).all()
    assert (solutions.iterations <= 3).all()
    check_solutions(batch, solutions, 1e-12, may_stop=True)
    best = solve(batch, tol=1e-3, max_iter=10**4, engine="numpy")
    assert (solutions.dual_objective <= best.objective).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_dropping_weights(engine, loss):
    batch = make_batch(TEXT, LABELS, loss=loss)
    dense = solve(batch, engine=engine)
    whole, pruned = solve(batch, drop=0.0, engine=engine), solve(batch, drop=0.1, engine=engine)
    np.testing.assert_array_equal(whole.weights.toarray(), dense.weights)
    largest = np.abs(dense.weights).max(axis=1, keepdims=True)
    expected = np.where(np.abs(dense.weights) > 0.1 * largest, dense.weights, 0)
    np.testing.assert_allclose(pruned.weights.toarray(), expected, rtol=1e-6)
    assert pruned.weights.nnz < whole.weights.nnz
    np.testing.assert_array_equal(pruned[3].weights, pruned.weights.toarray()[3])


@pytest.mark.parametrize("loss", LOSSES)
def test_starting_from_smaller_C(engine, loss):
    C = np.tile(np.geomspace(0.01, 10.0, 5), 20)
    target = np.repeat(np.arange(20), 5)
    start = np.where(np.arange(100) % 5, np.arange(100) - 1, -1)
    warm = make_batch(TEXT, LABELS, C=C, target=target, start=start, loss=loss)
    cold = make_batch(TEXT, LABELS, C=C, target=target, loss=loss)
    first, second = (solve(batch, tol=1e-3, engine=engine) for batch in (warm, cold))
    check_solutions(warm, first, 1e-3)
    np.testing.assert_allclose(first.objective, second.objective, rtol=2e-3)
    falling = make_batch(TEXT, LABELS, C=1 / C, target=target, start=start, loss=loss)
    check_solutions(falling, solve(falling, tol=1e-3, engine=engine), 1e-3)


@needs_extension
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_results_do_not_depend_on_threads(loss, tol):
    X, Y = text_like(600, 300, 70, seed=2)
    batch = make_batch(X, Y, loss=loss, labels=Y, context=chain_context(np.arange(70)))
    one, four = (solve(batch, tol=tol, n_jobs=n, engine="native") for n in (1, 4))
    np.testing.assert_array_equal(one.weights, four.weights)
    np.testing.assert_array_equal(one.bias, four.bias)


@needs_extension
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("shape", [(10000, 60, 18), (4000, 3000, 40)], ids=["matrices", "lists"])
def test_threads_beyond_the_blocks_change_nothing(shape, loss):
    """A few blocks on many threads: those that have no block work on lanes that have parted."""
    rows, Y = common_words(*shape, 20)
    X = sparse.csr_array(rows.astype(np.float32))
    assert X.nnz > 1 << 17  # from where on there are such threads
    batch = make_batch(X, Y, loss=loss, labels=sparse.csr_array(Y), context=chain_context(np.arange(20)))
    one, seven = (solve(batch, tol=1e-3, n_jobs=n, engine="native") for n in (1, 7))
    np.testing.assert_array_equal(one.weights, seven.weights)
    np.testing.assert_array_equal(one.objective, seven.objective)
    np.testing.assert_array_equal(one.costs.updates, seven.costs.updates)


@pytest.mark.parametrize(
    ("scale", "n_rows", "n_features"), [(1000, 2, 30), (1000, 4, 30), (100, 10, 100), (1, 60, 9_000)]
)
def test_hinge_machines_whose_objective_is_less_than_rounding(engine, scale, n_rows, n_features):
    """Far from everything, margins are held by weights so small that single precision loses them."""
    for seed in range(6):
        X = scale * np.random.default_rng(seed).normal(size=(n_rows, n_features))
        batch = make_batch(X, np.arange(n_rows) % 2, C=10.0, loss="hinge")
        check_solutions(batch, solve(batch, engine=engine), 1e-3)


@needs_extension
def test_hinge_machines_are_solved_once_where_rounding_is_small(monkeypatch):
    precisions = []
    solve_as = engines._solve_as
    monkeypatch.setattr(engines, "_solve_as", lambda *given: (precisions.append(given[1]), solve_as(*given))[1])
    constant = np.zeros((LABELS.shape[0], 1), int)
    solve(make_batch(TEXT, np.hstack([LABELS, constant]), loss="hinge"), engine="native")
    assert precisions == [np.float32]
    crowd = sparse.csr_array(100.0 * np.eye(4))  # each row has a column of its own
    precisions.clear()
    solve(make_batch(crowd, [0, 1, 0, 1], C=10.0, loss="hinge"), engine="native")
    assert precisions[-1] == np.float64


@needs_extension
@pytest.mark.parametrize(("loss", "tol"), [("logistic", 1e-3), ("logistic", 1e-7), ("squared_hinge", 1e-7)])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_passes_that_threads_share_add_up_the_same(loss, tol, container):
    random = np.random.default_rng(0)
    X = random.normal(size=(9_000, 60)).astype(np.float32)
    assert X.size > 4 << 17  # from where on the rows are added up in four parts
    Y = X[:, :3] + random.normal(size=(9_000, 3)) > 0.5
    batch = make_batch(container(X), Y, loss=loss)
    one, four = (solve(batch, tol=tol, n_jobs=n, engine="native") for n in (1, 4))
    np.testing.assert_array_equal(one.weights, four.weights)
    np.testing.assert_array_equal(one.objective, four.objective)
    check_solutions(batch, four, tol)


@needs_extension
@pytest.mark.parametrize("simd", ["baseline", "avx2", "avx512"])
@pytest.mark.parametrize("loss", LOSSES)
def test_instruction_sets_agree(loss, simd, monkeypatch):
    if native.extension().simd(simd) is None:
        pytest.skip(f"this machine has no {simd}")
    monkeypatch.setenv("BNCC_SIMD", simd)
    for tol in (1e-3, 1e-7):
        for X in (TEXT, TEXT.toarray()):
            batch = make_batch(X, LABELS, loss=loss)
            check_solutions(batch, solve(batch, tol=tol, engine="native"), tol)


@needs_extension
def test_an_unknown_instruction_set_is_refused(monkeypatch):
    monkeypatch.setenv("BNCC_SIMD", "mmx")
    with pytest.raises(ValueError, match="instruction set"):
        solve(make_batch(TEXT, LABELS), engine="native")


def test_64_bit_indices_give_the_same(engine):
    wide = TEXT.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    first, second = (solve(make_batch(X, LABELS), engine=engine) for X in (TEXT, wide))
    np.testing.assert_array_equal(first.weights, second.weights)


def test_unsorted_and_repeated_columns_give_the_same(engine):
    repeated = sparse.csr_array(
        (
            np.repeat(TEXT.data / 2, 2)[::-1],
            np.repeat(TEXT.indices, 2)[::-1],
            2 * (TEXT.indptr[-1] - TEXT.indptr[::-1]),
        ),
        shape=TEXT.shape,
    )
    assert not repeated.has_canonical_format
    first, second = (solve(make_batch(X, LABELS[::-1]), engine=engine) for X in (TEXT[::-1], repeated))
    np.testing.assert_allclose(first.objective, second.objective, rtol=1e-6)
    assert not repeated.has_canonical_format


def test_progress_counts_problems(engine):
    seen = []
    solve(make_batch(TEXT, LABELS), engine=engine, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 20


def long_problems():
    """Labels of other rows, which no weights separate: the hinge loss takes far longer than a test waits."""
    X, Y = text_like(4000, 300, 160, seed=3)
    return make_batch(X, np.random.default_rng(0).permutation(Y), C=1000.0, loss="hinge")


def long_smooth_problems(loss):
    """Columns of very different sizes under a large C: Newton's steps are long ones, and many problems wait."""
    X, Y = text_like(20_000, 3000, 480, seed=3, words=40)
    return make_batch(X, np.random.default_rng(0).permutation(Y), C=1e4, loss=loss)


@needs_extension
def test_what_progress_raises_stops_the_call():
    batch = long_problems()

    def stop(done):
        raise RuntimeError("enough")

    start = time.perf_counter()
    with pytest.raises(RuntimeError, match="enough"):
        solve(batch, tol=1e-12, max_iter=10**6, engine="native", progress=stop)
    assert time.perf_counter() - start < 20  # a tenth of a second alone


@needs_extension
@pytest.mark.parametrize("loss", LOSSES)
def test_interrupts_arrive_within_a_second(loss):
    """Within 1.5 seconds on a busy machine, once in three times; Newton's method but for the hinge loss."""
    batch = long_problems() if loss == "hinge" else long_smooth_problems(loss)

    def run():
        solve(batch, tol=1e-15, max_iter=10**6, engine="native")

    assert any(interrupted_after(0.5, run) < 1.5 for _ in range(3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tol": 0.0}, "`tol` must be a positive number; got 0.0"),
        ({"tol": np.nan}, "`tol` must be a positive number; got nan"),
        ({"max_iter": 0}, "`max_iter` must be at least 1; got 0"),
        ({"drop": 1.0}, r"`drop` must lie in \[0, 1\) or be None; got 1.0"),
        ({"drop": -0.1}, "`drop`"),
        ({"engine": "gpu"}, '`engine` must be "auto", "cpu", "native", "numpy" or "cuda"; got \'gpu\''),
        ({"n_jobs": 0}, "`n_jobs`"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        solve(make_batch(TEXT, LABELS), **options)


def test_without_the_extension_numpy_solves(monkeypatch):
    monkeypatch.setattr(native, "_module", None)
    assert (solve(make_batch(TEXT, LABELS[:, :2])).status == Status.CONVERGED).all()
    with pytest.raises(ImportError, match="not built here"):
        solve(make_batch(TEXT, LABELS), engine="native")


def broken_batches():
    """Batches that `make_batch` would not make: what compiled code is handed in the worst case."""
    batch = make_batch(TEXT, LABELS, labels=LABELS, context=chain_context(np.arange(20)), weights=np.ones(300))
    features = batch.features
    beyond = np.where(np.arange(features.indices.size) == 5, 200, features.indices).astype(np.int32)
    negative = np.where(np.arange(features.indices.size) == 5, -1, features.indices).astype(np.int32)
    falling = features.indptr.copy()
    falling[3] = falling[5]
    for broken in (
        replace(features, indices=beyond),
        replace(features, indices=negative),
        replace(features, indptr=falling),
        replace(features, indptr=features.indptr[:-1]),
        replace(features, values=features.values[:-1]),
        replace(features, n_rows=299),
        replace(features, n_features=100),
        replace(features, n_rows=-1),
    ):
        yield replace(batch, features=broken)
    for name, value in {
        "target_rows": np.where(batch.target_rows == batch.target_rows.max(), 300, batch.target_rows).astype(np.int32),
        "target_ptr": batch.target_ptr[:-1],
        "target": batch.target + np.int32(1),
        "row_set": np.zeros(20, np.int32),
        "row_index": np.zeros(3, np.int32),
        "weight": np.ones(20, np.int32),
        "weights": np.ones((1, 299)),
        "label_index": batch.label_index + np.int32(1),
        "label_ptr": batch.label_ptr[::-1].copy(),
        "n_labels": 19,
        "context": batch.context[:-1],
        "cost_positive": batch.cost_positive[:-1],
        "cost_negative": -batch.cost_negative,
        "bias_feature": np.inf,
    }.items():
        yield replace(batch, **{name: value})


@needs_extension
@pytest.mark.parametrize("batch", list(broken_batches()))
def test_broken_arrays_never_reach_the_engine(batch):
    with pytest.raises((ValueError, IndexError), match=r"^`\w+` (must|has)|^index \d+ is out of bounds"):
        solve(batch, engine="native")


MEMORY = """
import numpy as np
from bncc.linear import make_batch, solve
from linear_problems import text_like
from peak_memory import peak

X, Y = text_like(2000, 20000, 3000)
solve(make_batch(X[:200], Y[:200, :32]), engine="native", drop=0.05, n_jobs=2)
before = peak()
solutions = solve(make_batch(X, Y), engine="native", drop=0.05, n_jobs=2)
print((peak() - before) / 1e6, solutions.weights.nnz, len(solutions) * X.shape[1] * 4 / 1e6)
"""


@needs_extension
def test_dropped_weights_take_no_memory():
    """Dense weights would take 240 MB; blocks are pruned one after the other, so that a part of it is enough."""
    grown, kept, dense = map(float, printed_alone(MEMORY).split())
    assert dense == 240
    assert kept > 0
    assert grown < 80


def hessian(batch, problem, w):
    """Of a smooth objective."""
    A, y, c = design(batch, problem), batch.signs(problem), batch.costs(problem)
    margin = y * (A @ w)
    half = 0.5 / np.cosh(np.clip(margin / 2, -300, 300))
    curvature = 2.0 * (margin < 1) if batch.loss == "squared_hinge" else half**2
    return np.eye(A.shape[1]) + (A.T * (c * curvature)) @ A


def crowded(n_rows=500, n_features=120, n_labels=20, seed=4):
    """Rows with many words of weight 1: descent crawls on them, and Newton's method takes over."""
    random = np.random.default_rng(seed)
    X = (random.random((n_rows, n_features)) < 0.4).astype(np.float32)
    return X, X @ random.normal(size=(n_features, n_labels)) > 1.0


@needs_extension
@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray], ids=["sparse", "dense"])
def test_newton_takes_over_where_descent_crawls(container):
    """A chain's contexts are part of it. Sixteen problems stay together, and Newton's steps are few."""
    X, Y = crowded(n_labels=16)
    labels = sparse.csr_array(Y)
    batch = make_batch(container(X), Y, labels=labels, context=chain_context(np.arange(16)))
    solutions = solve(batch, tol=1e-3, engine="native")
    check_solutions(batch, solutions, 1e-3)
    assert solutions.iterations.max() < 30
    exact = solve(batch, tol=1e-9, engine="native")
    np.testing.assert_allclose(solutions.objective, exact.objective, rtol=1e-3)


@needs_extension
@pytest.mark.parametrize(("n_rows", "n_features", "most"), [(800, 200, 150), (6_000, 10, 90)])
def test_newton_takes_over_where_a_problem_alone_crawls(n_rows, n_features, most):
    """One label parts from nobody at once; its descent ends where it gets nowhere."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, n_features))
    truth = X @ random.normal(size=n_features)
    y = truth / truth.std() + 0.7 * random.normal(size=n_rows) > 0
    batch = make_batch(X, y.astype(int), C=100.0)
    solutions = solve(batch, tol=1e-3, engine="native")
    check_solutions(batch, solutions, 1e-3)
    assert solutions.iterations.max() < most


@needs_extension
@pytest.mark.parametrize("sees_labels", [False, True], ids=["plain", "chain"])
def test_newton_takes_few_passes_where_columns_are_few(sees_labels):
    """Each problem has a matrix of its own, which rows join and leave; there are long rows, and some of weight 0."""
    random = np.random.default_rng(5)
    X = (random.random((4000, 80)) < random.choice([0.1, 0.6], size=(4000, 1))).astype(np.float32)
    scores = X @ random.normal(size=(80, 16)) + 3.0 * random.normal(size=(4000, 16))
    Y = scores > np.quantile(scores, 0.9, axis=0)
    chain = {"labels": sparse.csr_array(Y), "context": chain_context(random.permutation(16))} if sees_labels else {}
    batch = make_batch(
        sparse.csr_array(X),
        Y,
        class_weights=(1.0, np.linspace(0.5, 2.0, 16)),
        weights=random.choice([0.0, 0.5, 1.0, 2.0], size=4000),
        rows=[np.flatnonzero(random.random(4000) < 0.9)],
        row_set=np.arange(16) % 2 - 1,
        intercept_scaling=2.0,
        **chain,
    )
    one, two = (solve(batch, tol=1e-3, n_jobs=n_jobs, engine="native") for n_jobs in (1, 2))
    check_solutions(batch, one, 1e-3)
    assert (one.weights == two.weights).all()
    assert one.costs.updates.max() < 20  # by passes over the rows: 46 and 68
    exact = solve(batch, tol=1e-9, engine="native")
    np.testing.assert_allclose(one.objective, exact.objective, rtol=1e-3)


@needs_extension
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray], ids=["sparse", "dense"])
def test_problems_that_part_end_by_themselves(container, loss):
    """Few problems part at once, and each ends when it is done; weights, contexts and rows are part of it."""
    X, Y = crowded(n_labels=3)
    random = np.random.default_rng(0)
    batch = make_batch(
        container(X),
        Y,
        loss=loss,
        C=[0.1, 10.0, 0.001],
        labels=sparse.csr_array(Y),
        context=chain_context(np.arange(3)),
        weights=random.uniform(0.5, 2.0, len(X)),
        rows=[np.sort(random.permutation(len(X))[:400])],
    )
    solutions = solve(batch, tol=1e-3, engine="native", max_iter=5000)
    check_solutions(batch, solutions, 1e-3)
    assert np.unique(solutions.iterations).size > 1
    if loss == "squared_hinge":
        np.testing.assert_allclose(solutions.objective, solve(batch, tol=1e-9, engine="numpy").objective, rtol=1e-3)


@needs_extension
def test_problems_that_part_go_on_from_the_last_value_of_C():
    X, Y = crowded(n_labels=2)
    C = np.repeat([0.01, 0.1, 1.0], 2)
    start = np.where(np.arange(6) < 2, -1, np.arange(6) - 2)
    for loss in ("squared_hinge", "hinge"):
        cold = make_batch(X, Y, target=np.tile([0, 1], 3), C=C, loss=loss)
        warm = make_batch(X, Y, target=np.tile([0, 1], 3), C=C, loss=loss, start=start)
        solved = [solve(batch, tol=1e-3, engine="native", max_iter=5000) for batch in (cold, warm)]
        check_solutions(warm, solved[1], 1e-3)
        np.testing.assert_allclose(solved[0].objective, solved[1].objective, rtol=1e-3)


@needs_extension
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("container", [sparse.csr_array, np.asarray], ids=["sparse", "dense"])
@pytest.mark.parametrize("shape", [(300, 80), (100, 250)], ids=["more rows", "more features"])
def test_directions_come_from_a_factorisation_where_gradients_fail(shape, container, loss):
    """Values of very different sizes, at a cost under which hardly any row is free to miss."""
    X, Y = crowded(*shape, n_labels=3)
    scaled = X * np.geomspace(1e-2, 1e2, shape[1], dtype=np.float32)
    batch = make_batch(
        container(scaled), Y, C=1e6, loss=loss, labels=sparse.csr_array(Y), context=chain_context(np.arange(3))
    )
    solutions = solve(batch, tol=1e-9, engine="native")
    assert (solutions.status == Status.CONVERGED).all()
    for problem in range(3):
        w = weights_of(batch, solutions, problem)
        assert objective(batch, problem, w) == pytest.approx(solutions.objective[problem], rel=1e-9)
        direction = np.linalg.solve(hessian(batch, problem, w), -gradient(batch, problem, w))
        promise = -0.5 * gradient(batch, problem, w) @ direction
        assert 0 <= promise <= 1e-8 * solutions.objective[problem]


@pytest.mark.parametrize("engine", ["numpy", pytest.param("native", marks=needs_extension)])
@pytest.mark.parametrize("intercept_scaling", [0.0, 1.0])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("offset", [1e5, 1e6, 1e7])
def test_a_step_that_promises_little_is_not_taken_for_the_end(engine, offset, loss, intercept_scaling):
    """Columns far from zero have nearly all of the gradient: what is left of it is small, and leads far."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 5))
    y = X[:, 0] + 0.3 * random.normal(size=200) > 0
    batch = make_batch(X + offset, y, loss=loss, intercept_scaling=intercept_scaling)
    coarse, exact = (solve(batch, tol=tol, engine=engine) for tol in (1e-3, 1e-9))
    assert coarse.status.tolist() == exact.status.tolist() == [Status.CONVERGED]
    np.testing.assert_allclose(coarse.objective, exact.objective, rtol=2e-3)
    assert exact.objective < (79 if loss == "logistic" else 99)


@needs_extension
def test_newton_goes_on_from_the_last_value_of_C():
    X, Y = crowded()
    C = np.repeat([0.1, 1.0, 10.0], 20)
    number = np.arange(60)
    warm = make_batch(X, Y, C=C, target=number % 20, start=np.where(number < 20, -1, number - 20))
    cold = make_batch(X, Y, C=C, target=number % 20)
    first, second = (solve(batch, tol=1e-3, engine="native") for batch in (warm, cold))
    check_solutions(warm, first, 1e-3)
    np.testing.assert_allclose(first.objective, second.objective, rtol=2e-3)
    assert first.costs.updates.sum() < second.costs.updates.sum()


@needs_extension
@pytest.mark.parametrize("weighted", [False, True])
def test_multipliers_grow_with_a_small_C(weighted):
    """Where every margin is violated anyhow, they are nearly proportional to C: two passes are enough to say so."""
    X, Y = text_like(500, 300, 8, seed=5)
    C, number = np.repeat([1e-5, 1e-4], 8), np.arange(16)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 500) if weighted else None
    batch = make_batch(X, Y, C=C, target=number % 8, start=np.where(number < 8, -1, number - 8), weights=weights)
    solutions = solve(batch, tol=1e-3, engine="native")
    check_solutions(batch, solutions, 1e-3)
    assert solutions.iterations[8:].max() <= 2


@pytest.mark.parametrize("n_rows", [3, 200])
@pytest.mark.parametrize(("spread", "told"), [(0.0, False), (1e-3, True), (1.0, False)])
def test_columns_that_vary_by_little_are_found_among_sparse_ones(n_rows, spread, told):
    random = np.random.default_rng(0)
    X = np.where(random.random((n_rows, 12)) < 0.3, random.normal(size=(n_rows, 12)), 0.0)
    X[:, 5] = 1e4 + spread * np.linspace(0, 1, n_rows)
    assert _varies_by_little(prepare_features(sparse.csr_array(X))) == told
    X[-1, 5] = 0.0
    assert not _varies_by_little(prepare_features(sparse.csr_array(X)))


@needs_extension
def test_the_last_epoch_that_is_allowed_is_reported():
    """Also where it says that descent crawls, and another method would take over."""
    X, y = load_iris(return_X_y=True)
    Y = (y[:, None] == np.arange(3)).astype(int)
    for most in range(8, 24):
        batch = make_batch(X, Y)
        solutions = solve(batch, max_iter=most, engine="native")
        assert (solutions.iterations > 0).all()
        for problem in range(3):
            found = objective(batch, problem, weights_of(batch, solutions, problem))
            assert solutions.objective[problem] == pytest.approx(found, rel=1e-4)


@needs_extension
@pytest.mark.parametrize("tiny", [1e-40, 1e-46, 1e-310])
def test_weights_next_to_nothing_cost_nothing(tiny):
    """They are no numbers any more in single precision, where 1 / 2C overflows."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 5)).astype(np.float32)
    y = (X[:, 0] + 0.3 * random.normal(size=400) > 0).astype(int)
    weights = np.where(np.arange(400) % 3, 1.0, tiny)
    solutions = solve(make_batch(X, y, weights=weights), engine="native")
    assert solutions.status[0] == Status.CONVERGED
    assert solutions.iterations[0] < 200
    left_out = solve(make_batch(X, y, weights=np.where(weights < 1.0, 0.0, 1.0)), engine="native")
    np.testing.assert_allclose(solutions.objective, left_out.objective, rtol=1e-3)


@needs_extension
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("tiny", [1e-40, 1e-46, 1e-310])
def test_weights_next_to_nothing_cost_nothing_along_costs(tiny, tol, loss):
    """Where each value of C starts from what the one before has left."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 5))
    y = (X @ random.normal(size=5) > 0.5).astype(int)
    weights = np.where(np.arange(200) % 3, 1.0, tiny)
    path = {"loss": loss, "C": [0.1, 1.0, 10.0], "target": [0, 0, 0], "start": [-1, 0, 1]}
    solutions = solve(make_batch(X, y, weights=weights, **path), tol=tol, engine="native")
    left_out = solve(make_batch(X, y, weights=np.where(weights < 1.0, 0.0, 1.0), **path), tol=tol, engine="native")
    assert (solutions.status == Status.CONVERGED).all()
    assert np.isfinite(solutions.weights).all()
    np.testing.assert_allclose(solutions.objective, left_out.objective, rtol=2 * tol)


@needs_extension
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "logistic"])
@pytest.mark.parametrize("most", [1e2, 1e5, 1e12, 1e30, 1e60])
def test_heavy_rows_are_solved_and_reported_right(most, loss):
    """Beyond what single precision bears, too."""
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 4))
    y = (X @ random.normal(size=4) + random.normal(size=60) > 0).astype(int)
    batch = make_batch(X, y, loss=loss, weights=np.where(np.arange(60) % 2, 1.0, most))
    solutions = solve(batch, max_iter=20_000, engine="native")
    found = objective(batch, 0, weights_of(batch, solutions, 0))
    assert solutions.objective[0] == pytest.approx(found, rel=1e-3)
    if solutions.status[0] == Status.CONVERGED:
        tight = solve(batch, tol=1e-6, max_iter=20_000, engine="native")
        assert found <= (1 + 1e-3) * objective(batch, 0, weights_of(batch, tight, 0))
    else:
        assert loss == "hinge" or most >= 1e30


@needs_extension
@pytest.mark.parametrize("C", [20.0, 400.0, 1e4])
def test_hinge_losses_of_high_cost_are_within_the_tolerance(C):
    """Rows that are all but separable: what single precision rounds off a margin is much of the objective times C."""
    random = np.random.default_rng(2)
    X = random.normal(size=(400, 20))
    Y = (X @ random.normal(size=(20, 16)) > 0).astype(int)
    batch = make_batch(X, Y, loss="hinge", C=C)
    solutions = solve(batch, max_iter=5000, engine="native")
    tight = solve(batch, tol=1e-6, max_iter=20_000, engine="native")
    for problem in np.flatnonzero(solutions.status == Status.CONVERGED):
        found = objective(batch, problem, weights_of(batch, solutions, problem))
        assert found <= (1 + 1e-3) * objective(batch, problem, weights_of(batch, tight, problem))
    assert (solutions.status == Status.CONVERGED).any()
