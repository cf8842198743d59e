"""ML-kNN with the label network in the place of its priors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bncc._typing import Floats, Matrix
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.mlknn import MLkNN
from bncc.multilabel.network_factors import parent_tables, table_factors
from bncc.multilabel.network_settings import NetworkScore, NetworkSearch, network_for
from bncc.structure import FactorGraph, LabelNetwork

__all__ = ["NetworkMLkNN"]


class NetworkMLkNN(MLkNN):
    """Multi-label nearest neighbours whose labels inform each other along the label network.

    `MLkNN` weighs the number c of neighbours that carry a label against the label's prior, one label at a time. Here
    the prior is that of a label given its parents in the network, and all labels are settled together::

        P(y | c) is proportional to the product over labels of P(y_label | y_parents) P(c_label | y_label)

    that is, given the label of a row, the number of its neighbours that carry it says nothing more of other labels.
    The probability of each label is summed over all sets of the others.

    Parameters
    ----------
    k, smoothing, metric, n_jobs
        As in `MLkNN`.
    max_children, max_parents, network_score, network_search
        As in `BNCC`; `network_search` may be a `LabelNetwork`, whose edges are used.

    Attributes
    ----------
    network_ : LabelNetwork
    tables_ : tuple of arrays
        P(label | parents) for each configuration of the parents; bit i of its number is the value of ``parents[i]``.
    prior_, conditional_
        As in `MLkNN`.

    Notes
    -----
    `predict_proba` is the marginal probability, `decision_function` its logit. Exact where the network is narrow (see
    `bncc.structure.FactorGraph`), by belief propagation beyond. On a network without edges it is `MLkNN`. Unknown
    labels are as in `MLkNN`; for the search of the network they count as 0. Labels share their neighbours, and what
    these say of related labels is counted for each: probabilities are more extreme than those of `MLkNN`.

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> neighbours = NetworkMLkNN(k=5).fit(data.X, data.Y)
    >>> neighbours.predict_proba(data.X[:1]).round(1).tolist()
    [[0.9, 0.1, 1.0, 0.0, 0.0, 1.0, 0.0, 0.2, 0.0, 0.9]]
    """

    network_: LabelNetwork
    tables_: tuple[Floats, ...]

    def __init__(
        self,
        *,
        k: int = 10,
        smoothing: float = 1.0,
        metric: str | Callable[..., float] = "euclidean",
        max_children: int | None = 2,
        max_parents: int | None = None,
        network_score: NetworkScore = "dependence",
        network_search: NetworkSearch = "paper",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(k=k, smoothing=smoothing, metric=metric, n_jobs=n_jobs)
        self.max_children = max_children
        self.max_parents = max_parents
        self.network_score = network_score
        self.network_search = network_search

    def _fit(self, rows: TrainingRows) -> None:
        super()._fit(rows)
        self.network_ = network_for(self, rows.targets)
        self.tables_ = parent_tables(rows.targets, self.network_.parents, self.prior_, float(self.smoothing))

    def _scores(self, X: Matrix) -> Floats:
        """Logit of the marginal probability."""
        odds_of_prior = np.log(self.prior_) - np.log1p(-self.prior_)
        graph = FactorGraph(self.n_labels_, table_factors(self.network_.parents, self.tables_))
        return graph.infer(super()._scores(X) - odds_of_prior).log_odds
