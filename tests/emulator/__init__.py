"""A device for the CUDA engine that runs its code on the CPU: the same source, the same host code, no GPU."""

from __future__ import annotations

import ctypes
import getpass
import hashlib
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bncc.svm.cuda.device import Variant

_HERE = Path(__file__).parent
_BUILT = Path(tempfile.gettempdir()) / f"bncc-emulator-{getpass.getuser()}"
_DRIVER = """
extern "C" void launch(const void* task, int grid, int x, int y) {
  emulator::argument = task;
  emulator::body = [](const void* given) { KERNEL(static_cast<const Task*>(given)); };
  for (int block = 0; block < grid; ++block) emulator::run_block(block, x, y);
}
"""


class EmulatedDevice:
    """Small blocks, so that small problems reach every path: up to 32 rows share blocks, above 192 go by parts."""

    name = "emulated"
    xp: Any = np
    variants = (Variant(32, 1, pack=2), Variant(64, 3))

    def free_memory(self) -> int:
        return 1 << 30

    def upload(self, array: Any) -> Any:
        return np.ascontiguousarray(array)

    def download(self, array: Any) -> Any:
        return array

    def address(self, array: Any) -> int:
        return array.ctypes.data

    def mapped(self, shape: int, dtype: Any) -> tuple[Any, int]:
        array = np.zeros(shape, dtype)
        return array, array.ctypes.data

    def launch(
        self,
        source: str,
        kernel: str,
        defines: dict[str, int],
        grid: int,
        block: tuple[int, int],
        task: Any,
        shared: int = 0,
    ) -> None:
        assert shared <= 4 << 14
        library = _library(source, kernel, tuple(sorted(defines.items())))
        library.launch(ctypes.c_void_p(task.ctypes.data), grid, *block)

    def wait(self, poll: Any) -> None:
        poll()


@cache
def _library(source: str, kernel: str, defines: tuple[tuple[str, int], ...]) -> ctypes.CDLL:
    source = re.sub(r"extern __shared__ (\w+) (\w+)\[\];", r"\1* \2 = (\1*)emulator::dynamic_shared;", source)
    options = tuple(f"-D{name}={value}" for name, value in defines)
    return compile_code(f"#define KERNEL {kernel}\n{source}\n{_DRIVER}", options)


@cache
def compile_code(source: str, options: tuple[str, ...]) -> ctypes.CDLL:
    """Device code as a library for the CPU, kept from one run to the next."""
    code = f"{(_HERE / 'emulator.hpp').read_text()}\n{source}"
    flags = ["-std=c++17", "-O2", "-Wno-unknown-pragmas", *options]
    target = _BUILT / (hashlib.sha256(repr((code, flags)).encode()).hexdigest()[:24] + ".so")
    if not target.exists():
        _BUILT.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_BUILT) as folder:
            place = Path(folder) / "device.cpp"
            place.write_text(code)
            built = place.with_suffix(".so")
            subprocess.run(["g++", "-shared", "-fPIC", *flags, str(place), "-o", str(built)], check=True)
            os.replace(built, target)
    return ctypes.CDLL(str(target))
