"""Every compiled function with each argument replaced by something wrong: an error of Python, never a crash."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bncc._native import load_extension
from native.argument_attack import FUNCTIONS

ATTACK = Path(__file__).parent / "argument_attack.py"


@pytest.mark.parametrize("module", FUNCTIONS)
def test_no_function_of_an_extension_is_forgotten(module):
    if load_extension(module) is None:
        pytest.skip(f"{module} is not built")
    public = {name for name in vars(importlib.import_module(module)) if not name.startswith("_")}
    assert public == set(FUNCTIONS[module])


def test_wrong_arguments_are_refused_in_words():
    """In a process of its own, so that a crash is a failure with the name of the case."""
    if any(load_extension(module) is None for module in FUNCTIONS):
        pytest.skip("an extension is not built")
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-W", "ignore", str(ATTACK)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False, env=environment)
    lines = run.stdout.splitlines()
    wrong = [line for line in lines if line.startswith("WRONG")]
    assert run.returncode == 0, "\n".join(wrong or [f"exit {run.returncode} at", *lines[-1:], run.stderr])
    tried = dict(line.removeprefix("tried ").split(" of ")[::-1] for line in lines if line.startswith("tried "))
    assert set(tried) == {f"{module}.{function}" for module, names in FUNCTIONS.items() for function in names}
    assert all(int(count) > 5 for count in tried.values())
