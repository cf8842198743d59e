"""The entry point: what is missing is named, and Ctrl-C ends with its line and code."""

import os
import signal
import subprocess
import sys

import pytest

from bncc import __main__ as entry
from bncc import __version__
from bncc._interrupt import INTERRUPTED, STOPPED


@pytest.fixture
def own_signal():
    """Puts back what pytest does on Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_module_runs_the_command_line():
    done = subprocess.run([sys.executable, "-m", "bncc", "--version"], capture_output=True, text=True, check=True)
    assert __version__ in done.stdout


@pytest.mark.usefixtures("own_signal")
@pytest.mark.parametrize("package", ["typer", "rich"])
def test_a_missing_extra_is_named_with_its_remedy(monkeypatch, package):
    def refuse(name, *arguments, **options):
        raise ModuleNotFoundError(f"No module named '{package}'", name=package)

    monkeypatch.setattr("builtins.__import__", refuse)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == (
        f"The command line needs the package '{package}'. Install it with: pip install 'bncc[cli]'"
    )


@pytest.mark.usefixtures("own_signal")
def test_another_missing_module_is_not_taken_for_an_extra(monkeypatch):
    def refuse(name, *arguments, **options):
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr("builtins.__import__", refuse)
    with pytest.raises(ModuleNotFoundError, match="numpy"):
        entry.main()


@pytest.mark.usefixtures("own_signal")
def test_an_interruption_that_no_command_handled(monkeypatch, capsys):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_run", interrupted)
    with pytest.raises(SystemExit) as ended:
        entry.main()
    assert ended.value.code == INTERRUPTED
    assert capsys.readouterr().err == f"{STOPPED}\n"


def test_a_console_that_lacks_a_character_gets_a_question_mark():
    code = "from bncc.__main__ import main\ntry:\n    main()\nfinally:\n    print('\\u00e9')"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": "ascii:strict"},
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == b"?", done.stderr
