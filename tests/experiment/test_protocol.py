"""Records of protocols: what a store keeps of them, and gets back."""

import json
from dataclasses import asdict

import pytest

pytest.importorskip("pydantic")

from bncc.experiment import load_protocol
from bncc.experiment.protocol import plain, restore_protocol
from bncc.experiment.protocol_file import read_protocol

SMALL = {"datasets": ["flags"], "methods": {"BR": {"estimator": "BinaryRelevance"}}}


def test_protocols_survive_json(write_protocol):
    for source in ("paper", "paper-readings", "ours", "quick", "beyond", "mediamill", "sensitivity", write_protocol()):
        protocol = load_protocol(source)
        assert protocol.text
        assert restore_protocol(json.loads(json.dumps(plain(asdict(protocol))))) == protocol


def test_settings_leave_out_what_may_grow():
    one = read_protocol(SMALL)
    more = read_protocol(SMALL | {"datasets": ["flags", "yeast"], "folds": {"repeats": 7}, "engine": "cpu"})
    assert one.settings() == more.settings()
    assert one.settings() != read_protocol(SMALL | {"seed": 1}).settings()
