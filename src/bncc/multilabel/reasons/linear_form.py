"""Links whose score is a weighted sum of features and labels: their reasons need no sampling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Classifier, Floats, Longs, Matrix, Sparse
from bncc.multilabel.binary_relevance import BinaryRelevance
from bncc.multilabel.classifier_chain import ChainClassifier
from bncc.multilabel.clones import Constant, FittedLinks
from bncc.multilabel.linear_links import LinearLinks

__all__ = ["LinearForm", "linear_form"]


@dataclass(frozen=True, eq=False)
class LinearForm:
    """A score ``features @ weights + labels[context] @ label_weights + intercept``."""

    weights: Floats
    context: Longs
    label_weights: Floats
    intercept: float

    def __call__(self, X: Matrix, plane: Floats | None) -> Floats:
        """Scores of rows, with the labels that the link sees."""
        from_labels = 0.0 if plane is None else plane[:, self.context] @ self.label_weights
        return np.asarray(X @ self.weights, np.float64).ravel() + from_labels + self.intercept


def linear_form(model: Classifier, label: int) -> LinearForm | None:
    """The score of one label as a weighted sum, for binary relevance and chains over linear classifiers; else None.

    A form that holds for the coefficients of a classifier is not yet one of its scores: callers compare.
    """
    if not isinstance(model, BinaryRelevance | ChainClassifier):
        return None
    solved = model._solved
    if not isinstance(solved, FittedLinks | LinearLinks) or (isinstance(solved, LinearLinks) and not solved.contexts):
        return None
    link = model.order_.index(label) if isinstance(model, ChainClassifier) else label
    classifier = solved.estimators[link]
    n_features = int(model.n_features_in_)
    if isinstance(classifier, Constant):
        nothing = np.zeros(0)
        return LinearForm(np.zeros(n_features), np.zeros(0, np.int64), nothing, 2.0 * classifier.value - 1.0)
    weights, intercept = getattr(classifier, "coef_", None), getattr(classifier, "intercept_", None)
    if weights is None or intercept is None:
        return None
    context = _context(solved, link)
    coefficients = _dense(weights)
    if coefficients.shape != (n_features + context.size,):
        return None
    first, last = np.split(coefficients, [n_features])
    return LinearForm(first, context, last, float(np.ravel(intercept)[0]))


def _context(solved: FittedLinks | LinearLinks, link: int) -> Longs:
    if isinstance(solved, FittedLinks):
        return np.asarray(solved.contexts[link], np.int64)
    return np.zeros(0, np.int64) if solved.contexts is None else np.asarray(solved.contexts.of(link), np.int64)


def _dense(weights: Floats | Sparse) -> Floats:
    values = weights if isinstance(weights, np.ndarray) else weights.toarray()
    return np.asarray(values, np.float64).ravel()
