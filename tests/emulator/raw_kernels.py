"""As much of CuPy as the linear engine uses, on the CPU: NumPy, and raw kernels that run thread by thread."""

from __future__ import annotations

import ctypes
import re
from types import SimpleNamespace
from typing import Any

import numpy as np

from emulator import compile_code

_KINDS = {"long long": ctypes.c_longlong, "int": ctypes.c_int, "unsigned": ctypes.c_uint}
_REALS = {"float": ctypes.c_float, "double": ctypes.c_double}


class RawModule:
    """Kernels with plain arguments, compiled for the CPU."""

    def __init__(self, code: str, options: tuple[str, ...]) -> None:
        self.code, self.options = code, options

    def get_function(self, name: str) -> Any:
        """The kernel as a function of grid, block and arguments."""
        real = next(option for option in self.options if option.startswith("-DREAL=")).split("=")[1]
        listed = re.search(rf"__global__ void {name}\((.*?)\)", self.code, re.S).group(1)
        types = [" ".join(part.split()[:-1]) for part in listed.split(",")]
        library = compile_code(self.code + _driver(name, types), self.options)
        kinds = [ctypes.c_void_p if "*" in kind else {**_KINDS, "REAL": _REALS[real]}[kind] for kind in types]

        def launch(grid: tuple[int, ...], block: tuple[int, ...], arguments: tuple[Any, ...]) -> None:
            assert len(arguments) == len(kinds)
            given = [_pass(kind, argument) for kind, argument in zip(kinds, arguments, strict=True)]
            library.launch_raw(*(*grid, 1)[:2], *(*block, 1)[:2], *given)

        return launch


def _driver(name: str, types: list[str]) -> str:
    held = "".join(f"static {kind} held_{k};\n" for k, kind in enumerate(types))
    taken = ", ".join(f"{kind} given_{k}" for k, kind in enumerate(types))
    stored = " ".join(f"held_{k} = given_{k};" for k in range(len(types)))
    handed = ", ".join(f"held_{k}" for k in range(len(types)))
    return f"""
{held}
extern "C" void launch_raw(int columns, int lines, int x, int y, {taken}) {{
  {stored}
  emulator::body = [](const void*) {{ {name}({handed}); }};
  emulator::grid_size.x = columns, emulator::grid_size.y = lines;
  emulator::block_size.x = x, emulator::block_size.y = y;
  for (int line = 0; line < lines; ++line) {{
    emulator::block.y = line;
    for (int column = 0; column < columns; ++column) emulator::run_block(column, x, y);
  }}
}}
"""


def _pass(kind: Any, argument: Any) -> Any:
    if kind is not ctypes.c_void_p:
        return kind(argument.item())
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous, "kernels read rows one after the other"
        return kind(argument.ctypes.data)
    return kind(int(argument))


class EmulatedCupy:
    """NumPy under CuPy's names."""

    RawModule = RawModule
    cuda = SimpleNamespace(runtime=SimpleNamespace(memGetInfo=lambda: (1 << 28, 1 << 28)))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def asnumpy(self, array: Any) -> Any:
        return np.array(array)

    def get_default_memory_pool(self) -> Any:
        return SimpleNamespace(free_bytes=lambda: 0, get_limit=lambda: 0, used_bytes=lambda: 0)
