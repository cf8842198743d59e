"""Reasons of forests: sampled as `bncc.explain` does, and exact as shap's TreeExplainer has them.

Binary relevance over random forests (100 trees, one thread) on 500 generated rows with 24 features; 20 other rows are
explained, one label each, against the same 100 rows. "difference" is between the two values of a feature, the largest
of a row, in the mean; "standard error" what `explain` says of it. Needs shap, installed beside this package.
"""

from __future__ import annotations

import time

import numpy as np
import shap
from harness import finish
from sklearn.ensemble import RandomForestClassifier

from bncc import BinaryRelevance, explain
from bncc.datasets import make_scenes

LABEL, N_ROWS = 0, 20


def main() -> None:
    data = make_scenes(620)
    model = BinaryRelevance(RandomForestClassifier(100, random_state=0, n_jobs=1)).fit(data.X[:500], data.Y[:500])
    background, rows = data.X[:100], data.X[600 : 600 + N_ROWS]
    start = time.perf_counter()
    exact = shap.TreeExplainer(model.estimators_[LABEL], background, feature_perturbation="interventional")
    values = np.asarray(exact.shap_values(rows))[..., 1]
    table = [{"by": "shap, TreeExplainer", "seconds per row": (time.perf_counter() - start) / N_ROWS}]
    for budget in (1000, 5000, 20_000):
        start = time.perf_counter()
        found = explain(model, rows, labels=[LABEL], background=background, budget=budget)
        seconds = (time.perf_counter() - start) / N_ROWS
        told = [{reason.name: reason for reason in row.labels[0].reasons} for row in found]
        ours = np.array([[of[f"x{i}"].value if f"x{i}" in of else 0.0 for i in range(rows.shape[1])] for of in told])
        largest = np.abs(ours - values).argmax(axis=1)
        errors = [of[f"x{i}"].standard_error if f"x{i}" in of else 0.0 for of, i in zip(told, largest, strict=True)]
        table.append(
            {
                "by": f"explain, budget {budget:,}",
                "seconds per row": seconds,
                "difference": float(np.abs(ours - values).max(axis=1).mean()),
                "standard error": float(np.mean(errors)),
                "largest reason": float(np.abs(values).max(axis=1).mean()),
                "same first reason": float((np.abs(ours).argmax(axis=1) == np.abs(values).argmax(axis=1)).mean()),
                "correlation": float(np.corrcoef(ours.ravel(), values.ravel())[0, 1]),
            }
        )
    finish("shap", table)


if __name__ == "__main__":
    main()
