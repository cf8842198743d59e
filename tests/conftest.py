"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

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


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the real data sets, named by BNCC_DATA; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("BNCC_DATA", _DEFAULT_DATA))
    if not folder.is_dir():
        absent(f"no real data sets at {folder}; set BNCC_DATA to the folder that holds them")
    os.environ["BNCC_DATA"] = str(folder)
    return folder
