"""The C++ of the kernel engine under the address, undefined-behaviour and thread sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def build(folder: Path, sanitizers: str) -> Path:
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    configure = ["cmake", "-S", str(HERE), "-B", str(folder), f"-DSANITIZE={sanitizers}", "-DCMAKE_BUILD_TYPE=Debug"]
    for command in (configure, ["cmake", "--build", str(folder), "--parallel", "2"]):
        run = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
        if run.returncode and "fsanitize" in run.stdout + run.stderr:
            pytest.skip(f"this compiler lacks -fsanitize={sanitizers}")
        assert run.returncode == 0, run.stdout + run.stderr
    return folder / "svm_driver"


@pytest.mark.slow
@pytest.mark.parametrize("sanitizers", ["", "address,undefined", "thread"])
def test_the_native_engine_is_clean(sanitizers, tmp_path):
    driver = build(tmp_path, sanitizers)
    run = subprocess.run([str(driver)], capture_output=True, text=True, timeout=500, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.endswith("ok\n")
