"""Classifier chains: each link sees the labels before it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from bncc._typing import Array, Classifier, Floats, Longs, Matrix, Random, Splitter
from bncc.graph import Parents
from bncc.multilabel.backend import LinkBackend, Response, TrainingRows
from bncc.multilabel.backends import backend_of
from bncc.multilabel.chain_contexts import (
    ChainMethod,
    ContextCrossValidation,
    plane_handed_on,
    resolve_chain_method,
    walk_handing_on,
)
from bncc.multilabel.chain_inference import InferringClassifier
from bncc.multilabel.links import Links, label_columns, links_of_chains
from bncc.multilabel.orders import Order, resolve_order
from bncc.multilabel.routed_fit import RoutedFit
from bncc.multilabel.targets import Targets

__all__ = ["ChainClassifier", "ClassifierChain"]


# Folds of contexts where those given cannot be used: on the folds on which probabilities are calibrated.
_CALIBRATION_FOLDS = 5


class ChainClassifier(InferringClassifier):
    """One chain: subclasses say in which order, and what each link sees.

    Attributes of a fitted one
    --------------------------
    order_ : tuple of int
        Position in the chain -> label.
    """

    _describes_by_features = False

    def _chain(self, targets: Targets) -> tuple[tuple[int, ...], Parents | None]:
        """The order, and the parents that are context (None: all predecessors)."""
        raise NotImplementedError

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        self._check_inference(targets.n_labels)
        self.order_, parents = self._chain(targets)
        links = links_of_chains(label_columns(targets), self.label_names_, [self.order_], parents=parents)
        self._contexts = None if parents is None else tuple(link.context for link in links.links)
        return links

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """What a notebook shows: scikit-learn's diagram, then the order or the network once there is one."""
        shown = super()._repr_mimebundle_(**options)
        if "text/html" in shown and hasattr(self, "order_"):
            shown["text/html"] += self._structure_html()
        return shown

    def _structure_html(self) -> str:
        order = " → ".join(escape(self.label_names_[label]) for label in self.order_)
        return f"<p><b>Chain order:</b> {order}</p>"

    def _assemble(self, answers: Floats, X: Matrix) -> Floats:
        return np.take(answers[0], np.argsort(self.order_), axis=1)

    def _label_places(self) -> Longs | None:
        return np.argsort(self.order_) if self.inference == "greedy" else None


