"""Choose the order of a classifier chain, and see what it changes."""

import numpy as np
from sklearn.linear_model import LogisticRegression

from bncc.datasets import make_scenes
from bncc.metrics import evaluate
from bncc.multilabel import BNCC, BinaryRelevance, ClassifierChain

data = make_scenes(1500, noise=2.0, random_state=1)
train, test = slice(0, 700), slice(700, None)
base = LogisticRegression()


def rarest_last(Y):
    """Any function of the label matrix that returns a permutation is an order."""
    return np.argsort(-np.asarray(Y.sum(axis=0)).ravel(), kind="stable")


models = {
    "no chain (binary relevance)": BinaryRelevance(base),
    "columns as they stand": ClassifierChain(base, order=None),
    "random": ClassifierChain(base, order="random", random_state=0),
    "decreasing entropy": ClassifierChain(base, order="entropy"),
    "label network": BNCC(base),
    "label network, reversed": ClassifierChain(base, order=BNCC(base).fit(data.X[train], data.Y[train]).order_[::-1]),
    "label network, parents only": BNCC(base, context="parents"),
    "a function: rarest label last": ClassifierChain(base, order=rarest_last),
}

names = data.label_names
for title, model in models.items():
    model.fit(data.X[train], data.Y[train])
    found = evaluate(
        data.Y[test], model.predict(data.X[test]), metrics=["subset_accuracy", "example_f1", "hamming_loss"]
    )
    figures = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
    print(f"{title}: {figures}")
    if hasattr(model, "order_"):
        print("   ", " > ".join(names[label] for label in model.order_))

print(
    "One split says little about orders that differ by a point: repeat with other seeds before you believe a ranking."
)
