"""Settings that halving chooses against those that trying all of them chooses."""

from dataclasses import replace

import numpy as np
import pytest

from bncc.datasets import make_scenes
from bncc.metrics import get_metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending import settings_search
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.families import FAMILIES
from bncc.multilabel.blending.problem import BlendProblem, deal_held_out
from bncc.multilabel.blending.settings_search import search_settings
from bncc.multilabel.targets import read_targets

KERNELS = FAMILIES["kernel chains"]


def problem_of(n_rows, seed=0, groups=None):
    data = make_scenes(n_rows, noise=2.0, random_state=seed)
    rows = TrainingRows(np.asarray(data.X), read_targets(np.asarray(data.Y)), None)
    return BlendProblem(rows, deal_held_out(rows.targets, None, limited=False), get_metric("example_f1"), groups, 0, 1)


@pytest.fixture
def tried(monkeypatch):
    """Numbers of settings and rows that were scored."""
    out, score = [], settings_search._held_out_scores

    def noted(grid, model, problem, rows, n_rows, clock, until):
        out.append((len(grid), n_rows))
        return score(grid, model, problem, rows, n_rows, clock, until)

    monkeypatch.setattr(settings_search, "_held_out_scores", noted)
    return out


def search(problem, clock=None, grid=KERNELS.grid):
    return search_settings(grid, KERNELS.searched, problem, problem.rows, clock or Clock(), 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_third_goes_on_and_the_same_wins(seed, tried, monkeypatch):
    problem = problem_of(1000, seed)
    found = search(problem)
    assert tried == [(12, 500), (4, 1500)]
    monkeypatch.setattr(settings_search, "_FIRST_ROWS", 1 << 40)
    assert search(problem) == found
    assert tried[2:] == [(12, 1500)]


def test_few_settings_and_few_rows_are_tried_at_once(tried):
    search(problem_of(300))
    search(problem_of(1000), grid=KERNELS.grid[:3])
    assert tried == [(12, 1500), (3, 1500)]


def test_one_chain_is_searched_where_ten_answer():
    problem = problem_of(120)
    assert not hasattr(KERNELS.searched(problem), "n_chains")
    assert KERNELS.answering(problem).n_chains == 10


def test_of_a_round_that_is_not_done_the_one_before_counts(monkeypatch):
    problem, score = problem_of(1000), settings_search._held_out_scores

    def stopped(grid, model, problem, rows, n_rows, clock, until):
        if n_rows > 500:
            raise OutOfTime("no time")
        return score(grid, model, problem, rows, n_rows, clock, until)

    monkeypatch.setattr(settings_search, "_held_out_scores", stopped)
    assert search(problem) in KERNELS.grid
    assert search(problem_of(300)) is None


def test_what_is_stopped_in_its_first_round_has_no_setting():
    assert search(problem_of(300), Clock(1e-9)) is None


def test_groups_are_not_divided(monkeypatch):
    dealt = []

    def noted(targets, groups, *, limited):
        dealt.append(groups.size)
        return deal_held_out(targets, groups, limited=limited)

    monkeypatch.setattr(settings_search, "deal_held_out", noted)
    problem = problem_of(1000)
    search(replace(problem, groups=np.repeat(np.arange(250), 4)))
    assert dealt == [500, 1000]
