"""Blend: families of models, one answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from bncc._rows import take_rows
from bncc._threads import n_threads
from bncc._typing import (
    Array,
    Bools,
    EngineName,
    Features,
    Floats,
    Labels,
    Longs,
    Matrix,
    Random,
    Rowwise,
    Weights,
)
from bncc._unread_forms import check_form
from bncc.datasets.stratification import random_source
from bncc.metrics import Metric, get_metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.base import MultilabelClassifier
from bncc.multilabel.blending.blend_weights import blend_rates
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.copies import groups_of_copies
from bncc.multilabel.blending.decisions import Half, Thresholds
from bncc.multilabel.blending.families import named_families
from bncc.multilabel.blending.family import FittedPart
from bncc.multilabel.blending.leaderboard import BlendPlan
from bncc.multilabel.blending.problem import BlendProblem, counted_rows, deal_held_out, rows_in_time
from bncc.multilabel.blending.rate_sigmoids import log_odds
from bncc.multilabel.blending.settling import Settled, settle
from bncc.multilabel.blending.stacking import STACKED, with_answers
from bncc.multilabel.blending.told import leaderboard_of, plan_of
from bncc.multilabel.blending.tree_family import draw_rows
from bncc.multilabel.blending.trials import Trials, try_families
from bncc.multilabel.feature_rows import narrow
from bncc.selection import EngineUsed
from bncc.tables import TableFeatures
from bncc.tables.columns import needs_reading

__all__ = ["Blend"]

# Rows whose probabilities are made at a time.
_BLOCK_CELLS = 1 << 24


class Blend(MultilabelClassifier):
    """Several families of models, weighed by what they answer for rows held out, with decisions for a metric.

    Extra trees (usual ones, and wide ones that look at more features), random forests, chains of kernel SVMs, logistic
    regression and chains of it, forests of label sets, boosted trees and, on large data, linear SVMs are tried on the
    same stratified folds (forests on the rows that a tree has not seen). Greedy selection weighs them (Caruana et al.
    2004), half by the metric and half by likelihood; those without weight are not fitted. Where every row was held out,
    stacked trees learn from the features and what these answered, and weights are chosen again with them among the
    rest. The blend's probabilities are calibrated, and the decision that is right for the metric is chosen, all on
    held-out answers alone.

    Parameters
    ----------
    metric : str or Metric, default="example_f1"
        What everything is chosen for: any of `bncc.metrics`. Metrics on label sets get thresholds or, for
        `example_f1` and `example_jaccard`, the set with the largest expected F1; `subset_accuracy` the most probable
        of the sets seen; `hamming_loss` one half; rankings and curves need no decision, and `predict` is at one half.
    time_limit : float or None, default=None
        Seconds for `fit`. What would not be done in time is not begun, what is still running is dropped, and there
        is always an answer. None: no limit, but bounds on rows and work per family (see Notes).
    families : list of str or None, default=None
        Names of `FAMILIES`, and "stacked trees"; None tries all that suit the data.
    plan : BlendPlan or None, default=None
        `plan_` of another fit, to be done again on the same data without search or clock; its weights and its
        decision are taken as they are.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.
    engine : "auto", "cpu" or "cuda", default="auto"
        What solves kernel SVMs.
    random_state : int, RandomState or None, default=None
        Without a time limit, the same seed gives the same model.
    verbose : int, default=0
        1 says on standard error what is tried, what was best so far, and how much time is left.

    Attributes
    ----------
    parts_ : dict of str to fitted part
        The families in the blend, by name.
    weights_ : dict of str to float
        Their weights; they sum to 1. One that stacked trees learned from may have none of its own.
    leaderboard_ : Leaderboard
        Family, settings, selection score, seconds and weight of all that was tried.
    plan_ : BlendPlan
    decision_ : the rule from probabilities to label sets
    table_features_ : TableFeatures or None
        What made features of a table with words, dates or categories; its `decisions_` say what it took columns for.

    Notes
    -----
    `predict_proba` is calibrated: of cells with probability p, a share of about p holds. `predict` may differ from it
    at one half, because the best answer for F1 or for exact matches is not to predict what is more probable than not.

    Where all rows have the same features, the answer is how often each label holds. Unknown labels (NaN in y) count
    nowhere. Missing features are taken as they are by trees (if X is dense), and
    imputed by the median, with an indicator, for the others. Up to 8,000 rows (4,000 with a time limit) every row is
    held out once; beyond, a fifth of the rows at most is, and the models that did not see it are the answer. Kernel
    SVMs learn from at most 8,000 rows, forests from 100,000; with a time limit, no family sees more than 20 million
    numbers of X (of 100 features, 200,000 rows).

    Without a limit, cost is bounded by six fits of each family (one for each of five folds, and the last one; forests
    and kernel ridge regression need a single one), of at most:

    - forests: 200 trees, fewer beyond 2,000 labels; those of label sets from 50,000 rows;
    - kernel chains: ten, whose 12 settings are searched by one chain on 1,500 rows;
    - kernel ridge regression: 5,000 rows, a matrix of 200 MB; 36 settings on 800 rows;
    - linear models: three settings on 1,500 rows; chains of them: five;
    - boosted trees: 80 for each label, from 50,000 rows; below 1,000 rows they count only where they are ahead;
    - stacked trees: 200, where every row was held out and rows x features of a split x labels are 200 million at most.

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> from bncc.metrics import example_f1
    >>> data = make_scenes(300, noise=2.0)
    >>> blend = Blend(families=["extra trees", "linear"], random_state=0).fit(data.X[:200], data.Y[:200])
    >>> example_f1(data.Y[200:], blend.predict(data.X[200:])) > 0.5
    True
    """

    # Models from files of earlier releases have read no tables.
    table_features_: TableFeatures | None = None

    def __init__(
        self,
        metric: str | Metric = "example_f1",
        *,
        time_limit: float | None = None,
        families: Sequence[str] | None = None,
        plan: BlendPlan | None = None,
        n_jobs: int | None = None,
        engine: EngineName = "auto",
        random_state: Random = None,
        verbose: int = 0,
    ) -> None:
        self.metric = metric
        self.time_limit = time_limit
        self.families = families
        self.plan = plan
        self.n_jobs = n_jobs
        self.engine = engine
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Features, y: Labels, sample_weight: Weights | None = None, groups: Weights | None = None) -> Blend:
        """Try the families, weigh them, and fit those that help.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_features); NaN is a missing value
            Or a table with words, categories and dates: a DataFrame of pandas or polars, or a dict of columns.
        y : array, sparse matrix or DataFrame of shape (n_rows, n_labels), 0/1 or bool, NaN for unknown; or 1-D
        sample_weight : array of shape (n_rows,), optional
            Counts in every fit, in the weights, in calibration and in decisions. Only the ratios of weights matter;
            rows of weight 0 are left out.
        groups : array of shape (n_rows,), optional
            Rows of a group are never divided: by a fold, in what weights are chosen on, or by the halves that decisions
            are compared on. Without groups, rows that are equal in all features are such a group, where they are many
            (2 % of the rows) and not equal by chance (as marks and words are).
        """
        clock = Clock(self._limit(), tells=bool(self.verbose))
        n_threads(self.n_jobs)  # refuses what is no number of jobs
        families = named_families(self.families)
        metric = get_metric(self.metric)
        rows = self._read_rows(X, y, sample_weight)
        self._remember(rows.targets)
        if groups is not None:
            check_consistent_length(rows.X, groups)
        rows, groups = counted_rows(rows, groups)
        problem = self._problem(rows, metric, groups)
        trials = try_families(families, problem, self.plan, clock)
        stacks = self.families is None or STACKED in self.families
        settled = settle(problem, trials, self.plan, clock, stacks=stacks)
        self._keep(problem, trials, settled, clock)
        return self

    def _read_features(self, X: Rowwise, *, reset: bool) -> Matrix:
        """Numbers are taken as they are; of other tables `TableFeatures` makes them."""
        check_form(X)
        if reset:
            self.table_features_ = TableFeatures(gaps="keep") if needs_reading(X) else None
        if self.table_features_ is None:
            return _held_by_trees(super()._read_features(X, reset=reset))
        if not reset:
            made = narrow(self.table_features_.transform(X))
            if not made.shape[0]:
                raise ValueError("X must have at least one row; got none.")
            return made
        made = self.table_features_.fit_transform(X)
        self.n_features_in_ = self.table_features_.n_features_in_
        self.feature_names_in_ = self.table_features_.feature_names_in_
        return narrow(made)

    def _limit(self) -> float | None:
        if self.plan is not None:
            return None
        limit = self.time_limit
        is_number = isinstance(limit, int | float | np.number) and not isinstance(limit, bool)
        if limit is not None and (not is_number or not 0 < limit < np.inf):
            raise ValueError(f"`time_limit` must be a number of seconds above 0, or None; got {limit!r}.")
        return None if limit is None else float(limit)

    def _problem(self, rows: TrainingRows, metric: Metric, groups: Weights | None) -> BlendProblem:
        seed = int(random_source(self.random_state).randint(np.iinfo(np.int32).max))
        limited = self.time_limit is not None if self.plan is None else self.plan.limited
        if limited and rows.targets.n_rows > (most := rows_in_time(rows.X)):
            kept = draw_rows(np.arange(rows.targets.n_rows), most, seed)
            rows, groups = rows.take(kept), None if groups is None else take_rows(groups, kept)
        if groups is None:
            groups = groups_of_copies(rows.X)
        folds = deal_held_out(rows.targets, groups, limited=limited) if rows.targets.n_rows > 1 else ()
        return BlendProblem(rows, folds, metric, groups, seed, self.n_jobs, self.engine)

    def _keep(self, problem: BlendProblem, trials: Trials, settled: Settled, clock: Clock) -> None:
        weights = settled.weight_of_family
        self.parts_ = dict(settled.parts)
        self.weights_ = {name: weights[name] for name in self.parts_}
        self._label_weights = settled.label_weights
        self._calibration_ = settled.calibration
        self.decision_ = settled.decision
        self._set_part = settled.set_part
        self.leaderboard_ = leaderboard_of(problem, trials, settled, clock.spent)
        limited = self.time_limit is not None if self.plan is None else self.plan.limited
        self.plan_ = plan_of(trials, settled, limited=limited)
        clock.tell("done: " + ", ".join(f"{name} {weight:.2f}" for name, weight in self.weights_.items()))

    @property
    def engine_(self) -> EngineUsed | None:
        """What solved the kernel SVMs, and why; None where the blend has none."""
        kernel_part = self.parts_.get("kernel chains")
        engine: EngineUsed | None = getattr(getattr(kernel_part, "model", None), "engine_", None)
        return engine

    def predict_proba(self, X: Features) -> Floats:
        """Calibrated probability of each label; for a one-dimensional y, of its two classes."""
        check_is_fitted(self)
        rates = self._rates(self._read_features(X, reset=False))
        return np.column_stack([1.0 - rates[:, 0], rates[:, 0]]) if self._flat else rates

    def _rates(self, X: Matrix) -> Floats:
        step = max(1, _BLOCK_CELLS // max(self.n_labels_, 1))
        blocks = [X[start : start + step] for start in range(0, X.shape[0], step)]
        return np.concatenate([self._block_rates(block) for block in blocks])

    def _block_rates(self, X: Matrix) -> Floats:
        return self._weigh(X, [part.rates(X) for part in self._parts_below])

    @property
    def _parts_below(self) -> list[FittedPart]:
        """The parts that see features alone; stacked trees, which come last, see what these answer too."""
        return [part for name, part in self.parts_.items() if name != STACKED]

    def _weigh(self, X: Matrix, rates_below: Sequence[Floats]) -> Floats:
        rates = list(rates_below)
        if STACKED in self.parts_:
            rates.append(self.parts_[STACKED].rates(with_answers(X, np.mean(rates, axis=0))))
        blended = blend_rates(rates, self._label_weights)
        return blended if self._calibration_ is None else self._calibration_(log_odds(blended))

    def _labels(self, X: Matrix) -> Bools:
        set_rates = None if self._set_part is None else self._set_part.set_rates(X)
        return self.decision_.decide(self._rates(X), set_rates)

    def _scores(self, X: Matrix) -> Floats:
        """Probabilities less thresholds; less one half, moved to the side of the decision, where there are none."""
        return self._scores_of_rates(X, self._rates(X))

    def _label_planes(self, X: Matrix) -> tuple[Array, ...]:
        return tuple(plane for part in self._parts_below for plane in part.label_planes(X))

    def _scores_given(self, X: Matrix, planes: Sequence[Array], labels: Longs) -> Floats:
        rates, place = [], 0
        one_row = X[:1]
        for part in self._parts_below:
            n_planes = len(part.label_planes(one_row))
            rates.append(part.rates_given(X, planes[place : place + n_planes]))
            place += n_planes
        return self._scores_of_rates(X, self._weigh(X, rates))[:, labels]

    def _scores_of_rates(self, X: Matrix, rates: Floats) -> Floats:
        if isinstance(self.decision_, Thresholds):
            return rates - self.decision_.cuts
        if isinstance(self.decision_, Half):
            return rates - 0.5
        set_rates = None if self._set_part is None else self._set_part.set_rates(X)
        labels = self.decision_.decide(rates, set_rates)
        return np.where(labels, np.maximum(rates - 0.5, 1e-9), np.minimum(rates - 0.5, 0.0))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.non_deterministic = self.time_limit is not None
        return tags


def _held_by_trees(X: Matrix) -> Matrix:
    """X; ValueError for numbers beyond single precision, in which trees hold them."""
    values = X if isinstance(X, np.ndarray) else X.data
    if values.dtype.kind == "f":
        largest = max(
            float(np.fmax.reduce(values, None, initial=0.0)), -float(np.fmin.reduce(values, None, initial=0.0))
        )
        if largest > (most := float(np.finfo(np.float32).max)):
            raise ValueError(f"Blend takes numbers up to {most:.1e} in size; got {largest:g}. Scale `X` first.")
    return X
