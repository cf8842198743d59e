"""The study of `recommended`: one blend in a table, both readings of the paper's rows, sentences from the record."""

import json
import lzma
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from absence import ROOT, needs_source_tree
from bncc.datasets import make_scenes
from bncc.metrics import get_metric

pytestmark = needs_source_tree("benchmarks/results")
MODULES = (
    "bench_recommended",
    "recommended_page",
    "recommended_claims",
    "recommended_tables",
    "recommended_runs",
    "recommended_methods",
    "shared_trials",
    "harness",
)


@pytest.fixture
def study(benchmark_script):
    return SimpleNamespace(**{name: benchmark_script(name) for name in MODULES})


@pytest.fixture(scope="module")
def recorded():
    path = ROOT / "benchmarks" / "results" / "recommended_runs.jsonl.xz"
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def line(method="blend", value=50.0, **changed):
    cell = {"part": "halves", "set": "flags", "repeat": 0, "fold": 0, "metric": "example_f1"}
    return {**cell, "method": method, "value": value, "seconds": 1.0, "limit": None, **changed}


def options(**changed):
    given = {"paper": False, "curve": False, "paper_rows": "table", "sets": ["flags"], "metrics": ["example_f1"]}
    given["deals"] = 1
    return SimpleNamespace(**{**given, "methods": ["blend", "ecc"], "repeats": 1, **changed})


def test_lines_of_a_blend_have_its_version_and_others_none(study):
    runs = study.recommended_runs
    assert [runs.version_of(each) for each in (line(), line(blend_version=2), line("ecc"))] == [1, 2, None]
    assert [runs.version_of(line(name)) for name in ("best_family", "plain_average", "blend@20")] == [1, 1, 1]
    kept = runs.of_version([line(), line(blend_version=2), line("ecc")], 2)
    assert [(each["method"], each.get("blend_version")) for each in kept] == [("blend", 2), ("ecc", None)]
    assert runs.key_of(line()) != runs.key_of(line(blend_version=2))
    tasks = list(runs.tasks_of(options()))
    assert {task.get("blend_version") for task in tasks if task["method"] == "blend"} == {runs.BLEND_VERSION}
    assert {task.get("blend_version") for task in tasks if task["method"] == "ecc"} == {None}


def test_lines_that_a_new_version_did_not_change_stand_for_it(study, tmp_path, monkeypatch):
    runs = study.recommended_runs
    changed = [line(blend_version=2, set="yeast"), line(blend_version=2, metric="macro_f1"), line(set="yeast")]
    kept = [line(blend_version=2, set="yeast", metric="macro_f1"), line(blend_version=3), line("ecc")]
    assert runs.of_version([*changed, *kept], 3) == kept
    assert runs.of_version(kept, 2) == [kept[0], kept[2]]
    path, done = tmp_path / "runs.jsonl", []
    path.write_text("\n".join(map(json.dumps, [*changed, *kept])) + "\n")

    def answers(task, X, Y, limit, seconds, shared):
        done.append((task["set"], task["metric"], task["fold"]))
        return [{**task, "value": 1.0, "seconds": 2.0, "limit": limit}]

    monkeypatch.setattr(runs, "answers", answers)
    monkeypatch.setattr(runs, "read_set", lambda name, part: (None, None))
    asked = {"sets": ["flags", "yeast"], "metrics": ["example_f1", "macro_f1"], "methods": ["blend"]}
    given = {"runs": path, "minutes": 1.0, "time_limit": None, "workers": 1, "blend_version": runs.BLEND_VERSION}
    runs.work_off(options(**asked, **given))
    first = {each for each in done if each[2] == 0}
    assert first == {("flags", "macro_f1", 0), ("yeast", "example_f1", 0)}


def test_a_changed_blend_is_run_anew_and_other_methods_are_not(study, tmp_path, monkeypatch):
    runs, path, done = study.recommended_runs, tmp_path / "runs.jsonl", []
    before = [line(method, fold=fold) for fold in range(3) for method in ("blend", "ecc")]
    path.write_text("\n".join(map(json.dumps, before)) + "\n")

    def answers(task, X, Y, limit, seconds, shared):
        done.append((task["method"], task["fold"]))
        return [{**task, "value": 1.0, "seconds": 2.0, "limit": limit}]

    monkeypatch.setattr(runs, "answers", answers)
    monkeypatch.setattr(runs, "read_set", lambda name, part: (None, None))
    given = options(runs=path, minutes=1.0, time_limit=None, workers=1, blend_version=runs.BLEND_VERSION)
    assert len(runs.work_off(given)) == 9
    assert done == [("blend", 0), ("blend", 1), ("blend", 2)]
    assert len(runs.work_off(options(**{**vars(given), "blend_version": 1, "sets": ["yeast"]}))) == 9


