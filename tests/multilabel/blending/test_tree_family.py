import numpy as np
import pytest
from scipy import sparse

from blend_problems import X, Y, problem_of
from bncc.metrics import macro_auc
from bncc.multilabel import FAMILIES
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.tree_family import draw_rows
from bncc.multilabel.targets import read_targets

CASES = {
    "plain": {},
    "once": {"once": True},
    "sparse": {"make": sparse.csr_array},
    "missing": {"missing": True},
    "missing, sparse": {"missing": True, "make": sparse.csr_array},
    "unknown": {"unknown": True},
    "groups": {"groups": np.arange(160) // 4},
    "weights": {"weight": np.linspace(0.1, 1, 160)},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["extra trees", "random forest", "wide extra trees"])
def test_held_out_answers_are_near_those_for_new_rows(name, case):
    problem = problem_of(**CASES[case])
    family = FAMILIES[name]
    tried = family.try_out(problem, Clock(), 0.0, {"trees": 40})
    assert family.suits(problem)
    assert tried.rates.shape == (problem.tested.size, Y.shape[1])
    assert tried.rates.min() >= 0
    assert tried.rates.max() <= 1
    part = family.fit(problem, tried, Clock())
    new = part.rates(sparse.csr_array(X[200:]) if "make" in CASES[case] else X[200:])
    assert macro_auc(Y[200:], new) > 0.7
    assert abs(macro_auc(Y[200:], new) - macro_auc(Y[problem.tested], tried.rates)) < 0.13


def test_the_same_seed_gives_the_same_trees_however_many_at_a_time():
    problem = problem_of()
    first = FAMILIES["extra trees"].try_out(problem, Clock(), 0.0, {"trees": 20})
    slow = Clock(1e6)
    again = FAMILIES["extra trees"].try_out(problem, slow, 0.0)
    np.testing.assert_array_equal(
        first.part.forest.estimators_[10].tree_.threshold, again.part.forest.estimators_[10].tree_.threshold
    )


def test_out_of_time_it_has_a_few_trees():
    tried = FAMILIES["extra trees"].try_out(problem_of(), Clock(1e-3), 0.0)
    assert 1 <= tried.settings["trees"] <= 10


def test_rows_are_drawn_once():
    rows = np.arange(10, 30)
    assert draw_rows(rows, 50, 0) is rows
    drawn = draw_rows(rows, 5, 0)
    assert np.isin(drawn, rows).all()
    assert np.unique(drawn).size == 5


def test_wide_trees_look_at_more_features_up_to_a_bound_of_work():
    problem = problem_of(60)
    usual, wide = (
        FAMILIES[name].try_out(problem, Clock(), 0.0, {"trees": 5}).part.forest
        for name in ("extra trees", "wide extra trees")
    )
    assert (usual.max_features, usual.min_samples_leaf) == (4, 1)  # of 24 features
    assert (wide.max_features, wide.min_samples_leaf) == (7, 3)
    rows = TrainingRows(sparse.csr_array((4000, 5000)), read_targets(np.zeros((4000, 60))), None)
    large = BlendProblem(rows, (), problem.metric)
    assert FAMILIES["extra trees"].suits(large)
    assert not FAMILIES["wide extra trees"].suits(large)


@pytest.mark.parametrize("name", ["extra trees", "label sets"])
def test_rows_that_fit_the_time_are_settings_that_do_the_same_again(name, monkeypatch):
    for module in ("tree_family", "label_set_family"):
        monkeypatch.setattr(f"bncc.multilabel.blending.{module}.rows_that_fit", lambda *arguments: 90)
    problem = problem_of(once=True)
    tried = FAMILIES[name].try_out(problem, Clock(1e6), 0.0)
    assert tried.settings["rows"] == 90
    again = FAMILIES[name].try_out(problem, Clock(), 0.0, tried.settings)
    assert again.settings == tried.settings
    np.testing.assert_array_equal(again.rates, tried.rates)
