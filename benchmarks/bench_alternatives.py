"""How the chains of the packages that people use today treat what data really look like.

    python benchmarks/bench_alternatives.py [--record]

Questions are asked of toy data whose answer is known, of chains of RBF-SVMs in each package; speed is the subject of
bench_chain. scikit-multilearn and scikit-multilearn-ng share an import name, so that a run sees at most one of them;
the row of the other is taken from the recorded run.
"""

from __future__ import annotations

import importlib.metadata
import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from harness import RECORDED, finish
from scipy import sparse
from sklearn.multioutput import ClassifierChain as SklearnChain
from sklearn.svm import SVC

from bncc import ClassifierChain, KernelSVC

Make = Callable[[Any], Any]


def packages() -> Iterator[tuple[str, Make]]:
    """Distribution name, and a chain from an order (None: columns as they stand)."""
    yield "bncc", lambda order: ClassifierChain(KernelSVC(C=100, sigma=0.5), order=order)
    yield "scikit-learn", lambda order: SklearnChain(SVC(C=100, gamma=2.0), order=order)
    try:
        from skmultilearn.problem_transform import ClassifierChain as MultilearnChain
    except ImportError:
        return
    for name in ("scikit-multilearn-ng", "scikit-multilearn"):
        if any(importlib.metadata.distributions(name=name)):
            yield name, lambda order: MultilearnChain(SVC(C=100, gamma=2.0), order=order)


def toy() -> tuple[np.ndarray, np.ndarray]:
    """Three labels that three features give away."""
    Y = np.random.default_rng(0).integers(0, 2, (200, 3))
    return Y + 0.01 * np.random.default_rng(1).standard_normal(Y.shape), Y


def predicted(model: Any, X: Any, Y: Any) -> np.ndarray:
    found = model.fit(X, Y).predict(X)
    return np.asarray(found.toarray() if sparse.issparse(found) else found)


def given_order(make: Make) -> bool:
    """Columns come back where they were when the chain has an order of its own."""
    X, Y = toy()
    return bool((predicted(make([2, 0, 1]), X, Y) == Y).all())


def sparse_labels(make: Make) -> bool:
    X, Y = toy()
    return bool((predicted(make(None), X, sparse.csr_matrix(Y)) == Y).all())


def constant_label(make: Make) -> bool:
    """A label that is the same in all training rows, as happens to rare labels in folds."""
    X, Y = toy()
    Y = np.column_stack([Y, np.zeros(len(Y), Y.dtype)])
    return bool((predicted(make(None), X, Y) == Y).all())


def unknown_labels(make: Make) -> bool:
    X, Y = toy()
    known = Y.astype(float)
    known[:20, 0] = np.nan
    return bool((predicted(make(None), X, known) == Y).all())


def answer(question: Callable[[Make], bool], make: Make) -> str:
    try:
        return "yes" if question(make) else "wrong"
    except Exception as error:
        return type(error).__name__


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    questions = (given_order, sparse_labels, constant_label, unknown_labels)
    rows = [
        {"package": name, "version": importlib.metadata.version(name)}
        | {question.__name__: answer(question, make) for question in questions}
        for name, make in packages()
    ]
    recorded = RECORDED / "alternatives.json"
    earlier = json.loads(recorded.read_text())["rows"] if recorded.exists() else []
    seen = {row["package"] for row in rows}
    finish("alternatives", [*rows, *(row for row in earlier if row["package"] not in seen)])
