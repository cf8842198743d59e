"""What the package offers exists, is documented, and is listed once."""

import importlib

import pytest

ROOMS = [
    "bncc",
    "bncc.svm",
    "bncc.multilabel",
    "bncc.labels",
    "bncc.graph",
    "bncc.structure",
    "bncc.metrics",
    "bncc.datasets",
    "bncc.analysis",
    "bncc.analysis.figures",
    "bncc.analysis.page",
]


@pytest.mark.parametrize("room", ROOMS)
def test_all_is_honest(room):
    module = importlib.import_module(room)
    names = module.__all__
    assert len(set(names)) == len(names)
    for name in names:
        member = getattr(module, name)
        assert member is not None
        if callable(member):
            assert member.__doc__, f"{room}.{name} has no docstring"


def test_bare_import_is_light():
    """Importing the package pulls in no plotting, graph or command-line package."""
    import subprocess
    import sys

    code = "import bncc, sys; print(sorted({'matplotlib', 'typer', 'networkx'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