def test_blends_of_a_fold_share_trials_and_answer_as_if_they_did_not(study):
    methods, data = study.recommended_methods, make_scenes(260, noise=2.0, random_state=3)
    parts, shared = (data.X[:200], data.Y[:200], data.X[200:]), study.shared_trials.SharedTrials()
    for name in ("example_f1", "macro_f1"):
        metric = get_metric(name)
        alone = methods.blend_answers(metric, 7, None, *parts)
        together = methods.blend_answers(metric, 7, None, *parts, shared=(shared, "a fold"))
        assert list(alone) == list(together) == ["blend", *methods.OF_BLEND]
        for method, answer in alone.items():
            assert (answer.predicted == together[method].predicted).all()
            assert answer.weights == together[method].weights
        assert (shared.saved > 0) == (name == "macro_f1")  # which was the second
    assert (methods.blend_answers(metric, 8, None, *parts)["blend"].predicted != alone["blend"].predicted).any()
    methods.blend_answers(metric, 7, None, *parts, shared=(shared, "another fold"))
    assert shared.saved == 0


def test_what_comes_with_a_blend_is_no_job_of_its_own(study):
    runs = study.recommended_runs
    asked = options(methods=["blend", "best_family", "plain_average", "ecc"], metrics=["example_f1", "macro_f1"])
    jobs = runs.jobs_of(runs.tasks_of(asked))
    methods = [[task["method"] for task in job] for job in jobs]
    assert sorted(methods) == [["blend", "blend"]] * 3 + [["ecc"]] * 6
    alone = runs.jobs_of(task for task in runs.tasks_of(asked) if task["method"] == "best_family")
    assert [[task["metric"] for task in job] for job in alone] == [["example_f1", "macro_f1"]] * 3


def test_workers_do_every_job_once_and_others_after_the_blend(study, tmp_path):
    runs, path = study.recommended_runs, tmp_path / "runs.jsonl"
    given = options(runs=path, minutes=5.0, time_limit=None, blend_version=runs.BLEND_VERSION, workers=2)
    lines = runs.work_off(given)
    assert [json.loads(text) for text in path.read_text().splitlines()] == lines
    assert sorted((each["method"], each["fold"]) for each in lines) == [
        (method, fold) for method in ("best_family", "blend", "ecc", "plain_average") for fold in range(3)
    ]
    order = [(each["method"], each["fold"]) for each in lines]
    assert all(order.index(("blend", fold)) < order.index(("ecc", fold)) for fold in range(3))
    alone = runs.work_off(options(**{**vars(given), "runs": tmp_path / "alone.jsonl", "workers": 1}))
    assert {runs.key_of(each): each["value"] for each in alone} == {runs.key_of(each): each["value"] for each in lines}
    assert runs.work_off(given) == lines  # nothing is left to do


def test_a_worker_that_fails_is_told_and_what_was_done_is_kept(study, tmp_path):
    runs, path = study.recommended_runs, tmp_path / "runs.jsonl"
    given = {"runs": path, "minutes": 5.0, "time_limit": None, "blend_version": runs.BLEND_VERSION, "workers": 2}
    with pytest.raises(RuntimeError, match="no data set or file 'nowhere'"):
        runs.work_off(options(**given, sets=["flags", "nowhere"], methods=["br"]))
    assert {json.loads(text)["set"] for text in path.read_text().splitlines()} <= {"flags"}


def test_two_readings_of_the_rows_of_the_paper(study):
    methods, runs = study.recommended_methods, study.recommended_runs
    assert methods.most_rows("paper", "medical", 978) == 333
    assert methods.most_rows("paper", "chd49", 555) == 555  # the paper gives no split of it
    assert methods.most_rows("paper, whole set", "medical", 978) == 978
    assert methods.most_rows("halves", "mediamill", 43907) == methods.MOST_ROWS
    for reading, part in runs.PAPER_PARTS.items():
        tasks = list(runs.tasks_of(options(paper=True, paper_rows=reading)))
        assert len(tasks) == 3 * runs.N_PAPER_FOLDS
        assert {task["part"] for task in tasks} == {part}


