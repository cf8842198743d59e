"""Methods compared: which rows, which records, and what they come to."""

import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pandas")

from bncc.analysis.page import summarise_results
from bncc.datasets import load, make_scenes
from bncc.evaluation import EvaluationPlan, Record, as_labelled, compare_methods, method_seed, summarise_records
from bncc.evaluation.comparing import deal_plan
from bncc.evaluation.estimators import build_estimator
from bncc.evaluation.pipelines import build_pipeline
from bncc.metrics import evaluate

DATA = as_labelled(make_scenes(80))


def test_folds_test_every_row_once_per_repeat():
    repeats = deal_plan(DATA, EvaluationPlan(folds=4, repeats=2, seed=5))
    assert [len(folds) for folds in repeats] == [4, 4]
    for folds in repeats:
        assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(80))
    assert not np.array_equal(repeats[0][0][1], repeats[1][0][1])


def test_a_split_that_comes_with_the_data_is_one_fold():
    parts = replace(DATA, train=np.arange(60), test=np.arange(60, 80))
    ((fold,),) = deal_plan(parts, EvaluationPlan(own_split=True, repeats=3))
    assert fold == (parts.train, parts.test)
    with pytest.raises(ValueError, match=r"comes without a train and test part\. Leave out `own_split=`"):
        deal_plan(DATA, EvaluationPlan(own_split=True))


def test_records_say_what_was_chosen_and_how_long_it_took():
    plan = EvaluationPlan(["br", "mlknn"], ["micro_f1", "macro_auc"], folds=2, metric="micro_f1", seed=3)
    steps = []
    records = compare_methods(DATA, plan, report=lambda *step: steps.append(step))
    assert [(record.method, record.fold) for record in records] == [("br", 0), ("br", 1), ("mlknn", 0), ("mlknn", 1)]
    assert steps == [("br", 0, 0), ("br", 0, 1), ("mlknn", 0, 0), ("mlknn", 0, 1)]
    assert records[0].sigma > 0
    assert records[0].C in (1.0, 10.0)
    assert records[2].sigma is None
    assert {record.seed for record in records} == {method_seed(3, DATA.name, 0)}
    assert all(record.train_seconds > 0 and record.test_seconds > 0 for record in records)
    table = summarise_records(records)
    means = np.mean([record.scores["micro_f1"] for record in records[:2]])
    assert table["br"]["scores"]["micro_f1"]["mean"] == pytest.approx(means)


def test_nothing_is_learned_from_test_rows():
    """Scores on shuffled labels are those of chance, whatever is chosen inside."""
    data = as_labelled(make_scenes(120))
    Y = data.Y.sample(frac=1, random_state=np.random.default_rng(0)).reset_index(drop=True)
    plan = EvaluationPlan(["bncc"], ["macro_auc"], folds=3, metric="micro_f1")
    records = compare_methods(replace(data, Y=Y), plan)
    assert abs(np.mean([record.scores["macro_auc"] for record in records]) - 0.5) < 0.1


def test_a_study_tests_on_the_rows_of_a_comparison(tmp_path, data_folder):
    """One rule for folds and seeds: fitted to the folds of a plan, a method has the scores of the study."""
    pytest.importorskip("pydantic")
    from bncc.experiment import Store, run_study
    from bncc.experiment.protocol_file import read_protocol

    table = {"folds": {"n": 3, "repeats": 2}, "scaling": {"method": "none"}, "metrics": ["micro_f1"], "seed": 4}
    run_study(
        read_protocol({"datasets": ["flags"], "methods": {"kNN": {"estimator": "MLkNN"}}, **table}),
        tmp_path / "s.sqlite",
    )
    with Store.read(tmp_path / "s.sqlite") as store:
        records = store.records()
    data = load("flags")
    repeats = deal_plan(as_labelled(data), EvaluationPlan(folds=3, repeats=2, seed=4))
    assert len(records) == 6
    for record in records:
        train, test = repeats[record.repeat][record.fold]
        assert record.seed == method_seed(4, "flags", record.repeat)
        model = build_estimator("MLkNN", {}, seed=record.seed).fit(data.X[train], data.Y[train])
        assert record.scores == evaluate(data.Y[test], model.predict(data.X[test]), metrics=["micro_f1"])


