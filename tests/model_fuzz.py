"""Fuzzing of model files: edits of their parsed structure, their arrays and their bytes, in processes with limits.

``python tests/model_fuzz.py --mutations 100000 --record`` is what ``make fuzz`` runs. A worker opens one mutated file
after the other and asks every model that opens for answers, and all else that it can be asked. It must not die of a
signal, take more than 5 seconds, grow by more than 64 MB and 10 times the unpacked content, or do what the audit hook
forbids: import a module that is not one of ours, NumPy's, SciPy's or scikit-learn's, compile or execute code, open
another file, start a process, unpickle.
"""

import argparse
import copy
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from importlib import metadata
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from bncc.datasets import MalformedFile
from bncc.multilabel import load_model
from model_attacks import npy, taken_apart, write_file
from model_cases import BASES, CASES, answers, ask_otherwise, fitted

SECONDS = 5
MORE_BYTES = 64 * 2**20
TIMES_CONTENT = 10
# Small models of few rows: a mutation of them is as good, and a hundred times as quick.
EVERY = (*CASES, *BASES)

INTEGERS = (0, 1, -1, 2, 7, 31, 32, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**40, 2**62, 2**63, -(2**63), 10**6)
FLOATS = (0.0, -0.0, 1e-300, 1e300, -1.5, 0.5, 1e-45)
PLAIN = (None, True, False, "", "rbf", "auto", "x" * 1000, {"list": []}, {"tuple": []}, {"dict": []}, {"float": "nan"})
FORBIDDEN = (
    "exec",
    "compile",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "ctypes.dlopen",
    "pickle.find_class",
    "socket.connect",
    "shutil.rmtree",
    "os.remove",
    "marshal.loads",
    "webbrowser.open",
)
ALLOWED_ROOMS = {"bncc", "numpy", "scipy", "sklearn", "joblib", "threadpoolctl", "pandas", "polars", "pyarrow"}


# ---- mutations


def places_in(structure):
    """Every (container, key) of a parsed structure."""
    found, waiting = [], [structure]
    while waiting:
        node = waiting.pop()
        keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            waiting.append(node[key])
    return found


def mutate_value(draw, places):
    node, key = draw.choice(places)
    value = node[key]
    if isinstance(value, bool) or value is None:
        node[key] = copy.deepcopy(draw.choice(PLAIN))
    elif isinstance(value, int):
        node[key] = draw.choice((*INTEGERS, value + 1, value - 1, value * 2, float(value)))
    elif isinstance(value, float):
        node[key] = draw.choice((*FLOATS, -value, 3, {"float": draw.choice(("nan", "inf", "-inf"))}))
    elif isinstance(value, str):
        others = [other[place] for other, place in draw.sample(places, min(30, len(places)))]
        node[key] = draw.choice([text for text in others if isinstance(text, str)] + ["", value + "x", value[:-1]])
    else:
        node[key] = copy.deepcopy(draw.choice(PLAIN))


def swap_two(draw, places):
    (first, one), (second, other) = draw.choice(places), draw.choice(places)
    first[one], second[other] = copy.deepcopy(second[other]), copy.deepcopy(first[one])


def copy_over(draw, places):
    (source, one), (target, other) = draw.choice(places), draw.choice(places)
    target[other] = copy.deepcopy(source[one])


def delete_one(draw, places):
    node, key = draw.choice([place for place in places if isinstance(place[0], dict) or len(place[0])])
    del node[key]


def add_field(draw, places):
    fields = [node[key] for node, key in places if isinstance(node[key], dict) and key == 1]
    source, key = draw.choice(places)
    names = ("held", "matrix", "_in_fit", "predict", "_validate_X_predict", "__class__", "_tree", "n_features_in_", "x")
    if fields:
        draw.choice(fields)[draw.choice(names)] = copy.deepcopy(source[key])


def repeat_one(draw, places):
    lists = [node[key] for node, key in places if isinstance(node[key], list) and node[key]]
    if lists:
        chosen = draw.choice(lists)
        chosen.extend(copy.deepcopy(draw.choice(chosen)) for _ in range(draw.choice((1, 3, 50))))


def refer(draw, places):
    node, key = draw.choice(places)
    node[key] = {"same": draw.choice((0, 1, 2, 5, -1, 10**6))}


def of_other_array(draw, places):
    arrays = [(node, key) for node, key in places if key == "array"]
    if len(arrays) > 1:
        (first, _), (second, _) = draw.choice(arrays), draw.choice(arrays)
        first["array"] = copy.deepcopy(second["array"])  # it may have become something that holds the first


def in_other_form(draw, places):
    """The array of a field as another kind of thing that holds it, or a function in its place."""
    arrays = [(node, key) for node, key in places if isinstance(node[key], dict) and "array" in node[key]]
    if arrays:
        node, key = draw.choice(arrays)
        held = node[key]
        masked = [{"masked": [held, hidden]} for hidden in (True, False)]
        others = [{"objects": [[1], [held]]}, {"list": [held]}, {"tuple": [held, held]}, {"function": "numpy.exp"}]
        node[key] = draw.choice(masked + others)


