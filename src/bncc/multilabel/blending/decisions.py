"""From probabilities to label sets, by what a metric asks for; chosen on rows that were held out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from bncc._typing import Bools, Floats, Rows
from bncc.metrics import METRICS, Metric
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.expected_f1 import best_expected_f1, fit_size_factors
from bncc.multilabel.blending.leaderboard import PlannedDecision
from bncc.multilabel.blending.rate_sigmoids import log_odds
from bncc.multilabel.threshold_rules import RULES, HeldOut
from bncc.multilabel.thresholds import Objective, counts_threshold

__all__ = [
    "Answers",
    "Decision",
    "ExpectedF1",
    "Half",
    "JointMode",
    "LabelSets",
    "Thresholds",
    "choose_decision",
    "planned_decision",
    "replay_decision",
]

# Cells (rows x labels) that thresholds are tuned on.
_MOST_CELLS = 2_000_000
_SHRINKAGE = 100.0
# Beyond so many labels, those with fewer rows than this in the mean have no thresholds of their own.
_MANY_LABELS = 1000
_LEAST_POSITIVES = 2.0
_SHIFTS = (-0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6)
_MIXES = (0.0, 0.3, 0.6, 1.0)
_PRIORS = (0.0, 0.5, 1.0)


@dataclass(frozen=True, eq=False)
class Answers:
    """Held-out probabilities and the truth: what a decision is chosen on.

    Attributes
    ----------
    rates : (n_rows, n_labels)
    truth : (n_rows, n_labels), bool
    known : (n_rows, n_labels), bool, or None
    weight : (n_rows,) or None
    set_rates : (n_rows, n_sets), or None
    groups : (n_rows,) whole numbers, or None
        Rows of one number stay together where answers are halved.
    """

    rates: Floats
    truth: Bools
    known: Bools | None = None
    weight: Floats | None = None
    set_rates: Floats | None = None
    groups: Rows | None = None

    def take(self, rows: Rows) -> Answers:
        """Some of the rows."""
        parts = (self.rates, self.truth, self.known, self.weight, self.set_rates, self.groups)
        return Answers(*(None if part is None else part[rows] for part in parts))  # type: ignore[arg-type]

    def value(self, metric: Metric, predicted: Bools) -> float:
        """Value of a prediction; higher is better."""
        return Objective(metric, self.truth, self.weight, self.known)(predicted)


class Decision(ABC):
    """A rule from probabilities to label sets."""

    @property
    def needs_sets(self) -> bool:
        """Whether it looks at probabilities of label sets."""
        return False

    @abstractmethod
    def decide(self, rates: Floats, set_rates: Floats | None = None) -> Bools:
        """Predicted labels (n_rows, n_labels)."""


@dataclass(frozen=True, eq=False)
class Half(Decision):
    """Labels more probable than not: what Hamming loss asks for."""

    def decide(self, rates: Floats, set_rates: Floats | None = None) -> Bools:
        """Above one half."""
        return rates > 0.5


@dataclass(frozen=True, eq=False)
class Thresholds(Decision):
    """Labels whose probability exceeds their threshold."""

    cuts: Floats

    def decide(self, rates: Floats, set_rates: Floats | None = None) -> Bools:
        """Above the thresholds."""
        return rates > self.cuts


@dataclass(frozen=True, eq=False)
class ExpectedF1(Decision):
    """For each row the set with the largest expected F1, after log-odds have been moved by `shift`.

    With `size_factors`, sets of k labels are so much more probable than independent labels have them.
    """

    shift: float = 0.0
    size_factors: Floats | None = None

    def decide(self, rates: Floats, set_rates: Floats | None = None) -> Bools:
        """The best set of each row."""
        moved = rates if self.shift == 0 else 1.0 / (1.0 + np.exp(-(log_odds(rates) + self.shift)))
        return best_expected_f1(moved, self.size_factors)


@dataclass(frozen=True, eq=False)
class JointMode(Decision):
    """The most probable of the label sets that occur in training: what exact matches ask for.

    A set's score is ``(1 - mix)`` of its log-likelihood with independent labels, ``mix`` of its log-probability
    as a class, and ``prior`` of the logarithm of its share in training.
    """

    sets: Bools
    log_shares: Floats
    mix: float
    prior: float

    @property
    def needs_sets(self) -> bool:
        """Only where sets as classes have a say."""
        return self.mix > 0

    def decide(self, rates: Floats, set_rates: Floats | None = None) -> Bools:
        """The best set; the first of equally good ones."""
        scores = self.prior * self.log_shares + (1.0 - self.mix) * (log_odds(rates) @ self.sets.T.astype(np.float64))
        if self.mix > 0:
            assert set_rates is not None
            # Independent labels leave out a factor per row that all sets share; it does not matter for the best one.
            scores = scores + self.mix * np.log(set_rates + 1e-3)
        return self.sets[scores.argmax(axis=1)]


#: Makes a decision for a metric from held-out answers.
DecisionMaker: TypeAlias = Callable[[Metric, Answers], Decision]


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Label sets to choose from (n_sets, n_labels), and the logarithm of the share of each in training."""

    sets: Bools
    log_shares: Floats


