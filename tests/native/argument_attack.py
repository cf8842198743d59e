"""Calls a compiled function with each argument, and each array of its records, replaced by something wrong.

Run as a script: prints what it is about to try, so that a crash has a
name, and what came of it. Valid calls are recorded from the library at work.
"""

from __future__ import annotations

import copy
import dataclasses
import importlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

FUNCTIONS = {
    "bncc.svm._smo": ("solve", "solve_precisely", "walk", "pack", "distances", "simd"),
    "bncc.structure._search": ("search",),
    "bncc.graph._cycles": ("keep_acyclic",),
    "bncc.linear._linear": (
        "solve_single",
        "solve_double",
        "simd",
        "walk_single",
        "walk_double",
        "positives_single",
        "positives_double",
        "score_single",
        "score_double",
    ),
}
#: Kinds that no array may be of, where the compiled code reads it as it is.
REFUSED = {"dtype", "reversed", "strided", "0-d", "3-d", "misaligned", "big-endian", "None", "text"}
#: Arrays that a function does not read: the Python around it does.
UNREAD = {
    "batch.group", "batch.distances.points.centre", "left.centre", "right.centre",
    "solutions.objective", "solutions.iterations", "solutions.status",
}  # fmt: skip
#: Arrays of a batch that a walk reads; the others are for solving it.
WALKED = {"batch.words", "batch.gamma", "batch.context"}
#: Not for solving linear problems.
UNREAD_OF_LINES = {"batch.start"}
#: Arguments that are written: what is read must not lie in them.
WRITTEN = {"best", "scores", "dense", "out", "kept", "panels", "norms"}

Call = dict[str, Any]


# ---- Valid calls


def _work() -> None:
    """Makes the library call every compiled function."""
    from bncc import BNCC, KernelSVC, learn_network
    from bncc.graph import break_cycles
    from bncc.linear import chain_context, make_batch, prepare_features, solve
    from bncc.linear.dense_scores import dense_scores
    from bncc.linear.sparse_walks import sparse_walk
    from bncc.svm import context_mask, pack_labels, squared_distances, walk
    from bncc.svm import make_batch as make_kernel_batch
    from bncc.svm import solve as solve_kernels

    random = np.random.default_rng(0)
    X = random.standard_normal((40, 3))
    Y = (X @ random.standard_normal((3, 4)) > 0).astype(np.int8)
    for search in ("hill_climbing", "ges"):
        learn_network(Y, search=search, required=[(0, 1)], forbidden=[(2, 3)])  # type: ignore[arg-type]
    break_cycles([(0, 1), (1, 2), (2, 0)], [0.9, 0.5, 0.7], n_nodes=3)
    BNCC(KernelSVC(), max_children=2).fit(X, Y).predict(X)
    thin = sparse.random_array((40, 300), density=0.01, rng=random, format="csr")
    for features in (thin, X):
        for cache_size in (0.0001, 100.0):
            batch = make_kernel_batch(
                squared_distances(features, cache_size=cache_size), np.where(Y.T > 0, 1, -1), gamma=0.5, C=2.0,
                words=pack_labels(Y), context=np.stack([context_mask(range(j), 4) for j in range(4)]),
                rows=[np.arange(30), np.arange(10, 40)], row_set=[0, 1, 0, 1], weights=np.ones((2, 40)),
                weight=[0, 1, -1, 0],
            )  # fmt: skip
            found = solve_kernels(batch, engine="native", n_jobs=1)
            d2 = batch.distances.block(np.arange(40))
            walk(batch, found, d2, [[0, 1, 2, 3]], writes=[[0, 1, 2, 3]], words=batch.words, engine="native", n_jobs=1)
        KernelSVC(n_jobs=1).fit(features * 1e-20, Y[:, 0])
    for features in (X, sparse.csr_array(np.maximum(X, 0.0))):
        lines = make_batch(features, Y, C=1.0, labels=Y, context=chain_context(range(4)), weights=np.ones(40))
        for tol in (1e-3, 1e-8):
            found = solve(lines, tol=tol, engine="native", n_jobs=1, drop=0.0)
            dense = solve(lines, tol=tol, engine="native", n_jobs=1)
            rows = prepare_features(sparse.csr_array(X, dtype=found.weights.dtype))
            along = sparse_walk(found, rows, np.arange(4), np.arange(4))
            along.scores(1), along.top(2, 1), along.positives(1)
            dense_scores(dense, rows, np.arange(4)).of_rows(0, 40, 1)


