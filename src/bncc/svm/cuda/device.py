"""The one place that touches CuPy: finding a device, compiling the kernels, launching and waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from bncc._cuda import free_memory, missing
from bncc._typing import Array

__all__ = ["CupyDevice", "Device", "DeviceArray", "Fields", "Variant", "current_device", "missing", "run_kernels"]

#: An array on the device; CuPy tells type checkers nothing of it.
DeviceArray: TypeAlias = Any
#: Fields of a task by name: arrays of the device and numbers.
Fields: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Variant:
    """A way to compile the solver: threads per problem, rows that each of them holds, problems that share a block."""

    threads: int
    elements: int
    pack: int = 1
    blocks: int = 1

    @property
    def capacity(self) -> int:
        """Rows that registers hold; larger problems are solved by parts of that size."""
        return self.threads * self.elements


class Device(Protocol):
    """What the engine needs of a device."""

    xp: Any

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def variants(self) -> tuple[Variant, ...]:
        """Ways to compile the solver, by capacity."""

    def free_memory(self) -> int:
        """Bytes that can still be had."""

    def upload(self, array: Array) -> DeviceArray:
        """A copy on the device."""

    def download(self, array: DeviceArray) -> Array:
        """A copy in main memory."""

    def address(self, array: DeviceArray) -> int:
        """Where an array of the device begins."""

    def mapped(self, size: int, dtype: DTypeLike) -> tuple[Array, int]:
        """Zeros that both sides see at once, and their address."""

    def launch(
        self,
        source: str,
        kernel: str,
        defines: dict[str, int],
        grid: int,
        block: tuple[int, int],
        task: DeviceArray,
        shared: int = 0,
    ) -> None:
        """Start a kernel on a task; kernels started one after the other may run at the same time."""

    def wait(self, poll: Callable[[], None]) -> None:
        """Return when all kernels that this thread has started are at an end; poll about twenty times a second."""


def run_kernels(device: Device, start: Callable[[int], None], poll: Callable[[], object]) -> None:
    """Start kernels and return when all have ended, whatever is raised meanwhile: their memory goes with the caller.

    `start` gets the address of a number that is not 0 from when `start` or `poll` raise, or Ctrl-C comes: kernels look
    there whether to end early. What was raised goes on when they have ended.
    """
    stop, address = device.mapped(1, np.int32)
    failure: list[BaseException] = []

    def fail(error: BaseException) -> None:
        failure.append(error)
        stop[0] = 1

    def watch() -> None:
        if not failure:
            try:
                poll()
            except BaseException as error:  # also KeyboardInterrupt
                fail(error)

    started = False
    while True:
        try:
            if not started:
                started = True
                start(address)
            device.wait(watch)
            break
        except BaseException as error:
            if failure and isinstance(error, Exception):
                raise failure.pop() from error  # a device that cannot be waited for runs nothing
            if not failure:
                fail(error)
    if failure:
        raise failure.pop()  # and keep it in no list, which its traceback would hold and with it the caller's arrays


_device: Device | None = None


def current_device() -> Device:
    """The device of this process.

    Raises
    ------
    ImportError
        If there is none, saying what is missing.
    """
    global _device
    if _device is None:
        if reason := missing():
            raise ImportError(f"The CUDA engine cannot run here: {reason} Or use engine='cpu'.")
        _device = CupyDevice()
    return _device


class CupyDevice:
    """The current CUDA device, through CuPy."""

    # Measured on an H200 (benchmarks/bench_cuda.py): few blocks with many registers beat many blocks that spill.
    variants = (
        Variant(32, 3, pack=4, blocks=5),
        Variant(32, 9, pack=4, blocks=4),
        Variant(128, 6, blocks=5),
        Variant(128, 9, blocks=4),
        Variant(256, 9, blocks=2),
        Variant(512, 9, blocks=1),
        Variant(512, 14, blocks=1),
    )

    def __init__(self) -> None:
        self.xp = import_module("cupy")
        properties = self.xp.cuda.runtime.getDeviceProperties(self.xp.cuda.Device().id)
        self.name = properties["name"].decode()
        self._kernels: dict[tuple[Any, ...], Any] = {}
        self._threads = threading.local()

    @property
    def _running(self) -> list[tuple[Any, Any]]:
        """Streams of kernels that this thread has started and not waited for, each with what must live as long."""
        if not hasattr(self._threads, "running"):
            self._threads.running = []
        running: list[tuple[Any, Any]] = self._threads.running
        return running

    def free_memory(self) -> int:
        """Bytes that can still be had, counting what CuPy holds without use, within CuPy's own limit if it has one."""
        return free_memory(self.xp)

    def upload(self, array: Array) -> DeviceArray:
        """A copy on the device."""
        return self.xp.asarray(np.ascontiguousarray(array))

    def download(self, array: DeviceArray) -> Array:
        """A copy in main memory."""
        return self.xp.asnumpy(array)

    def address(self, array: DeviceArray) -> int:
        """Where an array of the device begins."""
        return int(array.data.ptr)

    def mapped(self, size: int, dtype: DTypeLike) -> tuple[Array, int]:
        """Page-locked zeros, which kernels read and write in place."""
        memory = self.xp.cuda.alloc_pinned_memory(max(1, size * np.dtype(dtype).itemsize))
        array = np.frombuffer(memory, dtype, size)
        array[:] = 0
        return array, int(memory.ptr)

    def launch(
        self,
        source: str,
        kernel: str,
        defines: dict[str, int],
        grid: int,
        block: tuple[int, int],
        task: DeviceArray,
        shared: int = 0,
    ) -> None:
        """Start a kernel in a stream of its own, after all that was asked of the device before."""
        function = self._compiled(source, kernel, tuple(sorted(defines.items())))
        if shared > 48 << 10:
            function.max_dynamic_shared_size_bytes = shared
        ready = self.xp.cuda.Event(disable_timing=True)
        ready.record()
        stream = self.xp.cuda.Stream(non_blocking=True)
        stream.wait_event(ready)
        # Before the kernel starts: whatever interrupts the lines below, `wait` knows of it.
        self._running.append((stream, task))
        with stream:
            function((grid,), block, (task,), shared_mem=shared)
            ended = self.xp.cuda.Event(disable_timing=True)
            ended.record()
        self.xp.cuda.get_current_stream().wait_event(ended)

    def wait(self, poll: Callable[[], None]) -> None:
        """Poll until every kernel has ended."""
        last, running = time.monotonic(), self._running
        while not all(stream.done for stream, _ in running):
            time.sleep(2e-4)
            if time.monotonic() - last > 0.05:
                poll()
                last = time.monotonic()
        self.xp.cuda.get_current_stream().synchronize()
        running.clear()
        poll()

    def _compiled(self, source: str, kernel: str, defines: tuple[tuple[str, int], ...]) -> Any:
        key = (kernel, defines)
        if key not in self._kernels:
            options = ("-std=c++17", *(f"-D{name}={value}" for name, value in defines))
            self._kernels[key] = self.xp.RawModule(code=source, options=options).get_function(kernel)
        return self._kernels[key]
