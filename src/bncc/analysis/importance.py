"""Which columns matter over many rows: what the quality loses when a column is shuffled, label by label and overall.

A column whose values are dealt to other rows says nothing any more; what a metric then loses is its importance
(Breiman 2001; Fisher, Rudin and Dominici 2019). It is measured on rows that the model has not seen, and columns that
say the same hide each other: shuffle them together, as one group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from scipy import sparse, stats
from sklearn.base import clone

from bncc._checks import as_label_matrix
from bncc._names import did_you_mean
from bncc._rows import take_rows
from bncc._typing import Bools, Classifier, Features, Floats, Fold, Labels, Longs, Pulse, Rows, Rowwise, Splitter
from bncc.datasets import MultilabelStratifiedKFold
from bncc.metrics import (
    METRICS,
    Metric,
    UndefinedMetricError,
    average_precision,
    evaluate,
    get_metric,
    roc_auc,
)
from bncc.metrics._inputs import read_scores
from bncc.metrics.averaging import AveragedMetric
from bncc.multilabel.tuned_thresholds import label_scores

__all__ = [
    "Importance",
    "ImportancePlan",
    "ImportanceSummary",
    "column_importance",
    "columns_of",
    "importance_of_parts",
]

_PARTS = 5
_SHOWN = 20

#: A fitted model, and the rows that it is tested on.
TestedModel: TypeAlias = tuple[Classifier, Rows]


@dataclass(frozen=True)
class Importance:
    """How much a column, or a group of them, matters over many rows, for one label or for all (`label` None).

    Attributes
    ----------
    name : str
        As the user named it.
    kind : "feature"
    label : int or None
    value : float
        What the metric loses without it, in the mean over folds; losses are turned round, so that more is better.
    low, high : float or None
        The ends of its interval; None where there is a single fold.
    """

    name: str
    kind: Literal["feature", "label"]
    label: int | None
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ImportanceSummary:
    """Columns by importance; print it, or take its entries.

    Attributes
    ----------
    metric, label_metric : str
        What was measured over all labels, and for each of them.
    entries : tuple of Importance
        Overall, most important first; then label by label in the same way.
    label_names : tuple of str
    n_folds, n_repeats : int
        Parts tested, and how often each column was shuffled in each.
    confidence : float
        Of the intervals.
    """

    metric: str
    label_metric: str
    entries: tuple[Importance, ...]
    label_names: tuple[str, ...]
    n_folds: int
    n_repeats: int
    confidence: float

    @property
    def overall(self) -> tuple[Importance, ...]:
        """Those for all labels together."""
        return self.of(None)

    def of(self, label: int | str | None) -> tuple[Importance, ...]:
        """Those for one label, by name or number."""
        number = self.label_names.index(label) if isinstance(label, str) else label
        return tuple(entry for entry in self.entries if entry.label == number)

    def __str__(self) -> str:
        title = f"Loss of {self.metric} without a column ({self.confidence:.0%} intervals, {self.n_folds} folds)"
        lines = [f"{entry.name:30s} {entry.value:+.4f}  {_interval(entry)}" for entry in self.overall[:_SHOWN]]
        return "\n".join([title, *lines])


def _interval(entry: Importance) -> str:
    return "" if entry.low is None or entry.high is None else f"[{entry.low:+.4f}, {entry.high:+.4f}]"


def column_importance(
    estimator: Classifier,
    X: Features,
    Y: Labels,
    *,
    metric: str | Metric = "example_f1",
    cv: Splitter = 5,
    groups: Mapping[str, str] | None = None,
    n_repeats: int = 3,
    random_state: int = 0,
    pulse: Pulse | None = None,
) -> ImportanceSummary:
    """What a metric loses when each column is shuffled, out of fold.

    Parameters
    ----------
    estimator : multi-label classifier of this package or of scikit-learn, or a Pipeline
    X : array, sparse matrix or pandas DataFrame
    Y : label matrix of shape (n_rows, n_labels)
    metric : str or Metric, default="example_f1"
        Any of `bncc.metrics`. For a single label its mean over labels is taken (`macro_f1` for `example_f1`), and
        average precision for rankings.
    cv : int, splitter, pairs of rows, or "prefit", default=5
        Folds, stratified by labels if a number; "prefit" takes the estimator as it is fitted, and X must then hold new
        rows, which are dealt to five parts for the intervals.
    groups : mapping of column to name, optional
        Columns that are shuffled together, under a name; others stand for themselves.
    n_repeats : int, default=3
        How often each column is shuffled in each fold.
    random_state : int, default=0
    pulse : function, optional
        Called with the number of columns done, counted over folds; what it raises stops the work.

    Returns
    -------
    ImportanceSummary
        Intervals are Student's at 95 %, over folds; with the correction of Nadeau and Bengio (2003) where folds share
        training rows.

    Examples
    --------
    >>> from bncc import BinaryRelevance, LogisticRegression
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 3))
    >>> found = column_importance(BinaryRelevance(LogisticRegression()), X, X[:, :2] > 0, cv=2)
    >>> [entry.name for entry in found.of(1)][0], found.of("label1")[-1].value < 0.05
    ('x1', True)
    """
    matrix = as_label_matrix(Y)
    truth = matrix.values.toarray()
    if isinstance(cv, str) and cv == "prefit":
        order = np.random.default_rng(random_state).permutation(len(truth))
        parts: list[TestedModel] = [(estimator, np.sort(rows)) for rows in np.array_split(order, _PARTS) if rows.size]
        shared = 0.0
    else:
        folds = _folds(cv, truth, X, random_state)
        parts = [(clone(estimator).fit(take_rows(X, train), take_rows(Y, train)), test) for train, test in folds]
        shared = 1.0 / max(len(folds) - 1, 1)
    names = matrix.names or [f"label{label}" for label in range(truth.shape[1])]
    asked = ImportancePlan(
        get_metric(metric), columns_of(X, groups), tuple(map(str, names)), n_repeats, random_state, shared
    )
    return importance_of_parts(parts, X, truth, asked, pulse)


def _folds(cv: Splitter, truth: Bools, X: Rowwise, random_state: int) -> list[Fold]:
    if isinstance(cv, int | np.integer):
        cv = MultilabelStratifiedKFold(int(cv), random_state=random_state)
    return list(cv.split(X, truth)) if hasattr(cv, "split") else [(np.asarray(a), np.asarray(b)) for a, b in cv]


def columns_of(X: Rowwise, groups: Mapping[str, str] | None = None) -> dict[str, Longs]:
    """The numbers of the columns of each group, in the order in which they first come.

    >>> columns_of(np.zeros((2, 3)), {"x0": "first", "x2": "first"})
    {'first': array([0, 2]), 'x1': array([1])}
    """
    known = [str(name) for name in X.columns] if hasattr(X, "columns") else [f"x{j}" for j in range(np.shape(X)[1])]
    for name in groups or ():
        if name not in known:
            raise ValueError(f"`groups` names the column {name!r}, which is not there; {did_you_mean(name, known)}")
    out: dict[str, list[int]] = {}
    for number, name in enumerate(known):
        out.setdefault((groups or {}).get(name, name), []).append(number)
    return {name: np.array(numbers) for name, numbers in out.items()}


@dataclass(frozen=True, eq=False)
class ImportancePlan:
    """What is measured.

    Attributes
    ----------
    metric : Metric
    groups : mapping of names to the columns that are shuffled together
    label_names : tuple of str
    n_repeats, random_state : as in `column_importance`
    shared : float
        What the training rows that folds share add to the variance of their mean.
    confidence : float
    """

    metric: Metric
    groups: Mapping[str, Longs]
    label_names: tuple[str, ...]
    n_repeats: int = 3
    random_state: int = 0
    shared: float = 0.0
    confidence: float = 0.95


def importance_of_parts(
    parts: Sequence[TestedModel], X: Rowwise, truth: Bools, asked: ImportancePlan, pulse: Pulse | None = None
) -> ImportanceSummary:
    """Importance from models that are fitted already, each with rows that it has not seen."""
    if not isinstance(asked.n_repeats, int | np.integer) or asked.n_repeats < 1:
        raise ValueError(f"`n_repeats` must be a whole number of at least 1; got {asked.n_repeats!r}.")
    random = np.random.default_rng(asked.random_state)
    losses = np.full((len(parts), len(asked.groups), truth.shape[1] + 1), np.nan)
    for number, (model, rows) in enumerate(parts):
        seen, known = take_rows(X, rows), truth[rows]
        whole = _qualities(model, seen, known, asked.metric)
        for place, columns in enumerate(asked.groups.values()):
            lost = [
                whole - _qualities(model, _shuffle(seen, columns, random.permutation(rows.size)), known, asked.metric)
                for _ in range(asked.n_repeats)
            ]
            losses[number, place] = np.mean(lost, axis=0)
            if pulse is not None:
                pulse(number * len(asked.groups) + place + 1)
    return _summary(losses, asked)


def _shuffle(X: Rowwise, columns: Longs, order: Longs) -> Rowwise:
    """The rows with the values of some columns dealt in another order, the same for all of them."""
    if hasattr(X, "iloc"):
        changed = X.copy()
        for column in columns:
            changed.isetitem(int(column), X.iloc[order, int(column)].set_axis(X.index))
        return changed
    if sparse.issparse(X):
        taken = sparse.diags_array(np.isin(np.arange(X.shape[1]), columns).astype(X.dtype))
        return sparse.csr_array(X + (X[order] - X) @ taken)
    changed = np.array(X)
    changed[:, columns] = changed[order][:, columns]
    return changed


def _qualities(model: Classifier, X: Rowwise, truth: Bools, metric: Metric) -> Floats:
    """The metric over all labels, then of each; higher is better, NaN where it is undefined."""
    scores = predicted = None
    sign = 1.0 if metric.greater_is_better else -1.0
    if metric.needs == "probabilities":
        rates = read_scores(model.predict_proba(X), "predict_proba")
        each = [sign * metric.function(truth[:, [label]], rates[:, [label]]) for label in range(truth.shape[1])]
        return np.array([sign * metric.function(truth, rates), *each])
    if metric.needs == "scores":
        scores = label_scores(model, X, truth.shape[1])
    else:
        said = model.predict(X)
        predicted = np.asarray(said.toarray() if sparse.issparse(said) else said).reshape(truth.shape)
    whole = sign * evaluate(truth, predicted, scores, metrics=[metric])[metric.name]
    return np.concatenate([[whole], _per_label(label_metric(metric), truth, predicted, scores)])


def _per_label(metric: Metric, truth: Bools, predicted: Bools | None, scores: Floats | None) -> Floats:
    """A metric of each label by itself; higher is better."""
    if scores is not None:
        curve = roc_auc if metric.name == "macro_auc" else average_precision
        try:
            return curve(truth, scores, average=None)
        except UndefinedMetricError:
            return np.full(truth.shape[1], np.nan)
    assert predicted is not None
    if isinstance(metric.function, AveragedMetric):
        return np.asarray(replace(metric.function, average=None)(truth, predicted), np.float64)
    return np.asarray((truth != 0) == (predicted != 0)).mean(axis=0)


def label_metric(metric: Metric) -> Metric:
    """What stands for a metric where there is one label: its mean over labels, or average precision for rankings.

    >>> label_metric(get_metric("micro_f1")).name, label_metric(get_metric("ranking_loss")).name
    ('macro_f1', 'macro_average_precision')
    """
    stem = metric.name.partition("_")[2].removesuffix("_of_means")
    if metric.name in ("hamming_loss", "subset_accuracy") or metric.needs == "probabilities":
        return metric
    return METRICS.get(f"macro_{stem}", METRICS["macro_average_precision"] if metric.needs == "scores" else metric)


def _summary(losses: Floats, asked: ImportancePlan) -> ImportanceSummary:
    names = list(asked.groups)
    entries: list[Importance] = []
    for label in (None, *range(len(asked.label_names))):
        of_label = losses[:, :, 0 if label is None else label + 1]
        told = [_entry(name, label, of_label[:, place], asked) for place, name in enumerate(names)]
        entries += sorted(told, key=lambda entry: -entry.value)
    return ImportanceSummary(
        asked.metric.name,
        label_metric(asked.metric).name,
        tuple(entries),
        asked.label_names,
        len(losses),
        int(asked.n_repeats),
        asked.confidence,
    )


def _entry(name: str, label: int | None, losses: Floats, asked: ImportancePlan) -> Importance:
    """The mean over folds and its interval; 0 for a label that no fold can judge."""
    known = losses[~np.isnan(losses)]
    if not known.size:
        return Importance(name, "feature", label, 0.0)
    value = float(known.mean())
    if known.size < 2:
        return Importance(name, "feature", label, value)
    error = float(np.sqrt((1.0 / known.size + asked.shared) * known.var(ddof=1)))
    reach = float(stats.t.ppf(0.5 + asked.confidence / 2.0, known.size - 1)) * error
    return Importance(name, "feature", label, value, value - reach, value + reach)