STRUCTURAL = (
    in_other_form,
    mutate_value,
    mutate_value,
    mutate_value,
    swap_two,
    copy_over,
    delete_one,
    add_field,
    repeat_one,
    refer,
    of_other_array,
)


def mutate_array(draw, array):
    """Another array: values, type, shape or order."""
    array = array.copy()
    how = draw.randrange(10)
    if array.dtype.names:
        name = draw.choice(array.dtype.names)
        if array.size:
            array.reshape(-1)[name][draw.randrange(array.size)] = draw.choice(
                (0, 1, -1 if array[name].dtype.kind != "u" else 9, 200)
            )
        return array if how < 8 else array[: draw.randrange(array.size + 1)]
    if how < 5 and array.size and array.dtype.kind in "biuf":
        extremes = (
            [np.nan, np.inf, 1e300, -1.0] if array.dtype.kind == "f" else [2**62, 2**31 - 1, 2**30, 200, -1, 0, 3]
        )
        chosen = np.array(draw.choice(extremes))
        with np.errstate(all="ignore"):
            cell = chosen.astype(array.dtype)
        if how == 0:
            array.reshape(-1)[...] = cell
        else:
            array.reshape(-1)[draw.randrange(array.size)] = cell
        return array
    return draw.choice(
        (
            lambda: array[:0],
            lambda: array[..., :-1] if array.ndim else array,
            lambda: array[None],
            lambda: array.reshape(-1),
            lambda: np.concatenate([array.reshape(-1)] * 2),
            lambda: np.asfortranarray(array),
            lambda: array.T.copy(),
            lambda: (
                array.astype(draw.choice(("f4", "f8", "i4", "i8", "u1", "f2"))) if array.dtype.kind in "biuf" else array
            ),
            lambda: np.zeros((), array.dtype),
        )
    )()


def mutated(draw, case, path):
    """Write one mutation of a model to a file, and say how it was made."""
    structure, arrays = PARSED[case]
    structure = copy.deepcopy(structure)
    members = {name: npy(array) for name, array in arrays.items()}
    how = draw.random()
    told = []
    if how < 0.6:
        for _ in range(draw.choice((1, 1, 1, 2, 4))):
            change = draw.choice(STRUCTURAL)
            places = places_in(structure)
            if places:
                change(draw, places)
            told.append(change.__name__)
    elif how < 0.9 and arrays:
        for _ in range(draw.choice((1, 1, 2))):
            name = draw.choice(sorted(arrays))
            members[name] = npy(mutate_array(draw, arrays[name]))
            told.append(f"array {name}")
    write_file(path, structure, members)
    if how >= 0.9:
        content = bytearray(path.read_bytes())
        for _ in range(draw.choice((1, 2, 8))):
            content[draw.randrange(len(content))] = draw.randrange(256)
        path.write_bytes(bytes(content[: draw.choice((len(content), len(content), draw.randrange(len(content)))) or 1]))
        told.append("bytes")
    return told


# ---- workers


PARSED = {}
WATCHED = {"on": False, "file": "", "seen": []}


def prepare(cases):
    for case in cases:
        model, X = fitted(case)
        PARSED[case] = taken_apart(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answers(model, X[:5])  # all that is imported when it is first used
            ask_otherwise(copy.deepcopy(model), X[:5])


def watch(event, arguments):
    """The audit hook: what nothing that is read from a file may lead to."""
    if not WATCHED["on"]:
        return
    if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
        name = os.fsdecode(arguments[0])
        if name != WATCHED["file"] and not name.startswith((sys.prefix, sys.base_prefix, "/proc", "/sys", "/dev")):
            WATCHED["seen"].append(f"open {name}")
    elif event == "import":
        room = str(arguments[0]).partition(".")[0]
        if room not in ALLOWED_ROOMS and room not in sys.stdlib_module_names:
            WATCHED["seen"].append(f"import {arguments[0]}")
    elif event in FORBIDDEN and not _is_of_import(event):
        WATCHED["seen"].append(event)


def _is_of_import(event):
    """Modules that are imported late are executed; code of a file would not come through the import system."""
    if event not in ("exec", "compile", "marshal.loads", "ctypes.dlopen"):
        return False
    frame = sys._getframe(1)
    while frame is not None:
        if "importlib" in frame.f_code.co_filename or frame.f_code.co_name in ("literal_eval", "__init_subclass__"):
            return True
        if frame.f_code.co_filename.endswith(("dataclasses.py", "collections/__init__.py", "inspect.py", "ast.py")):
            return True
        frame = frame.f_back
    return False


class TooSlow(BaseException):
    pass


def too_slow(*_):
    raise TooSlow


def set_up(cases):
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    prepare(cases)
    metadata.version(
        "numpy"
    )  # refusals tell versions, which finders of other packages look up by what they import late
    signal.signal(signal.SIGPROF, too_slow)
    signal.signal(signal.SIGALRM, too_slow)
    sys.addaudithook(watch)


def unpacked_bytes(path):
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist())
    except Exception:
        return path.stat().st_size


