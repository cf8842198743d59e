"""A small study as text, and its results as something to compare."""

import sqlite3

PROTOCOL = """
datasets = [
  {{ name = "first", path = "first.csv", labels = -10 }},
  {{ name = "second", path = "second.csv", labels = -10 }},
]
seed = 1
{extra}

[folds]
n = 3
repeats = {repeats}

[selection]
mode = "{mode}"
folds = 3
sigma = [1, 4]
C = [10]

[methods.BR]
estimator = "BinaryRelevance"

[methods.BNCC]
estimator = "BNCC"

[methods.kNN]
estimator = "MLkNN"
"""


def count(path):
    """Tasks that a store holds, or 0 where it is not there yet."""
    if not path.exists():
        return 0
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT count(*) FROM tasks").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def table(store):
    """All results without what may differ from run to run: seconds."""
    rows = [*store.records(), *store.records(pooled=True)]
    return sorted(
        (r.dataset, r.method, r.repeat, r.fold, tuple(r.scores.values()), r.sigma, r.C, r.order, r.parents, r.seed)
        for r in rows
    )
