"""Thresholds: why a label should not always be predicted at a score above 0, and how to choose better."""

from sklearn.linear_model import LogisticRegression

from bncc.datasets import make_scenes
from bncc.metrics import evaluate
from bncc.multilabel import BinaryRelevance, EnsembleClassifierChain, TunedThresholds, recommended_kernels

data = make_scenes(1000, noise=3.0, random_state=1)
train, test = slice(0, 500), slice(500, None)
chains = EnsembleClassifierChain(n_chains=5, random_state=0)
models = {
    "SVMs, as they are": BinaryRelevance(),
    "chains, as they are": chains,
    "chains, one threshold for F1": TunedThresholds(chains, "example_f1"),
    "chains, a threshold per label": TunedThresholds(chains, "example_f1", how="per_label"),
    "chains, a threshold per label for macro F1": TunedThresholds(chains, "macro_f1", how="per_label"),
    "chains, label counts": TunedThresholds(chains, how="counts"),
    "logistic regression, one threshold": TunedThresholds(BinaryRelevance(LogisticRegression()), "example_f1"),
    "recommended_kernels": recommended_kernels("example_f1", n_chains=5, random_state=0),
}
for title, model in models.items():
    predicted = model.fit(data.X[train], data.Y[train]).predict(data.X[test])
    found = evaluate(data.Y[test], predicted, metrics=["example_f1", "macro_f1", "hamming_loss"])
    print(f"{title}: " + ", ".join(f"{name} {value:.3f}" for name, value in found.items()))

per_label = models["chains, a threshold per label"]
print("thresholds: " + ", ".join(f"{n} {t:+.2f}" for n, t in zip(data.label_names, per_label.thresholds_, strict=True)))
best = models["recommended_kernels"]["search"]
print("recommended_kernels chose", best.best_params_)
