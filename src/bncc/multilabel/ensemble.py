"""Ensembles of classifier chains."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from bncc._typing import Classifier, Floats, Longs, Matrix, Random
from bncc.multilabel.backend import LinkBackend
from bncc.multilabel.backends import backend_of
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.multilabel.links import Links, label_columns, links_of_chains
from bncc.multilabel.targets import Targets

__all__ = ["ChainEnsemble", "EnsembleClassifierChain"]


class ChainEnsemble(LinkedClassifier):
    """Several chains whose decisions are averaged or counted as votes; subclasses say in which orders.

    Attributes of a fitted one
    --------------------------
    orders_ : tuple of tuples of int
    """

    aggregate: str
    max_samples: float
    max_features: float = 1.0
    _describes_by_features = False

    def _orders(self, targets: Targets, random: np.random.RandomState) -> list[tuple[int, ...]]:
        raise NotImplementedError

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        if self.aggregate not in ("mean", "votes"):
            raise ValueError(f"`aggregate` must be 'mean' or 'votes'; got {self.aggregate!r}.")
        random = check_random_state(self.random_state)
        self.orders_ = tuple(self._orders(targets, random))
        columns = label_columns(targets)
        rows = [_draw(targets.n_rows, self.max_samples, random, "max_samples") for _ in self.orders_]
        features = [_draw(X.shape[1], self.max_features, random, "max_features") for _ in self.orders_]
        return links_of_chains(columns, self.label_names_, self.orders_, rows=rows, features=features)

    def _backend(self) -> LinkBackend:
        return backend_of(self._base(), feature_subsets=self.max_features != 1)

    def _assemble(self, answers: Floats, X: Any) -> Floats:
        # Decisions of different chains are brought to one scale before they are averaged.
        parts = np.sign(answers) if self.aggregate == "votes" else np.tanh(answers / 2.0)
        return self._combine(parts)

    def _link_rates(self, X: Matrix) -> Floats:
        answers = self._solved.walk(X, self._walks, "probability")
        return self._combine((answers > 0.5).astype(float) if self.aggregate == "votes" else answers)

    def _combine(self, parts: Floats) -> Floats:
        out = np.zeros(parts.shape[1:])
        for order, part in zip(self.orders_, parts, strict=True):
            out[:, list(order)] += part
        return out / len(parts)


class EnsembleClassifierChain(ChainEnsemble):
    """Chains in random orders, combined (ECC; Read et al. 2011).

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links of all chains in one call.
    n_chains : int, default=10
    aggregate : "mean" or "votes", default="mean"
        Average the squashed decisions, or count predicted labels, as in the paper; averages do better.
    max_samples : float, default=1.0
        Share of the rows that each chain learns from, drawn without replacement.
    max_features : float, default=1.0
        Share of the features that each chain sees, drawn without replacement. Below 1 the links are fitted one by one,
        with `KernelSVC` too, since chains on different features share no distances.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    orders_ : tuple of tuples of int

    Notes
    -----
    `predict_proba` averages the chains' probabilities, each conditional on what its chain predicted before.
    """

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        n_chains: int = 10,
        aggregate: str = "mean",
        max_samples: float = 1.0,
        max_features: float = 1.0,
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_chains = n_chains
        self.aggregate = aggregate
        self.max_samples = max_samples
        self.max_features = max_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _orders(self, targets: Targets, random: np.random.RandomState) -> list[tuple[int, ...]]:
        if not isinstance(self.n_chains, int | np.integer) or self.n_chains < 1:
            raise ValueError(f"`n_chains` must be a whole number of at least 1; got {self.n_chains!r}.")
        return [tuple(random.permutation(targets.n_labels).tolist()) for _ in range(self.n_chains)]


def _draw(n: int, share: float, random: np.random.RandomState, name: str) -> Longs | None:
    """A share of 0..n-1 in ascending order; None for all."""
    if not 0 < share <= 1:
        raise ValueError(f"`{name}` must lie in (0, 1]; got {share!r}.")
    if share == 1:
        return None
    return np.sort(random.choice(n, max(1, round(share * n)), replace=False))
