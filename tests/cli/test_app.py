"""The front door: help, version, completion, what is missing, and being interrupted."""

import os
import signal
import subprocess
import sys

import pytest

import bncc as package

COMMANDS = ["demo", "analyse", "fit", "predict", "evaluate", "experiment", "data"]


def test_help_lists_every_command_with_examples(bncc):
    shown = bncc("--help").stdout
    for command in COMMANDS:
        assert f"{command} " in shown
    assert "First steps" in shown


@pytest.mark.parametrize("command", ["analyse", "fit", "predict", "evaluate"])
def test_every_command_shows_examples_and_the_common_options(command, bncc):
    shown = bncc(command, "--help").stdout
    assert f"bncc {command} " in shown.split("Examples")[1]
    for option in ("--json", "--quiet"):
        assert option in shown


def test_version(bncc):
    assert bncc("--version").stdout.strip() == package.__version__


def test_unknown_commands_and_options_are_usage_errors(bncc):
    for arguments in (["analise"], ["fit", "x.csv", "--no-such"], ["fit", "x.csv"]):
        assert bncc(*arguments, code=2).stdout == ""


def test_missing_extra_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from bncc.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'bncc[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("bncc ev", "evaluate"),
        ("bncc fit yea", "yeast"),
        ("bncc fit x.csv --method bn", "bncc"),
        ("bncc evaluate x.csv --methods br,reco", "br,recommended"),
        ("bncc data fetch sce", "scene"),
    ],
)
def test_shells_complete_commands_data_and_methods(line, expected, monkeypatch):
    from typer.testing import CliRunner

    from bncc.cli import app

    env = {"_BNCC_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    done = CliRunner().invoke(app, [], env=env, prog_name="bncc")
    assert expected in done.stdout.split(), (done.stdout, done.stderr)


def test_a_pipe_that_closes_early_is_no_error(tmp_path):
    command = f"{sys.executable} -m bncc data list | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


READY = """
import sys
import bncc.cli.comparing as comparing, bncc.cli.fit as fitting
from bncc.__main__ import main
{patch}
sys.argv = ["bncc", *sys.argv[1:]]
main()
"""
WHILE_LEARNING = """
def announce(function):
    def wrapped(*args, **options):
        print("ready", file=sys.stderr, flush=True)
        return function(*args, **options)
    return wrapped
comparing.make_model = announce(comparing.make_model)
fitting.make_model = announce(fitting.make_model)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "yeast", "--methods", "recommended", "--folds", "10"],
        ["fit", "yeast", "--method", "rakel", "-o", "model.skops"],
    ],
)
def test_ctrl_c_while_learning_leaves_nothing(arguments, tmp_path, data_folder):
    process = subprocess.Popen(
        [sys.executable, "-c", READY.format(patch=WHILE_LEARNING), *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert output == ""
    assert "Stopped" in errors
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


WHILE_WRITING = """
import os, signal
from pathlib import Path
whole = Path.write_bytes
def half(self, content):
    whole(self, content[: len(content) // 2])
    os.kill(os.getpid(), signal.SIGINT)
    return whole(self, content)
Path.write_bytes = half
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_while_writing_leaves_the_old_file(tmp_path, data_folder):
    (tmp_path / "model.skops").write_text("the old one")
    command = [sys.executable, "-c", READY.format(patch=WHILE_WRITING), "fit", "flags", "-m", "br", "-o", "model.skops"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["model.skops"]
    assert (tmp_path / "model.skops").read_text() == "the old one"


def test_exit_codes_and_pure_json_of_a_real_process(tmp_path, data_folder):
    def run(*arguments):
        command = [sys.executable, "-m", "bncc", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    good = run("data", "info", "flags", "--json")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.startswith("{")
    bad = run("analyse", "absent.arff", "--json")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr.startswith("Error: ")
    assert bad.stderr.count("\n") == 1


def test_ctrl_c_while_modules_are_imported_shows_no_traceback():
    code = """
import sys
from bncc.__main__ import main
class Interrupt:
    def find_spec(self, name, *_):
        if name == "bncc.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
