"""What all multi-label estimators share: reading rows and labels, and shaping answers.

Everything about inputs, names, classes and output types is here, once. `linked_classifier` has what is made of links.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bncc._checks import as_label_matrix, check_sparse
from bncc._failed_fits import ForgetsFailedFits
from bncc._label_forms import read_tag_rows
from bncc._rows import read_weights, row_blocks
from bncc._typing import (
    CSR,
    Array,
    Bools,
    Features,
    Floats,
    LabelLayout,
    Labels,
    Longs,
    Matrix,
    Rowwise,
    Weights,
)
from bncc._unread_forms import check_form
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.feature_rows import is_plain, narrow, sample_rows
from bncc.multilabel.score_ranks import top_scores
from bncc.multilabel.targets import Targets, place_values, read_targets, store_labels
from bncc.tables.columns import is_table, needs_reading
from bncc.tables.numbers import parse_number

if TYPE_CHECKING:
    from bncc.multilabel.reasons import ExplainOptions, Explanation

__all__ = ["MultilabelClassifier", "required"]

# Scores of labels held at a time where predictions are sparse.
_SCORES = 1 << 24


class MultilabelClassifier(ForgetsFailedFits, ClassifierMixin, BaseEstimator):
    """Inputs and outputs of a multi-label classifier; subclasses fit `_fit` and give `_scores`.

    Attributes of a fitted one
    --------------------------
    label_names_ : tuple of str
    classes_ : array, or list of arrays
        The columns 0..M-1 of a label matrix, as in scikit-learn's OneVsRestClassifier; the two values of a single y; a
        list with the values of each column, where these are not 0 and 1.
    n_labels_ : int
    n_features_in_, feature_names_in_
    """

    # Models from files that know no values but those of a single column.
    _column_values: tuple[Array, ...] | None = None
    _layout: LabelLayout = "dense"
    # Some training rows, which others are compared with when they are explained; models from files have none.
    _background: Matrix | None = None

    def fit(self, X: Features, y: Labels, sample_weight: Weights | None = None) -> Any:
        """Learn from rows X and their labels y.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_features)
        y : array, sparse matrix or DataFrame of shape (n_rows, n_labels), 0/1 or bool; or 1-D with two values
            Columns with two other values are taken too, if y is not sparse. NaN means unknown: a link learns from the
            rows whose target is known, and unknown context counts as 0. Where y is sparse, `predict` gives a sparse
            matrix. Or tags: a column of text with a separator ("rain;wind"), lists or sets, JSON lists, dicts;
            `predict_tags` gives their names.
        sample_weight : array of shape (n_rows,), optional
        """
        rows = self._read_rows(X, y, sample_weight)
        self._remember(rows.targets)
        self._fit(rows)
        return self

    def _read_rows(self, X: Features, y: Labels, sample_weight: Weights | None) -> TrainingRows:
        """Check what was handed over, once."""
        matrix = self._read_features(X, reset=True)
        targets = self._read_targets(required(y, self))
        check_consistent_length(matrix, targets.positives)
        weight = None if sample_weight is None else read_weights(sample_weight, matrix.shape[0])
        self._background = sample_rows(matrix)
        return TrainingRows(matrix, targets, weight)

    def _remember(self, targets: Targets) -> None:
        """What the answers need to know of y."""
        self.n_labels_ = targets.n_labels
        self.label_names_ = targets.label_names or tuple(f"label{label}" for label in range(targets.n_labels))
        values = (np.array([0, 1]).astype(targets.dtype),) if targets.classes is None else targets.classes
        self._values = values[0]
        self._column_values = None if targets.classes is None or targets.n_labels == 1 else targets.classes
        numbers = np.arange(targets.n_labels) if targets.n_labels > 1 else self._values
        self.classes_: Array | list[Array] = numbers if self._column_values is None else list(self._column_values)
        self._flat, self._dtype, self._layout = targets.flat, targets.dtype, targets.layout

    def decision_function(self, X: Features) -> Floats:
        """Score of each label, above 0 where the label is predicted; columns in the caller's order."""
        check_is_fitted(self)
        scores = self._scores(self._read_features(X, reset=False))
        return scores[:, 0] if self._flat else scores

    def predict(self, X: Features) -> Any:
        """Labels of each row, in the form of the y that was learned from; columns in the caller's order.

        A sparse y gives a CSR matrix of its dtype, int64 for floats (`csr_matrix` for a matrix, `csr_array` for an
        array), made some rows at a time: scores of all rows and labels are never held at once.
        """
        check_is_fitted(self)
        features = self._read_features(X, reset=False)
        if self._predicts() == "dense":
            return self._shape_labels(self._labels(features))
        positives = self._sparse_labels(features)
        if positives is not None:
            return store_labels(positives, self._dtype, self._layout)
        step = max(1, _SCORES // self.n_labels_)
        parts = [self._shape_labels(self._labels(block)) for block in row_blocks(features, step)]
        return sparse.vstack(parts, format="csr") if len(parts) > 1 else parts[0]

    def predict_tags(self, X: Features) -> list[list[str]]:
        """The names of the labels that are predicted for each row, in the order of `label_names_`."""
        check_is_fitted(self)
        if self._has_classes():
            raise ValueError("`predict_tags` is for labels; this model has learned classes. Use `predict`.")
        labels = sparse.csr_array(self.predict(X))
        ends = zip(labels.indptr[:-1].tolist(), labels.indptr[1:].tolist(), strict=True)
        labels.sort_indices()
        return [[self.label_names_[label] for label in labels.indices[start:end]] for start, end in ends]

    def _has_classes(self) -> bool:
        """Whether y had values of other kinds than 0 and 1."""
        return self._flat or self._column_values is not None or not set(self._values.tolist()) <= {0, 1}

    def predict_top(self, X: Features, k: int = 5) -> tuple[Longs, Floats]:
        """The labels with the highest scores in each row, best first, and these scores; of equal ones the first label.

        Made some rows at a time: scores of all rows and labels are never held at once. A label here is the number of
        its column (see `label_names_`), and scores are those of `decision_function`.

        Parameters
        ----------
        X : as in `predict`
        k : int, default=5
            How many labels per row, 1 to n_labels.

        Returns
        -------
        labels : array of shape (n_rows, k)
        scores : array of shape (n_rows, k)
        """
        check_is_fitted(self)
        if not isinstance(k, int | np.integer) or not 1 <= k <= self.n_labels_:
            raise ValueError(f"`k` must be a whole number from 1 to {self.n_labels_}, the number of labels; got {k!r}.")
        features = self._read_features(X, reset=False)
        best = self._sparse_top(features, int(k))
        if best is not None:
            return best
        step = max(1, _SCORES // self.n_labels_)
        parts = [top_scores(self._scores(block), int(k)) for block in row_blocks(features, step)]
        return np.concatenate([labels for labels, _ in parts]), np.concatenate([scores for _, scores in parts])

    def _sparse_labels(self, X: Matrix) -> CSR | None:
        """The labels of all rows as ones, where that is had without scores of all of them; else None."""
        return None

    def _sparse_top(self, X: Matrix, k: int) -> tuple[Longs, Floats] | None:
        """What `predict_top` gives, where that is had without scores of all rows and labels; else None."""
        return None

    def explain(self, X: Features, **options: Unpack[ExplainOptions]) -> Explanation:
        """Why rows got their labels: what features and other labels add to the score of each (see `bncc.explain`)."""
        from bncc.multilabel.reasons import explain

        return explain(self, X, **options)

    def forget_rows(self) -> Self:
        """Let go of the training rows (at most 100) that `explain` compares with, which then asks for others; self."""
        self._background = None
        return self

    def _label_planes(self, X: Matrix) -> tuple[Array, ...]:
        """The labels that parts of the model hand to others, each (n_rows, n_labels); none where there are no such."""
        return ()

    def _scores_given(self, X: Matrix, planes: Sequence[Array], labels: Longs) -> Floats:
        """Scores of some labels, with the labels of the planes in the place of those that X would give."""
        return self._scores(X)[:, labels]

    def _predicts(self) -> LabelLayout:
        """How predictions are stored."""
        return "dense" if getattr(self, "_output", "default") == "pandas" else self._layout

    def set_output(self, *, predict: str | None = None) -> Any:
        """Choose what `predict` returns for label matrices: "default" (as y) or "pandas" (DataFrame with names)."""
        if predict not in (None, "default", "pandas"):
            raise ValueError(f'`predict` must be "default" or "pandas"; got {predict!r}.')
        if predict is not None:
            self._output = predict
        return self

    def _labels(self, X: Matrix) -> Bools:
        return self._decide_labels(self._scores(X))

    def _decide_labels(self, scores: Floats) -> Bools:
        """The labels that scores predict."""
        return scores > 0

    def _fit(self, rows: TrainingRows) -> None:
        raise NotImplementedError

    def _scores(self, X: Matrix) -> Floats:
        raise NotImplementedError

    def score(self, X: Features, y: Labels, sample_weight: Weights | None = None) -> float:
        """Share of rows whose labels are all predicted as they are (accuracy, for a one-dimensional y)."""
        check_is_fitted(self)
        is_one_class = self._flat or getattr(self, "_exclusive", None) is not None
        tags = None if is_one_class else read_tag_rows(y, self.label_names_)
        if tags is not None:
            y = tags.toarray()
        elif self.n_labels_ > 1 and not is_one_class and not self._has_classes():
            y = as_label_matrix(y, argument="y", names=False).values
        if self._column_values is None:
            return float(super().score(X, y, sample_weight))
        predicted, truth = self.predict(X), np.asarray(y)
        if truth.shape != np.shape(predicted):
            raise ValueError(f"`y` must have the shape of the predictions, {np.shape(predicted)}; got {truth.shape}.")
        weight = None if sample_weight is None else read_weights(sample_weight, len(truth))
        return float(np.average((truth == np.asarray(predicted)).all(axis=1), weights=weight))

    def _shape_labels(self, labels: Bools) -> Any:
        if self._predicts() != "dense":
            return store_labels(labels, self._dtype, self._layout)
        columns = (self._values,) if self._column_values is None else self._column_values
        return self._shape_values(place_values(columns, labels))

    def _shape_values(self, values: Array) -> Any:
        """Values of labels (n_rows, n_labels) in the form of the y that was learned from."""
        if self._flat:
            return values[:, 0]
        if getattr(self, "_output", "default") == "pandas":
            import pandas as pd

            return pd.DataFrame(values, columns=list(self.label_names_))
        return values

    def _read_targets(self, y: Labels) -> Targets:
        return read_targets(y)

    def _read_features(self, X: Rowwise, *, reset: bool) -> Matrix:
        check_form(X)
        check_sparse(X)
        if not hasattr(self, "feature_names_in_") and is_plain(X):
            # scikit-learn's check would only note the number of features, and takes as long as some fits.
            if reset:
                self.__dict__["n_features_in_"] = int(X.shape[1])
            if X.shape[1] == getattr(self, "n_features_in_", None):
                return narrow(X)
        finite: Any = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        try:
            checked = validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=finite)
            if checked.dtype.kind not in "biufO":
                raise ValueError(f"`X` must hold real numbers; got dtype {checked.dtype}. Turn it into numbers first.")
            # Imputers take no booleans.
            return narrow(checked.astype(np.float64) if checked.dtype.kind in "bO" else checked)
        except (ValueError, TypeError) as error:
            if _are_texts(X):
                raise ValueError(
                    f"X must have rows and columns; got {len(X)} texts. Give a table with a column of them, as "
                    "pandas.DataFrame({'text': texts}) is: `recommended` takes it, others behind TableFeatures()."
                ) from error
            if (word := _word_in(X)) is not None:
                raise ValueError(
                    f"`X` must hold numbers; got text such as {word[:40]!r}. Give a DataFrame or a dict of columns: "
                    "`recommended` takes it, others behind TableFeatures()."
                ) from error
            if not needs_reading(X):
                raise
            raise ValueError(
                f"{type(self).__name__} takes numbers; got a table with words, dates or categories ({error}). Turn it "
                f"into features first: make_pipeline(TableFeatures(), {type(self).__name__}(...)), from bncc."
            ) from error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags


def _are_texts(X: Any) -> bool:
    """Whether this is a list, array or column of texts, not a table."""
    if isinstance(X, str) or getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__") or isinstance(X, Mapping):
        return False
    return any(isinstance(cell, str) for cell in itertools.islice(iter(X), 100))


def _word_in(X: Rowwise) -> str | None:
    """The first text in a matrix that spells no number; None where there is none, and for tables with names."""
    if is_table(X) or sparse.issparse(X) or not hasattr(X, "__len__"):
        return None
    rows = [row for row in X if isinstance(row, list | tuple | np.ndarray)]
    words = (cell for row in rows for cell in row if isinstance(cell, str))
    return next((str(word) for word in words if np.isnan(parse_number(word))), None)


def required(y: Labels | None, estimator: BaseEstimator) -> Labels:
    """y, or the error that scikit-learn's checks ask for."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None: give the labels."
        )
    return y
