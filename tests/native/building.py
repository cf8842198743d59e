"""Building the drivers: the compiled code without Python."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
DRIVERS = ("pool_driver", "crew_driver", "graph_driver", "search_driver", "svm_driver", "linear_driver")


def build_drivers(folder: Path, *options: str) -> None:
    """Configures with CMake's options and builds all drivers into the folder; skips where it cannot."""
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    configure = ["cmake", "-S", str(HERE), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Debug", *options]
    for command in (configure, ["cmake", "--build", str(folder), "--parallel", "2"]):
        run = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
        if run.returncode and "fsanitize" in run.stdout + run.stderr:
            pytest.skip(f"this compiler lacks what {options} ask for")
        assert run.returncode == 0, run.stdout + run.stderr


def run_drivers(folder: Path) -> None:
    for driver in DRIVERS:
        run = subprocess.run([str(folder / driver)], capture_output=True, text=True, timeout=500, check=False)
        assert run.returncode == 0, driver + run.stdout + run.stderr
        assert run.stdout.endswith("ok\n")
