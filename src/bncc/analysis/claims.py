"""The claim that BNCC is better than CC: what the paper prints and what our folds say, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bncc.analysis import paper
from bncc.analysis.collected_scores import paired_scores
from bncc.analysis.rendered_table import Cell, Section, Table
from bncc.analysis.significance import resampled_t, wilcoxon
from bncc.experiment import WHOLE, Record
from bncc.metrics import PAPER_METRICS, get_metric

__all__ = ["Claim", "check_claims", "claims_part", "claims_table", "verdict"]

_ALPHA = 0.05
# Gains are compared in the digits printed.
_DECIMALS = 4


@dataclass(frozen=True)
class Claim:
    """BNCC against CC on one data set and metric: what the paper prints and what we find.

    Attributes
    ----------
    claimed : {-1, 0, 1}
        Sign of the printed gain; 1: better than the rival.
    gain : float
        Our mean gain over all folds, positive where the method is better.
    p_value : float
        Of the corrected resampled t-test over folds; NaN with fewer than two.
    p_folds : float
        Of Wilcoxon's test over folds, which overstates: folds share training rows.
    n_pairs : int
    """

    metric: str
    dataset: str
    claimed: int
    printed_gain: float
    gain: float
    p_value: float
    p_folds: float
    n_pairs: int

    @property
    def found(self) -> int:
        """Sign of our gain, in the digits printed."""
        rounded = round(self.gain, _DECIMALS)
        return (rounded > 0) - (rounded < 0)


def check_claims(
    records: Iterable[Record],
    method: str = "BNCC",
    rival: str = "CC",
    metrics: Sequence[str] = tuple(PAPER_METRICS),
) -> tuple[Claim, ...]:
    """Where the paper says that `method` is better than `rival`, and what the folds of both in the records say.

    >>> tested = [("CC", 0, 0.60), ("CC", 1, 0.61), ("BNCC", 0, 0.62), ("BNCC", 1, 0.64)]
    >>> records = [Record("yeast", name, 0, fold, {"micro_f1": score}) for name, fold, score in tested]
    >>> [claim] = check_claims(records)
    >>> claim.claimed, claim.found, round(claim.gain, 4)
    (1, 1, 0.025)
    """
    records = list(records)
    out = []
    for metric in metrics:
        printed = paper.results(metric)
        sign = 1 if get_metric(metric).greater_is_better else -1
        for dataset in printed.datasets:
            one, other = paired_scores(records, metric, dataset, method, rival)
            if not len(one):
                continue
            gains = sign * (one - other)
            claimed = sign * (printed.cell(dataset, method)[0] - printed.cell(dataset, rival)[0])
            claimed = round(claimed, _DECIMALS)
            n_folds = len({record.fold for record in records if record.dataset == dataset and record.fold != WHOLE})
            tested = len(gains) > 1 and n_folds > 1
            corrected = resampled_t(gains, n_folds).p_value if tested else math.nan
            plain = wilcoxon(one, other).p_value if tested else math.nan
            way = (claimed > 0) - (claimed < 0)
            out.append(Claim(metric, dataset, way, claimed, float(gains.mean()), corrected, plain, len(gains)))
    return tuple(out)


def verdict(claim: Claim, alpha: float = _ALPHA) -> str:
    """What our folds say about BNCC and CC here: which is better, and whether the corrected test tells them apart.

    >>> verdict(Claim("MicF", "yeast", 1, 0.0124, 0.02, 0.01, 0.001, 100))
    'BNCC better, significantly'
    """
    if claim.found == 0:
        return "equal"
    word = "BNCC better" if claim.found > 0 else "CC better"
    return f"{word}, significantly" if claim.p_value < alpha else word


def claims_table(claims: Iterable[Claim]) -> Table:
    """Gains of BNCC over CC, printed and ours, with tests over folds; a section per metric."""
    claims = list(claims)
    sections = []
    for metric in dict.fromkeys(claim.metric for claim in claims):
        rows = [_row(claim) for claim in claims if claim.metric == metric]
        sections.append(Section(metric, tuple(rows)))
    columns = ("Data set", "Printed gain", "Our gain", "Corrected p", "Wilcoxon p over folds", "Ours")
    note = (
        "A gain is positive where BNCC is better (for HammingLoss: lower). The corrected p is that of the resampled "
        "t-test of Nadeau and Bengio; Wilcoxon's over folds overstates, since folds share training rows."
    )
    return Table("BNCC against CC", columns, tuple(sections), note)


def claims_part(records: Iterable[Record], metrics: Sequence[str]) -> list[str]:
    """The part of the page, as lines of Markdown."""
    claims = check_claims(records, metrics=metrics)
    lines = ["## Is BNCC better than CC?", ""]
    if not claims:
        return [*lines, "The store has no data set of the paper with both BNCC and CC.", ""]
    made = [claim for claim in claims if claim.claimed > 0]
    other = [claim for claim in claims if claim.claimed <= 0]
    lines += [
        f"The paper prints BNCC better than CC in {len(made)} of the {len(claims)} cells (data set and metric) that "
        f"we have. In these {len(made)} we find: {_counts(made)}.",
        "",
    ]
    if other:
        lines += [
            f"Where it prints CC better or no difference ({len(other)}), we find: {_counts(other)}.",
            "",
        ]
    table = claims_table(claims)
    lines += [table.to_markdown(), "", table.note, ""]
    against = {
        metric: [claim.dataset for claim in made if claim.metric == metric and claim.found <= 0]
        for metric in dict.fromkeys(claim.metric for claim in claims)
    }
    if any(against.values()):
        lines += ["Claimed gains that we do not find, not even in sign:", ""]
        lines += [f"- {metric}: {', '.join(names)}" for metric, names in against.items() if names]
        lines += [""]
    return lines


def _counts(claims: Sequence[Claim]) -> str:
    words = [verdict(claim) for claim in claims]
    kinds = ("BNCC better, significantly", "BNCC better", "equal", "CC better", "CC better, significantly")
    extra = {"BNCC better": ", not significantly", "CC better": ", not significantly"}
    return "; ".join(f"{kind}{extra.get(kind, '')}: {words.count(kind)}" for kind in kinds)


def _row(claim: Claim) -> tuple[Cell, ...]:
    p_values = [Cell(None if math.isnan(p) else p, bounded=True) for p in (claim.p_value, claim.p_folds)]
    gains = [Cell(gain, signed=True) for gain in (claim.printed_gain, claim.gain)]
    return (Cell(claim.dataset), *gains, *p_values, Cell(verdict(claim)))