def test_both_readings_stand_side_by_side(study):
    tables = study.recommended_tables
    table = [line(part="paper", value=70.0 + 2 * (fold % 2), fold=fold) for fold in range(10)]
    whole = [line(part="paper, whole set", value=99.0, fold=fold) for fold in range(10)]
    assert tables.sum_up_paper([*table[:9], *whole[:9]]) == []
    rows = tables.sum_up_paper([*table, *whole])
    assert [(row["rows"], row["blend"], row["above"], row["folds"]) for row in rows] == [
        ("table", 71.0, "False", "10"),
        ("whole", 99.0, "True", "10"),
    ]
    assert tables.paper_table(rows).splitlines() == [
        "| set | Fscore |",
        "|---|---|",
        "| flags | BNCC 71.0; 71.0 / **99.0** |",
    ]
    assert tables.paper_table(rows[1:]).splitlines()[-1] == "| flags | BNCC 71.0; - / **99.0** |"
    chd49 = [{**each, "set": "chd49"} for each in whole]  # the paper gives no split of it
    assert [(row["rows"], row["blend"]) for row in tables.sum_up_paper(chd49)] == [("table", 99.0), ("whole", 99.0)]
    assert study.recommended_page.told_readings(rows) == (
        "With as many rows as its Table 3 trained on, 0 of 1 cells are above; "
        "with folds on the whole set, 1 of 1 cells are above"
    )


def test_cells_are_means_over_whole_deals(study):
    tables, runs, page = study.recommended_tables, study.recommended_runs, study.recommended_page
    tasks = list(runs.tasks_of(options(paper=True, paper_rows="whole", deals=2)))
    assert sorted({(task["repeat"], task["fold"]) for task in tasks}) == [(d, f) for d in (0, 1) for f in range(10)]
    part = runs.PAPER_PARTS["whole"]
    first = [line(part=part, value=70.0, fold=fold) for fold in range(10)]
    second = [line(part=part, value=73.0, fold=fold, repeat=1) for fold in range(10)]
    (row,) = tables.sum_up_paper([*first, *second])
    assert (row["blend"], row["above"], row["folds"]) == (71.5, "True", "20")
    deals = tables.paper_deals([row])
    assert deals == {"table": {}, "whole": {"flags": 2}}
    assert page.told_deals(deals) == (
        " Dealt into folds more than once: flags 2 times with folds on the whole set. Their values are means over all "
        "deals."
    )
    (row,) = tables.sum_up_paper([*first, *second[:9]])
    assert (row["blend"], row["folds"]) == (70.0, "10")
    assert page.told_deals(tables.paper_deals([row])) == ""


def test_sets_that_were_limited_in_time_are_named(study):
    whole = study.recommended_runs.PAPER_PARTS["whole"]
    lines = [
        {"part": whole, "set": "mediamill", "limit": 120.0},
        {"part": whole, "set": "enron", "limit": None},
        {"part": "halves", "set": "yeast", "limit": 5.0},
    ]
    limits = study.recommended_tables.paper_limits(lines)
    assert limits == {"mediamill": 120.0}
    told = study.recommended_page.told_limits(limits)
    assert told == " Limited in time, on one core: mediamill 120 seconds a model; all others have no limit."
    assert study.recommended_page.told_limits({}) == ""


def test_sets_of_words_stay_sparse(study, data_folder):
    X, Y = study.recommended_methods.read_set("enron", study.recommended_runs.PAPER_PARTS["whole"])
    assert sparse.issparse(X)
    assert X.shape == (1702, 1001)
    assert isinstance(Y, np.ndarray)


def test_a_method_that_answers_as_another_is_left_out(study):
    tables = study.recommended_tables
    lines = [line("ecc", 1.0), line("ecc", 2.0, fold=1), line("recommended_kernels", 1.0)]
    assert tables.twins_of(lines) == {"recommended_kernels": {"as": "ecc", "runs": 1}}
    assert tables.without_twins(lines) == lines[:2]
    other = [*lines, line("recommended_kernels", 2.5, fold=1)]
    assert tables.twins_of(other) == {}
    assert tables.without_twins(other) == other


