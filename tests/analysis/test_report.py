"""The folder that a store is written into."""

import csv
import io

import pytest

from bncc.analysis import report, results_csv, study_tables, write_report
from bncc.experiment import Facts, Outcome, Store, Task
from bncc.experiment.protocol_file import read_protocol
from made_records import make_records

METRICS = ["hamming_loss", "example_f1", "macro_f1", "micro_f1"]
METHODS = {"BR": {"estimator": "BinaryRelevance"}, "CC": {"estimator": "ClassifierChain"}}
TABLE = {"methods": METHODS, "metrics": METRICS}


@pytest.fixture
def store(tmp_path):
    protocol = read_protocol(TABLE | {"datasets": ["flags", "../escape"]})
    records = make_records(datasets=("flags", "../escape"), methods=("BR", "CC"), n_repeats=2, n_folds=3)
    with Store.create(tmp_path / "s.sqlite", protocol) as store:
        for task in {Task(r.dataset, r.method, r.repeat) for r in records}:
            of_task = tuple(r for r in records if Task(r.dataset, r.method, r.repeat) == task)
            store.write(Outcome(task, Facts(task.dataset, 9, 2, 3, ("a",), "f"), of_task, (), 1.0, "here"))
        yield store


def test_a_folder_with_everything(store, tmp_path):
    files = write_report(store, tmp_path / "out")
    names = {str(path.relative_to(tmp_path / "out")) for path in files}
    assert {"report.html", "results.csv", "tables/scores.tex", "tables/p-values.md", "figures/seconds.pdf"} <= names
    assert {"figures/ranks-micro_f1.svg", "figures/folds-flags.pdf"} <= names
    assert all(path.is_file() and path.stat().st_size for path in files)
    assert set((tmp_path / "out").rglob("*.*")) == set(files)


def test_names_do_not_lead_out_of_the_folder(store, tmp_path):
    write_report(store, tmp_path / "out")
    outside = {path.name for path in tmp_path.iterdir()}
    assert outside == {"s.sqlite", "out"}
    assert any("escape" in path.name for path in (tmp_path / "out" / "figures").iterdir())


def test_every_figure_is_told_of(store, tmp_path):
    told = []
    write_report(store, tmp_path / "out", report=lambda name, total: told.append((name, total)))
    drawn = list((tmp_path / "out" / "figures").glob("*.pdf"))
    assert len({name for name, _ in told}) == len(drawn) > 1
    assert {total for _, total in told} == {len(drawn)}


@pytest.mark.slow
def test_processes_draw_the_same_figures(store, tmp_path, monkeypatch):
    here = write_report(store, tmp_path / "here")
    monkeypatch.setattr(report, "_MANY_FIGURES", 2)
    monkeypatch.setattr(report, "n_threads", lambda n_jobs: 2)
    there = write_report(store, tmp_path / "there")
    assert [path.name for path in there] == [path.name for path in here]
    for one, other in zip(here, there, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_without_figures(store, tmp_path):
    write_report(store, tmp_path / "out", figures=False)
    assert not (tmp_path / "out" / "figures").exists()


def test_an_empty_store(tmp_path):
    store = Store.create(tmp_path / "s.sqlite", read_protocol(TABLE | {"datasets": ["flags"]}))
    with store, pytest.raises(ValueError, match="has no results yet"):
        write_report(store, tmp_path / "out")


def test_lines_are_records():
    records = make_records(datasets=("flags",), methods=("BR",), n_repeats=1, n_folds=2)
    lines = list(csv.DictReader(io.StringIO(results_csv(records))))
    assert len(lines) == 2
    assert [float(line["micro_f1"]) for line in lines] == [
        r.scores.get("micro_f1", r.scores.get("MicF")) for r in records
    ]


def test_names_that_a_spreadsheet_would_run():
    records = make_records(datasets=("=cmd",), methods=("-BR",), n_repeats=1, n_folds=1)
    assert results_csv(records).splitlines()[1].startswith("'=cmd,'-BR,0,0,")
    assert results_csv(records, raw_names=True).splitlines()[1].startswith("=cmd,-BR,0,0,")


def test_tables_of_one_data_set_have_no_tests():
    records = make_records(datasets=("flags",), methods=("BR", "CC"), n_repeats=1, n_folds=3)
    assert set(study_tables(records)) == {"scores", "seconds"}
