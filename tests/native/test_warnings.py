"""All C++ of the project without a warning, by every compiler that is installed; Clang also builds and runs it."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from native.building import HERE, build_drivers, run_drivers

nanobind = pytest.importorskip("nanobind", reason="its headers are needed to compile the extensions")

ROOMS = HERE.parents[1] / "src" / "bncc"
SOURCES = sorted([*ROOMS.glob("*/*.cpp"), *HERE.glob("*.cpp")])
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"]
AVX2 = ["-mavx2", "-mfma", "-mpopcnt"]
AVX512 = [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vpopcntdq"]


def require(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"{program} is not installed")
    return path


def check(compiler: str, source: Path, *options: str) -> None:
    # Headers of others are none of our business.
    theirs = ["-isystem", nanobind.include_dir(), "-isystem", sysconfig.get_path("include")]
    own = [f"-I{folder}" for folder in (ROOMS, *(ROOMS / room for room in ("graph", "structure", "svm", "linear")))]
    command = [require(compiler), "-std=c++17", "-fsyntax-only", *WARNINGS, *own, *theirs, *options, str(source)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    assert not run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_sources_compile_without_a_word(compiler, source):
    check(compiler, source)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize(("target", "options"), [("avx2", AVX2), ("avx512", AVX512)])
@pytest.mark.parametrize("room", ["svm", "linear"])
def test_loops_of_every_instruction_set_compile_without_a_word(compiler, target, options, room):
    check(compiler, ROOMS / room / "loops.cpp", "-DBNCC_X86_TARGETS", f"-DBNCC_TARGET={target}", *options)


@pytest.mark.slow
def test_drivers_run_when_clang_builds_them(tmp_path):
    build_drivers(tmp_path, f"-DCMAKE_CXX_COMPILER={require('clang++')}")
    run_drivers(tmp_path)


@pytest.mark.slow
def test_drivers_run_where_the_compiler_has_no_vectors(tmp_path):
    build_drivers(tmp_path, "-DCMAKE_CXX_FLAGS=-DBNCC_PLAIN_LANES")
    run_drivers(tmp_path)


def test_no_source_is_forgotten():
    assert {path.parent.name for path in SOURCES} == {"graph", "linear", "structure", "svm", "native"}
    assert {path.name for path in SOURCES} >= {"cycles.cpp", "search.cpp", "smo.cpp", "svm_driver.cpp"}
