"""A table in which rows of one patient are alike, and nothing else tells labels."""

import numpy as np


def leaking_columns(n_rows, n_patients, random):
    """Columns by name, and labels: each patient has labels and a fingerprint of numbers of its own."""
    patient = np.sort(random.integers(n_patients, size=n_rows))
    labels = (random.random((n_patients, 3)) < 0.4).astype(int)
    fingerprint = random.normal(size=(n_patients, 6))
    X = fingerprint[patient] + 0.1 * random.normal(size=(n_rows, 6))
    Y = np.where(random.random((n_rows, 3)) < 0.05, 1 - labels[patient], labels[patient])
    columns = {"patient": [f"P{'ABCDEFGHIJ'[n % 10]}{n}x" for n in patient]}
    columns |= {f"m{i}": np.round(X[:, i], 4).tolist() for i in range(6)}
    return columns, Y
