import numpy as np
import pytest
from scipy import sparse

from blend_problems import X, Y, problem_of
from bncc.metrics import macro_auc
from bncc.multilabel import FAMILIES
from bncc.multilabel.blending import kernel_ridge_family
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.timed_fit import TimedFit

FAMILY = FAMILIES["kernel ridge"]
SETTINGS = {"width": 2.0, "penalty": 0.3}


@pytest.mark.parametrize(
    "options",
    [{}, {"once": True}, {"unknown": True}, {"missing": True}, {"missing": True, "make": sparse.csr_array},
     {"groups": np.arange(160) // 4}, {"weight": np.linspace(0.0, 2.0, 160)}],
)  # fmt: skip
def test_every_kind_of_problem(options):
    problem = problem_of(**options)
    tried = FAMILY.try_out(problem, Clock(), 0.0)
    assert tried.rates.shape == problem.truth.shape
    assert macro_auc(np.where(problem.known, problem.truth, np.nan) if problem.known is not None else problem.truth,
                     tried.rates) > 0.6  # fmt: skip
    part = FAMILY.fit(problem, tried, Clock())
    new = sparse.csr_array(X[200:]) if "make" in options else X[200:]
    assert macro_auc(Y[200:], part.rates(new)) > (0.6 if "unknown" in options else 0.65)


@pytest.mark.parametrize("groups", [None, np.arange(160) // 4])
def test_held_out_answers_are_those_of_models_without_the_fold(groups):
    problem = problem_of(groups=groups)
    tried = FAMILY.try_out(problem, Clock(), 0.0, SETTINGS)
    train, test = problem.folds[1]
    numbers, target = problem.numbers.X, Y[:160].astype(float)
    kernel = 1.0 + np.exp(-((numbers[:, None] - numbers[None]) ** 2).sum(axis=2) / SETTINGS["width"])
    alone = np.linalg.solve(kernel[np.ix_(train, train)] + 0.3 * np.eye(train.size), target[train])
    expected = tried.sigmoids(kernel[np.ix_(test, train)] @ alone)
    np.testing.assert_allclose(tried.rates[test], expected, atol=1e-6)


def test_a_row_of_weight_two_is_two_rows():
    once, weight = problem_of(40), np.ones(40)
    weight[3] = 2.0
    weighed = FAMILY.try_out(problem_of(40, weight=weight), Clock(), 0.0, SETTINGS).part.model
    numbers = once.numbers.X
    doubled, labels = np.vstack([numbers, numbers[3:4]]), np.vstack([Y[:40], Y[3:4]]).astype(float)
    kernel = 1.0 + np.exp(-((doubled[:, None] - doubled[None]) ** 2).sum(axis=2) / SETTINGS["width"])
    coefficients = np.linalg.solve(kernel + 0.3 * np.eye(41), labels)
    scores = kernel[:40] @ coefficients
    np.testing.assert_allclose(weighed.scores(numbers), scores, atol=1e-6)


def test_rows_of_no_weight_are_not_learned_from():
    weight = np.ones(160)
    weight[::3] = 0.0
    problem = problem_of(weight=weight)
    tried = FAMILY.try_out(problem, Clock(), 0.0, SETTINGS)
    assert tried.part.model.rows.shape[0] == (weight > 0).sum()
    assert np.isfinite(tried.rates).all()


def test_settings_are_done_again():
    problem = problem_of()
    first = FAMILY.try_out(problem, Clock(), 0.0)
    again = FAMILY.try_out(problem, Clock(), 0.0, first.settings)
    np.testing.assert_allclose(again.rates, first.rates)


def test_it_gives_up_where_there_is_no_time(monkeypatch):
    clock = Clock(0.01)
    clock._start -= 1.0
    with pytest.raises(OutOfTime):
        FAMILY.try_out(problem_of(), clock, 0.0)
    monkeypatch.setattr("bncc.multilabel.blending.kernel_ridge_family._SHARE_OF_TIME", 1e-9)
    with pytest.raises(OutOfTime, match="would take longer"):
        FAMILY.try_out(problem_of(), Clock(60.0), 0.0)


def test_the_last_solution_is_not_begun_when_the_time_is_over(monkeypatch):
    clock = Clock(60.0)

    def until_the_time_is_over(*_):
        clock._start -= 100.0
        return {}

    room = "bncc.multilabel.blending.kernel_ridge_family."
    monkeypatch.setattr(room + "_fewer_rows", until_the_time_is_over)
    monkeypatch.setattr(room + "_answer", lambda *_: pytest.fail("begun"))
    with pytest.raises(OutOfTime):
        FAMILY.try_out(problem_of(), clock, 0.0)


def test_fewer_rows_are_learned_from_where_time_is_short(monkeypatch):
    room = "bncc.multilabel.blending.kernel_ridge_family."
    monkeypatch.setattr(room + "_LEAST_ROWS", 20)
    monkeypatch.setattr(room + "_SEARCH_ROWS", 40)
    monkeypatch.setattr(room + "_SHARE_OF_TIME", 3e-5)
    tried = None
    for limit in (10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4):  # as quick as the machine is
        try:
            tried = FAMILY.try_out(problem_of(once=True), Clock(limit), 0.0)
        except OutOfTime:
            continue
        break
    assert tried is not None
    assert tried.part.model.rows.shape[0] == tried.settings.get("rows", problem_of(once=True).folds[0][0].size)


def test_seconds_of_a_fit_count_its_kernel_and_its_answers():
    pace = kernel_ridge_family._Pace(TimedFit(800, 0.02, kernel_ridge_family._POWER), 1e-8)
    assert 3.0 < pace.of_rows(5000, 0) < 5.0  # as it was measured
    assert pace.of_rows(5000, 6000) == pytest.approx(pace.of_rows(5000, 0) + 0.3)


def test_bounds(monkeypatch):
    assert FAMILY.suits(problem_of())
    assert not FAMILY.suits(problem_of(weight=np.eye(160)[0]))
    monkeypatch.setattr("bncc.multilabel.blending.kernel_ridge_family._MOST_CELLS", 100)
    assert not FAMILY.suits(problem_of())


def test_a_singular_kernel_gets_a_larger_penalty():
    problem = problem_of(make=lambda X: np.zeros_like(X))
    tried = FAMILY.try_out(problem, Clock(), 0.0, {"width": 1.0, "penalty": 1e-18})
    assert np.isfinite(tried.rates).all()
