"""What reading a file may take is in proportion to what it holds."""

import pytest

from bncc.multilabel.model_files.budget import Budget
from bncc.multilabel.model_files.refusals import Refused


def test_memory_is_a_multiple_of_the_content():
    budget = Budget(10**6)
    budget.spend(2**25 + 8 * 10**6)
    with pytest.raises(Refused, match="many times what it holds"):
        budget.spend(1)
    budget.check_mentioned(2**24 + 4 * 10**6)
    with pytest.raises(Refused, match="many times what it holds"):
        budget.check_mentioned(2**24 + 4 * 10**6 + 1)


def test_references_are_as_many_as_records_and_some():
    budget = Budget(0)
    for _ in range(1000):
        budget.add_record()
    budget.add_reference(6000)
    assert budget.records == 7000
    with pytest.raises(Refused, match="6001 times, those within them included, more than 6000"):
        budget.add_reference(1)


def test_records_are_bounded():
    budget = Budget(10**9)
    for _ in range(2**18):
        budget.add_record()
    with pytest.raises(Refused, match="more than 262144 records"):
        budget.add_record()


def test_what_takes_time_is_bounded_whatever_the_file_holds():
    budget = Budget(2**32)
    budget.take_time(2**19)
    with pytest.raises(Refused, match="more records and arrays than can be read in some seconds"):
        budget.take_time(1)


def test_cells_without_data():
    assert Budget(2**30).cells == 2**25


def test_steps_are_free_then_paid_for_and_have_an_end():
    for content, most in ((0, 2**14), (128 * 1000, 2**14 + 1000), (2**32, 2**17)):
        budget = Budget(content)
        budget.add_steps(most)
        with pytest.raises(Refused, match=f"{most + 1} columns and parts one by one for an answer, more than {most}"):
            budget.add_steps(1)


def test_columns_with_names_are_free_then_paid_for():
    for content, most in ((0, 2**18), (8 * 10**6, 2**18 + 10**6)):
        Budget(content).check_columns("A union", most)
        with pytest.raises(Refused, match=f"A union of {most + 1} columns that have names"):
            Budget(content).check_columns("A union", most + 1)
