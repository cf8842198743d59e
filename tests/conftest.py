"""Fixtures shared by all tests."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from absence import ROOT, absent

_DEFAULT_DATA = ROOT.parent / "shared" / "data"

# Properties hold on a busy machine, too: no example has to be drawn or done by a certain time.
settings.register_profile("no deadline", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no deadline")

# A shell starts what it runs in the background without Ctrl-C, and that is inherited: processes that tests interrupt
# would never end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def benchmark_script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """Imports a script of the folder `benchmarks` by its name; these are forgotten after the test."""
    folder = ROOT / "benchmarks"
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("BNCC_DATA", os.environ.get("BNCC_DATA", ""))  # which the scripts would set for good
    yield importlib.import_module
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").parent == folder:
            del sys.modules[name]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the real data sets, named by BNCC_DATA; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("BNCC_DATA", _DEFAULT_DATA))
    if not folder.is_dir():
        absent(f"no real data sets at {folder}; set BNCC_DATA to the folder that holds them")
    os.environ["BNCC_DATA"] = str(folder)
    return folder
