import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from bncc.datasets import load
from bncc.metrics import evaluate
from bncc.multilabel import recommended


def test_methods_side_by_side(as_json, data_folder):
    result = as_json("evaluate", "flags", "--methods", "br,bncc", "--folds", 3, "--metrics", "hamming_loss,micro_f1")
    assert set(result) == {
        "data", "rows", "labels", "base", "folds", "repeats", "own_split", "seed", "metric", "methods", "quality",
        "lead", "group", "time", "importance", "reasons", "page",
    }  # fmt: skip
    assert list(result["methods"]) == ["br", "bncc"]
    for entry in result["methods"].values():
        assert list(entry["scores"]) == ["hamming_loss", "micro_f1"]
        folds = entry["scores"]["hamming_loss"]["folds"]
        assert len(folds) == 3
        assert entry["scores"]["hamming_loss"]["mean"] == pytest.approx(sum(folds) / 3)
        assert 0.15 < entry["scores"]["hamming_loss"]["mean"] < 0.35


@pytest.mark.slow
def test_the_split_of_the_data_gives_what_python_gives(as_json, data_folder):
    result = as_json("evaluate", "emotions", "--own-split", "--methods", "recommended", "--metrics", "Fscore")
    train, test = load("emotions").train_test()
    model = recommended(random_state=0).fit(train.X, train.Y)
    expected = evaluate(test.Y, model.predict(test.X), metrics=["example_f1"])
    found = result["methods"]["recommended"]["scores"]
    assert found["example_f1"]["mean"] == pytest.approx(expected["example_f1"], abs=0.02)
    assert len(found["example_f1"]["folds"]) == 1


def test_tables_text_and_scores(as_json, weather):
    drops = [word for name in ("id", "rain", "wind") for word in ("--drop", name)]
    options = ["--labels", "tags", "--tag-separator", ";", "--text", "note", *drops, "--folds", 2]
    result = as_json("evaluate", weather, *options, "--methods", "br,recommended", "--metrics", "macro_auc,example_f1")
    assert result["base"] == "linear"
    assert result["methods"]["br"]["scores"]["macro_auc"]["mean"] > 0.9


def test_people_see_a_table_with_the_best_marked(bncc, data_folder):
    shown = bncc("evaluate", "virusgo", "--methods", "br,cc", "--folds", 2, "--repeats", 2).stdout
    assert "virusgo: 207 rows, 6 labels, 2 folds, 2 times" in shown
    for word in ("hamming_loss↓", "example_f1↑", "br", "cc", "±"):
        assert word in shown
    assert bncc("evaluate", "virusgo", "--methods", "br", "--folds", 2, "--quiet").output == ""


def test_folds_do_not_depend_on_the_methods(as_json, data_folder):
    alone = as_json("evaluate", "virusgo", "--methods", "br", "--folds", 2)
    beside = as_json("evaluate", "virusgo", "--methods", "mlknn,br", "--folds", 2)
    assert alone["methods"]["br"]["scores"] == beside["methods"]["br"]["scores"]


def test_mistakes(fails, data_folder):
    assert "there is no method 'brr'" in fails("evaluate", "flags", "--methods", "br,brr")
    assert "at least one method" in fails("evaluate", "flags", "--methods", ",")
    assert "There is no metric 'fscor'" in fails("evaluate", "flags", "--metrics", "fscor")
    assert "must name at least one metric" in fails("evaluate", "flags", "--metrics", ",")
    assert "without a train and test part" in fails("evaluate", "virusgo", "--own-split")
    assert "`--folds` must be at most the number of rows" in fails("evaluate", "flags", "--folds", 500)


@pytest.fixture
def patients(tmp_path):
    """A file in which the rows of one patient are alike, and nothing else tells labels."""
    import pandas as pd

    from leaking import leaking_columns

    columns, Y = leaking_columns(300, 20, np.random.default_rng(1))
    table = pd.DataFrame(columns).assign(visit=pd.date_range("2024-01-01", periods=300).strftime("%Y-%m-%d"))
    table = table.assign(**{f"y{i}": Y[:, i] for i in range(3)})
    table.to_csv(tmp_path / "patients.csv", index=False)
    return "patients.csv"


