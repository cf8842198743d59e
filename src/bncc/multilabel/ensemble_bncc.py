"""Ensembles of chains ordered by label networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bncc._typing import Classifier, Random
from bncc.multilabel.ensemble import ChainEnsemble
from bncc.multilabel.network_settings import NetworkScore, NetworkSearch, network_for
from bncc.multilabel.targets import Targets
from bncc.structure import LabelNetwork

__all__ = ["EnsembleBNCC"]

_SEEDS = np.iinfo(np.int32).max


class EnsembleBNCC(ChainEnsemble):
    """Chains in orders of label networks, each learned on a bootstrap of the label rows.

    A network is learned per chain, and one of its legal orders (parents before children) is drawn at random. So the
    chains differ where the data leave the order open, and agree where they do not. All chains learn from all rows:
    the bootstrap is for the network alone.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links of all chains in one call.
    n_chains : int, default=10
    aggregate : "mean" or "votes", default="mean"
        Average the squashed decisions, or count predicted labels.
    max_samples : float, default=1.0
        Share of the rows that each chain learns from, drawn without replacement.
    max_children, max_parents, network_score, network_search
        As in `learn_network` (there `score` and `search`). `network_search` takes a `LabelNetwork`, too: nothing is
        learned then, and all chains have orders that are legal in it.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Draws the bootstraps and the orders, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    networks_ : tuple of LabelNetwork
        The network of each chain.
    orders_ : tuple of tuples of int

    Notes
    -----
    Costs `n_chains` chains and networks. `predict_proba` averages the chains' probabilities, each
    conditional on what its chain predicted before; with `KernelSVC` it is calibrated on out-of-fold scores.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> base = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> ensemble = EnsembleBNCC(base, n_chains=3, random_state=0).fit(data.X, data.Y)
    >>> ensemble.predict(data.X[:1]).shape, len(ensemble.networks_)
    ((1, 10), 3)
    """

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        n_chains: int = 10,
        aggregate: str = "mean",
        max_samples: float = 1.0,
        max_children: int | None = 2,
        max_parents: int | None = None,
        network_score: NetworkScore = "dependence",
        network_search: NetworkSearch = "paper",
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_chains = n_chains
        self.aggregate = aggregate
        self.max_samples = max_samples
        self.max_children = max_children
        self.max_parents = max_parents
        self.network_score = network_score
        self.network_search = network_search
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _orders(self, targets: Targets, random: np.random.RandomState) -> list[tuple[int, ...]]:
        if not isinstance(self.n_chains, int | np.integer) or self.n_chains < 1:
            raise ValueError(f"`n_chains` must be a whole number of at least 1; got {self.n_chains!r}.")
        self.networks_ = tuple(self._network(targets, random) for _ in range(self.n_chains))
        return [network.order for network in self.networks_]

    def _network(self, targets: Targets, random: np.random.RandomState) -> LabelNetwork:
        rows, seed = random.randint(targets.n_rows, size=targets.n_rows), random.randint(_SEEDS)
        network = network_for(self, targets.take(rows), seed)
        given = isinstance(self.network_search, LabelNetwork)
        return replace(network, order=network.random_order(seed)) if given else network
