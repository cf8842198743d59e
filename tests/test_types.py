import ast
from collections.abc import Iterator
from pathlib import Path

import bncc

# Signatures say what they take. Lower this bound whenever the count falls; it never rises.
MOST = 279


def annotations(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    written = [parameter.annotation for parameter in parameters if parameter is not None]
    yield from (annotation for annotation in (*written, function.returns) if annotation is not None)


def count_any(source: str) -> int:
    functions = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    nodes = [node for function in functions for written in annotations(function) for node in ast.walk(written)]
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes)


def test_any_is_counted_in_parameters_and_returns_alone():
    source = """
first: Any = None
def some(a: Any, /, b: NDArray[Any], *c: Any, d: dict[str, Any], e: int, **f: np.integer[Any]) -> tuple[Any, Any]:
    inside: Any = a
    async def inner(x) -> Any: ...
"""
    assert count_any(source) == 8


def test_signatures_say_what_they_take():
    root = Path(bncc.__file__).parent
    counts = {str(path.relative_to(root)): count_any(path.read_text("utf-8")) for path in sorted(root.rglob("*.py"))}
    worst = sorted(counts.items(), key=lambda item: -item[1])[:5]
    assert sum(counts.values()) <= MOST, f"{sum(counts.values())} Any in signatures, bound {MOST}; most in {worst}"
