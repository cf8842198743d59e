"""All metrics by name, and `evaluate`, which computes many at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from scipy import sparse

from bncc._checks import split_unknown
from bncc._names import closest_names
from bncc._typing import Labels, Rowwise, ScoreMatrix, Sparse, Weights, ZeroDivision
from bncc.metrics import at_k, curves, label_sets, probabilities, ranking
from bncc.metrics._pairs import by_name, scores_by_name
from bncc.metrics.confusion import compare

__all__ = ["METRICS", "PAPER_METRICS", "Metric", "evaluate", "get_metric"]


@dataclass(frozen=True)
class Metric:
    """A metric and what a program must know to use it.

    Attributes
    ----------
    function : callable ``(Y_true, Y_pred or Y_score, *, sample_weight=None, ...) -> float``
    greater_is_better : bool
    needs : {"labels", "scores", "probabilities"}
        What the second argument is: a 0/1 prediction, scores of any scale, or probabilities.
    """

    name: str
    function: Callable[..., Any]
    greater_is_better: bool
    needs: Literal["labels", "scores", "probabilities"]
    description: str

    @property
    def takes_zero_division(self) -> bool:
        """Whether the function has the option `zero_division`."""
        return "zero_division" in inspect.signature(self.function).parameters


def _averages(stem: str, what: str) -> list[Metric]:
    """The four averages of one binary metric."""
    over = {
        "example": "mean over rows",
        "macro": "mean over labels",
        "micro": "of the pooled counts",
        "weighted": "mean over labels, weighted by frequency",
    }
    names = {average: f"{average}_{stem}" for average in over}
    return [
        Metric(name, getattr(label_sets, name), True, "labels", f"{what}, {over[average]}")
        for average, name in names.items()
    ]


_AT_K = {
    "precision": "Share of the first {k} labels that are true",
    "recall": "Share of the true labels among the first {k}",
    "ndcg": "Discounted hits among the first {k} labels, over those of the best ranking",
    "ps_precision": "Hits among the first {k} labels weighted by 1/propensity, over those of the best ranking",
    "ps_recall": "Recall of the first {k} labels weighted by 1/propensity, over that of the best ranking",
    "ps_ndcg": "Discounted hits weighted by 1/propensity, over those of the best ranking",
}


def _at_k(function: at_k.MetricAtK) -> Metric:
    stem = function.__name__.rpartition("_at_")[0]
    return Metric(function.__name__, function, True, "scores", _AT_K[stem].format(k=function.k))


_ALL = [
    Metric("hamming_loss", label_sets.hamming_loss, False, "labels", "Share of wrong (row, label) cells"),
    *_averages("f1", "Harmonic mean of precision and recall"),
    Metric(
        "example_f1_of_means",
        label_sets.example_f1_of_means,
        True,
        "labels",
        "Harmonic mean of the mean precision and the mean recall of rows",
    ),
    Metric("subset_accuracy", label_sets.subset_accuracy, True, "labels", "Share of rows with the exact label set"),
    *_averages("jaccard", "Intersection over union of true and predicted"),
    *_averages("precision", "Share of the predicted that is true"),
    *_averages("recall", "Share of the true that is predicted"),
    Metric("ranking_loss", ranking.ranking_loss, False, "scores", "Share of label pairs of a row in the wrong order"),
    Metric("coverage_error", ranking.coverage_error, False, "scores", "Depth of the ranking that has all true labels"),
    Metric("one_error", ranking.one_error, False, "scores", "Share of rows whose top label is wrong"),
    Metric(
        "label_ranking_average_precision",
        ranking.label_ranking_average_precision,
        True,
        "scores",
        "Precision at the rank of each true label, mean over rows",
    ),
    Metric("macro_auc", curves.macro_auc, True, "scores", "Area under the ROC curve, mean over labels"),
    Metric("micro_auc", curves.micro_auc, True, "scores", "Area under the ROC curve of the pooled cells"),
    Metric(
        "macro_average_precision",
        curves.macro_average_precision,
        True,
        "scores",
        "Area under the precision-recall curve, mean over labels",
    ),
    Metric(
        "micro_average_precision",
        curves.micro_average_precision,
        True,
        "scores",
        "Area under the precision-recall curve of the pooled cells",
    ),
    Metric("log_loss", probabilities.log_loss, False, "probabilities", "Mean -log of the probability of what is true"),
    Metric("brier_score", probabilities.brier_score, False, "probabilities", "Mean squared error of probabilities"),
    *(_at_k(getattr(at_k, f"{stem}_at_{k}")) for stem in _AT_K for k in (1, 3, 5)),
]

#: Every metric of this package by name.
METRICS: Mapping[str, Metric] = MappingProxyType({metric.name: metric for metric in _ALL})

#: The paper's names for its four metrics.
PAPER_METRICS: Mapping[str, str] = MappingProxyType(
    {"HammingLoss": "hamming_loss", "Fscore": "example_f1", "MacF": "macro_f1", "MicF": "micro_f1"}
)


def get_metric(name: str | Metric) -> Metric:
    """A metric by its name or by the paper's name for it; a `Metric` is returned as it is.

    Metrics at k are known for every k: ``precision_at_10``.

    >>> get_metric("hamming_loss").greater_is_better, get_metric("MacF").name
    (False, 'macro_f1')
    """
    if isinstance(name, Metric):
        return name
    package_name = PAPER_METRICS.get(name, name)
    if package_name in METRICS:
        return METRICS[package_name]
    function = at_k.metric_at_k(str(name))
    if function is not None:
        return _at_k(function)
    close = _like(str(name)) or closest_names(str(name), [*METRICS, *PAPER_METRICS], 3)
    hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else f"Known metrics: {', '.join(METRICS)}."
    raise ValueError(f"There is no metric {name!r}. {hint}")


def _like(part: str) -> list[str]:
    """At most four metrics of which someone has said a part alone, as ``f1`` of ``macro_f1``."""
    words = part.lower().replace("-", "_").replace(" ", "_").strip("_").split("_")
    return [name for name in METRICS if set(words) <= set(name.split("_")) and "" not in words][:4]


def evaluate(
    Y_true: Labels,
    Y_pred: Labels | None = None,
    Y_score: ScoreMatrix | Sparse | None = None,
    Y_proba: ScoreMatrix | None = None,
    *,
    metrics: Iterable[str | Metric] | None = None,
    zero_division: ZeroDivision = "empty",
    sample_weight: Weights | None = None,
) -> dict[str, float]:
    """Compute many metrics; the counts behind the set-based ones are made once.

    Parameters
    ----------
    Y_true : label matrix of shape (n_rows, n_labels), or tags or dicts for each row
        Tags and dicts are compared by name, with tags, dicts, and DataFrames whose columns are called as the labels. A
        label that one side alone names is in no row of the other, and one of the labels that means are taken over:
        its F1, recall and precision are 0 or what `zero_division` says. Without a column of scores it scores below
        all others, and its probability is 0.
    Y_pred : label matrix of shape (n_rows, n_labels), or tags or dicts for each row, optional
        Not looked at when no metric asked for needs it.
    Y_score : array of shape (n_rows, n_labels), optional
        Decision values or probabilities; metrics at k take a sparse matrix too.
    Y_proba : array of shape (n_rows, n_labels), optional
        Probabilities, for log loss and Brier score.
    metrics : names (or `Metric` records), optional
        By default all that `Y_pred`, `Y_score` and `Y_proba` allow: propensity-scored metrics need a truth without
        unknown labels (NaN), and sparse scores serve metrics at k alone.
    zero_division : {"empty", 0.0, 1.0, nan}, default="empty"
        What an undefined ratio counts, for the metrics that have this option; "empty" counts 1 for a row with neither
        true nor predicted labels, and 0 for all else.
    sample_weight : array of shape (n_rows,), optional

    Returns
    -------
    dict from name to value
        The names are those of `METRICS`, also where the paper's were given. NaN stands for a metric that is undefined
        on these rows (AUC when no label has both classes).

    >>> evaluate([[1, 1], [0, 1]], [[1, 0], [0, 1]], metrics=["hamming_loss", "example_f1"])
    {'hamming_loss': 0.25, 'example_f1': 0.8333333333333333}
    >>> evaluate([["cat"], ["dog"], []], [["cat"], ["eel"], []], metrics=["subset_accuracy"])
    {'subset_accuracy': 0.6666666666666666}
    """
    given: dict[str, Any] = {"labels": Y_pred, "scores": Y_score, "probabilities": Y_proba}
    computed = _choose(metrics, [needs for needs, matrix in given.items() if matrix is not None])
    needed = {metric.needs for metric in computed}
    pairs: dict[str, tuple[Any, Any]] = {
        needs: _pair(needs, Y_true, given[needs]) for needs in given if needs in needed
    }
    if metrics is None and "scores" in pairs:
        left_out = _impossible(*pairs["scores"])
        computed = [metric for metric in computed if metric.name not in left_out]
    needs_counts = any(metric.needs == "labels" and metric in _ALL for metric in computed)
    both = compare(*pairs["labels"], sample_weight=sample_weight) if needs_counts else None
    out = {}
    for metric in computed:
        options: dict[str, Any] = {"zero_division": zero_division} if metric.takes_zero_division else {}
        arguments: tuple[Any, ...] = pairs[metric.needs]
        if metric.needs == "labels" and metric in _ALL:
            arguments = (both,)
        elif sample_weight is not None:
            options["sample_weight"] = sample_weight
        try:
            out[metric.name] = metric.function(*arguments, **options)
        except curves.UndefinedMetricError:
            out[metric.name] = float("nan")
    return out


def _pair(needs: str, Y_true: Labels, other: Rowwise) -> tuple[Labels, Rowwise]:
    """Truth and what is measured, with the same columns."""
    if needs == "labels":
        return by_name(Y_true, other)
    if needs == "scores":
        return scores_by_name(Y_true, other)
    return scores_by_name(Y_true, other, "Y_proba", absent=0.0)


def _impossible(Y_true: Labels, Y_score: ScoreMatrix | Sparse) -> set[str]:
    """Metrics on scores that these labels and scores do not allow."""
    scores = [metric for metric in _ALL if metric.needs == "scores"]
    first_places = {metric.name for metric in scores if isinstance(metric.function, at_k.MetricAtK)}
    all_places = {metric.name for metric in scores} - first_places
    unknown = split_unknown(Y_true)[1] is not None
    if sparse.issparse(Y_score):
        return all_places | first_places if unknown else all_places
    return {name for name in first_places if unknown and name.startswith("ps_")}


def _choose(metrics: Iterable[str | Metric] | None, given: Sequence[str]) -> list[Metric]:
    if not given:
        raise ValueError("Nothing to evaluate: give `Y_pred`, `Y_score` or both.")
    if metrics is None:
        return [metric for metric in METRICS.values() if metric.needs in given]
    asked_for = [get_metric(metric) for metric in ([metrics] if isinstance(metrics, str | Metric) else metrics)]
    for needs, argument in (("labels", "Y_pred"), ("scores", "Y_score"), ("probabilities", "Y_proba")):
        names = [metric.name for metric in asked_for if metric.needs == needs]
        if names and needs not in given:
            raise ValueError(f"`{argument}` is needed for {', '.join(names)}.")
    return asked_for
