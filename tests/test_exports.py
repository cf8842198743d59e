"""What the package offers exists, is documented, and is listed once."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import bncc

ROOMS = [
    "bncc",
    "bncc.svm",
    "bncc.linear",
    "bncc.multilabel",
    "bncc.labels",
    "bncc.graph",
    "bncc.structure",
    "bncc.metrics",
    "bncc.datasets",
    "bncc.tables",
    "bncc.evaluation",
    "bncc.experiment",
    "bncc.analysis",
    "bncc.analysis.figures",
    "bncc.analysis.page",
    "bncc.analysis.quality",
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


def printed(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_bare_import_is_light():
    """Importing the package pulls in none of those that take long to load, or may be absent."""
    heavy = {"numpy", "scipy", "sklearn", "pandas", "matplotlib", "typer", "networkx", "typing"}
    assert printed(f"import bncc, sys; print(sorted({heavy} & set(sys.modules)))") == "[]"


def declared():
    """What the package says to type checkers: the room of every name."""
    (block,) = [
        node
        for node in ast.parse(Path(bncc.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {name.name: line.module for line in block.body for name in line.names if line.module != "bncc"}


def test_names_are_loaded_from_where_type_checkers_believe():
    assert sorted([*declared(), "__version__"]) == sorted(bncc.__all__)
    for name, room in declared().items():
        assert getattr(bncc, name) is getattr(importlib.import_module(room), name)


def test_every_room_is_an_attribute():
    folder = Path(bncc.__file__).parent
    rooms = {path.parent.name for path in folder.glob("*/__init__.py")} - {"cli"}
    assert rooms <= set(dir(bncc))
    code = f"import bncc; print(*(getattr(bncc, room).__name__ for room in {sorted(rooms)}))"
    assert printed(code).split() == [f"bncc.{room}" for room in sorted(rooms)]


@pytest.mark.parametrize(
    "code",
    [
        "from bncc import *; print(BNCC.__name__, KernelSVC.__module__, learn_network.__name__, __version__)",
        "from bncc import BNCC, KernelSVC, learn_network as f, __version__ as v; "
        "print(BNCC.__name__, KernelSVC.__module__, f.__name__, v)",
        "import bncc as b; print(b.BNCC.__name__, b.KernelSVC.__module__, b.learn_network.__name__, b.__version__)",
        "import pickle; print(pickle.loads(b'cbncc\\nBNCC\\n.').__name__, "
        "pickle.loads(b'cbncc\\nKernelSVC\\n.').__module__, 'learn_network', pickle.loads(b'cbncc\\n__version__\\n.'))",
    ],
)
def test_every_way_of_importing_works_in_a_fresh_process(code):
    assert printed(code) == f"BNCC bncc.svm.classifier learn_network {bncc.__version__}"


def test_unknown_names_are_told_and_known_ones_listed():
    with pytest.raises(AttributeError, match="module 'bncc' has no attribute 'BNC'"):
        bncc.BNC  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'BNC'"):
        exec("from bncc import BNC")
    assert set(bncc.__all__) <= set(dir(bncc))
    assert not hasattr(bncc, "__wrapped__")
    assert set(bncc.__all__) <= set(printed("import bncc; print(*dir(bncc))").split())
