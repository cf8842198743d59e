"""Calibrated label ranking with all pairs and with the edges of the label network, for more and more labels.

Text-like rows and linear links. All pairs are left out from the first number of labels on at which they would take
longer than ``--seconds`` (by the links, from the number before) or hold more than ``--gigabytes`` of weights.
"""

from __future__ import annotations

import argparse
import time

from harness import finish
from linear_data import real_text, text_like

from bncc import CalibratedLabelRanking, LinearSVC
from bncc.metrics import micro_f1

LABELS = (50, 100, 200, 400, 1000, 3000)
ROWS, FEATURES, CARDINALITY = 6000, 5000, 5


def measure(name, X, Y, pairs):
    """One fit to five sixths of the rows, and predictions for the others."""
    train = X.shape[0] * 5 // 6
    X, Y = X.tocsr(), Y.tocsr()
    begin = time.perf_counter()
    ranking = CalibratedLabelRanking(LinearSVC(), pairs=pairs, random_state=0).fit(X[:train], Y[:train])
    middle = time.perf_counter()
    predicted = ranking.predict(X[train:])
    return {
        "data": name,
        "labels": Y.shape[1],
        "pairs": pairs,
        "links": Y.shape[1] + len(ranking.pairs_),
        "fit_s": middle - begin,
        "predict_s": time.perf_counter() - middle,
        "micro_f1": 100.0 * micro_f1(Y[train:], predicted),
    }


def compare(name, X, Y, limits, last):
    """Rows of the table for one number of labels; `last` is that of all pairs for the number before."""
    rows = [measure(name, X, Y, pairs) for pairs in ("network", "random")]
    n_links = Y.shape[1] * (Y.shape[1] + 1) // 2
    expected = 0.0 if last is None else last["fit_s"] * n_links / last["links"]
    weights = 4e-9 * n_links * X.shape[1]
    if expected <= limits.seconds and weights <= limits.gigabytes:
        rows.append(measure(name, X, Y, "all"))
    else:
        print(f"{name}: all pairs would be {n_links:,} links, {expected:.0f} s or more, {weights:.1f} GB of weights")
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--labels", type=int, nargs="*", default=LABELS)
    parser.add_argument("--real", nargs="*", default=["delicious"])
    parser.add_argument("--record", action="store_true")
    limits = parser.parse_args()
    rows, last = [], None
    for n_labels in limits.labels:
        X, Y = text_like(ROWS, FEATURES, n_labels, CARDINALITY)
        rows += compare("text-like", X, Y, limits, last)
        last = next((row for row in reversed(rows) if row["pairs"] == "all"), last)
    for name in limits.real:
        rows += compare(name, *real_text(name), limits, last)
    finish("label_ranking", rows, rows_learned=ROWS * 5 // 6, features=FEATURES, cardinality=CARDINALITY)


if __name__ == "__main__":
    main()
