import math
from dataclasses import replace

import numpy as np
import pytest

from bncc.analysis import (
    Scores,
    against_table,
    collect_scores,
    collect_seconds,
    p_value_table,
    pairwise_wilcoxon,
    paper,
    rank_table,
    score_table,
    seconds_table,
)
from bncc.metrics import PAPER_METRICS
from made_records import make_records


def scores_of(mean, *, better=True, methods=("BR", "CC", "BNCC"), name="MicF"):
    mean = np.array(mean, float)
    datasets = tuple(f"set{i}" for i in range(len(mean)))
    return Scores(name, better, datasets, methods, mean, np.full(mean.shape, np.nan))


def body(table, section=0):
    return [list(row[1:]) for row in table.sections[section].rows]


def test_the_papers_table_4_comes_out_as_printed():
    """All four sections, 18 rows each, and an arrow in the 55 cells where the paper has one."""
    parts = [paper.results(metric) for metric in PAPER_METRICS]
    table = score_table(parts, baseline="CC", arrows=["BNCC"])
    assert [len(section.rows) for section in table.sections] == [18] * 4
    cells = [cell for section in table.sections for row in section.rows for cell in row[1:]]
    assert sum(cell.mark == "↗" for cell in cells) == 55
    genbase = next(row for row in table.sections[0].rows if row[0].value == "genbase")
    assert [cell.best for cell in genbase[1:]] == [False, False, False, False, True, True]
    assert genbase[-1].text == "0.0006 ± 0.0006"


def test_best_and_arrows_follow_the_direction_of_the_metric():
    up = body(score_table(scores_of([[0.1, 0.2, 0.3]]), baseline="CC"))[0]
    down = body(score_table(scores_of([[0.1, 0.2, 0.3]], better=False), baseline="CC"))[0]
    assert [(c.best, c.mark) for c in up] == [(False, "↘"), (False, ""), (True, "↗")]
    assert [(c.best, c.mark) for c in down] == [(True, "↗"), (False, ""), (False, "↘")]


def test_what_looks_equal_is_equal():
    [cells] = body(score_table(scores_of([[0.30001, 0.3, 0.2]]), baseline="CC"))
    assert [(c.best, c.mark) for c in cells] == [(True, ""), (True, ""), (False, "↘")]


def test_gaps_are_neither_best_nor_better():
    rows = body(score_table(scores_of([[math.nan, 0.3, 0.2], [math.nan] * 3, [0.5, math.nan, 0.6]]), baseline="CC"))
    assert [(c.best, c.mark) for c in rows[0]] == [(False, ""), (True, ""), (False, "↘")]
    assert not any(c.best or c.mark for c in rows[1])
    assert [(c.best, c.mark) for c in rows[2]] == [(False, ""), (False, ""), (True, "")]


def test_seconds_have_a_section_each():
    records = make_records()
    table = seconds_table([collect_seconds(records, "train"), collect_seconds(records, "test")])
    assert [section.title for section in table.sections] == ["Training seconds", "Testing seconds"]
    assert table.columns == ("Data set", "BR", "CLR", "CC", "GCC", "ECC", "BNCC")


def test_the_papers_table_6_has_its_shape_and_marks():
    """With our own p-values, marks are the printed ones in all 60 cells: the six that differ do not cross 0.05."""
    tests = {}
    for metric in PAPER_METRICS:
        printed = paper.results(metric)
        tests[metric] = pairwise_wilcoxon(printed.mean, printed.methods, decimals=4, method="asymptotic")
    table = p_value_table(tests)
    assert table.columns == ("Method", "CLR", "CC", "GCC", "ECC", "BNCC")
    for section in table.sections:
        printed_p = paper.p_values(section.title)
        for row in section.rows:
            for column, cell in zip(table.columns[1:], row[1:], strict=True):
                pair = (row[0].value, column)
                assert (cell.value is None) == (pair not in printed_p)
                if pair in printed_p:
                    assert (cell.mark == "√") == (printed_p[pair] < 0.05)


def test_corrected_p_values_are_larger():
    printed = paper.results("MicF")
    tests = {"MicF": pairwise_wilcoxon(printed.mean, printed.methods)}
    plain, corrected = p_value_table(tests), p_value_table(tests, adjusted=True)
    for one, other in zip(body(plain), body(corrected), strict=True):
        assert all(a.value is None or b.value >= a.value for a, b in zip(one, other, strict=True))
    assert "Holm" in corrected.note


def test_ranks_use_complete_rows_alone():
    scores = scores_of([[0.1, 0.2, 0.3], [0.3, math.nan, 0.1], [0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    [cells] = body(rank_table(scores))
    assert [c.text for c in cells[:4]] == ["2.33", "2.00", "1.67", "3"]
    assert [c.best for c in cells[:3]] == [False, False, True]
    [empty] = body(rank_table(scores_of([[math.nan, 0.1, 0.2]])))
    assert [c.text for c in empty] == ["–", "–", "–", "0", "–"]


def test_one_method_against_the_others():
    scores = scores_of([[0.1, 0.2, 0.3], [0.2, math.nan, 0.1], [0.3, 0.2, 0.1], [0.1, 0.2, 0.32]])
    against_br, against_cc = body(against_table(scores, "BNCC"))
    assert [c.text for c in against_br[:3]] == ["4", "2/0/2", "+0.30"]
    assert [c.text for c in against_cc[:2]] == ["3", "2/0/1"]
    loss = against_table(replace(scores, greater_is_better=False), "BNCC")
    assert body(loss)[0][1].text == "2/0/2"
    assert body(loss)[0][2].text == "-0.30"


def test_a_rival_without_common_data_sets_is_left_blank():
    scores = scores_of([[0.1, math.nan, 0.3], [math.nan, 0.2, math.nan]])
    assert [c.text for c in body(against_table(scores, "BNCC"))[1]] == ["0", "–", "–", "–", "–"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: score_table(s, baseline="XX"), "`baseline` must be one of"),
        (lambda s: score_table([]), "at least one metric"),
        (lambda s: score_table([s, s.select(methods=["CC"])]), "same methods"),
        (lambda s: against_table(s, "XX"), "`method` must be one of"),
        (lambda s: p_value_table({}), "at least one metric"),
    ],
)
def test_bad_requests_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(collect_scores(make_records(), "MicF"))