def test_a_leaking_file_is_told_and_groups_mend_it(bncc, patients):
    command = ("evaluate", patients, "-l", "-3", "--drop", "visit", "-m", "mlknn", "--metrics", "micro_f1", "--json")
    told = bncc(*command)
    assert "rows with the same 'patient' share their labels" in " ".join(told.stderr.split())
    assert "--group patient" in " ".join(told.stderr.split())
    mended = bncc(*command, "--group", "patient")
    assert "share their labels" not in mended.stderr
    before, after = (
        json.loads(each.stdout)["methods"]["mlknn"]["scores"]["micro_f1"]["mean"] for each in (told, mended)
    )
    assert before > after + 0.25
    assert "groups kept together" in " ".join(bncc(*command[:-1], "--group", "patient").stdout.split())


def test_later_rows_are_tested(as_json, bncc, patients):
    def fails(*arguments):
        return bncc(*arguments, code=2).stderr

    command = ("evaluate", patients, "-l", "-3", "--drop", "patient", "-m", "br", "--base", "linear", "--time", "visit")
    found = as_json(*command)
    assert (found["time"], len(found["methods"]["br"]["scores"]["macro_f1"]["folds"])) == ("visit", 5)
    assert "tested on later rows" in " ".join(bncc(*command).stdout.split())
    assert "Leave out `--repeats`" in fails(*command, "--repeats", "2")
    wrong = ("evaluate", patients, "-l", "-3", "--drop", "patient", "-m", "br", "--time")
    assert "no column is named 'visi'. Did you mean 'visit'?" in fails(*wrong, "visi")
    assert "must hold numbers or dates" in fails(*wrong[:4], "--drop", "visit", "-m", "br", "--time", "patient")


def test_a_model_is_fitted_with_groups_and_used_without(as_json, patients):
    command = ("fit", patients, "-l", "-3", "--group", "patient", "--time", "visit", "-m", "bncc", "-o", "m.bncc")
    assert as_json(*command)["rows"] == 300
    assert as_json("predict", "m.bncc", patients, "-o", "p.csv")["rows"] == 300


def test_groups_in_a_matrix_of_numbers(as_json, fails):
    assert as_json("evaluate", "flags", "-m", "br", "--base", "linear", "--group", "landmass", "--folds", "3")["group"]
    assert "no column is named 'land'" in fails("evaluate", "flags", "-m", "br", "--group", "land")


def test_labels_are_judged_one_by_one(as_json, bncc, data_folder):
    options = ["evaluate", "flags", "--methods", "br,mlknn", "--folds", 2, "--metrics", "micro_f1"]
    result = as_json(*options)
    quality = result["quality"]
    best = max(result["methods"], key=lambda name: result["methods"][name]["scores"]["micro_f1"]["mean"])
    assert set(quality["methods"]) == {"br", "mlknn"}
    assert next(iter(quality["methods"])) == best
    labels = quality["methods"][best]["labels"]
    data = load("flags")
    assert [label["name"] for label in labels] == list(data.label_names)
    assert [label["support"] for label in labels] == data.Y.sum(axis=0).tolist()
    worst = min(labels, key=lambda label: label["f1"]["value"])
    assert quality["methods"][best]["worst"]["label"] == worst["name"]
    assert quality["methods"]["br"]["labels"][0]["brier"]["value"] is not None
    shown = bncc(*options).stdout
    assert f"Labels as {best} predicts them, worst first" in shown
    ends = f"between {worst['f1']['lowest']:.2f} and {worst['f1']['highest']:.2f} (95 %, 7 labels compared)"
    assert f"Worst label: {worst['name']}, F1 {worst['f1']['value']:.2f}, {ends}" in " ".join(shown.split())


def test_more_cells_than_are_kept_are_said_so(bncc, as_json, data_folder, monkeypatch):
    monkeypatch.setattr("bncc.analysis.quality.compared.MOST_CELLS", 100)
    options = ["evaluate", "flags", "--methods", "mlknn", "--folds", 2]
    assert as_json(*options)["quality"] is None
    assert "judged one by one up to 100 cells" in bncc(*options).stdout