def record_calls(module_name: str, function: str) -> list[Call]:
    """Arguments, different in kind, that the library hands to a compiled function."""
    module = importlib.import_module(module_name)
    if function == "simd":
        return [{"name": ""}]
    original, calls = getattr(module, function), []
    names = re.findall(r"(\w+): ", original.__doc__.splitlines()[0])

    def remember(*arguments: Any, **keywords: Any) -> Any:
        given = dict(zip(names, arguments, strict=False)) | keywords
        calls.append({name: _kept(value) for name, value in given.items()})
        return original(*arguments, **keywords)

    setattr(module, function, remember)
    try:
        _work()
    finally:
        setattr(module, function, original)
    different = {_signature(call): call for call in calls}
    return list(different.values())


def _kept(value: Any) -> Any:
    """A copy where the call may write; records are frozen."""
    return value.copy() if isinstance(value, np.ndarray) else value


def _signature(call: Call) -> tuple[Any, ...]:
    """What a call consists of: calls of the same kind are tried once."""
    names = []
    for path, value in _places(call):
        kind = value if isinstance(value, bool) else type(value).__name__  # a switch leads to other code
        names.append((path, (value.dtype.str, value.ndim, value.size > 0) if isinstance(value, np.ndarray) else kind))
    return tuple(names)


# ---- Places that can be replaced, and what they are replaced by


def _fields(value: Any) -> list[str]:
    if sparse.issparse(value):
        return ["indptr", "indices", "data"]
    if dataclasses.is_dataclass(value):
        return [each.name for each in dataclasses.fields(value)]
    return []


