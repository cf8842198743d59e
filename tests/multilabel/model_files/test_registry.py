"""Every estimator of the package has its record, and every record its class."""

import inspect

import pytest

import bncc
from bncc.multilabel.model_files.fields import Sizes
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record, check_record, record_named, record_of, records
from model_cases import BASES, CASES

ESTIMATORS = [
    name for name in bncc.__all__ if inspect.isclass(getattr(bncc, name)) and hasattr(getattr(bncc, name), "fit")
]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_has_a_record_and_a_case(name):
    kind = getattr(bncc, name)
    record = record_of(f"{kind.__module__}:{kind.__qualname__}")
    assert record is not None, "add its record: see CONTRIBUTING"
    steps = [step for model, _, _ in BASES.values() for _, step in getattr(model, "steps", ())]
    assert any(isinstance(model, kind) for model in (*CASES.values(), *steps))


@pytest.mark.parametrize("name", records())
def test_every_record_has_its_class(name):
    record = records()[name]
    kind = record.type()
    assert record.name == name
    assert f"{kind.__module__}:{kind.__qualname__}" == record.path
    assert not (record.inner and record.loose)


def test_names_stand_once():
    paths = [path for record in records().values() for path in (record.path, *record.former)]
    assert len(set(paths)) == len(paths)


def test_most_records_of_classifiers_have_a_case():
    known = {
        type(step).__name__
        for model, _, _ in BASES.values()
        for step in getattr(model, "steps", [(0, model)])[-1:][0][1:]
    }
    assert {"SVC", "RandomForestClassifier", "HistGradientBoostingClassifier", "KNeighborsClassifier"} <= known


def test_unknown_names_are_refused():
    with pytest.raises(Refused, match="not trusted: Popen"):
        record_named("Popen")
    assert record_of("subprocess:Popen") is None


def test_fields_of_loose_records_are_no_methods():
    record = Record("x", "sklearn.dummy:DummyClassifier", loose=True)
    check_record(record, {"anything_": 3, "strategy": "prior"}, Sizes(lambda value: None))
    for name in ("predict", "__class__", "_validate_params", "no name"):
        with pytest.raises(Refused, match="may not have"):
            check_record(record, {name: 3}, Sizes(lambda value: None))
