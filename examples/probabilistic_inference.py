"""One fitted chain, several ways to predict: what you optimise decides what is best."""

from sklearn.linear_model import LogisticRegression

from bncc.datasets import make_scenes
from bncc.metrics import evaluate
from bncc.multilabel import ClassifierChain

data = make_scenes(900, noise=3.0, random_state=1)
train, test = slice(0, 600), slice(600, None)
chain = ClassifierChain(LogisticRegression(), order="network", random_state=0).fit(data.X[train], data.Y[train])

# How to predict may be changed after fitting.
ways = [("greedy", "joint")] + [
    (inference, goal) for inference in ("beam", "exhaustive", "monte_carlo") for goal in ("joint", "hamming", "f1")
]
print("inference    for       subset accuracy  Hamming loss  example F1")
for inference, goal in ways:
    chain.set_params(inference=inference, optimise=goal)
    predicted = chain.predict(data.X[test])
    found = evaluate(data.Y[test], predicted, metrics=["subset_accuracy", "hamming_loss", "example_f1"])
    print(f"{inference:12s} {goal:9s}" + "".join(f"{value:15.3f}" for value in found.values()))

# Marginals: exact by enumeration of the 2^10 label sets, estimated from samples, and the greedy path's conditionals.
rows = data.X[test][:1]
for inference in ("exhaustive", "monte_carlo", "greedy"):
    rates = chain.set_params(inference=inference, optimise="joint").predict_proba(rows)[0]
    print(f"{inference}: " + ", ".join(f"{name} {p:.2f}" for name, p in zip(data.label_names, rates, strict=True)))
