"""Commands that leave a page behind."""

import json
import shlex
from pathlib import Path

from bncc.analysis.page import read_page
from bncc.datasets import fingerprint, load, make_scenes


def test_the_demo_leaves_its_report(bncc):
    assert "Wrote report.html" in bncc("demo", "--rows", 100, "--folds", 2).stdout
    summary = read_page("report.html")
    assert summary.network.true_edges
    assert {edge.sure for edge in summary.network.edges if edge.kept} <= {True, False}
    assert summary.quality.n_rows == 100
    assert [row.row for row in summary.reasons] == [0, 1, 2]
    assert summary.results is not None
    settings = summary.settings
    assert settings["command"] == "bncc demo --rows 100 --folds 2"
    assert settings["fingerprint"] == fingerprint(make_scenes(100))
    assert settings["methods"] == "br, cc, bncc, recommended"
    assert (settings["rows"], settings["base"], settings["metric"]) == ("100", "auto", "example_f1")
    assert summary.data.source


def test_analyse_leaves_a_page_where_it_is_told(as_json, data_folder):
    assert as_json("analyse", "emotions", "--page", "emotions.html")["page"] == "emotions.html"
    summary, data = read_page("emotions.html"), load("emotions")
    assert summary.labels[0].name == "amazed-suprised"
    assert (summary.data.name, summary.data.source, summary.data.n_features) == ("emotions", data.source, 72)
    assert summary.settings["fingerprint"] == fingerprint(data)
    assert summary.settings["command"] == "bncc analyse emotions --page emotions.html --json"
    assert summary.settings["max_children"] == "no limit"
    assert not any(key.startswith("reading.") for key in summary.settings)
    assert as_json("analyse", "emotions", "--no-page")["page"] is None
    assert [file.name for file in Path().iterdir()] == ["emotions.html"]


def test_evaluate_leaves_one_on_request(as_json, data_folder):
    assert as_json("evaluate", "flags", "--methods", "br,mlknn", "--folds", 2)["page"] is None
    as_json("evaluate", "flags", "--methods", "br,mlknn", "--folds", 2, "--page", "flags.html")
    summary = read_page("flags.html")
    assert summary.results is not None
    assert summary.data.n_features == load("flags").n_features
    assert {method.method for method in summary.quality.methods} == {"br", "mlknn"}
    assert summary.settings["fingerprint"] == fingerprint(load("flags"))
    assert summary.settings["methods"] == "br, mlknn"
    assert summary.settings["metrics"] == "hamming_loss, example_f1, macro_f1, micro_f1"


def test_the_command_of_a_page_makes_it_again(bncc, weather):
    drops = [word for name in ("id", "rain", "wind") for word in ("--drop", name)]
    options = ["--labels", "tags", "--tag-separator", ";", "--text", "note", *drops]
    bncc("analyse", weather, *options, "--page", "my page.html", "-q")
    first = read_page("my page.html")
    assert first.settings["command"].endswith("--page 'my page.html' --quiet")
    assert (first.settings["reading.drop"], first.settings["reading.tag_separator"]) == ("id, rain, wind", ";")
    Path("my page.html").unlink()
    bncc(*shlex.split(first.settings["command"])[1:])
    assert read_page("my page.html") == first
    table = Path(weather)
    table.write_text(table.read_text().replace("row7,", "row7,1"))
    bncc(*shlex.split(first.settings["command"])[1:])
    assert read_page("my page.html").settings["fingerprint"] != first.settings["fingerprint"]


def test_a_table_of_labels_alone_has_a_page(bncc, weather):
    drops = [word for name in ("id", "height", "sky", "note", "tags") for word in ("--drop", name)]
    bncc("analyse", weather, "--labels", "rain,wind", *drops)
    assert read_page("report.html").data.n_features == 0


def test_bad_places_are_told_before_the_work(fails):
    assert "must end in .html" in fails("demo", "--page", "report.pdf")
    assert "there is no folder absent" in fails("demo", "--page", "absent/report.html")
    Path("folder.html").mkdir()
    assert "folder.html is a folder; give the name of a file. Or leave the page out: --no-page." in fails(
        "analyse", "flags", "--page", "folder.html"
    )
    assert fails("evaluate", "flags", "--page", "folder.html").endswith("give the name of a file.\n")


def test_results_are_printed_whatever_comes_of_the_page(bncc, weather, monkeypatch):
    def fail(*_):
        raise OSError("no room for it.")

    monkeypatch.setattr("bncc.cli.page.write_page", fail)
    run = bncc("evaluate", weather, "-l", "rain,wind", "-m", "br", "--folds", 2, "--page", "p.html", "--json", code=2)
    assert json.loads(run.stdout)["page"] is None
    assert "macro_f1" in run.stdout
    assert run.stderr.endswith("Error: no room for it.\n")


def test_a_page_holds_labels_that_are_foretold_without_a_doubt(bncc):
    Path("pm.svm").write_text("+1 1:2\n-1 1:3\n" * 10)
    bncc("evaluate", "pm.svm", "-m", "br,mlknn", "--folds", 2, "--page", "e.html")
    assert read_page("e.html").quality is not None
