"""How the child limit of the label network changes what it knows about unseen label rows.

For each real label matrix: mean log2-likelihood of held-out rows (10 stratified folds) under the network learned with
each limit, relative to independent labels; and how many edges are lost to cycles. Larger is better.
"""

from __future__ import annotations

import numpy as np
from harness import finish

from bncc import learn_network
from bncc.datasets import MultilabelStratifiedKFold, available, load

LIMITS = (1, 2, 3, 5, None)


def held_out_gain(Y, limit, folds) -> tuple[float, float]:
    gains, dropped = [], []
    for train, test in folds:
        alone = learn_network(Y[train], search=[()] * Y.shape[1])
        net = learn_network(Y[train], max_children=limit)
        gains.append(np.mean(net.log_likelihood(Y[test]) - alone.log_likelihood(Y[test])))
        dropped.append(len(net.dropped_edges) / max(1, len(net.edges) + len(net.dropped_edges)))
    return float(np.mean(gains)), float(np.mean(dropped))


def main() -> None:
    rows = []
    for name in available():
        if name == "delicious":  # 983 labels: for scale, not for this question
            continue
        Y = load(name).Y_sparse
        folds = list(MultilabelStratifiedKFold(10, random_state=0).split(np.zeros(Y.shape[0]), Y))
        row = {"data": name}
        for limit in LIMITS:
            gain, dropped = held_out_gain(Y, limit, folds)
            row |= {f"n={limit}": gain, f"dropped {limit}": dropped}
        rows.append(row)
        print(row, flush=True)
    ranks = {
        limit: float(np.mean([sorted(-r[f"n={k}"] for k in LIMITS).index(-r[f"n={limit}"]) + 1 for r in rows]))
        for limit in LIMITS
    }
    finish("child_limit", rows, mean_rank={str(limit): round(rank, 2) for limit, rank in ranks.items()})


if __name__ == "__main__":
    main()
