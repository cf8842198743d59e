from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from blend_problems import problem_of
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.families import named_families
from bncc.multilabel.blending.leaderboard import BlendPlan, PlannedFamily
from bncc.multilabel.blending.trials import Trials, _in_order, fit_tried, settling_seconds, try_families
from bncc.multilabel.targets import read_targets

FAMILIES = named_families(["extra trees", "linear"])


def test_all_that_suit_are_tried_and_scored():
    problem = problem_of()
    trials = try_families(FAMILIES, problem, None, Clock())
    assert [tried.family for tried in trials.tried] == ["extra trees", "linear"]
    assert trials.scores == [problem.score(tried.rates) for tried in trials.tried]
    assert set(trials.seconds) == {"extra trees", "linear"}
    assert trials.evaluation_seconds > 0
    linear = trials.tried[1]
    assert linear.part is None  # folds leave no model behind
    assert fit_tried(FAMILIES[1], problem, linear, Clock()).rates(problem.rows.X).shape == (160, 10)
    assert fit_tried(FAMILIES[0], problem, trials.tried[0], Clock()) is trials.tried[0].part


def test_a_plan_says_what_and_how():
    plan = BlendPlan((PlannedFamily("extra trees", (("trees", 7),), 1.0),), limited=False)
    trials = try_families(FAMILIES, problem_of(), plan, Clock())
    assert [(tried.family, dict(tried.settings)) for tried in trials.tried] == [("extra trees", {"trees": 7})]


def test_what_is_late_is_noted_and_left_out():
    trials = try_families(FAMILIES, problem_of(), None, Clock(1e-9))
    assert trials.tried == []
    assert trials.notes == dict.fromkeys(["extra trees", "linear"], "not done in time")
    assert set(trials.seconds) == {"extra trees", "linear"}


def test_other_errors_are_not_swallowed():
    class Broken(type(FAMILIES[0])):
        def try_out(self, *arguments):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        try_families([Broken("extra trees", None, 0.3)], problem_of(), None, Clock())


def test_time_is_kept_for_settling():
    assert settling_seconds(Trials(), Clock()) == 0
    assert settling_seconds(Trials(), Clock(100.0)) == 6.0
    assert settling_seconds(Trials(evaluation_seconds=0.1), Clock(100.0)) == 15.0
    assert settling_seconds(Trials(evaluation_seconds=10.0), Clock(100.0)) == 25.0
    with pytest.raises(OutOfTime):
        Clock(1.0).check(settling_seconds(Trials(evaluation_seconds=10.0), Clock(100.0)))


@pytest.mark.parametrize(("make", "first"), [(np.asarray, "extra trees"), (sparse.csr_array, "linear SVM")])
def test_quick_families_come_first(make, first):
    order = [family.name for family in _in_order(named_families(None), problem_of(make=make))]
    assert order[0] == first
    assert order.index("linear SVM") < order.index("linear") < order.index("kernel chains")
    assert sorted(order) == sorted(family.name for family in named_families(None))


def test_linear_families_come_first_of_many_labels():
    problem = problem_of()
    targets = read_targets(sparse.csr_array((160, 501)))
    many = replace(problem, rows=replace(problem.rows, targets=targets))
    assert _in_order(named_families(None), many)[0].name == "linear SVM"


@pytest.mark.parametrize(("make", "n_tried"), [(np.asarray, 2), (sparse.csr_array, 1)])
def test_where_linear_models_had_to_leave_rows_out_others_are_not_tried(monkeypatch, make, n_tried):
    linear = type(FAMILIES[1])
    try_out = linear.try_out
    monkeypatch.setattr(linear, "try_out", lambda *arguments: try_out(*arguments[:4], {"C": 1.0, "rows": 100}))
    trials = try_families(FAMILIES, problem_of(once=True, make=make), None, Clock())
    assert len(trials.tried) == n_tried
    assert trials.notes == ({} if n_tried == 2 else {"extra trees": "not done in time"})
