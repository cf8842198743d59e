import math

import pytest

from bncc.analysis import ComparedCell, agreement, compare_with_paper, comparison_table, paper
from bncc.experiment import WHOLE, Record
from bncc.metrics import PAPER_METRICS
from made_records import make_records


def cell(mean, printed=0.5, std=0.01, folds=0.02, repeats=0.001):
    return ComparedCell("MicF", "yeast", "CC", mean, folds, repeats, printed, std)


def as_printed(metric="MicF", shift=0.0, fold=0):
    """A study of one fold that finds exactly what the paper prints, plus a shift."""
    printed = paper.results(metric)
    name = PAPER_METRICS[metric]
    return [
        Record(dataset, method, 0, fold, {name: printed.cell(dataset, method)[0] + shift})
        for dataset in printed.datasets
        for method in printed.methods
    ]


def test_the_printed_results_agree_with_themselves():
    cells = compare_with_paper(as_printed())
    count = agreement(cells)
    assert (count.n_cells, count.within_one, count.within_two) == (108, 108, 108)
    assert all(cell.difference == 0 for cell in cells)


def test_agreement_counts_by_definition():
    cells = compare_with_paper(as_printed(shift=0.01))
    printed = paper.results("MicF").std
    one, two = ((k * printed + 1e-9 >= 0.01).sum() for k in (1, 2))
    count = agreement(cells)
    assert (count.within_one, count.within_two) == (one, two)
    assert 0 < one < two < 108


@pytest.mark.parametrize(
    ("mean", "one", "two"), [(0.51, True, True), (0.51004, True, True), (0.5101, False, True), (0.4799, False, False)]
)
def test_limits_count_as_within(mean, one, two):
    assert (cell(mean).within(1), cell(mean).within(2)) == (one, two)


def test_agreement_by_our_own_deviations():
    cells = [cell(0.515), cell(0.505, folds=math.nan)]
    assert agreement(cells, "folds").n_cells == 1
    assert agreement(cells, "folds").within_one == 1
    assert agreement(cells, "repeats").within_two == 0
    with pytest.raises(ValueError, match="got 'rows'"):
        agreement(cells, "rows")


def test_other_data_sets_methods_and_metrics_are_left_out():
    records = make_records(("emotions", "mine"), ("BNCC", "Mine"), metrics=("macro_f1", "macro_auc"))
    [compared] = compare_with_paper(records)
    assert (compared.metric, compared.dataset, compared.method) == ("MacF", "emotions", "BNCC")


def test_pooled_scores_are_kept_apart():
    pooled = as_printed(fold=WHOLE)
    assert compare_with_paper(pooled) == ()
    assert len(compare_with_paper(pooled, pooled=True)) == 108
    both = [*as_printed(shift=0.2), *pooled]
    assert compare_with_paper(both)[0].difference == 0.2
    assert compare_with_paper(both, pooled=True)[0].difference == 0
    assert agreement(compare_with_paper(both, pooled=True), "folds").n_cells == 0


def test_table_puts_ours_beside_the_printed():
    table = comparison_table(compare_with_paper(as_printed(shift=0.006)))
    assert table.columns[:3] == ("Data set", "BR", "CLR")
    yeast = next(row for row in table.sections[0].rows if row[0].value == "yeast")
    assert yeast[-1].value == "0.6630 (0.6570)"
    assert yeast[-1].mark == "●"
    assert yeast[3].mark == "○"


def test_gaps_are_shown():
    records = [r for r in as_printed() if (r.dataset, r.method) != ("yeast", "CC") and r.method in ("CC", "BNCC")]
    table = comparison_table(compare_with_paper(records))
    yeast = next(row for row in table.sections[0].rows if row[0].value == "yeast")
    assert [c.value for c in yeast[1:]] == [None, "0.6570 (0.6570)"]
