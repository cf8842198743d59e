"""Throws mutated files at the readers, under a memory limit and a time limit per file.

Run as a script in a process of its own: ``python fuzz.py FOLDER SEED COUNT``. Each file is written to FOLDER before it
is read, so that after a crash or a kill the culprit is there. The only outcomes allowed are a data set and
`MalformedFile` with a message. The last line printed is a JSON summary.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import re
import resource
import signal
import struct
import sys
import time
import traceback
import warnings
import zipfile
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.io
from scipy import sparse

from bncc.datasets import MalformedFile, load

SECONDS_PER_FILE = 5
EXTRA_MEMORY = 512 * 2**20
MAX_BYTES = 4 * 2**20

X = np.array([[1.5, 0, 2], [0, 0, -1e3], [3, 1, 0], [0.25, 4, 4]])
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])

ARFF_DENSE = b"""% toy
@relation toy
@attribute a numeric
@attribute b real
@attribute c {0,1,2}
@attribute r {0,1}
@attribute w {0,1}
@data
1.5,0,2,1,0
?,-1e3,0,0,1
3,1,0,1,1
"""
ARFF_TEXT = rb"""@relation 'toy: -C -2'
@attribute 'a b' numeric
@attribute sky {sunny, 'dark grey', "it's"}
@attribute yes {YES, NO}
@attribute 'r\'' {false, true}
@attribute "w" {0, 1}

@data
1.5, sunny, YES, false, 1 % note
2, 'dark grey', NO, true, 0
?, 'it\'s', ?, true, 0
"""
ARFF_SPARSE = b"""@relation 'toy: -C 2'
@attribute r {0,1}
@attribute w {0,1}
@attribute a numeric
@attribute b {1,2,3}
@attribute c {x,y}
@data
{0 1,2 1.5,3 2}
{1 1,4 y}
{}
{2 ?, 3 3}
"""
ARFF_PLAIN_SPARSE = b"""@relation 'toy: -C -1'
@attribute a numeric
@attribute b numeric
@attribute r {0,1}
@data
{0 1,2 1}
{1 2.5}
{0 7,1 8,2 1}
"""
XML = b"""<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="r"><label name="w"/></label>
</labels>
"""
LIBSVM = b"1,3 1:0.5 3:2\n2 2:1 # note\n 1:1\n3,4 2:-1e3 3:4\n"
LIBSVM_SIZES = b"3 5 4\n0,3 0:1 4:2\n1 1:1\n2 3:0.5\n"
EXTREME = b"4 6 5\n0,4 0:1 5:0.25\n 1:-2e-3 3:1\n2\n1,3 2:7 4:0.125\n"
CSV = b"a,b,r,w\n1,2.5,0,1\n3,-4,1,1\n0.5,1e3,1,0\n"
CSV_TEXT = b'a,sky,"x, y",r\n1,red,TRUE,1\n2,"a ""b""",false,0\n?,,NA,1\n'
JSON_LINES = b"""{"a": 1.5, "sky": "red", "r": 1, "w": true, "tags": ["x", "y"]}
{"a": null, "sky": "grey", "r": 0, "w": false, "tags": []}

{"sky": "r\\u00e9d", "a": -2e3, "r": 1, "w": true, "tags": ["y"], "more": {"b": [1]}}
"""
CSV_TAGS = b"a,tags,b\n1,rain;wind,5\n2,,6\n3,wind,7\n"


def mat_file(compressed=False, sparse_data=False):
    out = io.BytesIO()
    data = sparse.csc_matrix(X) if sparse_data else X
    scipy.io.savemat(out, {"data": data, "targets": Y.astype(np.uint8), "note": "x"}, do_compression=compressed)
    return out.getvalue()


def npz_file():
    out = io.BytesIO()
    np.savez(out, X=X, Y=Y.astype(np.uint8), label_names=np.array(["a", "b"]), n_train=2)
    return out.getvalue()


def sparse_npz_file(kind, matrix=X):
    out = io.BytesIO()
    sparse.save_npz(out, getattr(sparse, f"{kind}_array")(matrix))
    return out.getvalue()


def parquet_file():
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    columns = {
        "a": [1.5, None, 3.0],
        "sky": ["red", "grey", "red"],
        "i": [1, 2, 3],
        "r": [1, 0, 1],
        "w": [True, True, False],
    }
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


# Each case: file name, content, options of `load`, and how a mutated content is packed.


def packed_gzip(rng, content):
    return gzip.compress(mutate(rng, content), 1, mtime=0)


