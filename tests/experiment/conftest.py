"""A small study on drawn data, in a folder of its own."""

from __future__ import annotations

import pytest

from bncc.datasets import make_scenes, save
from bncc.experiment import load_protocol
from studies import PROTOCOL


@pytest.fixture
def write_protocol(tmp_path):
    """Write two data sets and a protocol; returns the protocol's path."""
    for name, seed in (("first", 0), ("second", 1)):
        data = make_scenes(60, noise=2.0, random_state=seed)
        save(data, tmp_path / f"{name}.csv")

    def write(mode="nested", repeats=2, extra="", replace=()):
        text = PROTOCOL.format(mode=mode, repeats=repeats, extra=extra)
        for old, new in replace:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "study.toml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def protocol(write_protocol):
    return load_protocol(write_protocol())