def test_the_spread_is_that_of_the_page():
    records = [Record("d", "br", 0, fold, scores={"macro_f1": value}) for fold, value in enumerate((0.2, 0.4, 0.9))]
    (box,) = summarise_results(records).results.boxes
    score = summarise_records(records)["br"]["scores"]["macro_f1"]
    assert score["std"] == pytest.approx(box.std, rel=1e-12)
    assert score["std"] == pytest.approx(np.sqrt(0.13))
    assert summarise_records(records[:1])["br"]["scores"]["macro_f1"]["std"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["brr"]}, "there is no method 'brr'"),
        ({"metrics": [" "]}, "`metrics=` must name at least one metric"),
        ({"metrics": ["fscor"]}, "There is no metric 'fscor'"),
        ({"metric": "fscor"}, "There is no metric 'fscor'"),
        ({"folds": 1}, "`folds=` must be at least 2; got 1"),
        ({"repeats": 0}, "`repeats=` must be at least 1; got 0"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        EvaluationPlan(**change)


def test_names_of_a_plan_become_ours():
    plan = EvaluationPlan(methods=[" BR", "cc", "br"], metrics=["MacF", "hamming_loss"])
    assert plan.methods == ("br", "cc")
    assert plan.metrics == ("macro_f1", "hamming_loss")


def test_without_time_for_kernels_the_base_is_linear(monkeypatch):
    monkeypatch.setattr("bncc.evaluation.comparing.likely_seconds", lambda _, n, most, base: 9.0 * (base == "kernel"))
    told, plan = [], EvaluationPlan(methods=["br", "cc"], folds=2, time_limit=30.0)
    records = compare_methods(DATA, plan, tell=told.append)
    assert [(record.method, record.sigma) for record in records] == [(name, None) for name in ("br", "br", "cc", "cc")]
    (line,) = told
    assert re.fullmatch(r"the base is linear: with kernels br would take some 18 s, and has 1[0-5] s", line)
    assert compare_methods(DATA, replace(plan, time_limit=300.0))[0].sigma is not None
    linear = compare_methods(DATA, replace(plan, time_limit=None, base="linear"))
    assert [record.scores for record in linear] == [record.scores for record in records]


def test_a_method_that_would_take_too_long_is_left_out_and_so_is_one_that_does(monkeypatch):
    def likely(seconds_of, n_rows, most, base):
        return 1000.0 if base is None else 0.0

    monkeypatch.setattr("bncc.evaluation.comparing.likely_seconds", likely)
    told, kept, plan = [], [], EvaluationPlan(methods=["mlknn", "br", "cc"], folds=3, time_limit=40.0, base="linear")
    found = compare_methods(DATA, plan, keep=lambda *given: kept.append(given[0]), tell=told.append)
    assert [record.method for record in found] == kept == ["br"] * 3 + ["cc"] * 3
    assert re.match(r"mlknn is left out: it would take some 3000 s, and has 1[0-3] s", told[0])
    monkeypatch.setattr("bncc.evaluation.comparing.projected_seconds", lambda spent, n_fits: 99.0 * bool(spent))
    with (
        pytest.warns(UserWarning, match=r"^(mlknn|br|cc) is left out"),
        pytest.raises(ValueError, match=r"no method is done in time\. Give more of it"),
    ):
        compare_methods(DATA, plan)


def test_fits_of_a_blend_share_the_limit(monkeypatch):
    limits = []

    def noted(data, method, *, time_limit, **options):
        limits.append(time_limit)
        return build_pipeline(data, "br" if method == "recommended" else method, **options)

    monkeypatch.setattr("bncc.evaluation.comparing.build_pipeline", noted)
    plan = EvaluationPlan(methods=["br", "recommended"], folds=3, time_limit=90.0)
    compare_methods(DATA, plan)
    of_blend = limits[-3:]
    assert limits[:-3] == [None] * 3
    assert 20 < of_blend[0] < 30  # some is left over for answers
    assert 60 < of_blend[-1] < 90  # the others took next to nothing
