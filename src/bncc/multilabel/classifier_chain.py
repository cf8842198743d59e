"""Classifier chains: each link sees the labels before it."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bncc.multilabel.base import LinkedClassifier
from bncc.multilabel.links import Links, chain_links
from bncc.multilabel.orders import Order, resolve_order
from bncc.multilabel.targets import Targets

__all__ = ["ChainClassifier", "ClassifierChain"]


class ChainClassifier(LinkedClassifier):
    """One chain: subclasses say in which order, and what each link sees.

    Attributes of a fitted one
    --------------------------
    order_ : tuple of int
        Position in the chain -> label.
    """

    def _chain(self, targets: Targets) -> tuple[tuple[int, ...], Any]:
        """The order, and the parents that are context (None: all predecessors)."""
        raise NotImplementedError

    def _describe(self, X: Any, targets: Targets) -> Links:
        self.order_, parents = self._chain(targets)
        columns = [targets.column(label) for label in range(targets.n_labels)]
        return chain_links(columns, self.label_names_, [self.order_], parents=parents)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """What a notebook shows: scikit-learn's diagram, then the order or the network once there is one."""
        shown = super()._repr_mimebundle_(**options)
        if "text/html" in shown and hasattr(self, "order_"):
            shown["text/html"] += self._structure_html()
        return shown

    def _structure_html(self) -> str:
        order = " → ".join(escape(self.label_names_[label]) for label in self.order_)
        return f"<p><b>Chain order:</b> {order}</p>"

    def _assemble(self, answers: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        out = np.empty_like(answers[0])
        out[:, list(self.order_)] = answers[0]
        return out


class ClassifierChain(ChainClassifier):
    """A chain of classifiers in which each label sees the labels before it (CC; Read et al. 2009).

    Links are trained on true labels, all in parallel; at prediction the labels before a link are the predicted ones.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links in one call.
    order : str, permutation, function or None, default="random"
        "random", "network" (of the label network), "entropy" (decreasing), "tree" (maximum spanning tree on mutual
        information), a permutation (position -> label), a function of the sparse label matrix, or None for the
        columns as they stand. Learned orders come from the training rows alone.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Draws the random order, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    order_ : tuple of int

    Notes
    -----
    `predict_proba` is conditional on the labels that the chain predicted before each link, not a marginal.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> chain = ClassifierChain(LogisticRegression(), order="entropy").fit(data.X, data.Y)
    >>> [data.label_names[label] for label in chain.order_][:3]
    ['High building', 'Rural', 'Technology']
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        order: Order = "random",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _chain(self, targets: Targets) -> tuple[tuple[int, ...], Any]:
        return resolve_order(self.order, targets, self.random_state), None
