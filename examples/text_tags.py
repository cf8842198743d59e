"""Tags of short texts: sparse features, sparse labels, a linear base."""

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bncc import BNCC, BinaryRelevance, TunedThresholds
from bncc.datasets import multilabel_train_test_split
from bncc.metrics import evaluate

# A small collection drawn from a vocabulary per tag; yours would come from files.
TAGS = ("python", "pandas", "plotting", "statistics", "databases", "sql")
WORDS = {
    "python": "function class import list error module",
    "pandas": "frame column index merge groupby row",
    "plotting": "figure axis colour legend line bar",
    "statistics": "mean variance test sample regression p-value",
    "databases": "table transaction schema server backup key",
    "sql": "select join where query group order",
}
random = np.random.default_rng(0)
texts, rows = [], []
for _ in range(1500):
    carried = {"python"} if random.random() < 0.6 else {"databases"}
    if "python" in carried and random.random() < 0.5:
        carried.add("pandas")
    if "pandas" in carried and random.random() < 0.4:
        carried.add("plotting")
    if random.random() < 0.3:
        carried.add("statistics")
    if "databases" in carried and random.random() < 0.8:
        carried.add("sql")
    words = [word for tag in sorted(carried) for word in random.choice(WORDS[tag].split(), 4)]
    noise = random.choice(" ".join(WORDS.values()).split(), 6)
    texts.append(" ".join(random.permutation([*words, *noise])))
    rows.append([tag in carried for tag in TAGS])
Y = sparse.csr_array(np.array(rows, dtype=np.int8))

train_texts, test_texts, Y_train, Y_test = multilabel_train_test_split(texts, Y, test_size=0.3, random_state=0)

base = LogisticRegression(C=5.0, max_iter=300)
models = {
    "binary relevance": BinaryRelevance(base),
    "BNCC": BNCC(base),
    "BNCC, tuned": TunedThresholds(BNCC(base), metric="example_f1"),
}
for name, model in models.items():
    pipeline = make_pipeline(TfidfVectorizer(), model).fit(train_texts, Y_train)
    scores = evaluate(Y_test, pipeline.predict(test_texts), metrics=["example_f1", "macro_f1", "hamming_loss"])
    print(f"{name:18}", {metric: round(float(value), 3) for metric, value in scores.items()})

chain = make_pipeline(TfidfVectorizer(), BNCC(base)).fit(train_texts, Y_train)[-1]
print("order:", " -> ".join(TAGS[label] for label in chain.order_))
