from blend_problems import problem_of
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.families import named_families
from bncc.multilabel.blending.settling import settle
from bncc.multilabel.blending.told import leaderboard_of, plan_of
from bncc.multilabel.blending.trials import try_families


def test_all_that_was_tried_is_told_best_first_and_can_be_done_again():
    problem = problem_of()
    trials = try_families(named_families(["extra trees", "linear"]), problem, None, Clock())
    trials.notes["boosted trees"], trials.seconds["boosted trees"] = "not done in time", 0.5
    settled = settle(problem, trials, None, Clock())
    board = leaderboard_of(problem, trials, settled, 7.0)
    assert {row.family for row in board} == {"extra trees", "linear", "blend", "boosted trees"}
    assert board.rows[-1].family == "boosted trees"
    assert board.rows[-1].note == "not done in time"
    scores = [row.score for row in board.rows[:-1]]
    assert scores == sorted(scores, reverse=True)
    blend = next(row for row in board if row.family == "blend")
    assert (blend.seconds, blend.weight) == (7.0, 1.0)
    plan = plan_of(trials, settled, limited=True)
    assert plan.limited
    assert {each.family: each.weight for each in plan.families} == settled.weight_of_family
    again = try_families(named_families(None), problem, plan, Clock())
    assert [dict(each.settings) for each in again.tried] == [dict(each.settings) for each in trials.tried]
