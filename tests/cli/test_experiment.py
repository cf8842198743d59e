"""`bncc experiment`: run, resume, report, reproduction."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from bncc.cli import app
from bncc.datasets import make_scenes, save
from bncc.experiment import Store, run_study
from studies import PROTOCOL, count, table

runner = CliRunner()


@pytest.fixture
def study(tmp_path):
    for name, seed in (("first", 0), ("second", 1)):
        save(make_scenes(60, noise=2.0, random_state=seed), tmp_path / f"{name}.csv")
    path = tmp_path / "study.toml"
    path.write_text(PROTOCOL.format(mode="whole", repeats=1, extra=""))
    return path


def call(*arguments):
    return runner.invoke(app, ["experiment", *map(str, arguments)])


def test_run_report_reproduction(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call("run", study)
    assert result.exit_code == 0, result.output
    assert "first" in result.output
    assert "example_f1" in result.output
    assert (tmp_path / "study.sqlite").is_file()
    result = call("report", "study.sqlite", "-o", "out", "--json")
    files = json.loads(result.stdout)["files"]
    assert "out/report.html" in files
    assert all((tmp_path / file).is_file() for file in files)
    remarks = tmp_path / "remarks.md"
    remarks.write_text("As we expected.")
    assert call("reproduction", "study.sqlite", "-o", "page.md", "--remarks", remarks).exit_code == 0
    page = (tmp_path / "page.md").read_text()
    assert "As we expected." in page
    assert 'estimator = "MLkNN"' in page


def test_json_is_all_that_is_printed(study, tmp_path):
    result = call("run", study, "-s", tmp_path / "s.sqlite", "--json")
    found = json.loads(result.stdout)
    assert found["failures"] == []
    assert {(r["dataset"], r["method"]) for r in found["results"]} == {
        (d, m) for d in ("first", "second") for m in ("BR", "BNCC", "kNN")
    }
    assert all(r["folds"] == 3 for r in found["results"])
    assert call("run", study, "-s", tmp_path / "s.sqlite", "--quiet").stdout == ""


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_stopped_by_ctrl_c_and_resumed_from_the_store(study, tmp_path, workers):
    """Ctrl-C goes to all processes of a terminal."""
    study.write_text(PROTOCOL.format(mode="nested", repeats=200, extra=""))  # more than is done before we look
    store = tmp_path / "s.sqlite"
    command = [sys.executable, "-m", "bncc", "experiment", "run", str(study), "-s", str(store)]
    command += [] if workers == 1 else ["--workers", str(workers)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=os.environ, start_new_session=True, **pipes)
    deadline = time.monotonic() + 120
    while count(store) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert "Finished parts are in" in errors
    assert "Traceback" not in errors
    with Store.read(store) as opened:
        before = opened.done()
        (protocol,) = opened.protocols()
    assert 0 < len(before) < 1200
    small = PROTOCOL.format(mode="nested", repeats=2, extra="")
    study.write_text(small)
    assert call("run", study, "-s", store, "-q").exit_code == 0
    assert call("resume", store, "-q").exit_code == 0
    with Store.read(store) as opened:
        assert {task.repeat for task in opened.done()} >= {0, 1}
    assert protocol.folds.repeats == 200


def test_failures_are_told(study, tmp_path):
    text = study.read_text() + '\n[methods.bad]\nestimator = "GroupSensitiveChain"\nn_groups = 0\n'
    study.write_text(text)
    result = call("run", study, "-s", tmp_path / "s.sqlite")
    assert result.exit_code == 1
    assert "failed: first bad sigma" in result.stderr
    assert "BNCC" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nothing.toml"), "no protocol 'nothing.toml'"),
        (("resume", "nothing.sqlite"), "there is no result store"),
        (("report", "nothing.sqlite"), "there is no result store"),
        (("run", "quick", "--cluster", "tcp://127.0.0.1:9"), "no Dask scheduler answers"),
        (("run", "quick", "--cluster", "tcp://127.0.0.1:9", "--workers", "2"), "give one of them"),
    ],
)
def test_bad_input(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.iterdir())


def test_another_protocol_is_refused(study, tmp_path):
    store = tmp_path / "s.sqlite"
    assert call("run", study, "-s", store, "-q").exit_code == 0
    study.write_text(study.read_text().replace("seed = 1", "seed = 2"))
    result = call("run", study, "-s", store)
    assert result.exit_code == 2
    assert "seed was 1, is 2" in result.stderr


def test_time_left_is_shown(study, tmp_path):
    """The display is fed by what `run_study` reports."""
    from bncc.cli.experiment import _now
    from bncc.experiment import load_protocol

    seen = []
    run_study(load_protocol(study), tmp_path / "s.sqlite", report=seen.append)
    assert any("first BR sigma" in _now(progress) for progress in seen)
    assert any(progress.seconds_left for progress in seen)


def change(store, statement):
    connection = sqlite3.connect(store)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_damaged_result_is_named_and_run_again(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("run", study, "-q").exit_code == 0
    with Store.read("study.sqlite") as store:
        expected = table(store)
    change("study.sqlite", "UPDATE results SET hamming_loss = 0 WHERE dataset = 'first' AND method = 'BR' AND fold = 2")
    for command in ("report", "resume", "reproduction"):
        result = call(command, "study.sqlite")
        assert result.exit_code == 2, result.output
        assert "dataset first, method BR, repeat 0, fold 2) does not match its checksum" in result.stderr
        assert "--drop-damaged" in result.stderr
    assert not (tmp_path / "report").exists()
    result = call("resume", "study.sqlite", "--drop-damaged")
    assert result.exit_code == 0, result.output
    assert "1 damaged tasks were deleted from study.sqlite" in result.stderr
    with Store.read("study.sqlite") as store:
        assert table(store) == expected


def test_results_of_an_earlier_version_are_said_to_be_unchecked(study, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert call("run", study, "-q").exit_code == 0
    change("study.sqlite", "DELETE FROM study WHERE key = 'checksums'")
    change("study.sqlite", "UPDATE results SET checksum = NULL")
    change("study.sqlite", "UPDATE tasks SET checksum = NULL")
    result = call("report", "study.sqlite", "--no-figures")
    assert result.exit_code == 0, result.output
    assert "rows of study.sqlite carry no checksum" in result.stderr
    assert "is not checked" in result.stderr.replace("\n", " ")


def test_a_store_that_cannot_be_written_is_no_fault_of_ours(study, tmp_path):
    (tmp_path / "s.sqlite-lock").mkdir()
    result = call("run", study, "-s", tmp_path / "s.sqlite")
    assert result.exit_code == 2
    assert "s.sqlite-lock cannot be opened for writing" in result.stderr
    assert "fault of bncc" not in result.stderr
