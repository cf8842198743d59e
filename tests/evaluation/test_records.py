from bncc import evaluation, experiment
from bncc.evaluation.records import WHOLE, Candidate, Record


def test_studies_and_comparisons_leave_the_same_records():
    assert experiment.Record is evaluation.Record is Record
    assert experiment.Candidate is evaluation.Candidate is Candidate
    assert experiment.WHOLE == evaluation.WHOLE == WHOLE == -1


def test_records_are_equal_by_value():
    assert Record("d", "m", 0, 1, {"a": 0.5}) == Record("d", "m", 0, 1, {"a": 0.5})
    assert Record("d", "m", 0, 1, {"a": 0.5}) != Record("d", "m", 0, WHOLE, {"a": 0.5})
