"""On data drawn from known label networks: does the order of a chain matter, and does the learned one help?

Fixed beforehand: 30 seeds; each draws a network of 12 labels with up to 2 parents, tables from a Beta(0.4, 0.4), 24
features (each label adds a random direction, noise of size 2), 600 rows to learn from and 1,000 to test; kernel links
with C = 10 and sigma by the data. Joint accuracy is the share of rows with all labels right. Differences are against
the mean of five random orders, with Cohen's d of the paired differences and Wilcoxon's signed-rank test over the seeds.
"""

from __future__ import annotations

import numpy as np
from harness import finish
from scipy.stats import wilcoxon

from bncc.datasets import TrueNetwork, make_network_data
from bncc.graph import topological_order
from bncc.metrics import subset_accuracy
from bncc.multilabel import BNCC, BinaryRelevance, ClassifierChain
from bncc.svm import KernelSVC

SEEDS, N_LABELS, N_TRAIN, N_TEST, NOISE = 30, 12, 600, 1000, 2.0


def draw_network(random: np.random.Generator) -> TrueNetwork:
    parents = [
        tuple(sorted(random.choice(j, size=min(j, int(random.integers(0, 3))), replace=False).tolist())) if j else ()
        for j in range(N_LABELS)
    ]
    tables = tuple(tuple(random.beta(0.4, 0.4, 2 ** len(group)).tolist()) for group in parents)
    return TrueNetwork(tuple(parents), tables, tuple(f"l{j}" for j in range(N_LABELS)))


def joint_accuracies(seed: int) -> dict[str, float]:
    random = np.random.default_rng(seed)
    network = draw_network(random)
    data = make_network_data(network, N_TRAIN + N_TEST, noise=NOISE, random_state=random)
    X, Y, Z, truth = data.X[:N_TRAIN], data.Y[:N_TRAIN], data.X[N_TRAIN:], data.Y[N_TRAIN:]
    base = KernelSVC(C=10)

    def score(model) -> float:
        return float(subset_accuracy(truth, model.fit(X, Y).predict(Z)))

    learned = BNCC(base).fit(X, Y).order_
    return {
        "random orders": float(np.mean([score(ClassifierChain(base, random_state=k)) for k in range(5)])),
        "network's order": score(ClassifierChain(base, order=learned)),
        "network's order, no child limit": score(BNCC(base, max_children=None)),
        "network's order, parents only": score(BNCC(base, context="parents")),
        "no child limit, parents only": score(BNCC(base, max_children=None, context="parents")),
        "network's order reversed": score(ClassifierChain(base, order=learned[::-1])),
        "true order": score(ClassifierChain(base, order=topological_order(network.parents))),
        "binary relevance": score(BinaryRelevance(base)),
    }


def main() -> None:
    found = [joint_accuracies(seed) for seed in range(SEEDS)]
    rows = []
    for name in found[0]:
        values = np.array([one[name] for one in found])
        row = {"method": name, "joint accuracy": float(values.mean())}
        difference = values - np.array([one["random orders"] for one in found])
        if difference.any():
            row |= {
                "difference": float(difference.mean()),
                "Cohen's d": float(difference.mean() / difference.std(ddof=1)),
                "better": f"{int((difference > 0).sum())} of {SEEDS}",
                "Wilcoxon p": float(wilcoxon(difference).pvalue),
            }
        rows.append(row)
    finish("known_networks", rows)


if __name__ == "__main__":
    main()
