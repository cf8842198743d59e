import pytest

from bncc.datasets import make_scenes, save


@pytest.fixture
def scenes(tmp_path, bncc):
    save(make_scenes(120), "scenes.csv")
    return "evaluate", "scenes.csv", "-l", "-10", "-m", "br,bncc", "--base", "linear", "--folds", 2


def test_json_says_which_columns_matter_and_why_rows_failed(scenes, as_json):
    found = as_json(*scenes)
    entries = found["importance"]["entries"]
    assert found["importance"]["method"] in ("br", "bncc")
    assert found["importance"]["metric"] == "example_f1"
    assert {entry["label"] for entry in entries} == {None, *range(10)}
    assert all(entry["low"] <= entry["value"] <= entry["high"] for entry in entries)
    assert 1 <= len(found["reasons"]) <= 20  # as many rows as the page lists
    for row in found["reasons"]:
        for each in row["labels"]:
            listed = sum(reason["value"] for reason in each["reasons"])
            assert each["base"] + listed + each["rest"] == pytest.approx(each["score"])


def test_people_see_it_when_they_ask(scenes, bncc):
    shown = bncc(*scenes, "--why").stdout
    assert "Loss of example_f1 without it" in shown
    assert "which it got wrong most" in shown
    assert "Loss of" not in bncc(*scenes).stdout


def test_what_would_take_long_is_left_out(scenes, bncc, as_json, monkeypatch):
    from bncc.analysis.best_models import BestModels

    monkeypatch.setattr(BestModels, "importance", lambda self, data, most_seconds: None)
    assert "is left out here, since it would take long" in bncc(*scenes, "--why").stdout
    assert as_json(*scenes)["importance"] is None
