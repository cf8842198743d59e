"""Binary relevance: one classifier per label."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from bncc._failed_fits import or_as_before
from bncc._rows import read_weights
from bncc._typing import Array, Bools, Classifier, Features, Floats, Labels, Longs, Matrix, Random, Rowwise, Weights
from bncc.multilabel.backend import LinkBackend, TrainingRows
from bncc.multilabel.backends import backend_of
from bncc.multilabel.batches import classes_of_columns, learn_batch, read_batch
from bncc.multilabel.clones import CloneBackend, FittedLinks
from bncc.multilabel.links import Links, label_columns, label_links
from bncc.multilabel.routed_fit import RoutedFit
from bncc.multilabel.targets import Targets, place_values, read_targets

__all__ = ["BinaryRelevance"]


def _learns_batches(classifier: BinaryRelevance) -> bool:
    """Whether the base goes on learning; what it says where it does not is told as the cause."""
    base = classifier._base()
    return isinstance(backend_of(base), CloneBackend) and bool(base.partial_fit)


class BinaryRelevance(RoutedFit):
    """One classifier per label, each on the features alone (BR).

    The baseline: fast, and blind to how labels depend on each other. It takes the place of scikit-learn's
    `MultiOutputClassifier` and `OneVsRestClassifier`.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Any scikit-learn classifier; None is `KernelSVC()`, solved for all labels in one call.
    n_jobs : int or None, default=None
    random_state : int, RandomState or None, default=None
        Seeds the classifiers whose own `random_state` is None.
    verbose : int, default=0
        Show progress with an estimate of the time left.

    Attributes
    ----------
    estimators_ : list of classifiers
        One per label, where they are clones of the base (not with `KernelSVC`, which solves all at once).
    classes_ : array or list of arrays
        The columns 0..M-1 of a matrix of 0 and 1; the values of each column where they are others; the values of a
        one-dimensional y.
    n_classes_ : int
        How many `classes_` are.
    multilabel_ : bool
        Whether y was a matrix.

    Notes
    -----
    A one-dimensional y may have more than two values. Each is then learned against the rest, the value with the highest
    score is predicted (the first of equals), `predict_proba` is scaled to a sum of 1, and thresholds are not offered.

    Columns of a matrix may have more than two classes. The base then learns each column as it stands (`KernelSVC` too,
    one column after the other), `predict_proba` gives a list with an array (n_rows, n_classes) per column, and what is
    about labels that hold or not is not offered: `decision_function`, thresholds, searches by `BatchSearchCV`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> BinaryRelevance(LogisticRegression()).fit(data.X, data.Y).predict(data.X[:1]).tolist()
    [[0, 0, 1, 0, 0, 1, 0, 1, 0, 1]]
    """

    _passes_unrouted = True
    _routed_methods = ("fit", "partial_fit")
    _describes_by_features = False
    _has_many_classes = False
    _exclusive: Array | None = None

    def __init__(
        self, estimator: Classifier = None, *, n_jobs: int | None = None, random_state: Random = None, verbose: int = 0
    ) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def multilabel_(self) -> bool:
        """Whether y was a matrix."""
        check_is_fitted(self)
        return not self._flat and self._exclusive is None

    @property
    def n_classes_(self) -> int:
        """How many `classes_` are."""
        check_is_fitted(self)
        return len(self.classes_)

    @available_if(_learns_batches)  # type: ignore[untyped-decorator]
    @or_as_before
    def partial_fit(
        self,
        X: Features,
        y: Labels,
        classes: Rowwise | None = None,
        sample_weight: Weights | None = None,
        **partial_fit_params: Any,
    ) -> BinaryRelevance:
        """Learn one more batch of rows, where the base has a `partial_fit`; after `fit`, go on from there.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`. A batch need not have all classes.
        classes : array, list of arrays or None, default=None
            For the first batch: the values of a one-dimensional y, or those of each column. A matrix of 0 and 1 needs
            none.
        **partial_fit_params : parameters for `partial_fit` of the base, with metadata routing on
        """
        weight, routed = self._route(sample_weight, partial_fit_params, "partial_fit")
        solved = getattr(self, "_solved", None)
        learned = solved if isinstance(solved, FittedLinks) else None
        known = classes_of_columns(y, classes) if learned is None else self._known_classes()
        targets = read_batch(y, known)
        matrix = self._read_features(X, reset=learned is None)
        check_consistent_length(matrix, targets.positives)
        if learned is None:
            self._remember(targets)
        elif targets.n_labels != self.n_labels_:
            raise ValueError(f"`y` must have {self.n_labels_} label(s), as on the first call; got {targets.n_labels}.")
        weight = None if weight is None else read_weights(weight, matrix.shape[0])
        rows = TrainingRows(matrix, targets, weight, fit_params=routed)
        links = self._describe(matrix, targets)
        self._solved = learn_batch(self._base(), links, rows, learned, self._fit_options())
        self._walks, self.engine_, self._calibration = links.walks, None, None
        return self

    def _known_classes(self) -> tuple[Array, ...] | None:
        """The values of each column, as `classes_of_columns` gives them."""
        if self._exclusive is not None:
            return (self._exclusive,)
        if self._column_values is not None:
            return self._column_values
        return (self._values,) if self.n_labels_ == 1 else None

    def predict(self, X: Features) -> Rowwise:
        """Labels of each row, in the form of the y that was learned from; columns in the caller's order."""
        if not self._has_many_classes:
            return super().predict(X)
        check_is_fitted(self)
        features = self._read_features(X, reset=False)
        codes = [estimator.predict(features) for estimator in self._solved.estimators]
        return self._shape_values(place_values(self._class_values(), np.column_stack(codes)))

    def _decides_by_signs(self) -> bool:
        return self._exclusive is None

    def _decide_labels(self, scores: Floats) -> Bools:
        if self._exclusive is None:
            return super()._decide_labels(scores)
        return np.arange(scores.shape[1]) == scores.argmax(axis=1)[:, None]

    def _shape_labels(self, labels: Bools) -> Rowwise:
        if self._exclusive is None:
            return super()._shape_labels(labels)
        return self._exclusive[labels.argmax(axis=1)]

    def _rates(self, X: Matrix) -> Rowwise:
        rates = super()._rates(X)
        if self._exclusive is None:
            return rates
        total = rates.sum(axis=1, keepdims=True)
        return np.divide(rates, total, out=np.zeros_like(rates), where=total != 0)

    def _link_rates(self, X: Matrix) -> Rowwise:
        if not self._has_many_classes:
            return super()._link_rates(X)
        fitted = zip(self._solved.estimators, self._class_values(), strict=True)
        return [_class_rates(estimator, len(values), X) for estimator, values in fitted]

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        return label_links(label_columns(targets), self.label_names_)

    def _assemble(self, answers: Floats, X: Matrix) -> Floats:
        return answers[0]

    def _label_places(self) -> Longs | None:
        return None if self._has_many_classes or self._exclusive is not None else np.arange(self.n_labels_)

    def _read_targets(self, y: Labels) -> Targets:
        return read_targets(y, many_classes=True)

    def _remember(self, targets: Targets) -> None:
        super()._remember(targets)
        self._has_many_classes = targets.codes is not None
        self._exclusive = targets.exclusive
        if targets.exclusive is not None:
            self.classes_ = targets.exclusive

    def _has_classes(self) -> bool:
        return self._has_many_classes or self._exclusive is not None or super()._has_classes()

    def _backend(self) -> LinkBackend:
        return backend_of(self._base(), classes=self._has_many_classes)

    def _scores(self, X: Matrix) -> Floats:
        if self._has_many_classes:
            raise ValueError(
                "A column with more than two classes has no single score: use `predict` or `predict_proba`, or give a "
                "label matrix with one 0/1 column per class."
            )
        return super()._scores(X)

    def _class_values(self) -> tuple[Array, ...]:
        return (self._values,) if self._column_values is None else self._column_values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags


def _class_rates(estimator: Classifier, n_classes: int, X: Matrix) -> Floats:
    """Probabilities of all classes of a column, also of those that the classifier has not seen."""
    rates = np.zeros((X.shape[0], n_classes))
    rates[:, estimator.classes_] = estimator.predict_proba(X)
    return rates
