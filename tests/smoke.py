"""Does every extension of the installed package import, and work? Run as a script, by what builds and tests wheels.

Nothing but bncc and what it needs is imported, so that it runs where a wheel has just been installed.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numpy as np

import bncc

PACKAGE = Path(bncc.__file__).parent
_LOADED = re.compile(r'load_extension\(\s*"(bncc\.[\w.]+)"')


def break_a_cycle() -> None:
    from bncc.graph import break_cycles

    assert break_cycles([(0, 1), (1, 2), (2, 0)], [0.9, 0.5, 0.7], n_nodes=3) == ((0, 1), (2, 0))


def learn_a_network() -> None:
    rows = np.random.default_rng(0).random((200, 3)) < 0.5
    rows[:, 1] = rows[:, 0]  # the second label repeats the first, the third is noise
    parents = bncc.learn_network(rows.astype(int)).parents
    assert parents[0] == (1,) or parents[1] == (0,), parents


def solve_a_machine() -> None:
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    machine = bncc.KernelSVC(kernel="linear", C=10.0, engine="native").fit(X, [0, 0, 1, 1])
    assert machine.predict([[1.5], [2.5]]).tolist() == [0, 1]


def solve_a_linear_machine() -> None:
    from bncc.linear import LinearSVC

    machine = LinearSVC(C=10.0, engine="native").fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert machine.predict([[1.5], [2.5]]).tolist() == [0, 1]


# Something that each extension does.
WORK: dict[str, Callable[[], None]] = {
    "bncc.graph._cycles": break_a_cycle,
    "bncc.linear._linear": solve_a_linear_machine,
    "bncc.structure._search": learn_a_network,
    "bncc.svm._smo": solve_a_machine,
}


def wanted() -> set[str]:
    """Extensions that the package's modules load."""
    sources = (path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py") if path.name != "_native.py")
    return {name for source in sources for name in _LOADED.findall(source)}


def shipped() -> set[str]:
    """Extensions that lie in the package's folder."""
    files = [path for path in PACKAGE.rglob("*") if path.name.endswith(tuple(EXTENSION_SUFFIXES))]
    return {".".join((*path.relative_to(PACKAGE.parent).parent.parts, path.name.split(".")[0])) for path in files}


def main() -> None:
    known = wanted() | shipped()
    if known != set(WORK):
        sys.exit(f"`WORK` must have a line per extension, {sorted(known)}; got {sorted(WORK)}. Say what it does there.")
    for name, work in WORK.items():
        importlib.import_module(name)
        work()
        print(f"{name} works")


if __name__ == "__main__":
    main()