def test_the_set_where_it_is_least_ahead_comes_with_its_interval(study):
    values = {("a", "blend"): (3, 4, 5), ("a", "ecc"): (1, 2, 3), ("b", "blend"): (5, 5, 5), ("b", "ecc"): (6, 5, 7)}
    lines = [line(method, value, set=name, fold=fold)
             for (name, method), folds in values.items() for fold, value in enumerate(folds)]  # fmt: skip
    (row,) = (row for row in study.recommended_tables.sum_up(lines, "example_f1", {"a", "b"}) if row["method"] == "ecc")
    assert (row["least ahead"], row["least ahead on"]) == (-1.0, "b")
    assert row["least ahead +-"] == pytest.approx(study.recommended_tables.corrected_interval([-1.0, 0.0, -2.0])[1])


def cell(half, metric, method, mean, rank, ahead, spread, behind=1.0):
    return {"half": half, "metric": metric, "method": method, "sets": 3, "mean": mean, "rank": rank,
            "blend ahead by": ahead, "+-": spread, "most behind": behind, "on": "flags"}  # fmt: skip


def test_sentences_follow_the_figures(study):
    claims = study.recommended_claims
    rows = [
        cell(half, "example_f1", method, *figures)
        for half in ("A", "B", "A and B")
        for method, *figures in (
            ("blend", 70.0, 1.0, 0.0, 0.0),
            ("plain_average", 69.0, 1.5 if half == "A" else 0.5, 1.0, 0.5),
            ("ecc", 68.0, 3.0, 2.0, 1.0 if half == "A" else 3.0),
            ("br", 67.0, 4.0, 3.0, 1.0),
        )
    ]
    told = claims.told_ranks(rows)
    assert "nothing has a better average rank" in told
    assert "the plain average of its families has the better rank for example F1 in half B (0.5 against 1.0)." in told
    lead = claims.told_lead(rows)
    assert "2.0 ± 1.0 points in half A (ECC) and 2.0 ± 3.0 points in half B (ECC); the interval of half B" in lead
    assert "1.0 ± 0.5 and 1.0 ± 0.5; neither interval includes 0." in lead
    assert claims.told_sets_behind(rows).startswith("On no set")
    worse = [*rows, cell("B", "macro_f1", "blend", 1.0, 2.0, 0.0, 0.0), cell("B", "macro_f1", "cc", 1, 1, -1, 1, -0.5)]
    assert "CC for macro F1 in half B (1.0 against 2.0)." in claims.told_ranks(worse)
    told = claims.told_sets_behind(worse)
    assert told.startswith("The whole interval of a difference is below 0 against CC in macro F1 on flags; ")


def test_recorded_lines_say_of_which_blend_they_are(study, recorded):
    versions = {(each["part"], study.recommended_runs.version_of(each)) for each in recorded}
    halves = {("halves", version) for version in (2, 3, None)}
    assert versions == {*halves, ("paper", 1), ("paper", 2), ("paper, whole set", 2)}
    trees = {each["part"] for each in recorded if "stacked trees" in each.get("weights", {})}
    assert trees == {"halves", "paper", "paper, whole set"}


def test_recorded_tables_follow_from_the_recorded_lines(study, recorded):
    page, tables = study.recommended_page, study.recommended_tables
    record, paper = page.read("recommended"), page.read("recommended_paper")
    lines = study.recommended_runs.of_version(recorded, record["notes"]["blend_version"])
    assert tables.twins_of(lines) == record["notes"]["twins"]
    made = tables.sum_up(tables.without_twins(lines), "example_f1", set(record["notes"]["halves"]["B"]))
    kept = [row for row in record["rows"] if (row["half"], row["metric"]) == ("B", "example_f1")]
    assert [row["method"] for row in made] == [row["method"] for row in kept]
    for row, other in zip(made, kept, strict=True):
        assert (row["mean"], row["rank"]) == pytest.approx((other["mean"], other["rank"]), nan_ok=True)
    old = study.recommended_runs.of_version(recorded, paper["notes"]["blend_version"])
    assert tables.paper_table(tables.sum_up_paper(old)) == tables.paper_table(paper["rows"])
