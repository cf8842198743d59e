"""Extensions: absent is fine, broken is an error, and a checkout without any of them works."""

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import bncc
from bncc._native import load_extension, simd

SUFFIX = EXTENSION_SUFFIXES[0]
SMOKE = Path(__file__).with_name("smoke.py")
# Each extension, and the module that loads it.
EXTENSIONS = {
    "bncc.graph._cycles": "bncc.graph.cycles",
    "bncc.linear._linear": "bncc.linear.native",
    "bncc.structure._search": "bncc.structure.parent_search",
    "bncc.svm._smo": "bncc.svm.native",
}
FITS_WITHOUT_EXTENSIONS = """
import bncc
from bncc.datasets import make_scenes
from bncc.svm import choose_engine
from bncc.svm.native import extension

assert extension() is None
data = make_scenes(60, random_state=0)
model = bncc.BNCC().fit(data.X, data.Y)
print(bncc.__file__, choose_engine("cpu").name, model.order_, model.predict(data.X).tolist(), sep="|")
"""


@pytest.fixture
def package_folder(tmp_path, monkeypatch):
    """An empty package `rooms` that can be imported."""
    folder = tmp_path / "rooms"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "rooms"]:
        del sys.modules[name]


def test_an_extension_that_is_there_is_loaded(package_folder):
    (package_folder / "_fast.py").write_text("answer = 42")
    assert load_extension("rooms._fast").answer == 42


def test_one_that_was_not_built_is_none(package_folder):
    assert load_extension("rooms._fast") is None


def test_one_that_is_no_extension_raises(package_folder):
    """A truncated or foreign file, as a half-done build leaves it."""
    (package_folder / f"_fast{SUFFIX}").write_bytes(b"not a library")
    with pytest.raises(ImportError) as caught:
        load_extension("rooms._fast")
    assert not isinstance(caught.value, ModuleNotFoundError)


@pytest.mark.parametrize("line", ["raise ImportError('undefined symbol')", "import rooms._absent", "import _absent"])
def test_one_that_fails_while_it_is_loaded_raises(package_folder, line):
    (package_folder / "_fast.py").write_text(line)
    with pytest.raises(ImportError):
        load_extension("rooms._fast")


def test_a_room_that_is_not_there_raises():
    """`bncc.attic` is missing, not the extension in it."""
    with pytest.raises(ModuleNotFoundError, match="attic"):
        load_extension("bncc.attic._fast")


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_rooms_do_not_hide_a_broken_extension(extension, tmp_path):
    copy = copy_of_package(tmp_path)
    room, name = extension.split(".")[1:]
    (copy / room / f"{name}{SUFFIX}").write_bytes(b"not a library")
    done = run_in_copy(copy, f"import {EXTENSIONS[extension]}")
    assert done.returncode != 0
    assert "ImportError" in done.stderr
    assert name in done.stderr


def test_the_package_works_without_its_extensions(tmp_path):
    copy = copy_of_package(tmp_path)
    done = run_in_copy(copy, FITS_WITHOUT_EXTENSIONS)
    assert done.returncode == 0, done.stderr
    place, engine, order, predictions = done.stdout.strip().split("|")
    assert Path(place).parent == copy
    assert engine == "numpy"
    data = bncc.datasets.make_scenes(60, random_state=0)
    model = bncc.BNCC().fit(data.X, data.Y)
    assert order == str(model.order_)
    assert predictions == str(model.predict(data.X).tolist())


def test_every_extension_does_its_work():
    done = subprocess.run([sys.executable, str(SMOKE)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("\n") == [*(f"{name} works" for name in EXTENSIONS), ""]


def test_the_check_of_wheels_sees_what_is_missing_broken_or_new(tmp_path):
    copy = copy_of_package(tmp_path)
    script = f"import runpy; runpy.run_path({str(SMOKE)!r}, run_name='__main__')"
    assert "No module named 'bncc.graph._cycles'" in run_in_copy(copy, script).stderr
    (copy / "graph" / f"_cycles{SUFFIX}").write_bytes(b"not a library")
    broken = run_in_copy(copy, script)
    assert (broken.returncode, broken.stdout) == (1, "")
    assert "ImportError" in broken.stderr
    (copy / "labels" / f"_counts{SUFFIX}").touch()
    assert "must have a line per extension, ['bncc.graph._cycles', 'bncc.labels._counts'" in (
        run_in_copy(copy, script).stderr
    )


def copy_of_package(folder):
    """The package's files as a checkout has them: nothing compiled."""
    copy = folder / "src" / "bncc"
    shutil.copytree(Path(bncc.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    return copy


def run_in_copy(copy, code):
    """Run code with `PYTHONPATH=src`, and without what an editable install puts before it (it names one checkout)."""
    guard = "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in type(f).__module__]\n"
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    command = [sys.executable, "-c", guard + code]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=copy.parent)


def test_the_instruction_set_comes_from_the_environment(monkeypatch):
    monkeypatch.delenv("BNCC_SIMD", raising=False)
    assert simd() == ""
    monkeypatch.setenv("BNCC_SIMD", "baseline")
    assert simd() == "baseline"


@pytest.mark.parametrize("asked", ["mmx", "\udcff"])
def test_an_unknown_instruction_set_is_named(asked, monkeypatch):
    monkeypatch.setenv("BNCC_SIMD", asked)
    with pytest.raises(ValueError, match=r"BNCC_SIMD must name an instruction set .* got '"):
        simd()
