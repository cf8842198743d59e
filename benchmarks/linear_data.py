"""Rows that the benchmark of the linear engine runs on: drawn as in topic models, or real text."""

from __future__ import annotations

import numpy as np
from scipy import sparse

WORDS = 40
REAL_TEXT = ("bibtex", "education", "delicious", "medical", "enron")


def text_like(n_rows, n_features, n_labels, cardinality, seed=0):
    """Rows of unit length (float32, CSR with 32-bit indices) and their labels (CSC); low labels are frequent.

    Half of the words of a row come from its labels, half from a power law.
    """
    return text_like_and_new(n_rows, 0, n_features, n_labels, cardinality, seed)[:2]


def text_like_and_new(n_rows, n_new, n_features, n_labels, cardinality, seed=0):
    """The rows and labels of `text_like`, and as further two matrices those of new rows of the same vocabulary."""
    random = np.random.default_rng(seed)
    labels = draw_labels(random, n_rows, n_labels, cardinality)
    vocabulary = random.integers(0, n_features, (n_labels, 30), dtype=np.int32)
    seen = write_rows(random, labels, vocabulary, n_features)
    return *seen, *write_rows(random, draw_labels(random, n_new, n_labels, cardinality), vocabulary, n_features)


def draw_labels(random, n_rows, n_labels, cardinality):
    return np.minimum((n_labels * random.power(0.5, (n_rows, cardinality))).astype(np.int32), n_labels - 1)


def write_rows(random, labels, vocabulary, n_features):
    """X and Y of rows with these labels, whose words are drawn."""
    (n_rows, cardinality), n_labels = labels.shape, len(vocabulary)
    columns = np.empty((n_rows, WORDS), np.int32)
    half = WORDS // 2
    source = np.take_along_axis(labels, random.integers(0, cardinality, (n_rows, half)), axis=1)
    columns[:, :half] = vocabulary[source, random.integers(0, 30, (n_rows, half))]
    columns[:, half:] = np.minimum((n_features * random.power(0.3, (n_rows, half))).astype(np.int32), n_features - 1)
    pointer = np.arange(0, n_rows * WORDS + 1, WORDS, dtype=np.int32)
    X = sparse.csr_matrix((np.ones(columns.size, np.float32), columns.ravel(), pointer), shape=(n_rows, n_features))
    X.sum_duplicates()
    X.data /= np.sqrt(np.repeat(np.add.reduceat(X.data**2, X.indptr[:-1]), np.diff(X.indptr)))
    rows = np.repeat(np.arange(n_rows), cardinality)
    Y = sparse.csc_matrix((np.ones(rows.size, np.int8), (rows, labels.ravel())), shape=(n_rows, n_labels))
    Y.data[:] = 1
    return X, Y


def real_text(name):
    """A real set in the same form, without labels of one class: scikit-learn's chain stops at them."""
    from bncc.datasets import load

    data = load(name)
    X, Y = sparse.csr_matrix(data.X, dtype=np.float32), sparse.csc_matrix(data.Y_sparse, dtype=np.int8)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    counts = np.diff(Y.indptr)
    return X, Y[:, (counts > 0) & (counts < Y.shape[0])]


def split_rows(X, Y, n_seen, seed=0):
    """Rows to learn from, their labels, and the same of the others, in random places."""
    places = np.random.default_rng(seed).permutation(X.shape[0])
    seen, new = np.sort(places[:n_seen]), np.sort(places[n_seen:])
    Y = Y.tocsr()
    return X[seen], Y[seen].tocsc(), X[new], Y[new].tocsc()


def top_f1(columns, Y):
    """F1 (in points) of a fixed number of labels per row, summed over all rows and labels."""
    rows = np.repeat(np.arange(len(columns)), columns.shape[1])
    hits = np.asarray(Y.tocsr()[rows, columns.ravel()]).sum()
    return 200.0 * float(hits) / (columns.size + Y.sum())