def packed_npz(rng, content):
    """Mutate the members and pack them again, so that the checks of the zip format do not stop everything."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            member = old.read(name)
            new.writestr(name, mutate(rng, member) if rng.random() < 0.5 else member)
    return out.getvalue()


def packed_mat(rng, content):
    """Mutate the variables of a MAT file and compress them again."""
    out, at = [content[:128]], 128
    while at + 8 <= len(content):
        size = struct.unpack_from("<I", content, at + 4)[0]
        inner = zlib.compress(mutate(rng, content[at : at + 8 + size]), 1)
        out.append(struct.pack("<II", 15, len(inner)) + inner)
        at += 8 + size
    return b"".join(out)


def plain(rng, content):
    return mutate(rng, content)


def cases():
    tags = {"labels": "tags", "tag_separator": ";"}
    out = [
        ("a.arff", ARFF_DENSE, {"labels": -2}, plain),
        ("a.arff", ARFF_TEXT, {}, plain),
        ("a.arff", ARFF_TEXT, {"one_hot": True, "drop": ["yes"]}, plain),
        ("a.arff", ARFF_SPARSE, {}, plain),
        ("a.arff", ARFF_SPARSE, {"one_hot": True}, plain),
        ("a.arff", ARFF_PLAIN_SPARSE, {}, plain),
        ("a.arff.gz", gzip.compress(ARFF_DENSE, mtime=0), {"labels": -2}, plain),
        ("a.arff.gz", ARFF_TEXT, {}, packed_gzip),
        ("b.xml", XML, {}, plain),
        ("a.svm", LIBSVM, {}, plain),
        ("a.svm", LIBSVM_SIZES, {}, plain),
        ("a.txt", EXTREME, {}, plain),
        ("a.txt.gz", EXTREME, {}, packed_gzip),
        ("a.csv", CSV, {"labels": -2}, plain),
        ("a.csv", CSV_TEXT, {"labels": ["r"], "one_hot": True}, plain),
        ("a.csv", CSV_TAGS, tags, plain),
        ("a.tsv", CSV.replace(b",", b"\t"), {"labels": ["r", "w"]}, plain),
        ("a.mat", mat_file(), {}, plain),
        ("a.mat", mat_file(compressed=True), {}, plain),
        ("a.mat", mat_file(sparse_data=True), {}, plain),
        ("a.mat", mat_file(sparse_data=True), {}, packed_mat),
        ("a.npz", npz_file(), {}, plain),
        ("a.npz", npz_file(), {}, packed_npz),
        ("s.npz", sparse_npz_file("csr"), {}, packed_npz),
        ("s.npz", sparse_npz_file("csc"), {}, packed_npz),
        ("s.npz", sparse_npz_file("coo"), {}, packed_npz),
        ("t-labels.npz", sparse_npz_file("csr", Y), {}, packed_npz),
        ("a.jsonl", JSON_LINES, {"labels": ["r", "w"], "drop": ["tags", "more"]}, plain),
        ("a.jsonl", JSON_LINES, {"labels": "tags", "drop": ["more"]}, plain),
        ("a.jsonl.gz", JSON_LINES, {"labels": "tags", "drop": ["more"]}, packed_gzip),
    ]
    with contextlib.suppress(ImportError):
        out.append(("a.parquet", parquet_file(), {"labels": ["r", "w"]}, plain))
    return out


# Mutations

NUMBER = re.compile(rb"\d+")
TOKEN = re.compile(rb"[^\s,{}:]+")
HUGE = [
    b"1" + b"0" * 12,
    b"2147483648",
    b"1152921504606846976",
    b"99999999",
    b"-1",
    b"1e308",
    b"1e999",
    b"4294967296",
    b"1.5",
    b"0",
]
ODD = b"{ } ' \" , ? \0 @data % \\ \r : &x; <!DOCTYPE nan \xff \xef\xbb\xbf # 1_0 inf \xd9\xa3".split(b" ")
ODD += [b"\n", b"\t", b"\n@data\n", b"\n@attribute x numeric\n", b" " * 50]
WORDS = [0, 1, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0x10000, 0x00FFFFFF, 8]


def flip(rng, content):
    at = rng.integers(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.integers(8))]) + content[at + 1 :]


def set_byte(rng, content):
    at = rng.integers(len(content))
    return content[:at] + bytes([rng.integers(256)]) + content[at + 1 :]


def truncate(rng, content):
    return content[: rng.integers(len(content))]


def cut(rng, content):
    a, b = sorted(rng.integers(len(content), size=2))
    return content[:a] + content[b:]


def repeat(rng, content):
    a = rng.integers(len(content))
    b = min(len(content), a + rng.integers(1, 40))
    return content[:b] + content[a:b] * int(rng.choice([1, 2, 10, 300])) + content[b:]


def line_change(rng, content):
    lines = content.split(b"\n")
    a, b = rng.integers(len(lines), size=2)
    kind = rng.integers(3)
    if kind == 0:
        lines.insert(a, lines[b])
    elif kind == 1:
        del lines[a]
    else:
        lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def replaced(content, found, new):
    return content[: found.start()] + new + content[found.end() :]


def inflate(rng, content):
    numbers = list(NUMBER.finditer(content))
    return replaced(content, numbers[rng.integers(len(numbers))], HUGE[rng.integers(len(HUGE))]) if numbers else content


def swap_tokens(rng, content):
    tokens = list(TOKEN.finditer(content))
    if not tokens:
        return content
    a, b = tokens[rng.integers(len(tokens))], tokens[rng.integers(len(tokens))]
    return replaced(content, a, b.group())


def insert_odd(rng, content):
    at = rng.integers(len(content) + 1)
    return content[:at] + ODD[rng.integers(len(ODD))] + content[at:]


def set_word(rng, content):
    if len(content) < 8:
        return content
    at = 4 * rng.integers(len(content) // 4)
    return content[:at] + struct.pack("<I", WORDS[rng.integers(len(WORDS))]) + content[at + 4 :]


MUTATIONS = [
    flip,
    set_byte,
    truncate,
    cut,
    repeat,
    line_change,
    inflate,
    inflate,
    swap_tokens,
    insert_odd,
    insert_odd,
    set_word,
]


def mutate(rng, content):
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        if content:
            content = MUTATIONS[rng.integers(len(MUTATIONS))](rng, content)
    return content


# The run


def virtual_bytes():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def limit_memory():
    limit = virtual_bytes() + EXTRA_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


# Where a mutated file lies beside the one that is read, and the files that lie beside mutated ones unharmed.
READ_INSTEAD = {"b.xml": "b.arff", "t-labels.npz": "t.npz"}


def write_companions(folder):
    (folder / "b.arff").write_bytes(ARFF_DENSE)
    (folder / "t.npz").write_bytes(sparse_npz_file("csr"))
    (folder / "s-labels.npz").write_bytes(sparse_npz_file("csr", Y))


def warm_up(folder, all_cases):
    """Read every seed once: they are valid, and what is imported on the way does not count as memory of a file."""
    for name, content, options, pack in all_cases:
        (folder / name).write_bytes(gzip.compress(content, mtime=0) if pack is packed_gzip else content)
        load(folder / READ_INSTEAD.get(name, name), max_bytes=MAX_BYTES, **options)


def run(folder, seed, count):
    rng = np.random.default_rng(seed)
    all_cases = cases()
    write_companions(folder)
    warm_up(folder, all_cases)
    limit_memory()
    outcomes, failures, slowest = Counter(), [], 0.0
    for i in range(count):
        name, content, options, pack = all_cases[i % len(all_cases)]
        path = folder / name
        path.write_bytes(pack(rng, content))
        start = time.perf_counter()
        # Of the processor, whatever else the machine does; the default action ends the process.
        signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_FILE)
        outcome = attempt(folder / READ_INSTEAD.get(name, name), options)
        signal.setitimer(signal.ITIMER_PROF, 0)
        slowest = max(slowest, time.perf_counter() - start)
        outcomes[f"{name.partition('.')[2]} {'ok' if outcome is None else outcome[:40]}"] += 1
        if outcome not in (None, "refused"):
            kept = folder / f"failure-{seed}-{i}-{name}"
            kept.write_bytes(path.read_bytes())
            failures.append({"file": str(kept), "options": repr(options), "error": outcome})
    return {
        "files": count,
        "failures": failures[:20],
        "n_failures": len(failures),
        "slowest": slowest,
        "outcomes": dict(outcomes),
    }


def attempt(path, options):
    """None for a data set, 'refused' for `MalformedFile`, else what went wrong."""
    try:
        load(path, max_bytes=MAX_BYTES, **options)
    except MalformedFile as error:
        return "refused" if len(str(error)) > 20 else f"an empty message: {error}"
    except BaseException:
        return traceback.format_exc()[-1500:]
    return None


if __name__ == "__main__":
    warnings.simplefilter("error")
    where = Path(sys.argv[1])
    where.mkdir(parents=True, exist_ok=True)
    print(json.dumps(run(where, int(sys.argv[2]), int(sys.argv[3]))))