def test_the_best_method_leads_by_an_interval_over_folds_or_over_rows(as_json, bncc, data_folder):
    options = (
        "evaluate",
        "emotions",
        "--methods",
        "br,mlknn",
        "--metrics",
        "hamming_loss,micro_f1",
        "--base",
        "linear",
    )
    folds, split = as_json(*options, "--folds", 3), as_json(*options, "--own-split")
    for result, n_folds in ((folds, 3), (split, 0)):
        lead, scores = result["lead"], {name: entry["scores"] for name, entry in result["methods"].items()}
        assert (lead["metric"], lead["n_folds"], lead["n_rivals"]) == ("hamming_loss", n_folds, 1)
        gap = scores[lead["second"]]["hamming_loss"]["mean"] - scores[lead["first"]]["hamming_loss"]["mean"]
        assert lead["difference"] == pytest.approx(gap)
        assert lead["low"] < lead["difference"] < lead["high"]
    assert "hamming_loss, between" in bncc(*options, "--own-split").stdout


def test_what_a_limit_leaves_out_is_told(as_json, bncc, data_folder, monkeypatch):
    likely = {"kernel": 9.0, "linear": 0.0, None: 40.0}
    monkeypatch.setattr("bncc.evaluation.comparing.likely_seconds", lambda _, n, most, base: likely[base])
    options = ("evaluate", "virusgo", "--methods", "br,mlknn", "--folds", 2, "--time-limit", 20)
    result = as_json(*options)
    assert result["base"] == "linear"
    assert list(result["methods"]) == ["br"]
    assert [line.split(":")[0] for line in result["left_out"]] == ["the base is linear", "mlknn is left out"]
    run = bncc(*options)
    assert "Warning: mlknn is left out: it would take some 80 s" in run.stderr
    assert "br" in run.stdout
    assert "mlknn" not in run.stdout
    said = bncc("evaluate", "virusgo", "--methods", "mlknn", "--folds", 2, "--time-limit", 20, code=2).stderr
    assert "no method is done in time. Give more of it (`--time-limit`)" in said


def test_labels_are_judged_unless_the_limit_is_over(as_json, bncc, data_folder, monkeypatch):
    options = ("evaluate", "virusgo", "--methods", "br", "--base", "linear", "--folds", 2, "--time-limit", 20)
    assert as_json(*options)["quality"] is not None
    monkeypatch.setattr("bncc.cli.evaluate._JUDGING_SECONDS", 1.0)
    run = bncc(*options)
    assert "Warning: labels are not judged one by one (--time-limit)." in run.stderr
    assert "±" in run.stdout


@pytest.mark.slow
def test_a_limit_is_that_of_the_whole_command(tmp_path):
    """20,000 rows, at which kernels are still the usual base, and 30 labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 20))
    Y = X @ rng.normal(size=(20, 30)) / 4 + rng.normal(size=(20_000, 30)) > 1
    heading = ",".join([f"x{number}" for number in range(20)] + [f"l{number}" for number in range(30)])
    table, limit = tmp_path / "large.csv", 20.0
    np.savetxt(
        table, np.column_stack([X, Y]), fmt=["%.3f"] * 20 + ["%d"] * 30, delimiter=",", header=heading, comments=""
    )
    for last_try in (False, False, True):  # others may have the cores at one of them
        told = _timed_lines([sys.executable, "-m", "bncc", "evaluate", table, "--labels", "-30", "--time-limit", limit])
        first, begun, end = told[0][0], next(at for at, line in told if "columns of numbers" in line), told[-1][0]
        within = first <= 2.0 and end - begun <= 1.1 * limit + 2.0
        if within or last_try:
            break
    text = "\n".join(line for _, line in told)
    assert within, (first, begun, end, text)
    assert told[0][1].startswith("Reading")
    assert "the base is linear" in text
    for method in ("br", "cc", "bncc", "recommended"):
        assert f" {method} " in text


def _timed_lines(command):
    """Lines that a command writes, with the seconds since it was begun; the last is its end."""
    begin, words = time.perf_counter(), [str(word) for word in command]
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=unbuffered
    ) as process:
        told = [(time.perf_counter() - begin, line.rstrip()) for line in process.stdout]
    assert process.returncode == 0, told
    return [*told, (time.perf_counter() - begin, "")]
