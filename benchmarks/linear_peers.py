"""One run of another package, in its own environment: ``python linear_peers.py PEER FILE.npz [FOLDER]``, JSON out.

napkinXC's model stays in FOLDER, where one is given, and a model that is there is used: it trains for half an hour
where the benchmark is about prediction.

``python -m venv build/peers; build/peers/bin/pip install libmultilabel napkinxc`` makes that environment (LibMultiLabel
0.10.0 and napkinXC 0.7.2 on Python 3.11, which compiles the latter); nothing of bncc is needed in it.
``python linear_peers.py versions`` says which ones are there.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import sparse


def read(path):
    with np.load(path) as arrays:
        parts = {
            name: sparse.csr_matrix(
                (arrays[f"{name}_data"], arrays[f"{name}_indices"], arrays[f"{name}_indptr"]),
                shape=arrays[f"{name}_shape"],
            )
            for name in ("X", "Y", "X_new")
        }
        return parts, int(arrays["k"])


def libmultilabel(parts, k, folder):
    """The same problem: squared hinge loss by dual descent (-s 1), C = 1, a bias, two threads."""
    from libmultilabel.linear import train_1vsrest

    start = time.perf_counter()
    model = train_1vsrest(parts["Y"].astype(float), parts["X"].astype(float), options="-s 1 -B 1 -m 2 -q")
    fitted = time.perf_counter()
    scores = np.asarray(model.predict_values(parts["X_new"].astype(float)))
    columns = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return fitted - start, time.perf_counter() - fitted, columns


def napkinxc(parts, k, folder):
    """Squared hinge loss with C = 1, two threads; everything else as it comes."""
    from napkinxc.models import BR

    Y = parts["Y"]
    labels = [Y.indices[Y.indptr[row] : Y.indptr[row + 1]].tolist() for row in range(Y.shape[0])]
    Path(folder).mkdir(exist_ok=True)
    trained = Path(folder) / "seconds.txt"
    model = BR(folder, loss="squaredHinge", liblinear_c=1, threads=2)
    if trained.exists():
        fit_seconds = float(trained.read_text())
        model.load()
    else:
        start = time.perf_counter()
        model.fit(parts["X"], labels)
        fit_seconds = time.perf_counter() - start
        trained.write_text(str(fit_seconds))
    start = time.perf_counter()
    predicted = model.predict(parts["X_new"], top_k=k)
    seconds = time.perf_counter() - start
    columns = np.array([(list(row) + [0] * k)[:k] for row in predicted], np.int64).reshape(-1, k)
    return fit_seconds, seconds, columns


def main():
    if sys.argv[1:] == ["versions"]:
        print(json.dumps({name: version(name) for name in ("libmultilabel", "napkinxc")}))
        return
    peer, path, *kept = sys.argv[1:]
    parts, k = read(path)
    with tempfile.TemporaryDirectory() as folder:
        run = {"libmultilabel": libmultilabel, "napkinxc": napkinxc}[peer]
        fit, predict, columns = run(parts, k, kept[0] if kept else folder)
    print(json.dumps({"fit_s": fit, "predict_s": predict, "columns": columns.tolist()}))


if __name__ == "__main__":
    main()
