"""How long the package and its command line take to answer when they have nothing to compute.

    python benchmarks/bench_start.py [--record]

Every line is a process of its own. The yardstick is ``import typer``, below which no command line of Typer can be;
`estimator` is what every line took when the package loaded all its names at once.
"""

from __future__ import annotations

import os
import subprocess
import sys

from harness import best_of, finish

IMPORTS = {
    "python": "pass",
    "typer": "import typer",
    "import bncc": "import bncc",
    "estimator": "import bncc; bncc.BNCC",
}
COMMANDS = {
    "bncc --version": "--version",
    "bncc --help": "--help",
    "bncc fit --help": "fit --help",
    "bncc evaluate --help": "evaluate --help",
    "usage error": "fit x.csv --no-such",
}
COMPLETION = {"_BNCC_COMPLETE": "complete_bash", "COMP_WORDS": "bncc fit yea", "COMP_CWORD": "2"}


def seconds(*arguments: str, **variables: str) -> float:
    """Least seconds of some runs of a process."""
    command = [sys.executable, *arguments]
    return best_of(lambda: subprocess.run(command, env={**os.environ, **variables}, capture_output=True), repeats=7)[0]


if __name__ == "__main__":
    found = {name: seconds("-c", code) for name, code in IMPORTS.items()}
    found |= {name: seconds("-m", "bncc", *words.split()) for name, words in COMMANDS.items()}
    found["completion"] = seconds("-m", "bncc", **COMPLETION)
    rows = [
        {"what": name, "seconds": round(took, 3), "times_typer": round(took / found["typer"], 2)}
        for name, took in found.items()
    ]
    finish("start", rows)
