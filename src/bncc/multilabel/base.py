"""What all multi-label estimators share: reading data, solving the links they describe, shaping answers.

An estimator says which links it has (`_describe`) and how their decisions become label scores (`_assemble`). Everything
about inputs, solvers, names, classes and output types is here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from bncc._checks import check_sparse
from bncc._label_forms import read_tag_rows
from bncc._rows import read_weights, row_blocks
from bncc._typing import (
    CSR,
    Array,
    Bools,
    Classifier,
    Features,
    Floats,
    Fold,
    LabelLayout,
    Labels,
    Longs,
    Matrix,
    Pulse,
    Random,
    Rowwise,
    Weights,
)
from bncc.multilabel.backend import FitOptions, LinkBackend, Rates, Response, SolvedLinks, TrainingRows
from bncc.multilabel.backends import backend_of
from bncc.multilabel.calibration import apply_slopes
from bncc.multilabel.category_columns import (
    CategoryLevels,
    category_levels,
    takes_categories,
    takes_gaps,
    with_categories,
    with_codes,
)
from bncc.multilabel.crossval import Calibration, FitTask, LinkTask, describe_folds, is_large, slopes_of_scores
from bncc.multilabel.feature_rows import is_plain, narrow, sample_rows
from bncc.multilabel.given_labels import answers_given, planes_of_answers
from bncc.multilabel.links import Links
from bncc.multilabel.progress import tell_cost
from bncc.multilabel.score_ranks import top_scores
from bncc.multilabel.targets import Targets, place_values, read_targets, store_labels
from bncc.selection import BatchOptions, EngineUsed
from bncc.svm import KernelSVC
from bncc.tables.columns import needs_reading

if TYPE_CHECKING:
    from bncc.multilabel.reasons import ExplainOptions, Explanation

__all__ = ["LinkedClassifier", "MultilabelClassifier", "required"]

# Answers of links held at a time in prediction, and scores of labels where predictions are sparse.
_ANSWERS = 1 << 24
_SCORES = 1 << 24
_NO_OPTIONS = BatchOptions()

# What reading the data leaves in an estimator, before anything is learned.
_READ = frozenset(("n_features_in_", "feature_names_in_", "n_labels_", "label_names_", "classes_"))
_READ |= frozenset(("_values", "_column_values", "_flat", "_dtype", "_layout", "_exclusive", "_output"))
_READ |= frozenset(("_category_levels", "_background"))


class MultilabelClassifier(ClassifierMixin, BaseEstimator):
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

        A sparse y gives a CSR matrix of its dtype (`csr_matrix` for a matrix, `csr_array` for an array), made some rows
        at a time: scores of all rows and labels are never held at once.
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
        labels = sparse.csr_array(self.predict(X)) if not self._flat else None
        if labels is None or self._column_values is not None:
            raise ValueError("`predict_tags` is for labels; this model has learned classes. Use `predict`.")
        ends = zip(labels.indptr[:-1].tolist(), labels.indptr[1:].tolist(), strict=True)
        labels.sort_indices()
        return [[self.label_names_[label] for label in labels.indices[start:end]] for start, end in ends]

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
            return narrow(checked.astype(np.float64) if checked.dtype.kind == "O" else checked)
        except (ValueError, TypeError) as error:
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


def _gives_probabilities(classifier: LinkedClassifier) -> bool:
    # What the base says of probabilities that it does not have is told as the cause.
    return classifier._rates_from() != "none" or bool(classifier._base().predict_proba)


class LinkedClassifier(MultilabelClassifier):
    """A multi-label classifier made of links over a base classifier.

    Subclasses describe links and assemble their decisions. The base is any scikit-learn classifier; a backend learns
    the links over it (see `backend`). With `KernelSVC` (and None, which means `KernelSVC()`) all links are solved by
    the kernel engine in one call; `engine_` then says which one, and why.

    Probabilities that links do not give are calibrated on held-out rows when they are first asked for (`Calibration`):
    until then a fitted estimator refers to the rows that it was fitted on, if they take at most 64 MB.
    """

    estimator: Any
    n_jobs: int | None
    random_state: Random
    verbose: int

    # Columns of categories, for bases that use them.
    _category_levels: CategoryLevels | None = None
    # Whether links depend on the features of the rows that they are described on, and not on their number alone.
    _describes_by_features: ClassVar[bool] = True
    # Fits whose scores alone are wanted do not calibrate them.
    _calibrates: bool = True
    # Called now and then while links are learned; what it raises stops the fit.
    _pulse: Pulse | None = None

    def _describe(self, X: Matrix, targets: Targets) -> Links:
        raise NotImplementedError

    def _assemble(self, answers: Floats, X: Matrix) -> Floats:
        """Label scores (n_rows, n_labels) from answers along the walks (n_walks, n_rows, length)."""
        raise NotImplementedError

    def _read_features(self, X: Rowwise, *, reset: bool) -> Matrix:
        """Columns of pandas' category type are kept apart for bases that use them."""
        levels = category_levels(X) if reset and takes_categories(self.estimator) else None
        if reset and (levels or self._category_levels):
            self._category_levels = levels
        return super()._read_features(with_codes(X, self._category_levels or {}), reset=reset)

    def _base(self) -> Classifier:
        if self.estimator is None:
            return KernelSVC()
        if self._category_levels:
            return with_categories(self.estimator, self._category_levels)
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise TypeError(f"`estimator` must be a scikit-learn classifier or None; got {self.estimator!r}.")
        return self.estimator

    def _backend(self) -> LinkBackend:
        return backend_of(self._base())

    def _fit_options(self, options: BatchOptions = _NO_OPTIONS, verbose: int | None = None) -> FitOptions:
        """How its links are fitted; what the options name is theirs."""
        return FitOptions(
            n_jobs=self.n_jobs if options.n_jobs is None else options.n_jobs,
            random_state=self.random_state,
            verbose=self.verbose if verbose is None else verbose,
            engine=options.engine,
            pulse=self._pulse if options.pulse is None else options.pulse,
        )

    def _fit(self, rows: TrainingRows) -> None:
        self._fit_alone(rows)

    def _fit_alone(self, rows: TrainingRows) -> Any:
        """Learn from checked rows; self."""
        return self._fit_on(rows, self._backend().prepare(rows.X, self._fit_options()))

    def _fit_on(self, rows: TrainingRows, prepared: Any) -> Any:
        """Learn from checked rows, on what the backend has prepared of them; self."""
        self._remember(rows.targets)
        links = self._describe(rows.X, rows.targets)
        self._solve_links(links, rows, prepared)
        return self

    def _solve_links(self, links: Links, rows: TrainingRows, prepared: object) -> None:
        self._walks = links.walks
        backend = self._backend()
        if rows.weight is not None and not backend.takes_weights:
            name = type(self._base()).__name__
            raise ValueError(f"`sample_weight` was given, but the backend of {name} does not take it.")
        rows_with_contexts, options = self._with_contexts(links, rows, prepared), self._fit_options()
        if options.verbose:
            tell_cost(len(links), backend.seconds(links, rows_with_contexts, options))
        self._solved: SolvedLinks = backend.fit(links, rows_with_contexts, options, prepared)
        self.engine_: EngineUsed | None = self._solved.engine
        self._calibration: Calibration | None = None
        if backend.rates == "scores" and self._calibrates and (backend.calibrates_large or not is_large(rows)):
            self._calibrate(links, rows, prepared)

    def _calibrate(self, links: Links, rows: TrainingRows, prepared: Any) -> None:
        """Let probabilities be had from the scores of rows held out, once they are asked for."""
        kept = rows.detached()
        self._calibration = Calibration(partial(slopes_of_scores, self._for_other_rows(), kept), kept, prepared)

    def _unfitted(self) -> Classifier:
        """As `clone`, with what reading the data has left, and quicker: `clone` takes longer than some fits.

        Later changes of parameters do not reach it, and it draws what a clone would draw.
        """
        held = copy(self)
        held.__dict__ = {
            name: value
            for name, value in vars(self).items()
            if name in _READ or not (name[0] == "_" or name[-1] == "_")
        }
        held.random_state = deepcopy(self.random_state)
        held.estimator = _unfitted_base(self.estimator)
        return held

    def _for_other_rows(self) -> Classifier:
        """The same, without parameters that name rows."""
        return self._unfitted()

    def _with_contexts(self, links: Links, rows: TrainingRows, prepared: object) -> TrainingRows:
        """The rows that links learn from, with the labels that they see as context: the true ones."""
        return rows

    def _shares_folds(self) -> bool:
        """Whether held-out scores of all folds cost less together than one by one."""
        return self._backend().shares_folds

    @property
    def estimators_(self) -> list[Classifier]:
        """The fitted classifiers of the links, where these are clones of the base; a constant label has a `Constant`.

        They have learned from the number of each value (0 and 1), not from the values of y.
        """
        check_is_fitted(self)
        if not hasattr(self._solved, "estimators"):
            raise AttributeError(
                f"{type(self).__name__} has no `estimators_`: all links of a {type(self._base()).__name__} are solved "
                "in one call. Take another base, such as SVC, where you need a classifier per label."
            )
        return list(self._solved.estimators)

    def _scores(self, X: Matrix) -> Floats:
        return self._by_blocks(X, self._assemble)

    def _label_places(self) -> Longs | None:
        """The place in the walk that has each label's score, where there is one walk and nothing else decides."""
        return None

    def _sparse_labels(self, X: Matrix) -> CSR | None:
        places = self._label_places()
        return None if places is None else self._solved.sparse_positives(X, self._walks[0], places)

    def _sparse_top(self, X: Matrix, k: int) -> tuple[Longs, Floats] | None:
        places = self._label_places()
        return None if places is None else self._solved.sparse_top(X, self._walks[0], places, k)

    def _walk(self, X: Matrix, response: Response) -> Floats:
        """Answers along the walks (n_walks, n_rows, length)."""
        return self._solved.walk(X, self._walks, response)

    def _label_planes(self, X: Matrix) -> tuple[Array, ...]:
        if max(self._solved.writes, default=-1) < 0:
            return ()
        return planes_of_answers(self._solved.writes, self.n_labels_, self._walks, self._walk(X, "decision"))

    def _scores_given(self, X: Matrix, planes: Sequence[Array], labels: Longs) -> Floats:
        if not planes:
            return super()._scores_given(X, planes, labels)
        return self._assemble(answers_given(self._solved, self._walks, X, planes, labels), X)[:, labels]

    def _by_blocks(
        self, X: Matrix, assemble: Callable[[Floats, Matrix], Floats], response: Response = "decision"
    ) -> Floats:
        """Assembled answers, in blocks of rows: methods with many links (pairs) keep to some memory."""
        step = max(1, _ANSWERS // max(1, sum(map(len, self._walks))))
        blocks = [X] if X.shape[0] <= step else [X[start : start + step] for start in range(0, X.shape[0], step)]
        return np.concatenate([assemble(self._walk(b, response), b) for b in blocks])

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Features) -> Floats:
        """Probability of each label; for a one-dimensional y, of its two classes."""
        check_is_fitted(self)
        rates = self._rates(self._read_features(X, reset=False))
        return np.column_stack([1.0 - rates[:, 0], rates[:, 0]]) if self._flat else rates

    @available_if(lambda self: bool(self.predict_proba))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Features) -> Any:
        """Logarithm of `predict_proba`; minus infinity for a probability of 0."""
        rates = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(part) for part in rates] if isinstance(rates, list) else np.log(rates)

    def _rates_from(self) -> Rates:
        """Where probabilities come from; some bases, such as a search, have them only once they are fitted."""
        rates = self._backend().rates
        if rates != "none":
            return rates
        fitted = getattr(getattr(self, "_solved", None), "estimators", ())
        return "links" if fitted and all(hasattr(each, "predict_proba") for each in fitted) else rates

    def _rates(self, X: Matrix) -> Floats:
        if self._rates_from() == "scores":
            if self._calibration is None:
                raise ValueError(
                    f"Probabilities of a {type(self._base()).__name__} are calibrated by fits on folds, which are left "
                    "out for data as large as these. Take LogisticRegression as base, which has probabilities, or the "
                    "`estimator_` of TunedThresholds, whose folds calibrate it too."
                )
            return apply_slopes(self._scores(X), self._calibration.slopes)
        return self._link_rates(X)

    def _link_rates(self, X: Matrix) -> Floats:
        """Probabilities of labels from those of links."""
        return self._by_blocks(X, self._assemble, "probability")

    def set_base_params(self, **params: Any) -> Any:
        """Set parameters of the base classifier, on a copy of it; self."""
        self.estimator = clone(self._base()).set_params(**params)
        return self

    def search_names(self) -> tuple[str, ...]:
        """Parameters of the base classifier that `BatchSearchCV` can search."""
        return self._backend().search_names()

    def search_task(
        self,
        X: Features,
        y: Labels,
        folds: Sequence[Fold],
        sample_weight: Weights | None = None,
        *,
        prepared: Any = None,
    ) -> LinkTask | FitTask:
        """The links of all folds, for `BatchSearchCV`; each fold's structure is learned from its training rows.

        `prepared` is what the backend has prepared of the same features before, if anything (for `KernelSVC` their
        `squared_distances`).
        """
        return self._task_on(self._read_rows(X, y, sample_weight), folds, prepared)

    def _task_on(self, rows: TrainingRows, folds: Sequence[Fold], prepared: Any = None) -> LinkTask | FitTask:
        self._remember(rows.targets)
        return describe_folds(self, rows, folds, prepared)

    def _is_exact_on_folds(self) -> bool:
        """Whether folds that are solved together answer as fits would: inference that is not greedy is left out."""
        return getattr(self, "inference", "greedy") == "greedy"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base())
        tags.input_tags.allow_nan = base.input_tags.allow_nan or takes_gaps(self._base())
        tags.input_tags.sparse = base.input_tags.sparse
        return tags


def _unfitted_base(base: Classifier) -> Classifier:
    """A copy of a base classifier, by `clone` unless its parameters are plain values."""
    if base is None or isinstance(base, type):
        return base
    plain = all(isinstance(value, int | float | str | None) for value in vars(base).values())
    return copy(base) if plain else clone(base)


def required(y: Labels | None, estimator: BaseEstimator) -> Labels:
    """y, or the error that scikit-learn's checks ask for."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None: give the labels."
        )
    return y
