"""Classifiers made of links: solving what a subclass describes, on the backend of its base.

A subclass says which links it has (`_describe`) and how their decisions become label scores (`_assemble`). Folds,
probabilities, blocks of rows and searches are here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from bncc._typing import (
    CSR,
    Array,
    Classifier,
    Features,
    Floats,
    Fold,
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
from bncc.multilabel.base import MultilabelClassifier
from bncc.multilabel.calibration import apply_slopes
from bncc.multilabel.category_columns import (
    CategoryLevels,
    category_levels,
    takes_categories,
    takes_gaps,
    with_categories,
    with_codes,
)
from bncc.multilabel.clones import unfitted
from bncc.multilabel.crossval import Calibration, FitTask, LinkTask, describe_folds, is_large, slopes_of_scores
from bncc.multilabel.given_labels import answers_given, planes_of_answers
from bncc.multilabel.links import Links
from bncc.multilabel.progress import tell_cost
from bncc.multilabel.targets import Targets
from bncc.selection import BatchOptions, EngineUsed
from bncc.svm import KernelSVC

__all__ = ["LinkedClassifier", "SolveLinks"]

#: Learns links on rows that it knows.
SolveLinks = Callable[[Links, FitOptions], SolvedLinks]

# Answers of links held at a time in prediction.
_ANSWERS = 1 << 24
_NO_OPTIONS = BatchOptions()

# What reading the data leaves in an estimator, before anything is learned.
_READ = frozenset(("n_features_in_", "feature_names_in_", "n_labels_", "label_names_", "classes_"))
_READ |= frozenset(("_values", "_column_values", "_flat", "_dtype", "_layout", "_exclusive", "_output"))
_READ |= frozenset(("_category_levels", "_background"))


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
            tol=options.tol,
            pulse=self._pulse if options.pulse is None else options.pulse,
        )

    def _fit(self, rows: TrainingRows) -> None:
        self._fit_alone(rows)

    def _fit_alone(self, rows: TrainingRows) -> Any:
        """Learn from checked rows; self."""
        return self._fit_on(rows, self._backend().prepare(rows.X, self._fit_options()))

    def _fit_on(self, rows: TrainingRows, prepared: Any, solve: SolveLinks | None = None) -> Any:
        """Learn from checked rows, on what the backend has prepared of them; self.

        `solve` takes the place of the backend's `fit`, for callers that learn more by the way.
        """
        self._remember(rows.targets)
        links = self._describe(rows.X, rows.targets)
        self._solve_links(links, rows, prepared, solve)
        return self

    def _solve_links(self, links: Links, rows: TrainingRows, prepared: object, solve: SolveLinks | None = None) -> None:
        self._walks = links.walks
        backend = self._backend()
        if rows.weight is not None and not backend.takes_weights:
            name = type(self._base()).__name__
            raise ValueError(f"`sample_weight` was given, but the backend of {name} does not take it.")
        rows_with_contexts, options = self._with_contexts(links, rows, prepared), self._fit_options()
        if options.verbose:
            tell_cost(len(links), backend.seconds(links, rows_with_contexts, options))
        if solve is None:
            self._solved: SolvedLinks = backend.fit(links, rows_with_contexts, options, prepared)
        else:
            self._solved = solve(links, options)
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
        held.estimator = unfitted(self.estimator)
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
    def estimators_(self) -> Sequence[Classifier]:
        """The fitted classifiers of the links, where these are clones of the base; a constant label has a `Constant`.

        They have learned from the number of each value (0 and 1), not from the values of y.
        """
        check_is_fitted(self)
        if not hasattr(self._solved, "estimators"):
            raise AttributeError(
                f"{type(self).__name__} has no `estimators_`: all links of a {type(self._base()).__name__} are solved "
                "in one call. Take another base, such as SVC, where you need a classifier per label."
            )
        made = self._solved.estimators
        return list(made) if isinstance(made, tuple) else made  # else each is made when it is asked for

    def _scores(self, X: Matrix) -> Floats:
        return self._by_blocks(X, self._assemble)

    def _label_places(self) -> Longs | None:
        """The place in the walk that has each label's score, where one walk of a link per label decides alone."""
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

    def _decides_by_signs(self) -> bool:
        """Whether labels come from signs of decisions, or from votes, and not from which of them is the largest."""
        return True

    def _is_exact_on_folds(self) -> bool:
        """Whether folds that are solved together answer as fits would: inference that is not greedy is left out."""
        return getattr(self, "inference", "greedy") == "greedy"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base())
        tags.input_tags.allow_nan = base.input_tags.allow_nan or takes_gaps(self._base())
        tags.input_tags.sparse = base.input_tags.sparse
        return tags