def _places(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        yield prefix + name, value
        fields = {field: getattr(value, field) for field in _fields(value)}
        yield from _places(fields, f"{prefix}{name}.")


def _replaced(value: Any, path: list[str], new: Any) -> Any:
    """The record with the field at the path replaced, and no check in the way."""
    if not path:
        return new
    out = copy.copy(value)
    inner = _replaced(getattr(value, path[0]), path[1:], new)
    out.__dict__[path[0]] = inner
    if hasattr(type(value), path[0]) and not dataclasses.is_dataclass(value):
        object.__setattr__(out, path[0], inner)
    if path[0] == "points":
        out.__dict__.pop("matrix", None)
    return out


def wrong_values(value: Any) -> Iterator[tuple[str, Any]]:
    """What stands for a value, by kind."""
    yield "None", None
    if not isinstance(value, str):
        yield "text", "seven"
    yield "object", object()
    if isinstance(value, np.ndarray):
        yield from _wrong_arrays(value)
    elif isinstance(value, bool | int | np.integer):
        yield from ((f"number {n}", n) for n in (-(2**63), -7, -1, 0, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**70, 1.5))
    elif isinstance(value, float):
        yield from ((f"number {n}", n) for n in (float("nan"), float("inf"), -1.0, 0.0, 5e-324, 1.7e308, 10**400))
    elif isinstance(value, str):
        yield from (("other text", each) for each in ("mmx", "\0", "é" * 1000, b"avx2", 5))
    elif sparse.issparse(value):
        yield "other sparse", sparse.csr_array((1, 1))
        yield "transposed", value.T
    else:
        yield "dict", {}


def _wrong_arrays(array: np.ndarray) -> Iterator[tuple[str, Any]]:
    with np.errstate(invalid="ignore"):
        yield "dtype", array.astype(np.int16)
    yield "big-endian" if array.dtype.itemsize > 1 else "same", array.astype(array.dtype.newbyteorder(">"))
    yield "objects", array.astype(object)
    yield "shorter" if array.size else "same", array[:-1].copy()
    yield "longer", np.concatenate([array, array[-1:] if array.size else np.zeros((1, *array.shape[1:]), array.dtype)])
    yield "empty", array[:0].copy()
    yield "0-d", np.zeros((), array.dtype)
    yield "3-d" if array.ndim != 3 else "4-d", np.zeros((2, 2, 2, 2)[: 4 if array.ndim == 3 else 3], array.dtype)
    if array.ndim == 2:
        yield "narrower" if array.shape[1] else "same", np.ascontiguousarray(array[:, :-1])
        yield "Fortran", np.asfortranarray(array)
    if array.shape[0] > 1:
        yield "reversed", array[::-1]
        yield "strided", np.repeat(array, 2, axis=0)[::2]
    yield "misaligned" if array.dtype.itemsize > 1 and array.size else "same", _misaligned(array)
    yield "read-only", _read_only(array)
    yield "broadcast", np.broadcast_to(np.zeros(1, array.dtype), (2**40,))
    yield "masked", np.ma.masked_array(np.full_like(array, 100), mask=True)
    for number in (-(2**31), -2, -1, 0, 2, 100, 2**31 - 1, 2**62, float("nan"), float("inf")):
        with np.errstate(invalid="ignore", over="ignore"):
            filled = np.full(array.shape, number, np.float64).astype(array.dtype)
        yield f"full of {number}", filled
    if array.size:
        with np.errstate(invalid="ignore", over="ignore"):
            last = array.copy()
            last.flat[-1] = np.array(2.0**31 - 1).astype(array.dtype)
        yield "last of 2147483647", last


def _misaligned(array: np.ndarray) -> np.ndarray:
    room = np.zeros(array.nbytes + 1, np.uint8)[1:]
    out = room.view(array.dtype).reshape(array.shape)
    out[...] = array
    return out


def _read_only(array: np.ndarray) -> np.ndarray:
    out = array.copy()
    out.flags.writeable = False
    return out


# ---- The attack


def attack(module_name: str, function: str) -> Iterator[tuple[str, bool, Callable[[], Any]]]:
    """Every case: its name, whether it must be refused, and the call."""
    run = getattr(importlib.import_module(module_name), function)
    for number, given in enumerate(record_calls(module_name, function)):
        _call(run, given)
        for path, value in _places(given):
            reads = isinstance(value, np.ndarray) and value.size > 0 and not _is_unread(function, path)
            first, *rest = path.split(".")
            for kind, new in wrong_values(value):
                name = f"{function}, call {number}, {path}: {kind}"
                yield name, reads and kind in REFUSED, partial(_call, run, given, first, rest, new)
            for other in WRITTEN & given.keys() - {path} if reads else ():
                if given[other].size:
                    name = f"{function}, call {number}, {path}: within {other}"
                    yield name, True, partial(_call_within, run, given, path, other)


def _is_unread(function: str, path: str) -> bool:
    if function == "walk":
        return path in UNREAD or (path.startswith("batch.") and path not in WALKED)
    return path in UNREAD or ".exact" in path or (function.startswith("solve_") and path in UNREAD_OF_LINES)


def _call(run: Any, given: Call, first: str = "", rest: Sequence[str] = (), new: Any = None) -> Any:
    """The function on fresh copies, with one place replaced."""
    arguments = {name: _kept(value) for name, value in given.items() if name != first}
    return run(**arguments, **({first: _replaced(given[first], list(rest), new)} if first else {}))


def _call_within(run: Any, given: Call, path: str, other: str) -> Any:
    """The function with an array that is read at the beginning of the memory of one that is written."""
    first, *rest = path.split(".")
    value = dict(_places(given))[path]
    room = np.zeros(max(value.nbytes, given[other].nbytes), np.uint8)
    read, written = (room[: each.nbytes].view(each.dtype).reshape(each.shape) for each in (value, given[other]))
    read[...] = value
    arguments = {name: each if name == first else _kept(each) for name, each in given.items()}
    return run(**arguments | {other: written, first: _replaced(given[first], rest, read)})


def main() -> int:
    """Try every case of every function; the exit code is 1 where an answer was wrong."""
    n_wrong = n_tried = 0
    for module_name, function in ((module, function) for module, names in FUNCTIONS.items() for function in names):
        before = n_tried
        for name, must_be_refused, call in attack(module_name, function):
            print(f"try {name}", flush=True)
            n_tried += 1
            if wrong := _answer(call, must_be_refused):
                n_wrong += 1
                print(f"WRONG {name} {wrong}", flush=True)
        print(f"tried {n_tried - before} of {module_name}.{function}", flush=True)
    return int(n_wrong > 0)


def _answer(call: Callable[[], Any], must_be_refused: bool) -> str:
    """What is wrong with what comes of a call."""
    try:
        call()
    except (TypeError, ValueError):
        return ""
    except BaseException as error:
        return f"raised {type(error).__name__}: {error}"
    return "was taken" if must_be_refused else ""


if __name__ == "__main__":
    sys.exit(main())
