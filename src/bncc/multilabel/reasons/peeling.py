"""What stands around a model is taken off: pipelines, searches and thresholds, down to the model that gives scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bncc._typing import Array, Classifier, Floats, Longs, Matrix, Rowwise
from bncc.multilabel.base import MultilabelClassifier
from bncc.multilabel.feature_rows import narrow
from bncc.multilabel.network_decoder import NetworkDecoder
from bncc.multilabel.reasons.column_origins import Origin, named_columns, trace
from bncc.multilabel.tuned_thresholds import TunedThresholds, label_scores

__all__ = ["Peeled", "ScoredModel", "peel"]


class ScoredModel(Protocol):
    """A model as reasons see it: scores of labels, with the labels that its parts hand on to others."""

    def planes(self, X: Matrix) -> tuple[Array, ...]:
        """The labels that parts hand on for each row, as planes (n_rows, n_labels); none where there are no such."""

    def scores(self, X: Matrix, planes: Sequence[Array], labels: Longs) -> Floats:
        """Scores of some labels with the labels of the planes; those of the whole model where planes are none."""


@dataclass(frozen=True, eq=False)
class Peeled:
    """A model without what stands around it, and the rows as it sees them.

    Attributes
    ----------
    model : the classifier itself
    scored : ScoredModel
    X, compared : features of the rows to explain and of those to compare them with
    origins : of the columns of X
    thresholds : (n_labels,)
        What is taken from the scores of the model.
    label_names : tuple of str
    raw : what was handed over as X
    transformed : bool
        Whether features were made from what was handed over.
    """

    model: Classifier
    scored: ScoredModel
    X: Matrix
    compared: Matrix | None
    origins: tuple[Origin, ...]
    thresholds: Floats
    label_names: tuple[str, ...]
    raw: Rowwise
    transformed: bool


@dataclass(frozen=True, eq=False)
class _OurModel:
    """A classifier of this package."""

    model: MultilabelClassifier

    def planes(self, X: Matrix) -> tuple[Array, ...]:
        return self.model._label_planes(X)

    def scores(self, X: Matrix, planes: Sequence[Array], labels: Longs) -> Floats:
        return self.model._scores_given(X, planes, labels) if planes else self.model._scores(X)[:, labels]


@dataclass(frozen=True, eq=False)
class _OtherModel:
    """Any multi-label classifier with scikit-learn's methods."""

    model: Classifier
    n_labels: int
    as_seen: Callable[[Matrix], Rowwise]

    def planes(self, X: Matrix) -> tuple[Array, ...]:
        return ()

    def scores(self, X: Matrix, planes: Sequence[Array], labels: Longs) -> Floats:
        return label_scores(self.model, self.as_seen(X), self.n_labels)[:, labels]


@dataclass(frozen=True, eq=False)
class _Layer:
    """What is left after some layers."""

    model: Classifier
    X: Rowwise
    compared: Rowwise | None
    origins: tuple[Origin, ...] | None = None
    thresholds: Floats | float = 0.0
    names: tuple[str, ...] | None = None
    transformed: bool = False


def peel(model: Classifier, X: Rowwise, compared: Rowwise | None) -> Peeled:
    """The model inside, with rows as it sees them; raises where it is not fitted or gives no scores of labels."""
    check_is_fitted(model)
    layer = _Layer(model, _as_rows(X), None if compared is None else _as_rows(compared))
    while (next_layer := _take_off(layer)) is not None:
        layer = next_layer
    inner: Any = layer.model
    # A decoder hands rows on to its estimator as they are.
    ours = isinstance(inner, MultilabelClassifier) and not isinstance(inner, NetworkDecoder)
    features = _read(inner, layer.X)
    others = None if layer.compared is None else _read(inner, layer.compared)
    n_labels = int(inner.n_labels_) if ours else _count_labels(inner, layer.X)
    unnamed = tuple(f"label{label}" for label in range(n_labels))
    names = layer.names or tuple(getattr(inner, "label_names_", unnamed))
    scored: ScoredModel = _OurModel(inner) if ours else _OtherModel(inner, n_labels, _shaper(inner, layer.X))
    made_by = getattr(inner, "table_features_", None)
    origins = layer.origins if made_by is None else tuple(trace(made_by, (), int(features.shape[1])))
    origins = origins or _origins(inner, layer.X, int(features.shape[1]))
    transformed = layer.transformed or made_by is not None
    thresholds = np.broadcast_to(np.asarray(layer.thresholds, np.float64), (n_labels,))
    return Peeled(inner, scored, features, others, origins, thresholds, names, X, transformed)


