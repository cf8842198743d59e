"""Label sets as classes of a forest: what knows which labels come together, for exact matches above all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier

from bncc._typing import Bools, Classifier, Floats, Longs, Matrix, Rows
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.family import Family, FittedPart, Settings, Tried
from bncc.multilabel.blending.forests import (
    GrownForest,
    as_tree_features,
    fill_rates,
    grow_forest,
    leaf_size,
    rows_that_fit,
)
from bncc.multilabel.blending.frequent_sets import frequent_sets
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids, fit_sigmoids, log_odds
from bncc.multilabel.blending.tree_family import draw_rows, forest_rows
from bncc.multilabel.feature_rows import as_array
from bncc.multilabel.targets import Targets

__all__ = ["LabelSetFamily", "LabelSetPart"]

_N_TREES = 200
_MOST_ROWS = 50_000


@dataclass(frozen=True, eq=False)
class LabelSetPart(FittedPart):
    """A forest of label sets; a label's probability is that of the sets that have it, calibrated."""

    forest: Classifier
    sets: Bools
    sigmoids: RateSigmoids
    to_numbers: Any = None

    def set_rates(self, X: Matrix) -> Floats:
        """Probabilities of the sets."""
        features = as_array(X) if self.to_numbers is None else self.to_numbers.transform(X)
        return np.asarray(self.forest.predict_proba(as_tree_features(features)), np.float64)

    def rates(self, X: Matrix) -> Floats:
        """Calibrated marginals of the labels."""
        return self.of_sets(self.set_rates(X))

    def of_sets(self, set_rates: Floats) -> Floats:
        """Calibrated marginals from probabilities of sets."""
        return self.sigmoids(log_odds(set_rates @ self.sets))


class LabelSetFamily(Family):
    """Extra trees whose classes are the label sets that occur in training."""

    name = "label sets"

    def suits(self, problem: BlendProblem) -> bool:
        """Where most rows have one of a few hundred sets, and rows out of bag are as new ones."""
        targets = problem.rows.targets
        if targets.n_labels < 2 or targets.n_labels > 1000 or targets.n_rows > 1_000_000:
            return False
        sets, code = frequent_sets(targets.take(np.arange(min(targets.n_rows, 20_000))))
        return len(sets) > 1 and bool((code >= 0).mean() > 0.6) and not problem.needs_folds

    def try_out(self, problem: BlendProblem, clock: Clock, reserve: float, settings: Settings | None = None) -> Tried:
        """Answers out of bag, or on the part that is held out."""
        n_trees = _N_TREES if settings is None else int(settings["trees"])
        until = max(reserve, clock.left * 0.6) if clock.limited else 0.0
        clock = Clock(None) if settings is not None else clock
        rows, test = forest_rows(problem), problem.tested
        learned, code, sets = self._learned(problem, rows.targets, settings)
        forest = _forest(code.size, len(sets), problem)
        done: dict[str, int] = {} if settings is None or "rows" not in settings else {"rows": int(settings["rows"])}
        if clock.limited and problem.held_out_once:
            n_fitting = rows_that_fit(forest, as_tree_features(rows.X[learned]), code, max(0.1, clock.left - until))
            if n_fitting < code.size:
                done = {"rows": n_fitting}
                learned, code, sets = self._learned(problem, rows.targets, done)
                forest = _forest(code.size, len(sets), problem)
        grown = _grow(forest, rows.take(learned), code, n_trees, clock, until)
        set_rates = _set_rates(grown, rows, learned, test, len(sets))
        scores = log_odds(set_rates @ sets)
        sigmoids = fit_sigmoids(scores, problem.truth, problem.known, problem.weight)
        to_numbers = problem.to_numbers if sparse.issparse(problem.rows.X) else None
        part = LabelSetPart(grown.forest, sets, sigmoids, to_numbers)
        settings = {"trees": grown.n_trees, **done}
        return Tried(self.name, settings, sigmoids(scores), part, sigmoids, sets, set_rates)

    def _learned(self, problem: BlendProblem, targets: Targets, settings: Settings | None) -> tuple[Rows, Longs, Bools]:
        """Rows to learn from, with the place of their set, and the sets."""
        most = _MOST_ROWS if settings is None else int(settings.get("rows", _MOST_ROWS))
        train = problem.folds[0][0] if problem.held_out_once else np.arange(targets.n_rows)
        train = draw_rows(train, most, problem.seed)
        sets, code = frequent_sets(targets.take(train))
        return train[code >= 0], code[code >= 0], sets

    def fit(self, problem: BlendProblem, tried: Tried, clock: Clock) -> FittedPart:
        """The forest that it was tried with."""
        assert tried.part is not None
        return tried.part


def _forest(n_rows: int, n_sets: int, problem: BlendProblem) -> Classifier:
    return ExtraTreesClassifier(
        bootstrap=True,
        max_features="sqrt",
        min_samples_leaf=leaf_size(n_rows, n_sets, _N_TREES),
        n_jobs=-1 if problem.n_jobs is None else problem.n_jobs,
        random_state=problem.seed,
    )


def _grow(forest: Classifier, rows: TrainingRows, code: Longs, n_trees: int, clock: Clock, until: float) -> GrownForest:
    return grow_forest(forest, as_tree_features(rows.X), code, rows.weight, n_trees, clock, until)


def _set_rates(grown: GrownForest, rows: TrainingRows, learned: Rows, test: Rows, n_sets: int) -> Floats:
    """Probabilities of the sets for the tested rows: out of bag for those that were learned from."""
    set_rates = np.full((rows.targets.n_rows, n_sets), np.nan)
    set_rates[learned] = fill_rates(grown.out_of_bag)
    rest = np.setdiff1d(test, learned)
    if rest.size:
        set_rates[rest] = grown.forest.predict_proba(as_tree_features(rows.X[rest]))
    return set_rates[test]
