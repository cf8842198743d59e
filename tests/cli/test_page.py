"""Commands that leave a page behind."""

from pathlib import Path

from bncc.analysis.page import read_page


def test_the_demo_leaves_its_report(bncc):
    assert "Wrote report.html" in bncc("demo", "--rows", 100, "--folds", 2).stdout
    summary = read_page("report.html")
    assert summary.network.true_edges
    assert summary.results is not None
    assert summary.settings["rows"] == "100"


def test_analyse_leaves_a_page_where_it_is_told(as_json, data_folder):
    assert as_json("analyse", "emotions", "--page", "emotions.html")["page"] == "emotions.html"
    assert read_page("emotions.html").labels[0].name == "amazed-suprised"
    assert as_json("analyse", "emotions", "--no-page")["page"] is None
    assert [file.name for file in Path().iterdir()] == ["emotions.html"]


def test_evaluate_leaves_one_on_request(as_json, data_folder):
    assert as_json("evaluate", "flags", "--methods", "br,mlknn", "--folds", 2)["page"] is None
    as_json("evaluate", "flags", "--methods", "br,mlknn", "--folds", 2, "--page", "flags.html")
    assert read_page("flags.html").results is not None


def test_bad_places_are_told_before_the_work(fails):
    assert "must end in .html" in fails("demo", "--page", "report.pdf")
    assert "there is no folder absent" in fails("demo", "--page", "absent/report.html")
