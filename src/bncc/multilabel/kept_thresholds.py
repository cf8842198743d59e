"""Thresholds from the scores that they can depend on: what `thresholds` finds on all scores, in little memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Bools, Floats
from bncc.metrics import Comparison, Metric, compare
from bncc.metrics.confusion import Margins, compare_known
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.crossval import ScoredRows
from bncc.multilabel.kept_scores import KeptCells, ScoreKeeper
from bncc.multilabel.thresholds import (
    MOST_TIMES,
    best_shared_cut,
    candidate_cuts,
    counts_threshold,
    metric_for_labels,
    sweep_cuts,
    value_of_counts,
)

__all__ = ["CollectedCells", "KeptHeldOut"]


class KeptHeldOut:
    """Scores of rows held out, as rules of thresholds look at them (see `HeldOut`), of the cells that were kept.

    Parameters
    ----------
    cells : KeptCells
        Of known labels; all others score less than any threshold that is tried.
    truth : csr_array of shape (n_rows, n_labels)
        Ones where labels hold.
    weight : array of shape (n_rows,), or None
    metric : str or Metric
        A callable wants all cells; with one, there is `counts_cut` alone.
    shrinkage : float
    unknown : csr_array of shape (n_rows, n_labels), or None
        Ones where labels are not known.
    """

    def __init__(
        self,
        cells: KeptCells,
        truth: CSR,
        weight: Floats | None,
        metric: str | Metric | Callable[..., float],
        shrinkage: float,
        unknown: CSR | None = None,
    ) -> None:
        self._cells, self._truth, self._unknown, self._weight = cells, truth, unknown, weight
        self._metric, self.shrinkage = metric, shrinkage
        self.n_labels = int(truth.shape[1])
        self.n_positive = np.bincount(truth.indices, minlength=self.n_labels)

    @cached_property
    def _nothing(self) -> Comparison:
        """The truth against a prediction of no label at all."""
        none = sparse.csr_array(self._truth.shape, dtype=bool)
        if self._unknown is None:
            return compare(self._truth, none, sample_weight=self._weight)
        return compare_known(self._truth, none, self._unknown, self._weight)

    @cached_property
    def _holds(self) -> Bools:
        """Whether the label of each kept cell holds."""
        truth = sparse.coo_array(self._truth)
        numbers = np.sort(truth.coords[1].astype(np.int64) * self._truth.shape[0] + truth.coords[0])
        wanted = self._cells.labels.astype(np.int64) * self._truth.shape[0] + self._cells.rows
        if not numbers.size:
            return np.zeros(wanted.size, bool)
        return numbers[np.minimum(np.searchsorted(numbers, wanted), numbers.size - 1)] == wanted

    @cached_property
    def _record(self) -> Metric:
        if callable(self._metric):
            raise TypeError(f"`metric` must be one of `bncc.metrics` where few scores are kept; got {self._metric!r}.")
        return metric_for_labels(self._metric, self.n_labels)

    def counts_cut(self) -> float:
        """The threshold with which as many labels are predicted as there are."""
        return counts_threshold(self._cells.scores, float(self.n_positive.sum()))

    def best_cut(self) -> float:
        """The threshold for all labels that is best for the metric."""

        def value(cut: float) -> float:
            return value_of_counts(self._record, self._counts(self._cells.scores > cut))

        return best_shared_cut(self._cells.scores, int(self.n_positive.sum()), value)

    def best_cuts(self, start: float, *, max_rounds: int = 2) -> Floats:
        """A threshold per label, moved in turn (see `best_thresholds`)."""
        cuts = np.full(self.n_labels, start)
        counts = self._counts(self._cells.scores > start)
        best = value_of_counts(self._record, counts)
        for _ in range(max_rounds):
            before = best
            for label in range(self.n_labels):
                cuts[label] = self._move_cut(counts, label, float(cuts[label]))
            best = value_of_counts(self._record, counts)
            if best <= before:
                break
        return cuts

    def _move_cut(self, counts: Comparison, label: int, current: float) -> float:
        """The best threshold of one label; the counts are then those with it."""
        first, last = np.searchsorted(self._cells.labels, [label, label + 1])
        column = slice(int(first), int(last))
        scores = self._cells.scores[column]
        place = self._placing(counts, label, column)
        place(scores > current, -1.0)

        def value(cut: float) -> float:
            place(scores > cut, 1.0)
            worth = value_of_counts(self._record, counts)
            place(scores > cut, -1.0)
            return worth

        # It stays where it is unless another place is better.
        cut, _ = sweep_cuts(candidate_cuts(scores, int(self.n_positive[label]), current), value, near=current)
        place(scores > cut, 1.0)
        return cut

    def _placing(self, counts: Comparison, label: int, column: slice) -> Callable[[Bools, float], None]:
        """What adds predicted cells of one label to the counts, or takes them away."""
        rows, holds, weight = self._cells.rows[column], self._holds[column], counts.row_weight

        def place(made: Bools, sign: float) -> None:
            for margins, chosen in ((counts.predicted, made), (counts.hits, made & holds)):
                where = rows[chosen]  # no row twice
                margins.per_example[where] += sign
                margins.per_label[label] += sign * (where.size if weight is None else weight[where].sum())

        return place

    def _counts(self, made: Bools) -> Comparison:
        """The truth against a prediction of some of the kept cells."""
        return replace(self._nothing, hits=self._margins(made & self._holds), predicted=self._margins(made))

    def _margins(self, made: Bools) -> Margins:
        rows, labels = self._cells.rows[made], self._cells.labels[made]
        weight = None if self._nothing.row_weight is None else self._nothing.row_weight[rows]
        per_label = np.bincount(labels, weights=weight, minlength=self.n_labels).astype(np.float64)
        return Margins(per_label, np.bincount(rows, minlength=self._truth.shape[0]).astype(np.float64))


class CollectedCells:
    """The scores of rows held out that thresholds can depend on, collected while they come some rows at a time."""

    def __init__(self, rows: TrainingRows, *, per_label: bool) -> None:
        n_positive = np.diff(rows.targets.positives.indptr).astype(np.int64)
        of_labels = np.maximum(MOST_TIMES * n_positive, 1) + 1
        self._rows = rows
        self._keeper = ScoreKeeper(MOST_TIMES * max(1, int(n_positive.sum())) + 1, of_labels if per_label else None)
        self._tested = np.zeros(rows.targets.n_rows, bool)

    def watch(self, blocks: Iterable[ScoredRows]) -> Iterator[ScoredRows]:
        """The same blocks; what passes is collected."""
        for block in blocks:
            self._keeper.add(block.rows, block.scores, block.known(self._rows.targets))
            self._tested[block.rows] = True
            yield block

    def held_out(self, metric: str | Metric | Callable[..., float], shrinkage: float) -> KeptHeldOut:
        """What rules look at: the rows that came."""
        tested, cells, weight = np.flatnonzero(self._tested), self._keeper.cells(), self._rows.weight
        targets = self._rows.targets.take(tested)
        place = np.cumsum(self._tested) - 1
        return KeptHeldOut(
            replace(cells, rows=place[cells.rows]),
            targets.positives.tocsr(),
            None if weight is None else weight[tested],
            metric,
            shrinkage,
            None if targets.unknown is None else targets.unknown.tocsr(),
        )
