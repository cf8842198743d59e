"""Label sets as classes of a forest: what knows which labels come together, for exact matches above all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier

from bncc._typing import Bools, Classifier, Floats, Longs, Matrix
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.family import Family, FittedPart, Settings, Tried
from bncc.multilabel.blending.forests import as_tree_features, fill_rates, grow_forest, leaf_size
from bncc.multilabel.blending.frequent_sets import frequent_sets
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids, fit_sigmoids, log_odds
from bncc.multilabel.blending.tree_family import draw_rows, forest_rows

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
        features = X if self.to_numbers is None else self.to_numbers.transform(X)
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
        """Where most rows have one of a few hundred sets."""
        targets = problem.rows.targets
        if targets.n_labels < 2 or targets.n_labels > 1000 or targets.n_rows > 1_000_000:
            return False
        sets, code = frequent_sets(targets.take(np.arange(min(targets.n_rows, 20_000))))
        return len(sets) > 1 and bool((code >= 0).mean() > 0.6) and not problem.grouped

    def try_out(self, problem: BlendProblem, clock: Clock, reserve: float, settings: Settings | None = None) -> Tried:
        """Answers out of bag, or on the part that is held out."""
        n_trees = _N_TREES if settings is None else int(settings["trees"])
        until = max(reserve, clock.left * 0.6) if clock.limit < float("inf") else 0.0
        clock = Clock(None) if settings is not None else clock
        rows, test = forest_rows(problem), problem.tested
        train = problem.folds[0][0] if problem.held_out_once else np.arange(rows.targets.n_rows)
        train = draw_rows(train, _MOST_ROWS, problem.seed)
        sets, code = frequent_sets(rows.targets.take(train))
        learned, code = train[code >= 0], code[code >= 0]
        forest, out_of_bag, grown = _grow(rows.take(learned), code, len(sets), problem, n_trees, clock, until)
        set_rates = np.full((rows.targets.n_rows, len(sets)), np.nan)
        set_rates[learned] = fill_rates(out_of_bag)
        rest = np.setdiff1d(test, learned)
        if rest.size:
            set_rates[rest] = forest.predict_proba(as_tree_features(rows.X[rest]))
        set_rates = set_rates[test]
        scores = log_odds(set_rates @ sets)
        sigmoids = fit_sigmoids(scores, problem.truth, problem.known, problem.weight)
        to_numbers = problem.to_numbers if sparse.issparse(problem.rows.X) else None
        part = LabelSetPart(forest, sets, sigmoids, to_numbers)
        return Tried(self.name, {"trees": grown}, sigmoids(scores), part, sigmoids, sets, set_rates)

    def fit(self, problem: BlendProblem, tried: Tried, clock: Clock) -> FittedPart:
        """The forest that it was tried with."""
        assert tried.part is not None
        return tried.part


def _grow(
    rows: TrainingRows, code: Longs, n_sets: int, problem: BlendProblem, n_trees: int, clock: Clock, until: float
) -> tuple[Classifier, Floats, int]:
    forest = ExtraTreesClassifier(
        bootstrap=True,
        max_features="sqrt",
        min_samples_leaf=leaf_size(code.size, n_sets, n_trees),
        n_jobs=-1 if problem.n_jobs is None else problem.n_jobs,
        random_state=problem.seed,
    )
    grown = grow_forest(forest, as_tree_features(rows.X), code, rows.weight, n_trees, clock, until)
    return grown.forest, grown.out_of_bag, grown.n_trees
