"""Solved links on the linear engine: how they answer, and as classifiers of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit
from sklearn.base import clone

from bncc._typing import CSR, Array, Classifier, Floats, Integers, Longs, Matrix, Signs
from bncc.linear import Features, LogisticRegression, Solutions, Status, decide, prepare_features, walk
from bncc.linear.sparse_walks import SparseWalk, sparse_walk
from bncc.multilabel.backend import Response, SolvedLinks
from bncc.multilabel.calibration import apply_slopes
from bncc.multilabel.clones import Constant
from bncc.multilabel.decode import Answer
from bncc.multilabel.linear_problems import LinearBase

__all__ = ["LinearChoice", "LinearLinks", "LinkClassifiers", "LinkContexts"]


@dataclass(frozen=True)
class LinearChoice:
    """What solved the links, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class LinkContexts:
    """The context of each link, concatenated."""

    first: Longs
    labels: Integers

    def of(self, link: int) -> Integers:
        """The labels that a link sees, in its order."""
        return self.labels[self.first[link] : self.first[link + 1]]


class LinkClassifiers(Sequence[Classifier]):
    """Links as fitted classifiers of their own, made when they are asked for."""

    def __init__(self, solved: LinearLinks) -> None:
        self._solved = solved

    def __len__(self) -> int:
        return len(self._solved.writes)

    def __getitem__(self, link: int | slice) -> Classifier:
        if isinstance(link, slice):
            return tuple(self[number] for number in range(*link.indices(len(self))))
        return self._solved.classifier(range(len(self))[link])


