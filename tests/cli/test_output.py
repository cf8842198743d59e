import errno
import json
import warnings

import pytest

typer = pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402

from bncc.cli.output import FrontDoor, JsonOption, QuietOption, Voice, _words, printable  # noqa: E402

HOSTILE = "[bold]x[/bold] [/oops] \x1b[2J\x07 \u202etxet"


def front(function):
    """A command line of one command."""
    app = typer.Typer(cls=FrontDoor, pretty_exceptions_enable=False)

    @app.callback()
    def root() -> None:
        """Root."""

    app.command("do")(function)
    return lambda *arguments: CliRunner().invoke(app, ["do", *arguments])


def raising(error):
    def do() -> None:
        raise error

    return front(do)()


@pytest.mark.parametrize(
    "error", [ValueError("what, got, remedy"), FileNotFoundError("no file"), ImportError("no pandas")]
)
def test_mistakes_of_users_are_one_line_and_code_2(error):
    result = raising(error)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {error}\n"
    assert result.stdout == ""


def test_faults_of_ours_say_so(monkeypatch):
    result = raising(ZeroDivisionError("oops"))
    assert result.exit_code == 1
    assert "fault of bncc: ZeroDivisionError: oops" in result.stderr
    assert "BNCC_TRACEBACK=1" in result.stderr
    monkeypatch.setenv("BNCC_TRACEBACK", "1")
    assert isinstance(raising(ZeroDivisionError("oops")).exception, ZeroDivisionError)


def test_interruption_is_code_130():
    result = raising(KeyboardInterrupt())
    assert result.exit_code == 130
    assert "Stopped" in result.stderr


def test_messages_cannot_steer_the_terminal():
    result = raising(ValueError(HOSTILE))
    assert "\x1b" not in result.stderr
    assert "[bold]x[/bold]" in result.stderr


def test_warnings_are_one_line_on_standard_error():
    def do() -> None:
        warnings.warn("look out", UserWarning, stacklevel=2)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        result = front(do)()
    assert result.stderr == "Warning: look out\n"
    assert result.stdout == ""


def test_people_scripts_and_nobody():
    def do(as_json: JsonOption = False, quiet: QuietOption = False) -> None:
        voice = Voice(as_json, quiet)
        voice.show("for people")
        voice.rows("title", ["name", "n"], [(HOSTILE, 1)])
        with voice.progress("work", 2) as begin:
            begin("a")
            begin("b")
        voice.finish({"name": HOSTILE, "missing": float("nan"), "list": (1, 2.5)})

    run = front(do)
    assert "for people" in run().stdout
    assert "\x1b" not in run().stdout
    assert "[bold]x[/bold] [/oops]" in run().stdout
    assert run("--quiet").output == ""
    script = run("--json")
    assert json.loads(script.stdout) == {"name": HOSTILE, "missing": None, "list": [1, 2.5]}
    assert script.stderr == ""


def test_printable_shows_codes():
    assert printable("a\tb\n") == "a\\tb\\n"
    assert printable("a\nb", lines=True) == "a\nb"
    assert printable("naïve 東京") == "naïve 東京"


def test_errors_name_options_and_not_arguments(fails, tmp_path):
    (tmp_path / "a.csv").write_text("x,rain,wind\n1,0,1\n2,7,0\n")
    expected = "label 'rain' must be 0/1 (or -1/1, yes/no, true/false); got '7'. Name the right"
    said = fails("analyse", "a.csv", "--labels", "rain,wind")
    assert f"{expected} label columns with `--labels`, or mend the file." in said
    assert "`--labels`" in fails("data", "convert", "a.csv", "b.csv", "--labels", "rain,wind")


STEERING = ["\x1b", "\x9b", "\u202e", "\u2066", "\u061c", "\u200b", "\U000e0041", "\udcff", "\r", "\b"]


@pytest.mark.parametrize("mark", STEERING)
def test_nothing_that_steers_a_terminal_is_shown(mark):
    shown = printable(f"a{mark}b")
    assert mark not in shown
    shown.encode()  # surrogates, as in odd names of files, could not be printed


def test_names_of_a_million_characters_are_cut(capsys):
    voice = Voice()
    voice.rows("t" * 10**6, ["h" * 10**6], [["n" * 10**6]])
    voice.show("s" * 10**6)
    assert len(capsys.readouterr().out) < 60_000


def test_a_full_disk_has_its_remedy():
    assert "make room" in _words(OSError(errno.ENOSPC, "No space left on device"))
    assert _words(ValueError("x")) == "x"


def test_json_holds_names_of_files_that_are_no_text(capsys):
    Voice(as_json=True).finish({"file": "odd\udcff.csv", "plain": "ñ"})
    out = capsys.readouterr().out
    out.encode()
    assert json.loads(out) == {"file": "odd\udcff.csv", "plain": "ñ"}
