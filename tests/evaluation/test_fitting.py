"""Inner folds divide neither groups nor moments: what is seen is which rows each fit learned from."""

import numpy as np
import pandas as pd
import pytest

from bncc.datasets import make_scenes
from bncc.evaluation import EvaluationPlan, build_pipeline, compare_methods, fit_rows, label_table
from bncc.evaluation.comparing import deal_plan
from bncc.multilabel.blending import problem, settings_search
from leaking import leaking_columns

DATA = make_scenes(120, noise=2.0)
GROUPS = np.repeat(np.arange(24), 5)


def table(**columns):
    X = pd.DataFrame(DATA.X[:, :6], columns=list("abcdef")).assign(**columns)
    return X, DATA.Y_frame.iloc[:, :3]


@pytest.fixture
def dealt(monkeypatch):
    """The groups that reach whatever deals rows to folds, by who deals."""
    seen = []

    def watch(owner, name):
        original = getattr(owner, name)

        def watched(*arguments, **options):
            folds = original(*arguments, **options)
            seen.append(folds if isinstance(folds, np.ndarray) else None)
            return folds

        monkeypatch.setattr(owner, name, watched)

    import bncc.datasets.splits
    import bncc.multilabel.crossval

    for module in (bncc.datasets.splits, bncc.multilabel.crossval, problem):
        watch(module, "deal_rows")
    return seen


@pytest.mark.parametrize(
    ("method", "base"),
    [("bncc", "kernel"), ("recommended", "linear"), ("recommended", "kernel"), ("recommended", "auto")],
)
def test_no_inner_fold_divides_a_group(method, base, dealt):
    X, Y = table(who=GROUPS)
    data = label_table(X, Y, group="who")
    fit_rows(build_pipeline(data, method, base=base), data)
    whole = [folds for folds in dealt if len(folds) == len(GROUPS)]
    assert whole, "folds were dealt"
    for folds in whole:
        assert all(len(set(folds[group == GROUPS].tolist())) == 1 for group in range(24))


@pytest.mark.slow
def test_the_search_of_a_blend_keeps_groups_too(monkeypatch):
    seen = []
    original = settings_search.deal_held_out

    def watched(targets, groups, *, limited):
        seen.append(groups)
        return original(targets, groups, limited=limited)

    monkeypatch.setattr(settings_search, "deal_held_out", watched)
    X, Y = table(who=GROUPS)
    data = label_table(X, Y, group="who")
    fit_rows(build_pipeline(data, "recommended"), data)
    assert seen
    assert all(groups is not None for groups in seen)


def test_moments_are_held_out_in_blocks(dealt):
    X, Y = table(when=np.arange(120))
    data = label_table(X, Y, time="when")
    fit_rows(build_pipeline(data, "recommended", base="linear"), data)
    (folds,) = (folds for folds in dealt if len(folds) == 120)
    assert (np.diff(folds) != 0).sum() <= 9


def test_methods_that_choose_nothing_are_just_fitted():
    X, Y = table(who=np.repeat([0, 1], 60))
    data = label_table(X, Y, group="who")
    fit_rows(build_pipeline(data, "br", base="linear"), data)
    with pytest.raises(ValueError, match="at least 3 groups; got 2"):
        fit_rows(build_pipeline(data, "bncc", base="kernel"), data)


def test_group_and_time_columns_are_no_features():
    X, Y = table(who=GROUPS, when=pd.date_range("2024-01-01", periods=120).astype(str))
    data = label_table(X, Y, group="who", time="when")
    assert list(data.X) == list("abcdef")
    part = data.take(np.array([3, 7]))
    assert (part.groups, np.diff(part.times).tolist()) == ([0, 1], [4 * 86400.0])


def test_outer_folds_keep_groups_and_time():
    X, Y = table(who=GROUPS, when=np.arange(120)[::-1])
    (folds,) = deal_plan(label_table(X, Y, group="who"), EvaluationPlan())
    for train, test in folds:
        assert not set(GROUPS[train]) & set(GROUPS[test])
    timed = label_table(X, Y, time="when")
    (folds,) = deal_plan(timed, EvaluationPlan(folds=3))
    for train, test in folds:
        assert X["when"][train].max() < X["when"][test].min()
    with pytest.raises(ValueError, match="the same in every repeat"):
        deal_plan(timed, EvaluationPlan(repeats=2))
    with pytest.raises(ValueError, match="own split is as it is"):
        deal_plan(timed, EvaluationPlan(own_split=True))


def test_a_leak_by_patients_is_gone_when_they_stay_together():
    columns, Y = leaking_columns(400, 25, np.random.default_rng(3))
    plan = EvaluationPlan(methods=["mlknn"], metrics=["micro_f1"], folds=4)
    X = pd.DataFrame(columns)
    score = {}
    for name, data in (
        ("divided", label_table(X.drop(columns="patient"), Y)),
        ("together", label_table(X, Y, group="patient")),
    ):
        score[name] = np.mean([record.scores["micro_f1"] for record in compare_methods(data, plan)])
    assert score["divided"] > 0.85
    assert score["together"] < 0.6
