"""The front door: help, version, completion, what is missing, and being interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bncc as package
from bncc._interrupt import STOPPED, stop_at_once

COMMANDS = ["demo", "analyse", "fit", "predict", "explain", "evaluate", "experiment", "data"]


def test_help_lists_every_command_with_examples(bncc):
    shown = bncc("--help").stdout
    for command in COMMANDS:
        assert f"{command} " in shown
    assert "First steps" in shown


@pytest.mark.parametrize("command", ["analyse", "fit", "predict", "explain", "evaluate"])
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
        ("bncc experiment run qui", "quick"),
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


def test_a_page_is_written_even_if_nobody_reads_the_text(tmp_path, weather):
    page = tmp_path / "labels.html"
    command = (
        f"{sys.executable} -m bncc analyse {weather} --labels rain,wind --drop id --drop note --page {page} | true"
    )
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert page.exists(), done.stderr
    assert "rain" in page.read_text(encoding="utf-8")


def test_help_has_a_short_name():
    from typer.testing import CliRunner

    from bncc.cli import app

    for command in ([], ["fit"], ["experiment", "run"]):
        short, long = (CliRunner().invoke(app, [*command, name]) for name in ("-h", "--help"))
        assert short.exit_code == 0
        assert short.stdout == long.stdout


READY = """
import sys
import bncc.evaluation as evaluation
import bncc.evaluation.comparing as comparing
from bncc.__main__ import main
{patch}
sys.argv = ["bncc", *sys.argv[1:]]
main()
"""
WHILE_LEARNING = """
def announce(function):
    def wrapped(*args, **options):
        print("ready", file=sys.__stderr__, flush=True)  # not at the pace of a log
        return function(*args, **options)
    return wrapped
evaluation.build_pipeline = comparing.build_pipeline = announce(comparing.build_pipeline)
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
    # Progress in a log comes first.
    assert any(line == "ready\n" for line in process.stderr)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert output == ""
    assert "Stopped" in errors
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


WHILE_WRITING = """
import os, signal, zipfile
whole = zipfile.ZipFile.writestr
def interrupted(self, *arguments, **options):
    whole(self, *arguments, **options)
    os.kill(os.getpid(), signal.SIGINT)
zipfile.ZipFile.writestr = interrupted
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


NOT_RAISED_BY_A_SIGNAL = """
import sys
from bncc.__main__ import main
class Interrupt:
    def find_spec(self, name, *_):
        if name == "bncc.cli":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
main()
"""


def test_ctrl_c_before_a_command_is_known_shows_no_traceback():
    done = subprocess.run([sys.executable, "-c", NOT_RAISED_BY_A_SIGNAL], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{STOPPED}\n")


# Before `stop_at_once` is called, some 20 ms after the process began, Ctrl-C is Python's: it shows a traceback.
# After `main`, while Python takes itself down, it ends the process silently, by the signal; all is written by then.
FROM_THE_FIRST_MOMENT = """
import sys
import bncc.__main__ as front
at_once, front.stop_at_once = front.stop_at_once, lambda: (at_once(), print("ready", flush=True))
sys.argv = ["bncc", *sys.argv[1:]]
front.main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("delay", [0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 2.5, 3.0])
def test_ctrl_c_at_any_moment_is_one_line_and_code_130(delay, tmp_path):
    """The command line is loaded, then scikit-learn, then folds are run for longer than this test waits."""
    command = [sys.executable, "-c", FROM_THE_FIRST_MOMENT, "demo", "--rows", "4000", "--folds", "50", "--quiet"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (130, f"{STOPPED}\n")
    assert list(tmp_path.iterdir()) == []


# Python runs this before all else, whichever door is taken; the front door looks for `bncc.cli` when it is ready.
SAYS_WHEN_IT_IS_READY = """
import sys
class Announce:
    def find_spec(self, name, *_):
        if name == "bncc.cli":
            print("ready", flush=True)
sys.meta_path.insert(0, Announce())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("command", [[sys.executable, "-m", "bncc"], [str(Path(sys.executable).with_name("bncc"))]])
@pytest.mark.parametrize("delay", [0, 1])
def test_ctrl_c_reaches_every_front_door(command, delay, tmp_path):
    if not Path(command[0]).exists():
        pytest.skip("the console script is not installed beside Python")
    (tmp_path / "sitecustomize.py").write_text(SAYS_WHEN_IT_IS_READY)
    paths = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    words = [*command, "demo", "--rows", "4000", "--folds", "50", "--quiet"]  # no progress, however fast the machine is
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths}, **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (130, f"{STOPPED}\n")


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("module", ["typer", "numpy", "scipy.sparse", "sklearn.base", "sklearn.svm", "pandas"])
def test_ctrl_c_while_a_module_is_loaded_is_one_line_and_code_130(module, tmp_path):
    code = """
import os, signal, sys
from bncc.__main__ import main
class Interrupt:
    def find_spec(self, name, *_):
        if name == sys.argv[-1]:
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except BaseException as error:
                raise ImportError("as compiled modules do") from error
sys.meta_path.insert(0, Interrupt())
sys.argv = ["bncc", "analyse", "absent.csv", "--page", "a.html", "--drop", sys.argv[-1]]
main()
"""
    command = [sys.executable, "-c", code, module]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", f"{STOPPED}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--page", "a.txt"],
        ["analyse", "absent.csv"],
        ["fit", "absent.csv", "-o", "m"],
        ["predict", "absent", "absent.csv", "-o", "a.csv"],
        ["evaluate", "absent.csv"],
        ["experiment", "run", "quick", "-s", "absent/s.sqlite"],
        ["experiment", "report", "absent"],
        ["experiment", "reproduction", "absent"],
        ["data", "list"],
        ["data", "info", "absent.csv"],
        ["data", "fetch", "yeast", "-o", "a.txt"],
        ["data", "convert", "absent.csv", "b.csv"],
    ],
)
def test_every_command_says_when_its_work_begins(arguments, bncc):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        stop_at_once()
        bncc(*arguments, code=0 if arguments[1] == "list" else 2)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


LOADED = """
import sys
from bncc.__main__ import main
sys.argv = ["bncc", *sys.argv[1:]]
try:
    main()
finally:
    heavy = {"numpy", "scipy", "sklearn", "pandas", "bncc.datasets"}
    print(*sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("arguments", "complete"),
    [
        ("--help", ""),
        ("--version", ""),
        ("--show-completion", ""),
        *((f"{command} --help", "") for command in COMMANDS),
        ("experiment run --help", ""),
        ("data fetch --help", ""),
        ("fit absent.csv --no-such", ""),
        ("analise", ""),
        ("", "bncc ev"),
        ("", "bncc fit yea"),
        ("", "bncc evaluate x --methods br,re"),
        ("", "bncc evaluate x --metric mi"),
        ("", "bncc analyse x --score b"),
        ("", "bncc data fetch sce"),
    ],
)
def test_what_needs_no_data_loads_nothing_heavy(arguments, complete):
    variables = {"_BNCC_COMPLETE": "complete_bash", "COMP_WORDS": complete, "COMP_CWORD": f"{complete.count(' ')}"}
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments.split()],
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", **(variables if complete else {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.splitlines()[-1] == ""
    assert done.stdout if done.returncode == 0 else done.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs a device that is always full")
@pytest.mark.parametrize("where", [">&-", ">/dev/full"])
def test_a_standard_output_that_takes_nothing_is_no_fault_of_ours(where):
    command = f"{sys.executable} -m bncc data list --json {where}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "fault of bncc" not in done.stderr
