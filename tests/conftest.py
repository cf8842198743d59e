"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from absence import ROOT, absent

_DEFAULT_DATA = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the real data sets, named by BNCC_DATA; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("BNCC_DATA", _DEFAULT_DATA))
    if not folder.is_dir():
        absent(f"no real data sets at {folder}; set BNCC_DATA to the folder that holds them")
    os.environ["BNCC_DATA"] = str(folder)
    return folder
