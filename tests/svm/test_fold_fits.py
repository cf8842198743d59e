import numpy as np
import pytest
from sklearn.model_selection import KFold

from bncc.svm import (
    SolverSettings,
    chain_links,
    decide_folds,
    engine_for,
    fold_problems,
    keep_support,
    kernel_grid,
    make_batch,
    pack_labels,
    squared_distances,
)
from bncc.svm.fold_fits import fit_last_fold
from bncc.svm.fold_plan import FoldPlan

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 5))
Y = (X @ rng.normal(size=(5, 4)) + rng.normal(size=(90, 4)) > 0.2).astype(int)
NEW = rng.normal(size=(25, 5))
TARGETS = np.where(Y.T > 0, 1, -1)
FOLDS = list(KFold(4, shuffle=True, random_state=0).split(X))
EVERY_ROW = np.arange(90)
ORDER = [2, 0, 3, 1]


def problems_of(folds, weights=None):
    return fold_problems(
        squared_distances(X), TARGETS, chain_links(ORDER, 4), folds, words=pack_labels(Y), weights=weights
    )


@pytest.mark.parametrize("weights", [None, rng.random((1, 90)) + 0.5])
@pytest.mark.parametrize("cost", [2.0, 1e9])  # the other one is solved in double
def test_a_last_fold_of_all_rows_is_the_fit(engine, weights, cost):
    settings, grid = SolverSettings(engine=engine, tol=1e-5), kernel_grid(0.2, cost)
    folds = [*FOLDS, (EVERY_ROW, EVERY_ROW[:0])]
    fit = fit_last_fold(engine_for(engine, 1.0), problems_of(folds, weights), grid, np.arange(4), settings)
    links = chain_links(ORDER, 4)
    batch = make_batch(
        squared_distances(X), TARGETS, gamma=0.2, C=cost, words=pack_labels(Y), target=links.target,
        context=links.context, weights=weights,
    )  # fmt: skip
    alone = keep_support(batch, engine_for(engine, 1.0).solve(batch, settings))
    ask = {"problems": links.chains, "writes": links.writes[links.chains], "settings": settings}
    np.testing.assert_allclose(fit.model.decide(NEW, **ask)[0], alone.decide(NEW, **ask)[0], atol=2e-4, rtol=1e-3)
    assert np.array_equal(fit.model.rows, alone.rows)
    assert (fit.model.solutions.precise is None) == (alone.solutions.precise is None)
    apart = decide_folds(problems_of(FOLDS, weights), grid, settings)
    np.testing.assert_allclose(
        fit.decided.decisions, apart.decisions, atol=2e-3 * max(1.0, np.abs(apart.decisions).max())
    )


def test_links_are_kept_in_the_order_asked_for():
    folds, settings = [*FOLDS, (EVERY_ROW, EVERY_ROW[:0])], SolverSettings()
    fit = fit_last_fold(engine_for("cpu", 1.0), problems_of(folds), kernel_grid(0.2, 2.0), np.array([3, 1]), settings)
    whole = fit_last_fold(engine_for("cpu", 1.0), problems_of(folds), kernel_grid(0.2, 2.0), np.arange(4), settings)
    words = pack_labels(rng.integers(0, 2, (25, 4)))
    for ours, theirs in ((0, 3), (1, 1)):
        got = fit.model.decide(NEW, [[ours]], words=words)[0]
        # The models hold other rows, so that the same terms may be added up in another order, in single precision.
        np.testing.assert_allclose(got, whole.model.decide(NEW, [[theirs]], words=words)[0], atol=1e-5)


def test_the_fold_of_all_rows_is_solved_once():
    """The folds start from it: there is no other problem on all rows."""
    grid = kernel_grid([0.1, 0.2], [1.0, 2.0])
    apart, with_all = (FoldPlan(problems_of(folds), grid) for folds in (FOLDS, [*FOLDS, (EVERY_ROW, EVERY_ROW[:0])]))
    assert len(with_all.batch()) == len(apart.batch()) == 4 * 4 * 5
    last = with_all.problem[:, :, -1]
    assert (with_all.batch().start[last[:, 0]] == -1).all()
    assert np.isin(with_all.batch().start[with_all.problem[:, :, :-1]], last).all()