@dataclass(frozen=True, eq=False)
class LinearLinks(SolvedLinks):
    """Solved links on the linear engine.

    Attributes
    ----------
    solutions : Solutions
    first : (n_links + 1,), int64
        Where the problems of each link begin: one for two classes, else one per class.
    classes : tuple of arrays, or None
        The classes of each link; None where all are 0 and 1.
    writes : (n_links,), int32
    n_labels : int
    base : LinearSVC or LogisticRegression
        With the settings of the links, unfitted.
    contexts : LinkContexts or None
        None where they are too many to keep.
    choice : LinearChoice
    """

    solutions: Solutions
    first: Longs
    classes: tuple[Longs, ...] | None
    writes: Integers
    n_labels: int
    base: LinearBase
    contexts: LinkContexts | None
    choice: LinearChoice

    @property
    def engine(self) -> LinearChoice:
        """The engine that solved the links."""
        return self.choice

    @property
    def estimators(self) -> LinkClassifiers:  # type: ignore[override]
        """A fitted classifier or a `Constant` per link."""
        return LinkClassifiers(self)

    def classifier(self, link: int) -> Classifier:
        """One link as a classifier of features and context."""
        classes = np.arange(2) if self.classes is None else self.classes[link]
        problems = np.arange(self.first[link], self.first[link + 1])
        if classes.size == 1:
            return Constant(int(classes[0]))
        if problems.size == 1 and self.solutions.status[problems[0]] == Status.ONE_CLASS:
            return Constant(int(classes[int(self.solutions.bias[problems[0]] > 0)]))
        if self.contexts is None:
            raise AttributeError("The contexts of these links were too many to keep; there is no classifier per link.")
        n_features = self.solutions.n_features
        columns = np.concatenate([np.arange(n_features), n_features + self.contexts.of(link)])
        whole = columns.size == self.solutions.weights.shape[1]
        weights = self.solutions.weights[problems] if whole else self.solutions.weights[problems][:, columns]
        model = clone(self.base)
        model._keep(_of_problems(self.solutions, problems, weights))
        model.classes_, model.n_features_in_ = classes, columns.size
        return model

    def answer(self, link: int, X: Matrix, known: Array, response: Response = "decision") -> Floats:
        """One link's decision or probability given the labels known so far."""
        scores = decide(self.solutions, X, self._seen(known), problems=self.first[link])
        return self._respond(scores, np.array([link]), response)[:, 0]

    def answer_all(self, X: Matrix, known: Signs, response: Response = "decision") -> list[Floats]:
        """Answers of every link, all with the same labels known."""
        scores = decide(self.solutions, X, self._seen(known), problems=self.first[:-1])
        return list(self._respond(scores, np.arange(len(self.writes)), response).T)

    def answer_some(self, links: Sequence[int], X: Matrix, known: Array) -> list[Floats]:
        """Decisions of some links, all with the same labels known."""
        problems = self.first[np.asarray(links, np.int64)]
        return list(decide(self.solutions, X, self._seen(known), problems=problems).T) if problems.size else []

    def walk(self, X: Matrix, walks: Sequence[Sequence[int]], response: Response = "decision") -> Floats:
        """Answers along walks, each link's own label being context to the later ones: (n_walks, n_rows, length)."""
        features = prepare_features(X)
        return np.array([self._walk(features, np.asarray(each, np.int64), response) for each in walks])

    def _walk(self, X: Features, links: Longs, response: Response) -> Floats:
        return self._respond(walk(self.solutions, X, self.first[links], self._written(links)), links, response)

    def sparse_positives(self, X: Matrix, walk: Sequence[int], places: Longs) -> CSR | None:
        """Ones where decisions along a walk are positive, for places in it; None where rows or weights are dense."""
        compiled = self._sparse_walk(X, walk, places)
        return None if compiled is None else compiled.positives(self.base.n_jobs)

    def sparse_top(self, X: Matrix, walk: Sequence[int], places: Longs, k: int) -> tuple[Longs, Floats] | None:
        """The k highest decisions of each row, as `top_scores` has them; None where rows or weights are dense."""
        compiled = self._sparse_walk(X, walk, places)
        return None if compiled is None else compiled.top(k, self.base.n_jobs)

    def _sparse_walk(self, X: Matrix, walk: Sequence[int], places: Longs) -> SparseWalk | None:
        links = np.asarray(walk, np.int64)
        return sparse_walk(self.solutions, prepare_features(X), self.first[links], self._written(links), places)

    def _written(self, links: Longs) -> Longs:
        return self.writes[links].astype(np.int64) if self._sees_labels() else np.full(links.size, -1)

    def conditionals(self, X: Matrix, slopes: Floats | None = None) -> Answer:
        """Probabilities of links for rows of X in any states (see `decode`); features are multiplied once."""
        if slopes is None:
            self._check("probability")
        without_labels = decide(self.solutions, X, problems=self.first[:-1])
        of_labels: dict[int, tuple[Longs, Floats]] = {}

        def ask(link: int, rows: Longs, known: Signs) -> Floats:
            if link not in of_labels:
                of_labels[link] = self._label_weights(link)
            labels, weights = of_labels[link]
            scores = (without_labels[rows, link] + known[:, labels] @ weights)[:, None]
            if slopes is not None:
                return apply_slopes(scores, slopes[[link]])[:, 0]
            return self._respond(scores, np.array([link]), "probability")[:, 0]

        return ask

    def _label_weights(self, link: int) -> tuple[Longs, Floats]:
        """The labels that weigh in a link, and their weights."""
        weights = self.solutions[int(self.first[link])].weights[self.solutions.n_features :]
        labels = np.flatnonzero(weights)
        return labels, weights[labels].astype(np.float64)

    def _sees_labels(self) -> bool:
        return bool(self.solutions.weights.shape[1] > self.solutions.n_features)

    def _seen(self, known: Array) -> Array | None:
        return known if self._sees_labels() else None

    def _respond(self, scores: Floats, links: Longs, response: Response) -> Floats:
        self._check(response)
        if response == "decision":
            return scores
        constant = self.solutions.status[self.first[links]] == Status.ONE_CLASS
        return np.where(constant, scores > 0, expit(scores))

    def _check(self, response: Response) -> None:
        if response == "probability" and not isinstance(self.base, LogisticRegression):
            raise ValueError("Links of a LinearSVC give decisions; probabilities are calibrated. Fit it again.")


def _of_problems(solutions: Solutions, problems: Longs, weights: Array | CSR) -> Solutions:
    """Some of the problems, with these weights."""
    return replace(
        solutions,
        weights=weights,
        bias=solutions.bias[problems],
        objective=solutions.objective[problems],
        dual_objective=solutions.dual_objective[problems],
        iterations=solutions.iterations[problems],
        status=solutions.status[problems],
    )
