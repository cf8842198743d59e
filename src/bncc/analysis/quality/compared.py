"""Quality of the methods of a comparison: answers kept while they are tested, judged afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from bncc._typing import Labels
from bncc.analysis.leads import Lead, lead_over_folds, lead_over_rows
from bncc.analysis.quality.cross_validated import predictions_of
from bncc.analysis.quality.summary import QualitySummary, summarise_methods
from bncc.evaluation.comparing import summarise_records
from bncc.evaluation.records import Record
from bncc.evaluation.tested_rows import Answers
from bncc.metrics import get_metric

__all__ = ["MOST_CELLS", "KeptAnswers", "best_method"]

#: Cells (rows x labels x methods) beyond which answers are not kept: they would take gigabytes.
MOST_CELLS = 60_000_000


class KeptAnswers:
    """What methods answered on the rows that they were tested on; hand it to `compare_methods` as `keep`.

    Of several repeats the first one is kept, so that every row counts once.

    >>> from bncc.datasets import make_scenes
    >>> from bncc.evaluation import EvaluationPlan, compare_methods
    >>> data, kept = make_scenes(100), KeptAnswers()
    >>> records = compare_methods(data, EvaluationPlan(["br", "mlknn"], folds=2, base="linear"), keep=kept)
    >>> [quality.method for quality in kept.judge(data.Y, data.label_names, first="mlknn").methods]
    ['mlknn', 'br']
    """

    def __init__(self) -> None:
        self._answers: dict[str, list[Answers]] = {}

    def __call__(self, method: str, repeat: int, fold: int, answers: Answers) -> None:
        """Keep the answers of a fold."""
        if repeat == 0:
            self._answers.setdefault(method, []).append(answers)

    def lead(self, records: Sequence[Record], Y: Labels, metric: str) -> Lead | None:
        """By how much the best method leads: over folds where there are some, else over rows drawn anew.

        By the first metric of the records where `metric` was not measured; None for a single method.
        """
        name = metric if metric in records[0].scores else next(iter(records[0].scores))
        folds = lead_over_folds(records, name)
        if folds is not None or any(len(parts) > 1 for parts in self._answers.values()):
            return folds
        return lead_over_rows(records[0].dataset, {method: of[0] for method, of in self._answers.items()}, Y, name)

    def judge(
        self, Y: Labels, label_names: Sequence[str], *, first: str | None = None, confidence: float = 0.95
    ) -> QualitySummary:
        """The quality of all methods, that named `first` before the others; `Y` are the labels of all rows."""
        order = sorted(self._answers, key=lambda name: name != first)
        found = {name: predictions_of(self._answers[name], Y) for name in order}
        return summarise_methods(found, label_names, confidence=confidence)


def best_method(records: Sequence[Record], metric: str) -> str:
    """The method with the best mean; by the first metric of the records where `metric` was not measured.

    >>> best_method([Record("d", name, 0, 0, {"micro_f1": score}) for name, score in (("a", 0.4), ("b", 0.6))], "x")
    'b'
    """
    table = summarise_records(records)
    name = metric if metric in records[0].scores else next(iter(records[0].scores))
    sign = 1 if get_metric(name).greater_is_better else -1
    return max(table, key=lambda method: sign * table[method]["scores"][name]["mean"])
