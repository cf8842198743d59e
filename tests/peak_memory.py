"""The most memory that a process has held, and processes of their own to measure it in."""

import os
import re
import subprocess
import sys
from pathlib import Path


def peak():
    """Bytes that this process has held at most.

    What `resource` tells of a new process begins with the peak of the one that started it, which has run other tests.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1])
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def printed_alone(code, *arguments):
    """What code prints in a process of its own, which may import what lies beside this file."""
    paths = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