def choose_decision(metric: Metric, answers: Answers, label_sets: LabelSets | None, clock: Clock) -> Decision:
    """The rule that is best for the metric on answers for rows held out.

    Rules with parameters are compared on rows that these were not chosen on: two halves, one for the other. Quick
    rules come first; those that are not done when the clock runs out are left out.
    """
    if answers.weight is not None:  # rows without weight count nowhere, and a half might have no others
        answers = answers.take(np.flatnonzero(answers.weight))
    if metric.needs != "labels" or len(answers.rates) < 4 or _counts_cells(metric, answers.rates.shape[1]):
        return Half()
    most = max(200, _MOST_CELLS // answers.rates.shape[1])
    if len(answers.rates) > most:
        answers = answers.take(np.linspace(0, len(answers.rates) - 1, most).astype(np.int64))
    timed = clock.earlier(max(0.0, 0.4 * clock.left) if clock.limited else 0.0).timed(metric)
    tried: list[_TriedRule] = []
    try:
        for maker in _makers(metric, answers, label_sets):
            tried.append(_validated(timed, answers, maker))
    except OutOfTime:
        pass
    if not tried:
        return _in_a_hurry(metric, answers)
    best = max(tried, key=lambda each: each.value)
    try:
        return best.maker(clock.timed(metric), answers)
    except OutOfTime:
        return best.on_half


def planned_decision(decision: Decision) -> PlannedDecision:
    """A decision as plain values; the label sets of a joint mode are found again in the data.

    >>> planned_decision(ExpectedF1(0.2))
    PlannedDecision(kind='expected F1', values=(0.2,))
    """
    if isinstance(decision, Thresholds):
        return PlannedDecision("thresholds", tuple(decision.cuts.tolist()))
    if isinstance(decision, ExpectedF1):
        factors = [] if decision.size_factors is None else decision.size_factors.tolist()
        return PlannedDecision("expected F1", (float(decision.shift), *factors))
    if isinstance(decision, JointMode):
        return PlannedDecision("joint mode", (float(decision.mix), float(decision.prior)))
    return PlannedDecision("half")


def replay_decision(planned: PlannedDecision, label_sets: LabelSets | None, n_labels: int) -> Decision:
    """The decision of a plan; ValueError where it is none for these labels.

    >>> replay_decision(PlannedDecision("thresholds", (0.2, 0.4)), None, 2).decide(np.array([[0.3, 0.3]])).tolist()
    [[True, False]]
    """
    kind, values = planned.kind, planned.values
    if kind == "half":
        return Half()
    if kind == "thresholds" and len(values) == n_labels:
        return Thresholds(np.array(values))
    if kind == "expected F1" and values:
        return ExpectedF1(values[0], np.array(values[1:]) if len(values) > 1 else None)
    if kind == "joint mode" and len(values) == 2 and label_sets is not None:
        return JointMode(label_sets.sets, label_sets.log_shares, *values)
    raise ValueError(
        f"The plan decides by {kind} of {len(values)} numbers, which is nothing for y with {n_labels} labels. "
        "Give `plan=` with the data that it was made on."
    )


def _counts_cells(metric: Metric, n_labels: int) -> bool:
    """Whether it is the share of cells that are right: what is more probable than not is best then.

    Of one label, the example-based metrics are: a row without it and without its prediction counts 1.
    """
    if n_labels == 1 and metric is METRICS.get(metric.name):
        return metric.name in ("hamming_loss", "subset_accuracy", "example_f1", "example_jaccard")
    return metric.name == "hamming_loss"


def _in_a_hurry(metric: Metric, answers: Answers) -> Decision:
    """As many labels as there are; what is more probable than not for exact matches."""
    if metric.name == "subset_accuracy":
        return Half()
    cells = answers.rates if answers.known is None else answers.rates[answers.known]
    cut = counts_threshold(cells, float(answers.truth.sum()))
    return Thresholds(np.full(answers.rates.shape[1], cut))


def _makers(metric: Metric, answers: Answers, label_sets: LabelSets | None) -> Sequence[DecisionMaker]:
    if metric.name == "subset_accuracy":
        joint = [] if label_sets is None else [partial(_joint, label_sets)]
        return [lambda timed, held: Half(), *joint]
    makers: list[DecisionMaker] = [partial(_thresholds, "global")]
    if answers.rates.shape[1] == 1:
        return makers
    if metric.name in ("example_f1", "example_jaccard"):  # what is best for one is good for the other
        makers += [_expected_f1, _expected_f1_by_size]
    if answers.rates.shape[1] > _MANY_LABELS and answers.truth.sum() < _LEAST_POSITIVES * answers.rates.shape[1]:
        return makers
    return [*makers, partial(_thresholds, "per_label")]


@dataclass(frozen=True, eq=False)
class _TriedRule:
    """A rule, its value on rows that it was not chosen on, and what half of the rows made of it."""

    maker: DecisionMaker
    value: float
    on_half: Decision


def _validated(metric: Metric, answers: Answers, maker: DecisionMaker) -> _TriedRule:
    """Value of a rule on each half of the rows, chosen on the other."""
    halves = _halves(len(answers.rates), answers.groups)
    values = []
    for chosen_on, measured_on in (halves, halves[::-1]):
        held = answers.take(measured_on)
        decision = maker(metric, answers.take(chosen_on))
        values.append(held.value(metric, decision.decide(held.rates, held.set_rates)))
    return _TriedRule(maker, sum(values) / 2.0, decision)


def _halves(n_rows: int, groups: Rows | None) -> list[Rows]:
    """Every other row; of several groups, each to the half with fewer rows until then, the largest first.

    >>> [half.tolist() for half in _halves(5, np.array([7, 7, 2, 2, 2]))]
    [[2, 3, 4], [0, 1]]
    """
    rows = np.arange(n_rows)
    number = rows if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    sizes = np.bincount(number)
    if groups is None or sizes.size < 2:
        return [rows[0::2], rows[1::2]]
    second, surplus = np.zeros(sizes.size, bool), 0
    for group in np.argsort(-sizes, kind="stable").tolist():
        second[group] = surplus > 0
        surplus += -sizes[group] if second[group] else sizes[group]
    return [rows[~second[number]], rows[second[number]]]


def _thresholds(how: str, metric: Metric, held: Answers) -> Thresholds:
    seen = HeldOut(held.rates - 0.5, held.truth, held.weight, metric, _SHRINKAGE, held.known)
    return Thresholds(RULES[how](seen) + 0.5)


def _expected_f1(metric: Metric, held: Answers, size_factors: Floats | None = None) -> ExpectedF1:
    rules = [ExpectedF1(shift, size_factors) for shift in _SHIFTS]
    return rules[int(np.argmax([held.value(metric, rule.decide(held.rates)) for rule in rules]))]


def _expected_f1_by_size(metric: Metric, held: Answers) -> ExpectedF1:
    return _expected_f1(metric, held, fit_size_factors(held.rates, held.truth, held.known, held.weight))


def _joint(label_sets: LabelSets, metric: Metric, held: Answers) -> JointMode:
    mixes = _MIXES if held.set_rates is not None else _MIXES[:1]
    rules = [JointMode(label_sets.sets, label_sets.log_shares, mix, prior) for mix in mixes for prior in _PRIORS]
    values = [held.value(metric, rule.decide(held.rates, held.set_rates)) for rule in rules]
    return rules[int(np.argmax(values))]