class ClassifierChain(RoutedFit, ChainClassifier):
    """A chain of classifiers in which each label sees the labels before it (CC; Read et al. 2009).

    Links are trained on true labels, all in parallel; at prediction the labels before a link are the predicted ones.
    It takes the place of scikit-learn's `ClassifierChain`, whose parameters it has; only the default of `order` is
    another.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all links in one call.
    order : str, permutation, function or None, default="random"
        "random", "network" (of the label network), "entropy" (decreasing), "tree" (maximum spanning tree on mutual
        information), a permutation (position -> label), a function of the sparse label matrix, or None for the
        columns as they stand. Learned orders come from the training rows alone.
    cv : int, splitter, iterable of (train, test) or None, default=None
        None: links learn from true labels. Else they learn from what the links before them say of rows that these have
        not seen, fold by fold (an int: `StratifiedKFold` on each label); folds must test every row once.
    chain_method : str or list of str, default="predict"
        What a link hands on to those after it: "predict" (its label), "predict_proba" (the probability of the label),
        "predict_log_proba" or "decision_function"; of a list, the first that the base has. All but "predict" fit
        clones of the base one by one, and need greedy inference.
    inference : "greedy", "beam", "exhaustive" or "monte_carlo", default="greedy"
        How label sets are searched. "greedy": each link decides for itself, M answers per row. "beam": the
        `beam_width` most probable partial sets are followed. "exhaustive": all 2^M sets, for at most 15 labels.
        "monte_carlo": `n_samples` sets are drawn along the chain, beside the greedy one. All but "greedy" need links
        that give probabilities; those of `KernelSVC` are calibrated, given the true context, on held-out rows.
    optimise : "joint", "hamming" or "f1", default="joint"
        What the predicted set is best for, in expectation: subset accuracy (the mode of the joint distribution),
        Hamming loss (labels whose marginal exceeds one half), or `example_f1`. Greedy inference only knows "joint",
        of which it is an approximation.
    beam_width : int, default=10
    n_samples : int, default=100
        The draws are settled at `fit` by `random_state` and are the same for every row.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Draws the random order, and seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    order_ : tuple of int
    chain_method_ : str
        The method by which links hand on.
    estimators_ : list of classifiers
        The links in chain order, where they are clones of the base (not with `KernelSVC`, which solves all at once).
    classes_ : array or list of arrays
        The columns 0..M-1 of a matrix of 0 and 1; the two values of each column where they are others.

    Notes
    -----
    With greedy inference `predict_proba` is conditional on the labels that the chain predicted before each link, not a
    marginal. Otherwise it is the marginal probability of each label: exact (given the links) for "exhaustive", over
    the sets that are left for "beam", estimated from the draws for "monte_carlo". `decision_function` is then the
    marginal less one half for "hamming"; for "joint" and "f1" it is above 0 for the labels of the chosen set, with the
    marginals deciding the ranks within and without it. `inference` (on KernelSVC links: not from or to "greedy"),
    `optimise`, `beam_width` and `n_samples` may be changed after `fit`. `KernelSearchCV` scores greedy predictions,
    whatever `inference` is.

    Sources: Read et al. 2009 (chains); Dembczynski et al. 2010 (probabilistic chains, and what each loss asks for) and
    2011 (F1); Kumar et al. 2013 (beam); Read et al. 2014 (sampling).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> chain = ClassifierChain(LogisticRegression(), order="entropy").fit(data.X, data.Y)
    >>> [data.label_names[label] for label in chain.order_][:3]
    ['High building', 'Rural', 'Technology']
    >>> chain.set_params(inference="beam", optimise="f1").predict(data.X[:1]).tolist()
    [[0, 0, 1, 0, 0, 1, 0, 1, 0, 1]]
    """

    # What a chain from a file without these parameters does.
    cv: Splitter = None
    chain_method: str | Sequence[str] = "predict"
    chain_method_: ChainMethod = "predict"

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        order: Order = "random",
        cv: Splitter = None,
        chain_method: str | Sequence[str] = "predict",
        inference: str = "greedy",
        optimise: str = "joint",
        beam_width: int = 10,
        n_samples: int = 100,
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.order = order
        self.cv = cv
        self.chain_method = chain_method
        self.inference = inference
        self.optimise = optimise
        self.beam_width = beam_width
        self.n_samples = n_samples
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _chain(self, targets: Targets) -> tuple[tuple[int, ...], Parents | None]:
        self.chain_method_ = resolve_chain_method(self.chain_method, self._base())
        return resolve_order(self.order, targets, self.random_state), None

    def _backend(self) -> LinkBackend:
        method = resolve_chain_method(self.chain_method, self._base())
        return backend_of(self._base(), real_contexts=method != "predict")

    def _for_other_rows(self) -> Classifier:
        held = super()._for_other_rows()
        # Folds that are given by their rows belong to these rows alone.
        if not (self.cv is None or isinstance(self.cv, int) or hasattr(self.cv, "split")):
            held.cv = _CALIBRATION_FOLDS
        return held

    def _shares_folds(self) -> bool:
        # Links of all folds in one call see true labels.
        return self.cv is None and super()._shares_folds()

    def _with_contexts(self, links: Links, rows: TrainingRows, prepared: object) -> TrainingRows:
        if self.cv is None:
            return rows
        options = self._fit_options(verbose=0)
        crossed = ContextCrossValidation(self.cv, self.chain_method_, self._backend(), options)
        return crossed.rows_with_contexts(links, rows, prepared)

    def _walk(self, X: Matrix, response: Response) -> Floats:
        if self.chain_method_ == "predict":
            return super()._walk(X, response)
        return walk_handing_on(self._solved, X, self._walks[0], response, self.chain_method_)

    def _label_places(self) -> Longs | None:
        return super()._label_places() if self.chain_method_ == "predict" else None

    def _label_planes(self, X: Matrix) -> tuple[Array, ...]:
        if self.chain_method_ == "predict":
            return super()._label_planes(X)
        return (plane_handed_on(self._solved, X, self._walks[0], self.chain_method_),)

    def _check_inference(self, n_labels: int) -> None:
        super()._check_inference(n_labels)
        if self.inference != "greedy" and resolve_chain_method(self.chain_method, self._base()) != "predict":
            raise ValueError(
                f"inference={self.inference!r} follows labels, and `chain_method` hands on numbers: got "
                f"{self.chain_method!r}. Use chain_method='predict', or inference='greedy'."
            )
