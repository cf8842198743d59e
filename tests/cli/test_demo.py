import os
import subprocess
import sys

import pytest

typer_testing = pytest.importorskip("typer.testing")

import bncc  # noqa: E402
from bncc.cli import app  # noqa: E402
from bncc.datasets import SCENES  # noqa: E402

runner = typer_testing.CliRunner()


def test_demo_shows_dependence_networks_and_order():
    result = runner.invoke(app, ["demo"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    assert "Dependence degree" in result.output
    assert "…" not in result.output  # fits a plain terminal
    line = next(line for line in result.output.splitlines() if line.strip().startswith("Market"))
    assert line.split("=")[0].split() == ["Market", "Village,", "Crowd"]
    assert "= Village" in line
    assert "= Crowd" in line
    order = result.output.split("Chain order: ")[1].replace("\n", " ")
    assert order.startswith("Rural")
    assert sorted(name.strip() for name in order.split("→")) == sorted(SCENES.label_names)


def test_demo_is_repeatable_and_takes_a_seed():
    outputs = [runner.invoke(app, ["demo", "--seed", seed]).output for seed in ("1", "1", "2")]
    assert outputs[0] == outputs[1] != outputs[2]


def test_bad_option_is_a_user_error():
    result = runner.invoke(app, ["demo", "--rows", "5"])
    assert result.exit_code == 2
    assert "--rows" in result.output


def test_missing_extra_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from bncc.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'bncc[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_version():
    assert runner.invoke(app, ["--version"]).output.strip() == bncc.__version__


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_without_the_characters_shows_others(encoding):
    command = [sys.executable, "-m", "bncc", "demo"]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    assert b"Chain order" in done.stdout
