"""Tags of 20,000 texts: hashed words, a label network, a chain and thresholds on the linear engine, and a page."""

import time
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from bncc import BNCC, BinaryRelevance, LinearSVC, TunedThresholds
from bncc.analysis.page import summarise_labels, write_page
from bncc.datasets import make_dataset, make_power_law_labels
from bncc.metrics import evaluate

N_ROWS, N_WORDS, N_TAGS = 20_000, 20_000, 60

# Texts by their words: two of each tag's own vocabulary, and twenty common ones. Yours would come from
# `HashingVectorizer` or `TfidfVectorizer`, which give the same kind of matrix.
random = np.random.default_rng(0)
Y = make_power_law_labels(N_ROWS, N_TAGS, cardinality=3.0, random_state=0)
tagged, tags = Y.nonzero()
vocabulary = random.integers(0, N_WORDS, (N_TAGS, 40))
own = vocabulary[np.repeat(tags, 2), random.integers(0, 40, 2 * tags.size)]
common = (N_WORDS * random.random(20 * N_ROWS) ** 3).astype(int)
rows = np.concatenate([np.repeat(tagged, 2), np.repeat(np.arange(N_ROWS), 20)])
counts = sparse.csr_array((np.ones(rows.size), (rows, np.concatenate([own, common]))), shape=(N_ROWS, N_WORDS))
X = sparse.csr_array(TfidfTransformer().fit_transform(counts))
train, test = slice(0, 15_000), slice(15_000, None)

# Sparse X and sparse Y: nothing here is made dense. `drop_below` keeps the model small.
base = LinearSVC(C=0.5, drop_below=0.005)
models = {
    "binary relevance": BinaryRelevance(base),
    "BNCC": BNCC(base),
    "BNCC, tuned": TunedThresholds(BNCC(base), metric="example_f1", cv=3),
}
for name, model in models.items():
    begin = time.perf_counter()
    model.fit(X[train], Y[train])
    seconds = time.perf_counter() - begin
    scores = evaluate(Y[test], model.predict(X[test]), metrics=["example_f1", "micro_f1", "macro_f1"])
    print(f"{name:18}{seconds:6.1f} s ", {metric: round(float(value), 3) for metric, value in scores.items()})

# The three best tags of each text, without scores of all texts and tags.
best, _ = models["BNCC"].predict_top(X[test], 3)
hits = [Y[test][[row]].toarray()[0][labels].sum() for row, labels in enumerate(best[:1000])]
print("of the three best tags", round(float(np.mean(hits)), 2), "are right")

names = tuple(f"tag{number:02}" for number in range(N_TAGS))
folder = Path("out")
folder.mkdir(exist_ok=True)
data = make_dataset(X, Y, label_names=names, name="texts", source="generated")
print("written:", write_page(summarise_labels(data, title="Tags of texts"), folder / "texts.html"))
