"""What `recommended` costs on the kernel family alone, as a multiple of one chain with the settings that it chose.

    python benchmarks/bench_kernel_family.py [names of data sets] [--record]

A third of the rows is held out (stratified, five deals; one of 5,000 rows and more). Beside the time, example F1 of
the kernel family on those rows and of `recommended_kernels`, which searches with all ten chains. "4,000 x 30" is
generated. The least of the seconds over the deals counts, of either side.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from harness import finish

from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import example_f1
from bncc.multilabel import Blend, ClassifierChain, RangeScaler, recommended_kernels
from bncc.svm import KernelSVC

GENERATED = "4,000 x 30"
SETS = (GENERATED, "scene", "yeast", "emotions", "plantgo", "enron")
N_DEALS = 5


def generated(n_rows: int = 6000, n_features: int = 50, n_labels: int = 30):
    """Labels of 5 to 40 percent of the rows: a smooth function of the features, and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    hidden = np.tanh(X @ rng.normal(size=(n_features, 20)) / np.sqrt(n_features))
    latent = hidden @ rng.normal(size=(20, n_labels)) + rng.normal(size=(n_rows, n_labels))
    shares = np.linspace(0.05, 0.4, n_labels)
    return X, (latent > np.diag(np.quantile(latent, 1.0 - shares, axis=0))).astype(int)


def read(name: str):
    if name == GENERATED:
        return generated()
    data = load(name)
    return data.X, data.Y.toarray() if hasattr(data.Y, "toarray") else np.asarray(data.Y)


def timed_fit(estimator, X, Y):
    """The fitted estimator, and the seconds that it took."""
    start = time.perf_counter()
    return estimator.fit(X, Y), time.perf_counter() - start


def measure(name: str) -> dict:
    X, Y = read(name)
    family_seconds, chain_seconds, ours, theirs, chosen = [], [], [], [], set()
    for deal in range(N_DEALS if len(Y) < 5000 else 1):
        folds = MultilabelStratifiedKFold(3, shuffle=True, random_state=deal).split(X, Y)
        train, test = next(iter(folds))
        blend, seconds = timed_fit(Blend(families=["kernel chains"], random_state=0), X[train], Y[train])
        family_seconds.append(seconds)
        ours.append(example_f1(Y[test], blend.predict(X[test])))
        settings = blend.parts_["kernel chains"].model.estimator.get_params()
        svc = KernelSVC(sigma=settings["sigma"], C=settings["C"])
        chosen.add(f"sigma {svc.sigma:g}, C {svc.C:g}")
        scaled = RangeScaler().fit_transform(X[train])
        chain_seconds += [timed_fit(ClassifierChain(svc, random_state=0), scaled, Y[train])[1] for _ in range(3)]
        former = recommended_kernels(random_state=0).fit(X[train], Y[train])
        theirs.append(example_f1(Y[test], former.predict(X[test])))
    gain = 100 * (np.array(ours) - np.array(theirs))
    return {
        "data": name,
        "rows": len(train),
        "labels": Y.shape[1],
        "family s": min(family_seconds),
        "chain s": min(chain_seconds),
        "chains": min(family_seconds) / min(chain_seconds),
        "example F1": 100 * float(np.mean(ours)),
        "recommended_kernels": 100 * float(np.mean(theirs)),
        "difference": float(gain.mean()),
        "deviation over deals": float(gain.std(ddof=1)) if gain.size > 1 else float("nan"),
        "chosen": "; ".join(sorted(chosen)),
    }


def main() -> None:
    names = [name for name in sys.argv[1:] if not name.startswith("--")] or SETS
    rows = [measure(name) for name in names]
    ratio = float(np.exp(np.mean([np.log(row["chains"]) for row in rows])))
    finish("kernel_family", rows, geometric_mean=round(ratio, 1), target="at most 40 chains on 4,000 x 30")


if __name__ == "__main__":
    main()
