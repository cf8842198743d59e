"""Sparse labels go through targets, links, solutions and predictions without a dense array of rows by labels."""

import sys

import pytest

from peak_memory import printed_alone

SCRIPT = """
import sys, warnings
import numpy as np
from scipy import sparse
from bncc import BNCC, BinaryRelevance, ClassifierChain, LinearSVC, TunedThresholds
from bncc.multilabel import base, linked_classifier
from peak_memory import peak

def draw(n_rows, n_columns, per_row):
    columns = np.random.default_rng(n_columns).integers(0, n_columns, n_rows * per_row)
    drawn = sparse.csr_array((np.ones(columns.size), (np.repeat(np.arange(n_rows), per_row), columns)))
    return sparse.csr_array(drawn > 0, dtype=np.int8, shape=(n_rows, n_columns))

n_rows, n_labels = 40_000, 6_000
X, Y = draw(n_rows, 60, 2).astype(np.float32), draw(n_rows, n_labels, 3)
warnings.simplefilter("ignore")
BinaryRelevance(LinearSVC(n_jobs=1)).fit(X[:200], Y[:200]).predict(X[:200])
# Blocks of predictions are small, so that they do not hide what is looked for.
linked_classifier._ANSWERS = base._SCORES = 1 << 20
kinds = {
    "BR": BinaryRelevance,
    "CC": lambda svc: ClassifierChain(svc, order="entropy"),
    "BNCC": BNCC,
    "tuned": lambda svc: TunedThresholds(BinaryRelevance(svc), "micro_f1", cv=2),
}
before = peak()
model = kinds[sys.argv[1]](LinearSVC(max_iter=1, drop_below=0.1, n_jobs=1)).fit(X, Y)
shown = X[:8000]
predicted, (labels, scores) = model.predict(shown), model.predict_top(shown, 5)
assert sparse.issparse(predicted) and predicted.shape == (shown.shape[0], n_labels) and labels.shape == scores.shape
print((peak() - before) / (n_rows * n_labels))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read from the resource module")
@pytest.mark.parametrize(
    ("kind", "most"),
    [
        ("BR", 0.6),
        pytest.param("CC", 0.6, marks=pytest.mark.slow),
        pytest.param("BNCC", 0.6, marks=pytest.mark.slow),
        pytest.param("tuned", 1.6, marks=pytest.mark.slow),  # blocks of scores; all of them would take 8
    ],
)
def test_memory_stays_below_so_many_bytes_per_row_and_label(kind, most):
    assert float(printed_alone(SCRIPT, kind)) < most
