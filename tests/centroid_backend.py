"""A third backend of links, as an example and for the tests: the nearer of two class means decides."""

from dataclasses import dataclass

from sklearn.base import BaseEstimator, ClassifierMixin

from bncc.multilabel import LinkBackend, SolvedLinks, append_context, register_backend


class Centroids(ClassifierMixin, BaseEstimator):
    """The base classifier: only its settings count, the backend does the work."""

    def __init__(self, shrinkage=0.0):
        self.shrinkage = shrinkage

    def fit(self, X, y):
        return self


@dataclass(frozen=True, eq=False)
class CentroidLinks(SolvedLinks):
    means: tuple
    contexts: tuple
    writes: tuple
    n_labels: int

    def answer(self, link, X, known, response="decision"):
        away = [((append_context(X, known[:, self.contexts[link]]) - mean) ** 2).sum(1) for mean in self.means[link]]
        return away[0] - away[1]


class CentroidBackend(LinkBackend):
    def fit(self, links, rows, options, prepared=None):
        labels, means = rows.targets.positives.toarray(), []
        for link in links.links:
            seen = append_context(rows.X, labels[:, list(link.context)])
            parts = [seen[link.training_rows()[link.target[link.training_rows()] == value]] for value in (0, 1)]
            whole = seen.mean(axis=0)
            means.append([whole + (1 - self.base.shrinkage) * (p.mean(0) - whole) if len(p) else whole for p in parts])
        contexts = tuple(list(link.context) for link in links.links)
        writes = tuple(link.writes for link in links.links)
        return CentroidLinks(tuple(means), contexts, writes, rows.targets.n_labels)


register_backend(Centroids, CentroidBackend)
