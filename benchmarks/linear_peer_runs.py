"""Runs linear_peers.py by the Python of its own environment."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

SCRIPT = Path(__file__).with_name("linear_peers.py")
PARTS = ("data", "indices", "indptr", "shape")


def peer_versions(python):
    """Of LibMultiLabel and napkinXC, where there is an environment with them."""
    if not Path(python).exists():
        return {}
    run = subprocess.run([python, SCRIPT, "versions"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def run_peer(python, peer, X, Y, X_new, k, *kept):
    """Its answer, or why there is none; `kept` is a folder for its model."""
    if not Path(python).exists():
        return "no environment"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        matrices = {"X": X.tocsr(), "Y": Y.tocsr(), "X_new": X_new.tocsr()}
        parts = {f"{name}_{part}": getattr(m, part) for name, m in matrices.items() for part in PARTS}
        np.savez(path, k=k, **parts)
        run = subprocess.run([python, SCRIPT, peer, path, *kept], capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr.strip().splitlines()[-1][:80]
    return json.loads(run.stdout.strip().splitlines()[-1])