def _as_rows(X: Rowwise) -> Rowwise:
    """A single row of numbers as a matrix of one row."""
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "biuf":
        return X[None, :]
    if hasattr(X, "to_frame"):
        raise ValueError("`X` must be a table of rows; got one row as a Series. Take it as a table: X.iloc[[3]].")
    return X


def _take_off(layer: _Layer) -> _Layer | None:
    """One layer less; None where only the model is left."""
    model = layer.model
    if isinstance(model, Pipeline):
        return _take_off_steps(layer, model)
    if isinstance(model, TunedThresholds):
        names = layer.names or tuple(model.label_names_)
        return replace(layer, model=model.estimator_, thresholds=layer.thresholds + model.thresholds_, names=names)
    if hasattr(model, "best_estimator_"):
        return replace(layer, model=model.best_estimator_)
    return None


def _take_off_steps(layer: _Layer, pipeline: Pipeline) -> _Layer:
    origins, X, compared = layer.origins, layer.X, layer.compared
    for _, step in pipeline.steps[:-1]:
        if step is None or (isinstance(step, str) and step == "passthrough"):
            continue
        entering = origins if origins is not None else _origins(step, X, _width(X))
        X = step.transform(X)
        compared = None if compared is None else step.transform(compared)
        origins = tuple(trace(step, entering, _width(X)))
        if len(origins) != _width(X):  # a transformer that does not say what it makes
            origins = tuple(named_columns(f"x{place}" for place in range(_width(X))))
    return replace(
        layer, model=pipeline.steps[-1][1], X=X, compared=compared, origins=origins, transformed=X is not layer.X
    )


def _width(X: Rowwise) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[1]) if shape is not None and len(shape) == 2 else 1


def _origins(model: Classifier, X: Rowwise, n_columns: int) -> tuple[Origin, ...]:
    """Columns under the names that the model, or the table, has for them; text without a table has none."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = getattr(X, "columns", None)
    if names is not None and len(names) == n_columns:
        return tuple(named_columns(map(str, names)))
    if not hasattr(X, "shape") or len(X.shape) < 2:
        return (
            (Origin(None),) * n_columns if n_columns == 1 else tuple(named_columns(f"x{i}" for i in range(n_columns)))
        )
    return tuple(named_columns(f"x{place}" for place in range(n_columns)))


def _read(model: Classifier, X: Rowwise) -> Matrix:
    """Features as numbers, in the form that scores are made from."""
    if isinstance(model, MultilabelClassifier) and not isinstance(model, NetworkDecoder):
        return model._read_features(X, reset=False)
    if sparse.issparse(X):
        return narrow(sparse.csr_array(X))
    values = np.asarray(X)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise ValueError(
            f"Reasons need features that are numbers once the steps before {type(model).__name__} have been applied; "
            "got other values. Put what turns them into numbers before the model, in a Pipeline."
        )
    return values.astype(np.float64)


def _shaper(model: Classifier, X: Rowwise) -> Callable[[Matrix], Rowwise]:
    """Features as the model met them: under their names where it has learned from a table."""
    if not hasattr(model, "feature_names_in_") or not hasattr(X, "columns"):
        return lambda features: features
    import pandas as pd

    return lambda features: pd.DataFrame(features, columns=list(X.columns))


def _count_labels(model: Classifier, X: Rowwise) -> int:
    """How many labels a classifier of others gives."""
    if not any(hasattr(model, name) for name in ("decision_function", "predict_proba")):
        raise TypeError(f"{type(model).__name__} gives no scores: reasons need `decision_function` or `predict_proba`.")
    predicted = model.predict(X[:1] if not hasattr(X, "iloc") else X.iloc[:1])
    return 1 if predicted.ndim == 1 else int(predicted.shape[1])
