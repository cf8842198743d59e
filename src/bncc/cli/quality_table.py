"""Labels that are predicted worst and best, for a person and for a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from bncc._typing import JSONObject
from bncc.cli.output import Voice

if TYPE_CHECKING:
    from bncc.analysis.quality import ErrorPair, Estimate, ExtremeLabel, LabelQuality, MethodQuality, QualitySummary

__all__ = ["quality_result", "show_quality", "worst_in_words"]

_SHOWN_WHOLE = 12
_ENDS = 5
_RIVALS = 3


def show_quality(voice: Voice, summary: QualitySummary) -> None:
    """The worst and the best labels of the first method, worst first, then the worst one in words."""
    quality = summary.methods[0]
    ranked = _worst_first(quality)
    if not ranked:
        voice.show("No label holds in any tested row, so that none can be judged.")
        return
    whole = len(ranked) <= _SHOWN_WHOLE
    shown = ranked if whole else [*ranked[:_ENDS], *ranked[-_ENDS:]]
    rows = [_cells(quality.labels[label]) for label in shown]
    which = "worst first" if whole else f"the {_ENDS} worst and the {_ENDS} best of {len(ranked)}"
    title = f"Labels as {quality.method} predicts them, {which}"
    sure = f"{100 * summary.confidence:g} %"
    caption = f"each with its {sure} interval; last: the interval of F1 that holds for all {len(ranked)} labels at once"
    voice.rows(title, ["label", "rows", "precision", "recall", "F1", "F1, all"], rows, caption)
    voice.show(worst_in_words(summary))


def worst_in_words(summary: QualitySummary) -> str:
    """The worst label of the first method as a sentence.

    >>> from bncc.analysis.quality import summarise_quality
    >>> worst_in_words(summarise_quality([[1, 0], [1, 1], [0, 1]], Y_pred=[[1, 0], [0, 1], [1, 1]]))
    'Worst label: 0, F1 0.50, between 0.01 and 0.97 (95 %, 2 labels compared). It may as well be: 1.'
    """
    worst = summary.methods[0].worst
    if worst is None:
        return "No label holds in any tested row."
    name = summary.label_names[worst.label]
    ends = f"between {worst.f1.lowest:.2f} and {worst.f1.highest:.2f}"
    sure = f"({100 * summary.confidence:g} %, {worst.n_compared} label{'s' * (worst.n_compared != 1)} compared)"
    first = f"Worst label: {name}, F1 {worst.f1.value:.2f}, {ends} {sure}."
    return first + _rivals(summary, worst)


def quality_result(summary: QualitySummary) -> JSONObject:
    """All of a summary, with labels by their names."""
    return {
        "rows": summary.n_rows,
        "confidence": summary.confidence,
        "methods": {quality.method: _method_result(summary, quality) for quality in summary.methods},
        "strengths": [
            {
                **asdict(strength),
                "duels": [{**asdict(duel), "label": summary.label_names[duel.label]} for duel in strength.duels],
            }
            for strength in summary.strengths
        ],
    }


def _worst_first(quality: MethodQuality) -> list[int]:
    from bncc.analysis.quality.worst_label import rank_labels

    return rank_labels(quality.labels)


def _cells(label: LabelQuality) -> list[str]:
    figures = [_figure(each) for each in (label.precision, label.recall, label.f1)]
    return [label.name, str(label.support), *figures, _ends(label.f1.lowest, label.f1.highest)]


def _figure(estimate: Estimate) -> str:
    """A figure with its interval; a dash where there is none.

    >>> from bncc.analysis.quality import Estimate
    >>> _figure(Estimate(0.5, 0.4, 0.6, 0.3, 0.7))
    '.50 .40–.60'
    """
    if estimate.value is None:
        return "–"
    return f"{_short(estimate.value)} {_ends(estimate.low, estimate.high)}"


def _ends(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{_short(low)}–{_short(high)}"


def _short(value: float) -> str:
    """Two decimals without the zero before them, which leaves room for names."""
    return f"{value:.2f}".removeprefix("0")


def _rivals(summary: QualitySummary, worst: ExtremeLabel) -> str:
    if not worst.rivals:
        return " It is surely the worst."
    named = ", ".join(summary.label_names[label] for label in worst.rivals[:_RIVALS])
    more = len(worst.rivals) - _RIVALS
    return f" It may as well be: {named}{f' or one of {more} more' if more > 0 else ''}."


def _method_result(summary: QualitySummary, quality: MethodQuality) -> JSONObject:
    names = summary.label_names
    content = asdict(quality)
    del content["method"]
    for key in ("worst", "best"):
        if content[key] is not None:
            content[key]["label"] = names[content[key]["label"]]
            content[key]["rivals"] = _named(names, content[key]["rivals"])
    for key, pairs in (("confused", quality.confused), ("missed_together", quality.missed_together)):
        content[key] = [_pair_result(names, pair) for pair in pairs]
    for row in content["rows"]:
        for key in ("missed", "wrong", "right"):
            row[key] = _named(names, row[key])
    return content


def _pair_result(names: Sequence[str], pair: ErrorPair) -> JSONObject:
    return {**asdict(pair), "first": names[pair.first], "second": names[pair.second]}


def _named(names: Sequence[str], labels: Sequence[int]) -> list[str]:
    return [names[label] for label in labels]
