"""Estimators of scikit-learn as they are read from a file: what their parts answer is looked at before it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier, VotingClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import FeatureUnion
from sklearn.svm import SVC, NuSVC
from sklearn.svm._base import BaseLibSVM
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from bncc._typing import Array, Bools, Classifier, Matrix, Rowwise
from bncc.multilabel.model_files.watched_parts import (
    Watch,
    Watched,
    at_most_each,
    at_most_together,
    numbers_in,
    rows_in,
    with_fields,
)
from bncc.svm.pair_sums import pair_sums

__all__ = [
    "CHECKED",
    "CheckedBoost",
    "CheckedColumns",
    "CheckedNuSVC",
    "CheckedOneVsOne",
    "CheckedOneVsRest",
    "CheckedOutputs",
    "CheckedSVC",
    "CheckedStack",
    "CheckedUnion",
    "CheckedVotes",
]

#: Numbers per row that parts side by side may give together: unions of unions would double them again and again.
MOST_NUMBERS_IN_A_ROW = 1 << 17
#: The rates of as many outputs are two numbers each, and lie in memory once.
MOST_RATES_IN_A_ROW = 1 << 18
#: Of a matrix that becomes dense, where at fit a third of them and more were numbers.
_CELLS_OF_A_NUMBER = 4
_TWO_CLASSES = 2
_MOST_WEIGHTS = 1 << 22  # that are made of support vectors
_MOST_TOLD = 1 << 27  # features of all parts of an ensemble, each of which is told about


def _gives(kind: type, name: str) -> Callable[[Classifier], object]:
    """What finds the method of scikit-learn's class, or raises AttributeError where parts do not have it."""
    return lambda model: vars(kind)[name].__get__(model, kind)


def _watched(model: Classifier, most: int) -> Classifier:
    """A copy of a model whose parts are counted together."""
    watch = at_most_together(_name_of(model), most)
    return with_fields(model, estimators_=[_unless_text(part, watch) for part in model.estimators_])


def _of_two_classes(model: Classifier) -> Classifier:
    """A copy of a model whose parts answer for two classes each."""
    watch = at_most_each(_name_of(model), _TWO_CLASSES)
    return with_fields(model, estimators_=[Watched(part, watch) for part in model.estimators_])


def _unless_text(part: Classifier, watch: Watch) -> Classifier:
    """A part that is counted; "drop" and "passthrough" stay."""
    return part if isinstance(part, str) or part is None else Watched(part, watch)


def _name_of(model: Classifier) -> str:
    return f"this {type(model).__mro__[1].__name__}"