def try_file(path, X):
    """What becomes of one file: "refused", "answers" or "raises"; or a fault, which starts with a star."""
    unpacked = unpacked_bytes(path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    room = MORE_BYTES + TIMES_CONTENT * min(unpacked, 2**30)
    WATCHED.update(on=True, file=str(path), seen=[])
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of the processor, whatever else the machine does
    signal.alarm(12 * SECONDS)  # for what waits without working
    resource.setrlimit(resource.RLIMIT_AS, (now + room + 2**28, resource.RLIM_INFINITY))  # threads want stacks
    try:
        result = _open_and_ask(path, X)
    except TooSlow:
        result = "*took longer than 5 seconds: " + traceback.format_exc()[-600:]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        WATCHED["on"] = False
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
    if WATCHED["seen"]:
        return f"*did {WATCHED['seen'][:3]}"
    return f"*grew by {grown / 2**20:.0f} MB of {unpacked} bytes" if grown > room else result


def _open_and_ask(path, X):
    try:
        model = load_model(path)
    except MalformedFile:
        return "refused"
    except MemoryError:
        return "*memory, while opening"
    except Exception as error:
        return f"*{type(error).__name__} while opening: {error}"
    try:
        outcome = _answer(model, X)
        ask_otherwise(model, X)
    except MemoryError as error:
        return f"*memory, while answering: {error}"
    return outcome


def _answer(model, X):
    try:
        answers(model, X)
    except MemoryError:
        raise
    except Exception:
        return "raises"
    return "answers"


def run_some(cases, seed, count, folder):
    """Mutate and try; returns counts of outcomes and what was at fault. The file at hand is left for a post-mortem."""
    if not PARSED:
        set_up(cases)
    outcomes, faults = Counter(), []
    for number in range(count):
        draw = random.Random(seed * 1_000_003 + number)
        case = cases[draw.randrange(len(cases))]
        path = Path(folder) / f"{seed}.bncc"
        told = mutated(draw, case, path)
        path.with_suffix(".now").write_text(f"number {number}, {case}, {told}")
        result = try_file(path, fitted(case)[1][:5])
        outcomes["fault" if result.startswith("*") else result] += 1
        if result.startswith("*"):
            faults.append(f"seed {seed}, number {number}, {case}, {told}: {result}")
    return outcomes, faults


def again(seed, number, folder, cases=EVERY):
    """One mutation alone: for a look at what went wrong."""
    for each in (*CASES, *BASES):
        if each not in PARSED and each == cases[random.Random(seed * 1_000_003 + number).randrange(len(cases))]:
            prepare([each])
    draw = random.Random(seed * 1_000_003 + number)
    case = cases[draw.randrange(len(cases))]
    path = Path(folder) / "again.bncc"
    told = mutated(draw, case, path)
    return path, case, told


def fuzz(mutations, cases=EVERY, seed=0, workers=1, per_task=250):
    """Outcomes of so many mutations, and every fault; a worker that dies is a fault."""
    outcomes, faults = Counter(), []
    tasks = [
        (seed * 10_000 + number, min(per_task, mutations - start))
        for number, start in enumerate(range(0, mutations, per_task))
    ]
    with tempfile.TemporaryDirectory() as folder:
        while tasks:
            with ProcessPoolExecutor(workers) as pool:
                waiting = {pool.submit(run_some, cases, task, count, folder): (task, count) for task, count in tasks}
                tasks = []
                for future in as_completed(waiting):
                    try:
                        done, wrong = future.result()
                        outcomes.update(done)
                        faults += wrong
                        (Path(folder) / f"{waiting[future][0]}.now").unlink()
                    except BrokenProcessPool:
                        tasks.append(waiting[future])
                    except Exception as error:
                        outcomes["fault"] += 1
                        faults.append(
                            f"seed {waiting[future][0]}: {type(error).__name__} of the fuzzer itself: {error}"
                        )
            begun = [task for task in tasks if (Path(folder) / f"{task[0]}.now").exists()]
            for dead, _ in begun:
                now = Path(folder) / f"{dead}.now"
                faults.append(f"seed {dead}: a worker died, or the one beside it, at {now.read_text()}")
                outcomes["fault"] += 1
            tasks = [task for task in tasks if task not in begun]
    return outcomes, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    begin = time.perf_counter()
    outcomes, faults = fuzz(options.mutations, seed=options.seed, workers=options.workers)
    seconds = round(time.perf_counter() - begin)
    print(json.dumps({"mutations": options.mutations, "seconds": seconds, **outcomes}))
    print(*faults, sep="\n")
    if options.record:
        from bncc._versions import versions_now

        record = {
            "mutations": options.mutations,
            "seed": options.seed,
            "models": len(EVERY),
            "seconds": seconds,
            "workers": options.workers,
            "outcomes": dict(outcomes),
            "faults": faults,
            "versions": versions_now(),
        }
        out = Path(__file__).parents[1] / "benchmarks" / "results" / "fuzz.json"
        out.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
