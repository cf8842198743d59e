"""The tables of a study, as in the paper: results, seconds, p-values, average ranks, one method against the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bncc.analysis.collected_scores import Scores
from bncc.analysis.effects import rank_biserial, win_tie_loss
from bncc.analysis.rendered_table import Cell, Section, Table
from bncc.analysis.significance import PairedTests, average_ranks, friedman, holm, wilcoxon

__all__ = ["against_table", "p_value_table", "rank_table", "score_table", "seconds_table"]


def score_table(
    scores: Scores | Sequence[Scores],
    *,
    baseline: str | None = None,
    arrows: Sequence[str] | None = None,
    decimals: int = 4,
    title: str = "Mean and standard deviation",
) -> Table:
    """Data sets x methods with mean and standard deviation, the best in bold, in the manner of the paper's Table 4.

    Parameters
    ----------
    scores : Scores or a sequence of them
        One section each.
    baseline : str, optional
        A method against which the others get an arrow: up where better, down where worse, none where equal in the
        digits shown.
    arrows : sequence of str, optional
        The methods that get arrows; by default all others. The paper marks BNCC alone.
    decimals : int
        Digits shown; bold and arrows go by them.

    >>> from bncc.analysis import paper
    >>> table = score_table(paper.results("MicF").select(["yeast"], ["CC", "BNCC"]), baseline="CC")
    >>> print(table.to_markdown())
    | Data set |              CC |                  BNCC |
    |:---------|----------------:|----------------------:|
    | yeast    | 0.6446 ± 0.0044 | **0.6570 ± 0.0066** ↗ |
    """
    parts = _parts(scores)
    sections = [_score_section(part, baseline, arrows, decimals, len(parts) > 1) for part in parts]
    note = "Best in bold."
    if baseline is not None:
        note += f" An arrow says whether a method is better (↗) or worse (↘) than {baseline}."
    return Table(title, ("Data set", *parts[0].methods), tuple(sections), note)


def seconds_table(scores: Scores | Sequence[Scores], *, decimals: int = 3, title: str = "Seconds per fold") -> Table:
    """Seconds per data set and method, one section per kind, in the manner of the paper's Table 5.

    >>> from bncc.analysis import paper
    >>> table = seconds_table([paper.seconds("train"), paper.seconds("test")], decimals=1)
    >>> [section.title for section in table.sections]
    ['Training seconds', 'Testing seconds']
    """
    parts = _parts(scores)
    sections = []
    for part in parts:
        rows = [
            (Cell(name), *(Cell(value, decimals=decimals) for value in values.tolist()))
            for name, values in zip(part.datasets, part.mean, strict=True)
        ]
        sections.append(Section(part.name if len(parts) > 1 else "", tuple(rows)))
    return Table(title, ("Data set", *parts[0].methods), tuple(sections))


def p_value_table(
    tests: Mapping[str, PairedTests],
    *,
    alpha: float = 0.05,
    adjusted: bool = False,
    title: str = "Wilcoxon signed-rank tests",
) -> Table:
    """p-values of all pairs of methods, one section per metric, in the manner of the paper's Table 6.

    `adjusted` shows them after Holm's correction over the pairs of a section. A root sign marks those below `alpha`.

    >>> from bncc.analysis import paper, pairwise_wilcoxon
    >>> printed = paper.results("MacF").select(methods=["CC", "ECC", "BNCC"])
    >>> print(p_value_table({"MacF": pairwise_wilcoxon(printed.mean, printed.methods)}).to_markdown())
    | Method   |    ECC |     BNCC |
    |:---------|-------:|---------:|
    | **MacF** |        |          |
    | CC       | 0.2837 | 0.0432 √ |
    | ECC      |      – |   0.1964 |
    """
    if not tests:
        raise ValueError("`tests` must hold the tests of at least one metric; got none.")
    methods = next(iter(tests.values())).methods
    sections = []
    for name, compared in tests.items():
        if compared.methods != methods:
            raise ValueError(f"All sections must compare the same methods; {name!r} has {list(compared.methods)}.")
        p_values = compared.adjusted if adjusted else [test.p_value for test in compared.tests]
        known = {
            pair: p for pair, p, test in zip(compared.pairs, p_values, compared.tests, strict=True) if test.n_pairs
        }
        rows = [
            (Cell(method), *(_p_cell(known.get((one, other)), alpha) for other in range(1, len(methods))))
            for one, method in enumerate(methods[:-1])
        ]
        sections.append(Section(name, tuple(rows)))
    kind = "after Holm's correction" if adjusted else "two-sided, not corrected for many tests"
    return Table(title, ("Method", *methods[1:]), tuple(sections), f"p-values {kind}; √ marks those below {alpha:g}.")


def rank_table(scores: Scores | Sequence[Scores], *, title: str = "Average ranks") -> Table:
    """Average rank of each method per metric, over the data sets on which all methods have a score; the best in bold.

    The last columns are the number of these data sets and the p-value of Friedman's test (Iman and Davenport's F).

    >>> from bncc.analysis import paper
    >>> print(rank_table([paper.results("MicF")]).to_markdown())
    | Metric |   BR |  CLR |   CC |  GCC |  ECC |     BNCC | Data sets | Friedman p |
    |:-------|-----:|-----:|-----:|-----:|-----:|---------:|----------:|-----------:|
    | MicF   | 3.08 | 4.72 | 3.64 | 4.72 | 3.00 | **1.83** |        18 |    <0.0001 |
    """
    parts = _parts(scores)
    rows = tuple(_rank_row(part.complete()) for part in parts)
    columns = ("Metric", *parts[0].methods, "Data sets", "Friedman p")
    return Table(title, columns, (Section("", rows),), "Rank 1 is best; ties share the mean rank. Best in bold.")


def against_table(
    scores: Scores | Sequence[Scores],
    method: str,
    *,
    decimals: int = 4,
    alpha: float = 0.05,
    title: str | None = None,
) -> Table:
    """One method against each other over data sets: wins/ties/losses, effect size, Wilcoxon's p, and Holm's.

    Holm's correction is over the methods of a section. Scores are compared as shown, with `decimals` digits.

    >>> from bncc.analysis import paper
    >>> print(against_table(paper.results("MicF").select(methods=["CC", "ECC", "BNCC"]), "BNCC").to_markdown())
    | Against | Data sets | Wins/ties/losses | Rank-biserial |        p |   Holm p |
    |:--------|----------:|-----------------:|--------------:|---------:|---------:|
    | CC      |        18 |           15/0/3 |         +0.85 | 0.0016 √ | 0.0032 √ |
    | ECC     |        18 |           15/0/3 |         +0.56 | 0.0385 √ | 0.0385 √ |
    """
    parts = _parts(scores)
    if method not in parts[0].methods:
        raise ValueError(f"`method` must be one of {list(parts[0].methods)}; got {method!r}.")
    sections = [
        Section(part.name if len(parts) > 1 else "", _against_rows(part, method, decimals, alpha)) for part in parts
    ]
    columns = ("Against", "Data sets", "Wins/ties/losses", "Rank-biserial", "p", "Holm p")
    note = f"Positive effects favour {method}. p-values are Wilcoxon's over data sets; √ marks those below {alpha:g}."
    return Table(f"{method} against the others" if title is None else title, columns, tuple(sections), note)


def _parts(scores: Scores | Sequence[Scores]) -> list[Scores]:
    parts = [scores] if isinstance(scores, Scores) else list(scores)
    if not parts:
        raise ValueError("`scores` must hold at least one metric; got none.")
    for part in parts:
        if part.methods != parts[0].methods:
            raise ValueError(f"All sections must have the same methods; {part.name!r} has {list(part.methods)}.")
    return parts


def _score_section(
    part: Scores, baseline: str | None, arrows: Sequence[str] | None, decimals: int, titled: bool
) -> Section:
    if baseline is not None and baseline not in part.methods:
        raise ValueError(f"`baseline` must be one of {list(part.methods)}; got {baseline!r}.")
    better = part.mean if part.greater_is_better else -part.mean
    shown = np.round(better, decimals)
    rows = []
    for i, name in enumerate(part.datasets):
        top = np.nanmax(shown[i]) if not np.isnan(shown[i]).all() else np.nan
        base = shown[i, part.methods.index(baseline)] if baseline is not None else np.nan
        cells = [
            Cell(
                float(part.mean[i, j]),
                std=float(part.std[i, j]),
                decimals=decimals,
                best=bool(shown[i, j] == top),
                mark=_arrow(shown[i, j] - base) if arrows is None or method in arrows else "",
            )
            for j, method in enumerate(part.methods)
        ]
        rows.append((Cell(name), *cells))
    return Section(part.name if titled else "", tuple(rows))


def _arrow(gain: float) -> str:
    return "↗" if gain > 0 else "↘" if gain < 0 else ""


def _p_cell(p_value: float | None, alpha: float) -> Cell:
    if p_value is None:
        return Cell(None)
    return Cell(p_value, mark="√" if p_value < alpha else "", bounded=True)


def _rank_row(part: Scores) -> tuple[Cell, ...]:
    n, k = part.mean.shape
    if n == 0:
        return (Cell(part.name), *[Cell(None)] * k, Cell("0"), Cell(None))
    ranks = average_ranks(part.mean, greater_is_better=part.greater_is_better)
    best = np.round(ranks, 2) == np.round(ranks, 2).min()
    cells = [Cell(float(rank), decimals=2, best=bool(top)) for rank, top in zip(ranks, best, strict=True)]
    p_value = friedman(part.mean).f_p_value if n > 1 and k > 2 else None
    return (Cell(part.name), *cells, Cell(str(n)), Cell(p_value, bounded=True))


def _against_rows(part: Scores, method: str, decimals: int, alpha: float) -> tuple[tuple[Cell, ...], ...]:
    others = [other for other in part.methods if other != method]
    column = part.mean[:, part.methods.index(method)]
    shown = [np.round(_both(column, part.mean[:, part.methods.index(other)]), decimals) for other in others]
    rivals = [(one, other) for one, other in shown]
    p_values = [wilcoxon(one, other, decimals=decimals).p_value if len(one) else 1.0 for one, other in rivals]
    rows = []
    for name, (one, other), p, corrected in zip(others, rivals, p_values, holm(p_values).tolist(), strict=True):
        if not len(one):
            rows.append((Cell(name), Cell("0"), *[Cell(None)] * 4))
            continue
        better = part.greater_is_better
        count = win_tie_loss(one, other, greater_is_better=better, decimals=decimals)
        effect = rank_biserial(one, other, greater_is_better=better, decimals=decimals)
        effect_cell = Cell(effect, decimals=2, signed=True)
        rows.append(
            (
                Cell(name),
                Cell(str(len(one))),
                Cell(str(count)),
                effect_cell,
                _p_cell(p, alpha),
                _p_cell(corrected, alpha),
            )
        )
    return tuple(rows)


def _both(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    known = ~np.isnan(first) & ~np.isnan(second)
    return first[known], second[known]