class CheckedOneVsRest(OneVsRestClassifier):
    """`OneVsRestClassifier`, but for parts that answer for more rows than they were asked about: an error, in words.

    scikit-learn writes the rows that a part says yes to into a sparse matrix without looking at them, and compiled code
    then follows them. A part of a file could say yes to rows that do not exist.
    """

    def predict(self, X: Any) -> Any:
        """Predict as scikit-learn's, from answers that are as many as the rows."""
        check_is_fitted(self)
        if self.label_binarizer_.y_type_ == "multiclass":  # no sparse matrix there
            return super().predict(X)
        n_rows = rows_in(X)
        columns = [sparse.csc_array(_is_yes(part, X, n_rows)[:, None], dtype=int) for part in self.estimators_]
        return self.label_binarizer_.inverse_transform(sparse.csc_array(sparse.hstack(columns, format="csc")))

    @available_if(_gives(OneVsRestClassifier, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Rowwise) -> Array:
        """Predict as scikit-learn's, from parts of two classes."""
        return OneVsRestClassifier.predict_proba(_of_two_classes(self), X)

    @available_if(_gives(OneVsRestClassifier, "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Rowwise) -> Array:
        """Decide as scikit-learn's, from parts of two classes."""
        return OneVsRestClassifier.decision_function(_of_two_classes(self), X)


def _is_yes(part: Classifier, X: Rowwise, n_rows: int) -> Bools:
    if is_regressor(part):
        scores, threshold = part.predict(X), 0.5
    elif hasattr(part, "decision_function"):
        scores, threshold = part.decision_function(X), 0.0
    else:
        scores, threshold = part.predict_proba(X)[:, 1], 0.5
    flat = np.ravel(scores)
    if len(flat) != n_rows:
        raise ValueError(
            f"A part of this OneVsRestClassifier gives {len(flat)} answers for {n_rows} rows; fit it again."
        )
    return np.asarray(flat > threshold)


class CheckedOneVsOne(OneVsOneClassifier):
    """`OneVsOneClassifier`, but for parts of more than two classes; each is given its rows when it is asked."""

    def decision_function(self, X: Rowwise) -> Array:
        """Decide as scikit-learn's, from parts of two classes."""
        check_is_fitted(self)
        watch = at_most_each(_name_of(self), _TWO_CLASSES)
        columns = getattr(self, "pairwise_indices_", None) or [None] * len(self.estimators_)
        parts = [Watched(part, watch, seen) for part, seen in zip(self.estimators_, columns, strict=True)]
        asked = with_fields(self, estimators_=parts, pairwise_indices_=None)
        return OneVsOneClassifier.decision_function(asked, X)


class CheckedBoost(AdaBoostClassifier):
    """`AdaBoostClassifier`, but for parts with many answers for a row: each would be compared with every class."""

    def decision_function(self, X: Rowwise) -> Array:
        """Decide as scikit-learn's, from parts with one answer for a row."""
        check_is_fitted(self)
        return AdaBoostClassifier.decision_function(self._with_one_answer(), X)

    def staged_decision_function(self, X: Rowwise) -> Iterator[Array]:
        """Decide as scikit-learn's after each part; what is predicted in stages is made of it."""
        check_is_fitted(self)
        yield from AdaBoostClassifier.staged_decision_function(self._with_one_answer(), X)

    @property
    def feature_importances_(self) -> Array:
        """How much each feature tells, as scikit-learn's, where parts have together no more than some millions."""
        n_told = sum(int(getattr(part, "n_features_in_", 0)) for part in self.estimators_)
        if n_told > _MOST_TOLD:
            raise AttributeError(
                f"feature_importances_ of an AdaBoostClassifier from a file are of parts that have together at most "
                f"{_MOST_TOLD} features; got {n_told}."
            )
        told: Array = AdaBoostClassifier.feature_importances_.fget(self)
        return told

    def _with_one_answer(self) -> Classifier:
        watch = at_most_each(_name_of(self), 1)
        return with_fields(self, estimators_=[Watched(part, watch) for part in self.estimators_])


class _QuickPairs:
    """What both kinds of `SVC` do otherwise: thousands of classes have millions of pairs."""

    def _validate_for_predict(self: SVC | NuSVC, X: Rowwise) -> Rowwise:
        # Compiled code would take weights for numbers of columns.
        if getattr(self, "_sparse", False) and self.kernel == "precomputed":
            raise ValueError("An SVC of sparse support vectors has no kernel 'precomputed'; fit it to dense rows.")
        return BaseLibSVM._validate_for_predict(self, X)

    def decision_function(self: SVC | NuSVC, X: Rowwise) -> Array:
        """Decide as scikit-learn's."""
        return _decided_by_pairs(self, X)

    @property
    def coef_(self: SVC | NuSVC) -> Matrix:
        """Weights of a linear kernel, a line per pair of classes, where they are no more than some millions."""
        n_weights = len(self.intercept_) * self.n_features_in_
        if n_weights > max(_MOST_WEIGHTS, 8 * self.support_vectors_.size):
            raise AttributeError(f"coef_ of an SVC from a file has at most {_MOST_WEIGHTS} weights; got {n_weights}.")
        weights: Matrix = BaseLibSVM.coef_.fget(self)
        return weights


class CheckedSVC(_QuickPairs, SVC):
    """`SVC` that sums up pairs of classes quickly."""


class CheckedNuSVC(_QuickPairs, NuSVC):
    """`NuSVC`, as quickly."""


def _decided_by_pairs(model: SVC | NuSVC, X: Rowwise) -> Array:
    """Votes, and a term below one half that grows with the margins: as `_ovr_decision_function` of scikit-learn."""
    pairs: Array = model._decision_function(X)
    n_classes = len(model.classes_)
    if model.decision_function_shape != "ovr" or n_classes <= _TWO_CLASSES:
        return pairs
    votes, margins = pair_sums(~(pairs < 0), pairs < 0, n_classes), pair_sums(pairs, -pairs, n_classes)
    return votes + margins / (3 * (np.abs(margins) + 1))


class CheckedOutputs(MultiOutputClassifier):
    """`MultiOutputClassifier`, but for more answers than a row can have."""

    def predict(self, X: Rowwise) -> Array:
        """Predict as scikit-learn's."""
        check_is_fitted(self)
        return MultiOutputClassifier.predict(_watched(self, MOST_NUMBERS_IN_A_ROW), X)

    @available_if(_gives(MultiOutputClassifier, "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Rowwise) -> list[Array]:
        """Rates as scikit-learn's."""
        check_is_fitted(self)
        return MultiOutputClassifier.predict_proba(_watched(self, MOST_RATES_IN_A_ROW), X)


class CheckedStack(StackingClassifier):
    """`StackingClassifier`, but for more answers than a row can have."""

    def _transform(self, X: Rowwise) -> Rowwise:
        check_is_fitted(self)
        return StackingClassifier._transform(_watched(self, MOST_NUMBERS_IN_A_ROW), X)


class CheckedVotes(VotingClassifier):
    """`VotingClassifier`, but for votes for classes that do not exist, which would be counted up to the largest.

    Nor do its parts give more answers than a row can have.
    """

    def _collect_probas(self, X: Rowwise) -> Array:
        return VotingClassifier._collect_probas(_watched(self, MOST_NUMBERS_IN_A_ROW), X)

    def _predict(self, X: Any) -> Any:
        votes = np.asarray(VotingClassifier._predict(_watched(self, MOST_NUMBERS_IN_A_ROW), X))
        if votes.dtype.kind not in "biu" or (votes.size and not 0 <= votes.min() <= votes.max() < len(self.classes_)):
            raise ValueError("A part of this VotingClassifier votes for classes that it does not have; fit it again.")
        return votes


class CheckedUnion(FeatureUnion):
    """`FeatureUnion`, but for more columns than a row can have."""

    def transform(self, X: Rowwise, **options: object) -> Rowwise:
        """Transform as scikit-learn's."""
        watch = at_most_together(_name_of(self), MOST_NUMBERS_IN_A_ROW)
        parts = [(name, _unless_text(part, watch)) for name, part in self.transformer_list]
        return FeatureUnion.transform(with_fields(self, transformer_list=parts), X, **options)

    def _hstack(self, Xs: Any) -> Any:
        _check_width(Xs)
        return super()._hstack(Xs)


class CheckedColumns(ColumnTransformer):
    """`ColumnTransformer`, but for more columns than a row can have."""

    def transform(self, X: Rowwise, **options: object) -> Rowwise:
        """Transform as scikit-learn's."""
        check_is_fitted(self)
        watch = at_most_together(_name_of(self), MOST_NUMBERS_IN_A_ROW)
        parts = [(name, _unless_text(part, watch), chosen) for name, part, chosen in self.transformers_]
        return ColumnTransformer.transform(with_fields(self, transformers_=parts), X, **options)

    def _hstack(self, Xs: Any, **options: Any) -> Any:
        _check_width(Xs, made_dense=not self.sparse_output_)
        return super()._hstack(Xs, **options)


def _check_width(parts: Sequence[Rowwise], made_dense: bool = False) -> None:
    held = [part for part in parts if hasattr(part, "shape")]
    n_rows = max((part.shape[0] for part in held), default=0)
    cells = sum(int(np.prod(part.shape)) for part in held) if made_dense else 0
    n_numbers = max(numbers_in(held), cells // _CELLS_OF_A_NUMBER)
    if n_numbers > MOST_NUMBERS_IN_A_ROW * max(n_rows, 1):
        raise ValueError(
            f"Columns side by side must give at most {MOST_NUMBERS_IN_A_ROW} numbers a row, in models that were read "
            f"from a file; got {n_numbers // max(n_rows, 1)}."
        )


#: What is built in the place of a class.
CHECKED: Mapping[type[BaseEstimator], type[BaseEstimator]] = {
    AdaBoostClassifier: CheckedBoost,
    SVC: CheckedSVC,
    NuSVC: CheckedNuSVC,
    OneVsRestClassifier: CheckedOneVsRest,
    OneVsOneClassifier: CheckedOneVsOne,
    MultiOutputClassifier: CheckedOutputs,
    StackingClassifier: CheckedStack,
    VotingClassifier: CheckedVotes,
    FeatureUnion: CheckedUnion,
    ColumnTransformer: CheckedColumns,
}
