"""Records: frozen, equal by value, with defaults for methods that have no kernel, chain or network."""

from dataclasses import FrozenInstanceError, fields

import pytest

from bncc import evaluation, experiment
from bncc.evaluation.records import WHOLE, Candidate, Record

RECORD = Record("flags", "BNCC", 0, 1, {"example_f1": 0.5})
CANDIDATE = Candidate("flags", "BNCC", 0, WHOLE, 2.0, 10.0, {"example_f1": 0.5})


@pytest.mark.parametrize("record", [RECORD, CANDIDATE], ids=lambda record: type(record).__name__)
def test_nothing_can_be_changed(record):
    for field in fields(record):
        with pytest.raises(FrozenInstanceError):
            setattr(record, field.name, None)


def test_records_with_the_same_contents_are_equal():
    assert Record("flags", "BNCC", 0, 1, {"example_f1": 0.5}) == RECORD
    assert Record("flags", "BNCC", 0, 2, {"example_f1": 0.5}) != RECORD
    assert Candidate("flags", "BNCC", 0, WHOLE, 2.0, 10.0, {"example_f1": 0.5}) == CANDIDATE
    assert Candidate("flags", "BNCC", 0, WHOLE, 2.0, 1.0, {"example_f1": 0.5}) != CANDIDATE


def test_a_method_without_kernel_chain_or_network_leaves_them_empty():
    assert (RECORD.sigma, RECORD.C, RECORD.order, RECORD.parents) == (None, None, None, None)
    assert (RECORD.select_seconds, RECORD.train_seconds, RECORD.test_seconds) == (0.0, 0.0, 0.0)
    assert dict(RECORD.versions) == {}


def test_versions_are_not_shared_between_records():
    assert Record("a", "b", 0, 0, {}).versions is not Record("a", "b", 0, 0, {}).versions


def test_a_whole_set_is_no_fold():
    """Folds and repeats count from 0, so that `WHOLE` can be neither."""
    assert WHOLE < 0


def test_studies_and_comparisons_leave_the_same_records():
    assert experiment.Record is evaluation.Record is Record
    assert experiment.Candidate is evaluation.Candidate is Candidate
    assert experiment.WHOLE == evaluation.WHOLE == WHOLE == -1
