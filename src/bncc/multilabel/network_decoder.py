"""The label network as a factor graph over the probabilities of any multi-label classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Literal, Self

import numpy as np
from joblib import Parallel, delayed
from scipy.special import logit
from sklearn.base import clone
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from bncc._rows import read_weights, take_rows
from bncc._typing import Array, Bools, Classifier, Features, Floats, Fold, Labels, Matrix, Rowwise, Weights
from bncc.metrics import Metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.base import MultilabelClassifier, required
from bncc.multilabel.binary_relevance import BinaryRelevance
from bncc.multilabel.calibration import apply_slopes
from bncc.multilabel.crossval import CALIBRATION_FOLDS, Calibration, deal_folds, fit_label_slopes
from bncc.multilabel.label_rates import label_rates
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.multilabel.network_factors import pair_terms
from bncc.multilabel.network_settings import NetworkScore, NetworkSearch, network_for
from bncc.multilabel.targets import Targets, as_matrix, read_targets
from bncc.multilabel.thresholds import Objective
from bncc.multilabel.tuned_thresholds import for_unknown
from bncc.structure import FactorGraph, GraphAnswer, LabelFactor, LabelNetwork

__all__ = ["STRENGTHS", "NetworkDecoder"]

#: Strengths that "auto" tries; 0 leaves the network out.
STRENGTHS = (0.0, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5)
# Probabilities of 0 and 1 are not believed beyond this.
_LEAST_RATE = 1e-6


class NetworkDecoder(MultilabelClassifier):
    """Predict label sets that are probable as a whole: the label network over the probabilities of any classifier.

    The classifier gives the probability of each label by itself. An edge of the network says how much more often two
    labels have certain values together than apart, in the training labels. A label set y of a row x has the weight::

        product over labels of p(y_label | x), times
        product over edges of (p(y_one, y_other) / (p(y_one) p(y_other))) ** strength

    With a strength of 0 that is the classifier alone; with 1, on a tree and without any evidence from x, it is the
    distribution of the labels themselves.

    Parameters
    ----------
    estimator : multi-label classifier with `predict_proba`, or None, default=None
        Those of this package or of scikit-learn; None is `BinaryRelevance()`.
    strength : float or "auto", default="auto"
        "auto": the one of 0, 1/8, 1/4, 3/8, 1/2, 3/4, 1 and 3/2 that is best for `metric` on rows held out, the lowest
        of equals.
    metric : str, Metric or callable, default="subset_accuracy"
        What the strength is chosen for (see `TunedThresholds`).
    optimise : "joint" or "hamming", default="joint"
        "joint" predicts the most probable label set; "hamming" the labels that are more probable than not, over all
        sets.
    cv : int, default=5
        Folds by which rows are held out; stratified, without shuffling.
    max_children, max_parents, network_score, network_search
        As in `BNCC`; `network_search` may be a `LabelNetwork`, whose edges are used.
    n_jobs : int or None, default=None
        Folds that are fitted at a time, where the estimator cannot solve them together.

    Attributes
    ----------
    estimator_ : fitted classifier
    network_ : LabelNetwork
    strength_ : float
    pair_terms_ : array of shape (n_edges, 2, 2)
        Logarithm of how much more often the labels of ``network_.edges`` have two values together than apart.
    held_out_ : tuple of (strength, value)
        What "auto" has tried, and the value of the metric (higher is better); empty for a given strength.

    Notes
    -----
    Exact where the network is narrow, by belief propagation beyond; `infer` says which, and whether it settled. Given
    its neighbours, a label is predicted where the logit of its own probability exceeds a cut that their values move:
    thresholds informed by neighbours are this model, looked at label by label.

    `predict_proba` has the marginal probabilities. `decision_function` is the marginal less one half for "hamming"; for
    "joint" it is above 0 for the labels of the chosen set, with the marginals deciding the ranks within and without it.
    For F1, wrap it: ``TunedThresholds(NetworkDecoder(optimise="hamming"))``. Unknown labels (NaN in y) count nowhere;
    an estimator that is not of this package is then fitted once per label. `optimise` may be changed after `fit`.

    Cost: with "auto", `cv` further fits (on the kernel engine a fraction of that).

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from bncc.datasets import make_scenes
    >>> data = make_scenes(300)
    >>> forest = RandomForestClassifier(20, random_state=0)
    >>> decoder = NetworkDecoder(forest).fit(data.X, data.Y)
    >>> decoder.infer(data.X[:1]).exact
    True
    """

    estimator_: Classifier
    network_: LabelNetwork
    strength_: float
    pair_terms_: Floats
    held_out_: tuple[tuple[float, float], ...]

    def __init__(
        self,
        estimator: Classifier = None,
        *,
        strength: float | Literal["auto"] = "auto",
        metric: str | Metric | Callable[..., float] = "subset_accuracy",
        optimise: Literal["joint", "hamming"] = "joint",
        cv: int = 5,
        max_children: int | None = 2,
        max_parents: int | None = None,
        network_score: NetworkScore = "dependence",
        network_search: NetworkSearch = "paper",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.strength = strength
        self.metric = metric
        self.optimise = optimise
        self.cv = cv
        self.max_children = max_children
        self.max_parents = max_parents
        self.network_score = network_score
        self.network_search = network_search
        self.n_jobs = n_jobs

    def fit(
        self, X: Features, y: Labels, sample_weight: Weights | None = None, groups: Weights | None = None
    ) -> NetworkDecoder:
        """Fit the estimator on all rows, learn the network from their labels, and choose the strength.

        X, y and `sample_weight` are what the estimator takes; the weights count for the edges and in the metric too.
        Rows of one value of `groups` are held out together.
        """
        self._check()
        targets = read_targets(required(y, self))
        weight = None if sample_weight is None else read_weights(sample_weight, targets.n_rows)
        self._remember(targets)
        self.network_ = network_for(self, targets)
        self.pair_terms_ = pair_terms(targets, self.network_.edges, weight)
        searches = self.strength == "auto" and targets.n_rows > 1 and bool(self.network_.edges)
        folds = deal_folds(targets, int(self.cv), groups) if searches else []
        if searches and len(folds) < 2:
            raise ValueError("`groups` must have at least 2 values, so that rows can be held out; got 1.")
        rates = self._fit_estimator(X, y, targets, weight, folds)
        self._background = getattr(self.estimator_, "_background", None)
        self.held_out_ = () if rates is None else self._try_strengths(rates, targets, weight)
        given = 0.0 if self.strength == "auto" else float(self.strength)
        self.strength_ = max(self.held_out_, key=lambda tried: (tried[1], -tried[0]))[0] if self.held_out_ else given
        return self

    def _check(self) -> None:
        given = self.strength != "auto"
        if given and (not isinstance(self.strength, Real) or not 0 <= float(self.strength) <= 100.0):
            raise ValueError(f"`strength` must be 'auto' or a number from 0 to 100; got {self.strength!r}.")
        if not isinstance(self.cv, int | np.integer) or self.cv < 2:
            raise ValueError(f"`cv` must be a whole number of at least 2; got {self.cv!r}.")
        self._check_objective()
        if not hasattr(self._inner(), "predict_proba"):
            raise TypeError(
                f"NetworkDecoder needs an estimator with `predict_proba`; {type(self._inner()).__name__} has none. "
                "Wrap it in CalibratedClassifierCV, or take one of bncc."
            )

    def _check_objective(self) -> None:
        if self.optimise not in ("joint", "hamming"):
            raise ValueError(f"`optimise` must be 'joint' or 'hamming'; got {self.optimise!r}.")

    def _inner(self) -> Classifier:
        return BinaryRelevance() if self.estimator is None else self.estimator

    def _fit_estimator(
        self, X: Features, y: Labels, targets: Targets, weight: Floats | None, folds: Sequence[Fold]
    ) -> Floats | None:
        """Fit it to all rows; its probabilities for rows held out by the folds, None without folds."""
        inner = self._inner()
        if folds and isinstance(inner, LinkedClassifier) and inner._shares_folds() and _is_scored(inner):
            return self._fit_sharing(clone(inner), X, y, weight, folds)
        estimator = for_unknown(inner, targets)
        options = {} if weight is None else {"sample_weight": weight}
        matrix = as_matrix(y, targets)
        read_by_us = isinstance(estimator, MultilabelClassifier)
        self.estimator_ = clone(estimator).fit(X, y if read_by_us else matrix, **options)
        if not folds:
            return None
        X, y = indexable(X, matrix)
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold_rates)(clone(estimator), X, y, weight, fold, targets.n_labels) for fold in folds
        )
        out = np.empty((targets.n_rows, targets.n_labels))
        for (_, test), part in zip(folds, parts, strict=True):
            out[test] = part
        return out

    def _fit_sharing(
        self, estimator: LinkedClassifier, X: Features, y: Labels, weight: Floats | None, folds: Sequence[Fold]
    ) -> Floats:
        """All rows and folds from what the backend prepares once; held-out scores calibrate the estimator, too."""
        rows: TrainingRows = estimator._read_rows(X, y, weight)
        prepared = estimator._backend().prepare(rows.X, estimator._fit_options())
        fitted, task = estimator._unfitted(), estimator._unfitted()._task_on(rows, folds, prepared)
        calibrates_too = int(self.cv) == CALIBRATION_FOLDS
        self.estimator_, fitted._calibrates = fitted, not calibrates_too
        scores = task.fit_and_score(fitted)
        del fitted._calibrates
        slopes = fit_label_slopes(scores, rows)
        if calibrates_too:
            fitted._calibration = Calibration.settled(slopes)
        return apply_slopes(scores, slopes)

    def _try_strengths(self, rates: Floats, targets: Targets, weight: Floats | None) -> tuple[tuple[float, float], ...]:
        known = None if targets.unknown is None else targets.unknown.toarray() == 0
        objective = Objective(self.metric, targets.positives.toarray().astype(bool), weight, known)
        log_odds = _log_odds(rates)
        return tuple(
            (strength, objective(self._labels_of(self._graph(strength).infer(log_odds)))) for strength in STRENGTHS
        )

    def _graph(self, strength: float) -> FactorGraph:
        edges = zip(self.network_.edges, self.pair_terms_, strict=True)
        factors = tuple(LabelFactor(edge, strength * terms) for edge, terms in edges) if strength else ()
        return FactorGraph(self.n_labels_, factors)

    def _labels_of(self, answer: GraphAnswer) -> Bools:
        return answer.mode if self.optimise == "joint" else answer.log_odds > 0

    def infer(self, X: Features) -> GraphAnswer:
        """Marginals and most probable label sets of rows, whether they are exact, and how messages fared if not."""
        check_is_fitted(self)
        return self._graph(self.strength_).infer(_log_odds(label_rates(self.estimator_, X, self.n_labels_)))

    def predict_proba(self, X: Features) -> Floats:
        """Marginal probability of each label; for a one-dimensional y, of its two classes."""
        rates = self.infer(X).marginals
        return np.column_stack([1.0 - rates[:, 0], rates[:, 0]]) if self._flat else rates

    def _scores(self, X: Matrix) -> Floats:
        self._check_objective()
        answer = self.infer(X)
        if self.optimise == "hamming":
            return answer.marginals - 0.5
        return 0.5 * (answer.marginals + np.where(answer.mode, 1.0, -1.0))

    def forget_rows(self) -> Self:
        """Let go of the training rows that `explain` compares with, also those of the estimator; self."""
        if hasattr(self.estimator_, "forget_rows"):
            self.estimator_.forget_rows()
        return super().forget_rows()

    def _read_features(self, X: Features, *, reset: bool) -> Rowwise:
        return X  # the estimator reads them

    @property
    def n_features_in_(self) -> int:
        """Number of features of the estimator."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features, where the estimator knows them."""
        return self.estimator_.feature_names_in_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._inner()).input_tags
        return tags


def _is_scored(estimator: LinkedClassifier) -> bool:
    """Whether its probabilities are calibrated scores, and those of folds solved together are its own."""
    return estimator._is_exact_on_folds() and estimator._rates_from() == "scores"


def _log_odds(rates: Floats) -> Floats:
    return np.asarray(logit(np.clip(rates, _LEAST_RATE, 1.0 - _LEAST_RATE)))


def _fold_rates(
    estimator: Classifier, X: Features, y: Labels, weight: Floats | None, fold: Fold, n_labels: int
) -> Floats:
    train, test = fold
    options = {} if weight is None else {"sample_weight": weight[train]}
    fitted = estimator.fit(take_rows(X, train), take_rows(y, train), **options)
    return label_rates(fitted, take_rows(X, test), n_labels)
