"""Settings travel as one record: no function of the kernel engine takes a dozen loose keywords."""

import ast
from pathlib import Path

import pytest

import bncc.svm

MOST = 8
FILES = sorted(Path(bncc.svm.__file__).parent.rglob("*.py"))


def signatures(tree):
    """Name and number of parameters of every function, constructors excepted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "__init__":
            given = node.args
            named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            yield node.name, len(named) + (given.vararg is not None) + (given.kwarg is not None)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_function_takes_more_than_eight(file):
    many = [(name, n) for name, n in signatures(ast.parse(file.read_text("utf-8"))) if n > MOST]
    assert not many


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_no_loose_options_travel(file):
    assert "options: dict[str, Any]" not in file.read_text("utf-8")


def test_only_the_chooser_knows_engines_by_name():
    known = {"engines.py", "engine_numpy.py", "engine_native.py", "engine.py"}
    root = Path(bncc.__file__).parent
    for file in root.rglob("*.py"):
        if file.name in known and file.parent.name in ("svm", "cuda", "linear"):
            continue
        tree = ast.parse(file.read_text("utf-8"))
        compared = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Compare)
            for side in (node.left, *node.comparators)
            if isinstance(side, ast.Constant) and side.value in ("cuda", "native", "numpy")
        ]
        assert not compared, f"{file.relative_to(root)}:{compared[0].lineno}"
