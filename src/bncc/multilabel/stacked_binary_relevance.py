"""Stacked binary relevance: a second classifier per label that sees what the first ones say of other labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from scipy import sparse

from bncc._typing import Array, Classifier, Features, Floats, Fold, JSONObject, Labels, Longs, Matrix, Random, Weights
from bncc.graph import Parents, edges_of
from bncc.multilabel.backend import LinkBackend, Response, TrainingRows
from bncc.multilabel.backends import backend_of
from bncc.multilabel.base import required
from bncc.multilabel.chain_contexts import hand_on, resolve_chain_method
from bncc.multilabel.crossval import deal_folds
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.multilabel.links import Link, Links, grounded, label_columns
from bncc.multilabel.network_settings import NetworkScore, NetworkSearch, network_for
from bncc.multilabel.targets import Targets
from bncc.structure import LabelNetwork

__all__ = ["StackedBinaryRelevance", "stacked_contexts"]

StackContext: TypeAlias = Literal["network", "parents", "all"]


class StackedBinaryRelevance(LinkedClassifier):
    """Binary relevance twice: the second classifier of a label sees what the first ones say of some labels (2BR).

    The first layer is `BinaryRelevance`. The second has one classifier per label on the features and, as further
    columns, the first layer's predictions of the label itself and of its context: its neighbours in the label network,
    or all labels (the classical form). The second layer learns from predictions for rows that the first had not seen,
    so that it meets in training the errors that it will meet later.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier, for both layers; None is `KernelSVC()`.
    context : "network", "parents" or "all", default="network"
        Beside the label itself, the second layer sees its parents and children in the network, its parents alone, or
        all labels (then there is no network).
    stack_method : str or list of str, default="predict"
        What is handed on: "predict" (labels), "predict_proba", "predict_log_proba" or "decision_function"; of a list,
        the first that the base has. Labels are what every backend takes as context, so that kernels and linear links
        are solved in one batch; all others fit clones of the base one by one.
    cv : int, default=5
        Folds by which rows are held out from the first layer; stratified, without shuffling.
    max_children, max_parents, network_score, network_search
        As in `BNCC`; `network_search` may be a `LabelNetwork`.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0

    Attributes
    ----------
    network_ : LabelNetwork or None
        None with ``context="all"``.
    contexts_ : tuple of tuples of int
        The labels whose predictions the second classifier of each label sees.
    stack_method_ : str

    Notes
    -----
    Cost: 2M links, and those of the first layer once per fold. All answers are those of the second layer. Unknown
    labels (NaN in y) teach nothing in either layer; predictions of the first stand in for all of them. A single row
    cannot be held out: the second layer then sees true labels.

    References
    ----------
    Godbole, Sarawagi: Discriminative methods for multi-labeled classification. PAKDD 2004. Tsoumakas et al.:
    Correlation-based pruning of stacked binary relevance models. MLD 2009.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> stack = StackedBinaryRelevance(LogisticRegression()).fit(data.X, data.Y)
    >>> stack.contexts_[:2], stack.predict(data.X[:1]).shape
    (((0, 1, 2, 3), (0, 1, 2, 7, 8)), (1, 10))
    """

    _describes_by_features = False
    network_: LabelNetwork | None
    contexts_: tuple[tuple[int, ...], ...]

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        context: StackContext = "network",
        stack_method: str | Sequence[str] = "predict",
        cv: int = 5,
        max_children: int | None = 2,
        max_parents: int | None = None,
        network_score: NetworkScore = "dependence",
        network_search: NetworkSearch = "paper",
        n_jobs: int | None = None,
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.context = context
        self.stack_method = stack_method
        self.cv = cv
        self.max_children = max_children
        self.max_parents = max_parents
        self.network_score = network_score
        self.network_search = network_search
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Features, y: Labels, sample_weight: Weights | None = None, groups: Weights | None = None
    ) -> StackedBinaryRelevance:
        """Learn both layers from rows X and their labels y (see `BinaryRelevance.fit`).

        Rows of one value of `groups` are held out together, in the first layer and for probabilities.
        """
        rows = self._read_rows(X, required(y, self), sample_weight)
        if groups is not None:
            rows = replace(rows, groups=np.asarray(groups))
        self._remember(rows.targets)
        self._fit(rows)
        return self

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        if self.context not in get_args(StackContext):
            raise ValueError(f"`context` must be 'network', 'parents' or 'all'; got {self.context!r}.")
        if not isinstance(self.cv, int | np.integer) or self.cv < 2:
            raise ValueError(f"`cv` must be a whole number of at least 2; got {self.cv!r}.")
        self.stack_method_ = resolve_chain_method(self.stack_method, self._base())
        self.network_ = None if self.context == "all" else network_for(self, targets)
        parents = None if self.network_ is None else self.network_.parents
        self.contexts_ = stacked_contexts(parents, targets.n_labels, with_children=self.context == "network")
        columns, names = label_columns(targets), self.label_names_
        first = [Link(names[label], columns[label], writes=label, label=label) for label in range(targets.n_labels)]
        second = [
            Link(names[label], columns[label], context, label=label) for label, context in enumerate(self.contexts_)
        ]
        return Links((*first, *second), (tuple(range(2 * targets.n_labels)),))

    def _backend(self) -> LinkBackend:
        method = resolve_chain_method(self.stack_method, self._base())
        return backend_of(self._base(), real_contexts=method != "predict")

    def _shares_folds(self) -> bool:
        return False  # links of all folds in one call see true labels

    def _with_contexts(self, links: Links, rows: TrainingRows, prepared: object) -> TrainingRows:
        folds = deal_folds(rows.targets, int(self.cv), rows.groups)
        if len(folds) < 2:
            if rows.targets.n_rows > 1:
                raise ValueError("`groups` must have at least 2 values, so that rows can be held out; got 1.")
            return rows
        layer = Links(links.links[: rows.targets.n_labels], (tuple(range(rows.targets.n_labels)),))
        if self.stack_method_ != "predict":
            return replace(rows, contexts=self._numbers_held_out(layer, rows, folds))
        options = self._fit_options(verbose=0)
        decisions = self._backend().decide_given_truth(layer, rows, folds, options, prepared)
        labels = sparse.csc_array((decisions > 0).astype(np.int8))
        return replace(rows, targets=replace(rows.targets, positives=labels, unknown=None))

    def _numbers_held_out(self, layer: Links, rows: TrainingRows, folds: Sequence[Fold]) -> Floats:
        """What the first layer hands on of each row, learned from the folds that do not test it."""
        out = np.zeros((rows.targets.n_rows, rows.targets.n_labels))
        for train, test in folds:
            part = layer.within(train)
            part = replace(part, links=tuple(grounded(link, 0) for link in part.links))
            solved = self._backend().fit(part, rows.take(train), self._fit_options(verbose=0))
            known = np.zeros((len(test), rows.targets.n_labels))
            for label in range(rows.targets.n_labels):
                out[test, label] = hand_on(solved, label, rows.X[test], known, self.stack_method_)
        return out

    def _handed_on(self, X: Matrix) -> Array:
        """What the first layer says of rows (n_rows, n_labels)."""
        known, labels = np.zeros((X.shape[0], self.n_labels_)), range(self.n_labels_)
        if self.stack_method_ == "predict":
            first = self._solved.answer_some(labels, X, known.astype(np.int8))
            return (np.column_stack(first) > 0).astype(np.int8)
        return np.column_stack([hand_on(self._solved, label, X, known, self.stack_method_) for label in labels])

    def _walk(self, X: Matrix, response: Response) -> Floats:
        if self.stack_method_ == "predict":
            return super()._walk(X, response)
        known, out = self._handed_on(X), np.zeros((1, X.shape[0], 2 * self.n_labels_))
        for label in range(self.n_labels_):
            link = self.n_labels_ + label
            out[0, :, link] = self._solved.answer(link, X, known, response)
        return out

    def _assemble(self, answers: Floats, X: Matrix) -> Floats:
        return answers[0][:, self.n_labels_ :]

    def _label_planes(self, X: Matrix) -> tuple[Array, ...]:
        return (self._handed_on(X),)

    def _scores_given(self, X: Matrix, planes: Sequence[Array], labels: Longs) -> Floats:
        links = [self.n_labels_ + int(label) for label in labels]
        return np.column_stack(self._solved.answer_some(links, X, planes[0]))

    def _repr_mimebundle_(self, **options: object) -> JSONObject:
        """What a notebook shows: scikit-learn's diagram, then the network once there is one."""
        shown: JSONObject = super()._repr_mimebundle_(**options)
        network = getattr(self, "network_", None)
        if "text/html" in shown and network is not None:
            shown["text/html"] += network._repr_html_()
        return shown


def stacked_contexts(
    parents: Parents | None, n_labels: int, *, with_children: bool = True
) -> tuple[tuple[int, ...], ...]:
    """The labels that the second layer sees for each label, ascending: itself, its parents and perhaps children.

    Without a network, all of them.

    >>> stacked_contexts(((), (0,), (1,)), 3)
    ((0, 1), (0, 1, 2), (1, 2))
    >>> stacked_contexts(((), (0,), (1,)), 3, with_children=False)
    ((0,), (0, 1), (1, 2))
    """
    if parents is None:
        return (tuple(range(n_labels)),) * n_labels
    seen = [{label, *group} for label, group in enumerate(parents)]
    for parent, child in edges_of(parents).tolist() if with_children else ():
        seen[parent].add(child)
    return tuple(tuple(sorted(labels)) for labels in seen)
