"""Why the best method of a comparison says what it says: which columns matter, and reasons of single rows, out of fold.

The models of the best method so far are kept while methods are compared, each with the rows that it has not seen, so
that nothing is fitted again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bncc._rows import take_rows
from bncc._typing import Classifier, Longs, Rows
from bncc.analysis.importance import ImportancePlan, ImportanceSummary, columns_of, importance_of_parts
from bncc.evaluation import LabelledData, Record
from bncc.metrics import get_metric
from bncc.multilabel import RowReasons, explain

__all__ = ["BestModels"]

_PARTS = 5


def _divided(model: Classifier, rows: Rows) -> list[tuple[Classifier, Rows]]:
    """One model with its rows in parts, every fifth in each, so that there are intervals."""
    return [(model, rows[first::_PARTS]) for first in range(min(_PARTS, rows.size))]


@dataclass
class BestModels:
    """The fitted models of the best method so far, on the folds of the first repeat; `compare_methods` calls it.

    Parameters
    ----------
    metric : str, default="example_f1"
        What makes a method the best; where it was not measured, the first metric that was.
    """

    metric: str = "example_f1"
    method: str = ""
    parts: list[tuple[Classifier, Rows]] = field(default_factory=list)
    _score: float = -np.inf
    _records: list[Record] = field(default_factory=list)
    _parts: list[tuple[Classifier, Rows]] = field(default_factory=list)

    def __call__(self, record: Record, model: Classifier, rows: Rows) -> None:
        """Take a fitted model with the rows that it was tested on."""
        if record.repeat:
            return
        if self._records and self._records[0].method != record.method:
            self._close()
        self._records.append(record)
        self._parts.append((model, rows))

    def settle(self) -> BestModels:
        """All methods have been heard; self."""
        if self._records:
            self._close()
        return self

    def _close(self) -> None:
        """The method heard last takes the place of the best, if it is better; the first of equal ones stays."""
        scores = self._records[0].scores
        name = self.metric if self.metric in scores else next(iter(scores))
        sign = 1.0 if get_metric(name).greater_is_better else -1.0
        score = sign * float(np.mean([record.scores[name] for record in self._records]))
        if score > self._score:
            self.method, self.parts, self._score = self._records[0].method, self._parts, score
        self._records, self._parts = [], []

    def importance(self, data: LabelledData, most_seconds: float = 30.0) -> ImportanceSummary | None:
        """Which columns matter to it; None where that would take longer, which is found out by shuffling one."""
        truth = np.asarray(data.label_matrix.toarray())
        parts = self.parts if len(self.parts) > 1 else _divided(*self.parts[0])
        shared = 1.0 / (len(self.parts) - 1) if len(self.parts) > 1 else 0.0
        plan = ImportancePlan(get_metric(self.metric), self._columns(data), data.label_names, shared=shared)
        model, rows = parts[0]
        first = dict(list(plan.groups.items())[:1])
        begin = time.perf_counter()
        importance_of_parts([(model, rows)], data.X, truth, replace(plan, groups=first, n_repeats=1))
        asked = len(parts) * len(plan.groups) * (time.perf_counter() - begin)
        if asked > most_seconds:
            return None
        n_repeats = int(np.clip(most_seconds / max(asked, 1e-9), 1, 3))
        return importance_of_parts(parts, data.X, truth, replace(plan, n_repeats=n_repeats))

    def _columns(self, data: LabelledData) -> dict[str, Longs]:
        """The columns under the names that the data have for them."""
        if data.schema["kind"] == "table":
            return columns_of(data.X)
        return {str(name): np.array([place]) for place, name in enumerate(data.schema["features"])}

    def reasons(self, data: LabelledData, rows: Sequence[int], *, top: int = 8, budget: int = 1000) -> list[RowReasons]:
        """Reasons of rows of the data, each by the model that has not seen it; rows without one are left out."""
        told: dict[int, RowReasons] = {}
        for model, tested in self.parts:
            here = [int(row) for row in rows if row in set(tested.tolist())]
            if not here:
                continue
            for row, found in zip(here, explain(model, take_rows(data.X, np.array(here)), budget=budget), strict=True):
                told[row] = replace(found.top(top), row=row, method=self.method)
        return [told[row] for row in rows if row in told]

    def worst_rows(self, data: LabelledData, most: int = 10) -> list[int]:
        """The rows with the most wrong labels, of equal ones the first."""
        truth = np.asarray(data.label_matrix.toarray(), bool)
        wrong = np.full(len(truth), -1)
        for model, rows in self.parts:
            said = np.asarray(model.predict(take_rows(data.X, rows))).reshape(rows.size, -1)
            wrong[rows] = (said.astype(bool) != truth[rows]).sum(axis=1)
        order = np.argsort(-wrong, kind="stable")[:most]
        return [int(row) for row in order if wrong[row] >= 0]
