"""Running commands as a shell would, without a process for each."""

import json

import pytest

typer_testing = pytest.importorskip("typer.testing")
pytest.importorskip("pandas")
pytest.importorskip("skops")


@pytest.fixture
def bncc(tmp_path, monkeypatch):
    """Run a command in an empty folder; asserts the exit code, and that there is no traceback."""
    from bncc.cli import app

    monkeypatch.chdir(tmp_path)
    runner = typer_testing.CliRunner()

    def run(*arguments, code=0):
        result = runner.invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "100"})
        assert result.exit_code == code, (result.output, result.exception)
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def as_json(bncc):
    """Run a command with --json: standard output is one JSON object and nothing else."""

    def run(*arguments):
        result = bncc(*arguments, "--json")
        assert result.stdout.endswith("}\n")
        assert result.stdout.count("\n") == 1
        return json.loads(result.stdout)

    return run


@pytest.fixture
def fails(bncc):
    """Run a command that must fail as a user's mistake; returns what it says on one line of standard error."""

    def run(*arguments):
        result = bncc(*arguments, code=2)
        assert result.stdout == ""
        assert result.stderr.startswith("Error: "), result.stderr
        return result.stderr

    return run


@pytest.fixture
def weather(tmp_path):
    """A table as people have it: an identifier, a number, a category, free text, labels as columns and as tags."""
    import numpy as np

    random = np.random.default_rng(0)
    lines = ["id,height,sky,note,rain,wind,tags"]
    for row in range(80):
        rain, wind = int(random.random() < 0.5), int(random.random() < 0.4)
        height = "" if row == 5 else f"{rain + random.normal(0, 0.3):.3f}"
        sky = "grey" if wind or random.random() < 0.2 else "blue"
        note = f"{'wet umbrella' if rain else 'dry'} {'stormy' if wind else 'calm'} {row}"
        tags = ";".join(name for name, held in (("rain", rain), ("wind", wind)) if held)
        lines.append(f"row{row},{height},{sky},{note},{rain},{wind},{tags}")
    (tmp_path / "weather.csv").write_text("\n".join(lines) + "\n")
    return "weather.csv"
