"""The Python suites on extensions that were built with sanitizers and with every index asserted.

Run as a script (``make test-sanitizers``) for all suites of the rooms with compiled code; the slow suite runs a part.
The extensions are built into a folder of their own, beside a copy of the package, which goes before the installed one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SANITIZERS = {"address,undefined": "libasan.so", "thread": "libtsan.so"}
SUITES = ("tests/svm", "tests/structure", "tests/graph", "tests/linear", "tests/native/test_arguments.py")
#: Tests that look at memory, limits of the process or the clock, which sanitizers change; or at what is installed.
NOT_HERE = (
    "not memory and not budget and not seconds and not fast and not interrupt and not threads_run_out and not gpu"
)

_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",  # the interpreter leaks by design
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:report_signal_unsafe=0:allocator_may_return_null=1",
}
# Takes the finder of an editable install out of the way: the copy beside this file is meant.
_FIRST = """
import sys
sys.meta_path = [each for each in sys.meta_path if not type(each).__module__.startswith("_editable_skbc")]
"""


def missing(sanitizers: str) -> str:
    """What is not here that building and running need; "" if nothing."""
    for program in ("cmake", "gcc"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    return "" if _library(SANITIZERS[sanitizers]).is_file() else f"this compiler has no {SANITIZERS[sanitizers]}"


def _library(name: str) -> Path:
    command = ["gcc", f"-print-file-name={name}"]
    return Path(subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()).resolve()


def _preloaded(sanitizers: str) -> str:
    """Both from the start: the sanitizer's library looks for what throws exceptions when it is loaded."""
    return f"{_library(SANITIZERS[sanitizers])} {_library('libstdc++.so.6')}"


def build(folder: Path, sanitizers: str) -> None:
    """Put a copy of the package into the folder, its extensions built with these sanitizers."""
    import nanobind

    shutil.copytree(ROOT / "src" / "bncc", folder / "bncc", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    (folder / "sitecustomize.py").write_text(_FIRST)
    options = [f"-DSANITIZE={sanitizers}", "-DBNCC_CHECKED=ON", "-DCMAKE_BUILD_TYPE=Debug"]
    python = [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.cmake_dir()}"]
    made = str(folder / "build")
    for command in (
        ["cmake", "-S", str(ROOT), "-B", made, *options, *python],
        ["cmake", "--build", made, "--parallel", "2"],
        ["cmake", "--install", made, "--prefix", str(folder)],
    ):
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1500)
        if run.returncode:
            raise RuntimeError(run.stdout + run.stderr)


def run_suites(folder: Path, sanitizers: str, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run pytest on the package in the folder."""
    environment = os.environ | _OPTIONS | {
        "LD_PRELOAD": _preloaded(sanitizers), "PYTHONPATH": str(folder), "PYTHONMALLOC": "malloc",
        "OPENBLAS_NUM_THREADS": "1", "BNCC_SANITIZED": sanitizers,
    }  # fmt: skip
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:doctest", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=3000)


def main() -> int:
    """All suites under all sanitizers; the exit code says whether anything was found."""
    failed = 0
    for sanitizers in SANITIZERS:
        if reason := missing(sanitizers):
            print(f"{sanitizers}: {reason}")
            continue
        with tempfile.TemporaryDirectory() as name:
            begin = time.monotonic()
            build(Path(name), sanitizers)
            built = time.monotonic()
            run = run_suites(
                Path(name),
                sanitizers,
                ["-o", "addopts=--import-mode=importlib", "-m", "not slow", "-n", "2", "-k", NOT_HERE, *SUITES],
            )
            failed |= run.returncode
            if run.returncode:
                print(run.stdout[-6000:], run.stderr[-6000:])
            last = run.stdout.strip().splitlines()[-1:]
            print(f"{sanitizers}: built in {built - begin:.0f} s, run in {time.monotonic() - built:.0f} s: {last}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
