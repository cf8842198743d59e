"""The worst label and the best, and which others cannot be told from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bncc.analysis.quality.label_figures import Estimate, LabelQuality

__all__ = ["ExtremeLabel", "best_label", "rank_labels", "worst_label"]


@dataclass(frozen=True)
class ExtremeLabel:
    """The worst (or best) label by F1, with an interval that knows how many labels were compared.

    Attributes
    ----------
    label : int
    f1 : Estimate
        `lowest` and `highest` hold for all labels at once, so also for the one that was picked for being extreme.
    n_compared : int
        Labels that hold in some row.
    rivals : tuple of int
        The other labels that may be it as well: with the stated confidence, the label that is truly worst (best) is
        this one or one of them.
    """

    label: int
    f1: Estimate
    n_compared: int
    rivals: tuple[int, ...]


def rank_labels(labels: Sequence[LabelQuality]) -> list[int]:
    """Labels that hold in some row, lowest F1 first; of ties the one that is surer (lower upper end), then the first.

    >>> rank_labels([])
    []
    """
    compared = [i for i, label in enumerate(labels) if label.support and label.f1.value is not None]
    return sorted(compared, key=lambda i: (labels[i].f1.value, labels[i].f1.highest, i))


def worst_label(labels: Sequence[LabelQuality]) -> ExtremeLabel | None:
    """The label with the lowest F1; None where no label holds in any row."""
    ranked = rank_labels(labels)
    if not ranked:
        return None
    ceiling = min(_ends(labels[i])[1] for i in ranked)
    rivals = tuple(i for i in ranked[1:] if _ends(labels[i])[0] <= ceiling)
    return ExtremeLabel(ranked[0], labels[ranked[0]].f1, len(ranked), rivals)


def best_label(labels: Sequence[LabelQuality]) -> ExtremeLabel | None:
    """The label with the highest F1; of ties the one that is surer (higher lower end), then the first."""
    ranked = sorted(rank_labels(labels), key=lambda i: (-(labels[i].f1.value or 0.0), -_ends(labels[i])[0], i))
    if not ranked:
        return None
    floor = max(_ends(labels[i])[0] for i in ranked)
    rivals = tuple(i for i in ranked[1:] if _ends(labels[i])[1] >= floor)
    return ExtremeLabel(ranked[0], labels[ranked[0]].f1, len(ranked), rivals)


def _ends(label: LabelQuality) -> tuple[float, float]:
    return label.f1.lowest or 0.0, 1.0 if label.f1.highest is None else label.f1.highest
