"""By how much the best method leads the next, with an interval that knows how many were compared.

Methods are tested on the same rows, so that their difference is surer than either score. Over folds the interval is
that of the corrected resampled t-test (`resampled_t`): folds share training rows. Where there is a single split, rows
are drawn anew instead (bootstrap), and fitted models are taken as given. The best of m methods is compared with m - 1
rivals, and the confidence is shared among them (Bonferroni).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bncc._rows import take_rows
from bncc._typing import Floats, Labels, Random, Rows
from bncc.analysis.significance import resampled_t
from bncc.evaluation.records import WHOLE, Record
from bncc.evaluation.tested_rows import Answers
from bncc.metrics import evaluate, get_metric

__all__ = ["Lead", "lead_over_folds", "lead_over_rows"]

_MOST_RESAMPLES, _FEWEST_RESAMPLES = 200, 40
_MOST_CELLS = 100_000_000  # rows x labels of all resamples together


@dataclass(frozen=True)
class Lead:
    """The best method and the next one on one data set, by one metric.

    Attributes
    ----------
    first, second : str
        The methods with the best and the next best mean.
    difference, low, high : float
        By how much the first is better, and the ends of the interval; positive whichever way the metric runs.
    n_rivals : int
        How many methods the best was compared with.
    n_folds : int
        Folds of all repeats that the interval is taken over; 0 where rows were drawn anew.
    """

    dataset: str
    metric: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    confidence: float
    n_rivals: int
    n_folds: int

    @property
    def is_sure(self) -> bool:
        """Whether the interval leaves no room for the second to be as good."""
        return self.low > 0

    def __str__(self) -> str:
        over = f"over {self.n_folds} folds" if self.n_folds else "rows drawn anew"
        ends = f"between {_signed(self.low)} and {_signed(self.high)}"
        rivals = f"{self.n_rivals} rival{'s' * (self.n_rivals != 1)}"
        verdict = "it is better" if self.is_sure else "they may be alike"
        lead = f"{self.first} leads {self.second} by {self.difference:.4f} {self.metric}"
        return f"{lead}, {ends} ({100 * self.confidence:g} %, {over}, {rivals}): {verdict}."


def lead_over_folds(records: Sequence[Record], metric: str, *, confidence: float = 0.95) -> Lead | None:
    """The lead on the one data set of some records; None where fewer than two methods share two folds.

    >>> scores = {"a": (0.5, 0.6, 0.7), "b": (0.4, 0.52, 0.59)}
    >>> records = [Record("d", m, 0, k, {"micro_f1": s}) for m, row in scores.items() for k, s in enumerate(row)]
    >>> print(lead_over_folds(records, "micro_f1"))
    a leads b by 0.0967 micro_f1, between +0.0367 and +0.1567 (95 %, over 3 folds, 1 rival): it is better.
    """
    found = _scores_by_method(records, metric)
    shared = sorted(set.intersection(*map(set, found.values()))) if found else []
    n_folds = len({fold for _, fold in shared})
    if len(found) < 2 or n_folds < 2:
        return None
    sign = 1.0 if get_metric(metric).greater_is_better else -1.0
    values = {method: sign * np.array([of[key] for key in shared]) for method, of in found.items()}
    first, second = _two_best(values)
    test = resampled_t(values[first] - values[second], n_folds)
    spread = 0.0 if math.isinf(test.statistic) or not test.statistic else abs(test.mean / test.statistic)
    if not test.mean:  # equal in the mean, not fold by fold
        spread = float(np.std(values[first] - values[second], ddof=1) * math.sqrt(1 / len(shared) + 1 / (n_folds - 1)))
    reach = spread * float(stats.t.ppf(_quantile(confidence, len(found) - 1), len(shared) - 1))
    ends = (test.mean - reach, test.mean + reach)
    return Lead(records[0].dataset, metric, first, second, test.mean, *ends, confidence, len(found) - 1, len(shared))


def lead_over_rows(
    dataset: str,
    answers: Mapping[str, Answers],
    Y: Labels,
    metric: str,
    *,
    confidence: float = 0.95,
    random_state: Random = 0,
) -> Lead | None:
    """The lead on a single split, from what each method answered on the same rows; `Y` are the labels of all rows."""
    if len(answers) < 2:
        return None
    sign = 1.0 if get_metric(metric).greater_is_better else -1.0
    Y = Y.to_numpy() if hasattr(Y, "to_numpy") else Y  # rows of a frame are slow to take
    tested = {method: (take_rows(Y, given.rows), given) for method, given in answers.items()}
    whole = {method: np.array([sign * _score(*pair, metric)]) for method, pair in tested.items()}
    first, second = _two_best(whole)
    random = np.random.default_rng(random_state)
    n_rows, n_labels = answers[first].predicted.shape
    n_resamples = int(np.clip(_MOST_CELLS // max(n_rows * n_labels, 1), _FEWEST_RESAMPLES, _MOST_RESAMPLES))
    drawn: list[Rows] = [np.asarray(random.integers(n_rows, size=n_rows)) for _ in range(n_resamples)]
    differences = [_score(*tested[first], metric, rows) - _score(*tested[second], metric, rows) for rows in drawn]
    difference = float(whole[first][0] - whole[second][0])
    reach = float(np.nanstd(differences, ddof=1) * stats.norm.ppf(_quantile(confidence, len(answers) - 1)))
    ends = (difference - reach, difference + reach)
    return Lead(dataset, metric, first, second, difference, *ends, confidence, len(answers) - 1, 0)


def _scores_by_method(records: Sequence[Record], metric: str) -> dict[str, dict[tuple[int, int], float]]:
    out: dict[str, dict[tuple[int, int], float]] = {}
    for record in records:
        score = record.scores.get(metric, math.nan)
        if record.fold != WHOLE and math.isfinite(score):
            out.setdefault(record.method, {})[record.repeat, record.fold] = float(score)
    return out


def _two_best(values: Mapping[str, Floats]) -> tuple[str, str]:
    """Methods by their means, larger first; ties in the order given."""
    ranked = sorted(values, key=lambda method: -float(values[method].mean()))
    return ranked[0], ranked[1]


def _quantile(confidence: float, n_rivals: int) -> float:
    return 1.0 - (1.0 - confidence) / (2.0 * n_rivals)


def _score(truth: Labels, given: Answers, metric: str, rows: Rows | None = None) -> float:
    """The metric on all rows, or on rows drawn anew; NaN where it is undefined."""
    if rows is not None:
        scores, rates = (None if values is None else values[rows] for values in (given.scores, given.probabilities))
        truth, given = take_rows(truth, rows), Answers(given.rows[rows], given.predicted[rows], scores, rates)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a label may be missing from the rows drawn
        found = evaluate(truth, given.predicted, given.scores, given.probabilities, metrics=[metric])
    return float(found[metric])


def _signed(value: float) -> str:
    """Four digits with a sign that agrees with what is shown.

    >>> _signed(0.01), _signed(-0.00001)
    ('+0.0100', '0.0000')
    """
    return f"{value:+.4f}" if round(value, 4) else "0.0000"
